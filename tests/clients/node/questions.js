// Questions in text and in JSON, in both formats, and pages of all of them. The events are those of `ingest`.
import assert from 'node:assert/strict';
import { AggregationOp, FilterOp } from '@axiomhq/js';
import { END, START, at, rows } from './checks.js';

export async function tabular(client) {
  const apl =
    "['node-web'] | extend even = n % 2 == 0 | summarize count(), sum(n) by bin(_time, 10m), even | sort by _time asc, even asc";
  const { tables, status } = await client.query(apl, { startTime: START, endTime: END, noCache: true });
  const [table, totals] = tables;
  assert.deepEqual([table.name, totals.name, status.numGroups], ['0', '_totals', 2]);
  assert.deepEqual(table.buckets, { field: '_time', size: 600_000_000_000 });
  assert.deepEqual(table.groups, [{ name: '_time' }, { name: 'even' }]);
  assert.deepEqual(table.range, { field: '_time', start: START, end: END });
  assert.deepEqual(
    [...table.events()],
    [
      { _time: START, even: false, count_: 300, sum_n: 90000 },
      { _time: START, even: true, count_: 300, sum_n: 90300 },
      { _time: '2026-06-01T12:10:00Z', even: false, count_: 300, sum_n: 270000 },
      { _time: '2026-06-01T12:10:00Z', even: true, count_: 300, sum_n: 270300 },
    ],
  );
  assert.deepEqual(await rows(client, "['node-web'] | count", { startTime: at(10), endTime: at(20) }), [
    { Count: 10 },
  ]);
  assert.deepEqual(await rows(client, "['node-web'] | where n > 5000"), []);
  const limited = await client.query("['node-web']");
  assert.deepEqual([limited.tables[0].columns[0].length, limited.status.rowsMatched], [1000, 1200]);
}

export async function legacy(client) {
  const options = { format: 'legacy', startTime: START, endTime: END };
  const events = await client.query("['node-web'] | where n <= 2 | sort by _time asc", options);
  assert.deepEqual(
    events.matches.map((entry) => [entry._time, entry.data.n]),
    [
      [START, 1],
      ['2026-06-01T12:00:01Z', 2],
    ],
  );
  assert.deepEqual(events.matches[0].data['geo.city'], 'Köln');
  assert.deepEqual([events.format, events.datasetNames], ['legacy', ['node-web']]);
  const groups = await client.aplQuery(
    "['node-web'] | summarize events = count(), sum(n) by late = n > 1000 | sort by late asc",
    options,
  );
  assert.deepEqual(
    groups.buckets.totals.map(({ group, aggregations }) => ({ group, aggregations })),
    [
      {
        group: { late: false },
        aggregations: [
          { op: 'events', value: 1000 },
          { op: 'sum_n', value: 500500 },
        ],
      },
      {
        group: { late: true },
        aggregations: [
          { op: 'events', value: 200 },
          { op: 'sum_n', value: 220100 },
        ],
      },
    ],
  );
}

// The question in JSON.
export async function json(client) {
  const range = { startTime: START, endTime: END, resolution: 'auto' };
  const filter = {
    op: FilterOp.And,
    field: '',
    children: [
      { op: FilterOp.GreaterThan, field: 'n', value: 3 },
      { op: FilterOp.Lte, field: 'n', value: 5 },
    ],
  };
  const events = await client.queryLegacy('node-web', {
    ...range,
    filter,
    order: [{ field: '_time', desc: false }],
    project: [{ field: 'n', alias: 'number' }],
  });
  assert.deepEqual(
    events.matches.map((entry) => entry.data),
    [{ number: 4 }, { number: 5 }],
  );
  const groups = await client.queryLegacy(
    'node-web',
    {
      ...range,
      resolution: '36s',
      aggregations: [
        { op: AggregationOp.Count, field: '*' },
        { op: AggregationOp.Sum, field: 'n' },
      ],
      groupBy: ['even'],
      virtualFields: [{ alias: 'even', expr: 'n % 2 == 0' }],
      order: [{ field: 'even', desc: true }],
    },
    { streamingDuration: '1s', noCache: true },
  );
  assert.deepEqual(
    groups.buckets.totals.map(({ group, aggregations }) => ({ group, aggregations })),
    [
      {
        group: { even: true },
        aggregations: [
          { op: 'COUNT', value: 600 },
          { op: 'SUM', value: 360600 },
        ],
      },
      {
        group: { even: false },
        aggregations: [
          { op: 'COUNT', value: 600 },
          { op: 'SUM', value: 360000 },
        ],
      },
    ],
  );
  const series = groups.buckets.series.filter((interval) => interval.groups.length > 0);
  assert.deepEqual(
    [
      series.length,
      series[0].startTime,
      series[0].endTime,
      series[0].groups.map((group) => group.aggregations[0].value),
    ],
    [34, START, '2026-06-01T12:00:36Z', [18, 18]],
  );
}

// Pages by the cursor in the status: of both kinds of question, and in both formats of the text.
export async function paging(client) {
  const expected = Array.from({ length: 1200 }, (_, index) => 1200 - index);
  const range = { startTime: START, endTime: END, resolution: 'auto', limit: 500 };
  const apl = "['node-web'] | sort by _time desc | take 500";
  const ways = {
    tabular: (cursor) => client.query(apl, { cursor }),
    legacy: (cursor) => client.query(apl, { cursor, format: 'legacy' }),
    json: (cursor) => client.queryLegacy('node-web', { ...range, cursor }),
  };
  for (const ask of Object.values(ways)) {
    const seen = [];
    for (let cursor; ;) {
      const result = await ask(cursor);
      const page = result.tables
        ? [...result.tables[0].events()].map((row) => row.n)
        : result.matches.map((entry) => entry.data.n);
      if (page.length === 0) break;
      seen.push(...page);
      cursor = result.status.minCursor;
    }
    assert.deepEqual(seen, expected);
  }
}
