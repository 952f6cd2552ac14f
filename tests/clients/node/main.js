// Talks to the service through @axiomhq/js as it is on npm, and checks every value that comes back.
//
// Usage: main.js [rate-limit]. The address, the organisation and the owner's personal token come from AXIOM_URL,
// AXIOM_ORG_ID and AXIOM_TOKEN; TEST_API_TOKEN may do everything, TEST_INGEST_TOKEN may only send events. The client
// makes no tokens and no saved queries; annotations, monitors and dashboards are left out: the service has none yet.
import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import { AggregationOp, ContentEncoding, ContentType, FilterOp } from '@axiomhq/js';
import { connect, connectBatching, connectPersonally, failures, forbidden, ingestRefused, refused, rows, saveQuery } from './checks.js';

const { AXIOM_URL, AXIOM_TOKEN, TEST_API_TOKEN, TEST_INGEST_TOKEN } = process.env;
const START = '2026-06-01T12:00:00Z';
const END = '2026-06-01T13:00:00Z';
const at = (seconds) => new Date(Date.parse(START) + seconds * 1000).toISOString();

async function datasets(client, personal) {
  const made = await client.datasets.create({ name: 'node-web', description: 'Requests', useRetentionPeriod: true, retentionDays: 30 });
  assert.equal(made.id, 'node-web');
  assert.deepEqual([made.name, made.description, made.kind], ['node-web', 'Requests', 'axiom:events:v1']);
  assert.deepEqual([made.useRetentionPeriod, made.retentionDays], [true, 30]);
  assert.ok(!Number.isNaN(Date.parse(made.created)));
  assert.deepEqual(await client.datasets.get('node-web'), made);
  const listed = (await client.datasets.list()).filter((dataset) => dataset.name === 'node-web');
  assert.deepEqual(listed, [made]);
  const changed = await client.datasets.update('node-web', { description: 'Requests to the shop' });
  assert.deepEqual({ ...changed, description: 'Requests', updatedAt: made.updatedAt }, made);
  assert.equal(changed.description, 'Requests to the shop');
  assert.deepEqual(await client.datasets.get('node-web'), changed);
  assert.deepEqual(await client.datasets.mapFields('node-web'), []);
  const own = await personal.datasets.create({ name: 'node-own' });
  assert.equal(own.who, (await personal.users.current()).id);
}

async function users(client, personal) {
  const current = await personal.users.current();
  assert.match(current.id, /^user_/);
  assert.equal(current.role.id, 'owner');
  assert.match(current.email, /@/);
  assert.deepEqual(await client.users.get(current.id), current);
  assert.deepEqual((await client.users.list()).filter((user) => user.id === current.id), [current]);
}

const BODIES = {
  [ContentType.JSON]: (source) =>
    `[{"_time":"2026-06-01T12:00:00.123456789Z","source":"${source}","n":3},{"_time":"2026-06-01T12:00:01Z","source":"${source}","n":4}]`,
  [ContentType.NDJSON]: (source) =>
    `{"_time":"2026-06-01T12:00:00.123456789Z","source":"${source}","n":3}\n{"_time":"2026-06-01T12:00:01Z","source":"${source}","n":4}\n`,
  [ContentType.CSV]: (source) => `_time,source,n\n2026-06-01T12:00:00.123456789Z,${source},3\n2026-06-01T12:00:01Z,${source},4\n`,
};

// Each content type in each encoding, read back at once.
async function formats(client) {
  const sources = [];
  for (const [contentType, body] of Object.entries(BODIES)) {
    for (const [name, encoding] of Object.entries(ContentEncoding)) {
      const source = `${contentType}-${name}`;
      const text = body(source);
      const data = encoding === ContentEncoding.GZIP ? gzipSync(text) : text;
      const status = await client.ingestRaw('node-formats', data, contentType, encoding);
      assert.deepEqual(failures, []);
      assert.deepEqual([status.ingested, status.failed, status.failures], [2, 0, []]);
      assert.equal(status.processedBytes, Buffer.byteLength(text));
      const asText = contentType === ContentType.CSV;
      assert.deepEqual(
        await rows(client, `['node-formats'] | where source == '${source}' | sort by _time asc | project _time, n`),
        [
          { _time: '2026-06-01T12:00:00.123456789Z', n: asText ? '3' : 3 },
          { _time: '2026-06-01T12:00:01Z', n: asText ? '4' : 4 },
        ],
      );
      sources.push(source);
    }
  }
  const apl = "['node-formats'] | summarize events = count(), total = sum(toint(n)) by source | sort by source asc";
  assert.deepEqual(await rows(client, apl), sources.sort().map((source) => ({ source, events: 2, total: 7 })));
}

// Objects, streams, batches in the background, times in a layout of the caller's, and events that fail alone.
async function ingest(client) {
  const one = await client.ingest('node-web', { _time: at(0), n: 1, whole: 9223372036854775807n, list: [1, 'a'], geo: { city: 'Köln' } });
  assert.deepEqual([one.ingested, one.failed, one.failures], [1, 0, []]);
  const stream = new Blob([`{"_time":"${at(1)}","n":2}\n{"_time":"${at(2)}","n":3}`]).stream();
  assert.equal((await client.ingestRaw('node-web', stream, ContentType.NDJSON)).ingested, 2);

  const batching = connectBatching(TEST_API_TOKEN);
  for (let n = 4; n <= 1200; n++) batching.ingest('node-web', { _time: at(n - 1), n });
  await batching.flush();
  assert.deepEqual(await rows(client, "['node-web'] | summarize count(), sum(n), max(_time)"), [
    { count_: 1200, sum_n: 720600, max__time: '2026-06-01T12:19:59Z' },
  ]);

  const options = { timestampField: 'when', timestampFormat: '2/Jan/2006:15:04:05 -0700', csvDelimiter: ';' };
  const csv = 'when;host\n17/May/2025:08:05:30 +0200;first\n';
  assert.equal((await client.ingestRaw('node-times', csv, ContentType.CSV, ContentEncoding.Identity, options)).ingested, 1);
  assert.deepEqual(await rows(client, "['node-times'] | project-away _sysTime"), [{ _time: '2025-05-17T06:05:30Z', host: 'first' }]);

  const status = await client.ingest('node-times', [{ _time: at(0), host: 'second' }, { _time: 'soon', host: 'lost' }]);
  assert.deepEqual([status.ingested, status.failed, status.failures.length], [1, 1, 1]);
  assert.match(status.failures[0].error, /^event 1: /);
  assert.deepEqual(failures, []);
}

// The numbers of this language end at 2⁵³, so that larger ones are read back as text.
async function values(client) {
  const body = `[{"_time":"${START}","whole":9223372036854775807,"part":0.1,"yes":true,"list":[1,"a",null],"geo":{"city":"Köln"}},
    {"_time":"2026-06-01T12:00:00.000000001Z","whole":-9223372036854775808,"part":-1.5e300,"yes":false,"list":[]},
    {"_time":"2026-06-01T12:00:01Z","whole":9007199254740993}]`;
  assert.equal((await client.ingestRaw('node-values', body)).ingested, 3);
  const apl = "['node-values'] | sort by _time asc | project _time, whole = tostring(whole), part, yes, list, ['geo.city']";
  const result = await client.query(apl);
  const [table] = result.tables;
  assert.deepEqual(
    table.fields.map((field) => `${field.name} ${field.type}`),
    ['_time datetime', 'whole string', 'part float', 'yes boolean', 'list array', 'geo.city string'],
  );
  assert.deepEqual(table.columns, [
    [START, '2026-06-01T12:00:00.000000001Z', '2026-06-01T12:00:01Z'],
    ['9223372036854775807', '-9223372036854775808', '9007199254740993'],
    [0.1, -1.5e300, null],
    [true, false, null],
    [[1, 'a', null], [], null],
    ['Köln', null, null],
  ]);
  assert.deepEqual([result.format, result.datasetNames, table.sources], ['tabular', ['node-values'], [{ name: 'node-values' }]]);
  assert.deepEqual([result.status.rowsExamined, result.status.rowsMatched, result.status.isPartial], [3, 3, false]);
  const fields = await client.datasets.fields('node-values');
  assert.deepEqual(
    fields.map((field) => `${field.name} ${field.type}`).sort(),
    ['_sysTime datetime', '_time datetime', 'geo.city string', 'list array', 'part float', 'whole integer', 'yes boolean'],
  );
}

async function tabular(client) {
  const apl = "['node-web'] | extend even = n % 2 == 0 | summarize count(), sum(n) by bin(_time, 10m), even | sort by _time asc, even asc";
  const { tables, status } = await client.query(apl, { startTime: START, endTime: END, noCache: true });
  const [table, totals] = tables;
  assert.deepEqual([table.name, totals.name, status.numGroups], ['0', '_totals', 2]);
  assert.deepEqual(table.buckets, { field: '_time', size: 600_000_000_000 });
  assert.deepEqual(table.groups, [{ name: '_time' }, { name: 'even' }]);
  assert.deepEqual(table.range, { field: '_time', start: START, end: END });
  assert.deepEqual([...table.events()], [
    { _time: START, even: false, count_: 300, sum_n: 90000 },
    { _time: START, even: true, count_: 300, sum_n: 90300 },
    { _time: '2026-06-01T12:10:00Z', even: false, count_: 300, sum_n: 270000 },
    { _time: '2026-06-01T12:10:00Z', even: true, count_: 300, sum_n: 270300 },
  ]);
  assert.deepEqual(await rows(client, "['node-web'] | count", { startTime: at(10), endTime: at(20) }), [{ Count: 10 }]);
  assert.deepEqual(await rows(client, "['node-web'] | where n > 5000"), []);
  const limited = await client.query("['node-web']");
  assert.deepEqual([limited.tables[0].columns[0].length, limited.status.rowsMatched], [1000, 1200]);
}

async function legacy(client) {
  const options = { format: 'legacy', startTime: START, endTime: END };
  const events = await client.query("['node-web'] | where n <= 2 | sort by _time asc", options);
  assert.deepEqual(events.matches.map((entry) => [entry._time, entry.data.n]), [[START, 1], ['2026-06-01T12:00:01Z', 2]]);
  assert.deepEqual(events.matches[0].data['geo.city'], 'Köln');
  assert.deepEqual([events.format, events.datasetNames], ['legacy', ['node-web']]);
  const groups = await client.aplQuery("['node-web'] | summarize events = count(), sum(n) by late = n > 1000 | sort by late asc", options);
  assert.deepEqual(groups.buckets.totals.map(({ group, aggregations }) => ({ group, aggregations })), [
    { group: { late: false }, aggregations: [{ op: 'events', value: 1000 }, { op: 'sum_n', value: 500500 }] },
    { group: { late: true }, aggregations: [{ op: 'events', value: 200 }, { op: 'sum_n', value: 220100 }] },
  ]);
}

// The question in JSON.
async function json(client) {
  const range = { startTime: START, endTime: END, resolution: 'auto' };
  const filter = { op: FilterOp.And, field: '', children: [{ op: FilterOp.GreaterThan, field: 'n', value: 3 }, { op: FilterOp.Lte, field: 'n', value: 5 }] };
  const events = await client.queryLegacy('node-web', { ...range, filter, order: [{ field: '_time', desc: false }], project: [{ field: 'n', alias: 'number' }] });
  assert.deepEqual(events.matches.map((entry) => entry.data), [{ number: 4 }, { number: 5 }]);
  const groups = await client.queryLegacy('node-web', {
    ...range,
    resolution: '36s',
    aggregations: [{ op: AggregationOp.Count, field: '*' }, { op: AggregationOp.Sum, field: 'n' }],
    groupBy: ['even'],
    virtualFields: [{ alias: 'even', expr: 'n % 2 == 0' }],
    order: [{ field: 'even', desc: true }],
  }, { streamingDuration: '1s', noCache: true });
  assert.deepEqual(groups.buckets.totals.map(({ group, aggregations }) => ({ group, aggregations })), [
    { group: { even: true }, aggregations: [{ op: 'COUNT', value: 600 }, { op: 'SUM', value: 360600 }] },
    { group: { even: false }, aggregations: [{ op: 'COUNT', value: 600 }, { op: 'SUM', value: 360000 }] },
  ]);
  const series = groups.buckets.series.filter((interval) => interval.groups.length > 0);
  assert.deepEqual(
    [series.length, series[0].startTime, series[0].endTime, series[0].groups.map((group) => group.aggregations[0].value)],
    [34, START, '2026-06-01T12:00:36Z', [18, 18]],
  );
}

// Pages by the cursor in the status: of both kinds of question, and in both formats of the text.
async function paging(client) {
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
    for (let cursor; ; ) {
      const result = await ask(cursor);
      const page = result.tables ? [...result.tables[0].events()].map((row) => row.n) : result.matches.map((entry) => entry.data.n);
      if (page.length === 0) break;
      seen.push(...page);
      cursor = result.status.minCursor;
    }
    assert.deepEqual(seen, expected);
  }
}

async function savedQueries(client) {
  const query = { apl: "['node-web'] | count", startTime: 'now-1h', endTime: 'now' };
  const { id } = await saveQuery({ kind: 'apl', name: 'Errors', who: '', dataset: 'node-web', metadata: { team: 'shop' }, query });
  const saved = await client.savedQueries.get(id);
  assert.deepEqual([saved.kind, saved.name, saved.dataset], ['apl', 'Errors', 'node-web']);
  assert.deepEqual([saved.query.apl, saved.metadata], ["['node-web'] | count", { team: 'shop' }]);
  assert.deepEqual((await client.savedQueries.list({ limit: 10, who: 'all' })).filter((query) => query.id === saved.id), [saved]);
  assert.deepEqual(await rows(client, saved.query.apl), [{ Count: 1200 }]);
}

// The other pair of paths.
async function edge() {
  const near = connect(TEST_API_TOKEN, { edgeUrl: AXIOM_URL });
  assert.equal((await near.ingest('node-times', { _time: at(0), host: 'edge' })).ingested, 1);
  assert.deepEqual(await rows(near, "['node-times'] | where host == 'edge' | count"), [{ Count: 1 }]);
}

async function refusals(client) {
  const stranger = connect('xaat-123');
  await forbidden(() => stranger.datasets.list());
  await forbidden(() => stranger.query("['node-web']"));
  const sender = connect(TEST_INGEST_TOKEN);
  assert.equal((await sender.ingest('node-times', { host: 'sender' })).ingested, 1);
  await refused(403, 'token does not have access to resource: query with action: read', () => sender.query("['node-web']"));
  await refused(403, 'token does not have access to resource: datasets with action: create', () => sender.datasets.create({ name: 'x' }));
  await ingestRefused(404, 'dataset not found', () => sender.ingest('node-unknown', { n: 1 }));
  for (const call of [client.datasets.get, client.datasets.delete, (name) => client.datasets.update(name, {}), (name) => client.datasets.trim(name, '1h')]) {
    await refused(404, 'dataset not found', () => call('node-unknown'));
  }
  await refused(404, 'dataset not found: "node-unknown"', () => client.query("['node-unknown']"));
  await refused(404, /not found/, () => client.savedQueries.get('unknown'));
  await refused(409, 'there is a dataset with this name', () => client.datasets.create({ name: 'node-web' }));
  await refused(422, 'name in body is required', () => client.datasets.create({}));
  await refused(422, /^maxDuration in body /, () => client.datasets.trim('node-web', 'a while'));
  await refused(422, /^format in query must be one of /, () => client.query("['node-web']", { format: 'xml' }));
  await refused(400, /^line 1, column /, () => client.query("['node-web'] | where"));
  await ingestRefused(400, /^malformed body at line 1, column 3/, () => client.ingestRaw('node-web', '[{'));
}

async function trim(client) {
  await client.ingest('node-trim', { _time: '2020-01-01T00:00:00Z', n: 1 });
  assert.equal((await client.datasets.trim('node-trim', '1h')).status, 204);
  await client.ingest('node-trim', { n: 2 });
  await client.datasets.trim('node-trim', '1h0m0s');
  assert.deepEqual(await rows(client, "['node-trim'] | project n"), [{ n: 2 }]);
}

async function deletion(client) {
  for (const dataset of await client.datasets.list()) {
    if (dataset.name.startsWith('node-')) assert.equal((await client.datasets.delete(dataset.id)).status, 204);
  }
  await refused(404, 'dataset not found', () => client.datasets.get('node-web'));
  await client.datasets.create({ name: 'node-web' });
  assert.deepEqual(await rows(client, "['node-web'] | count"), [{ Count: 0 }]);
  await client.datasets.delete('node-web');
}

// The licence allows one request per second by now, so one of many in a row is refused.
async function rateLimit(client) {
  for (let attempt = 0; attempt < 10_000; attempt++) {
    const error = await client.datasets.list().then(() => undefined, (error) => error);
    if (error === undefined) continue;
    assert.match(error.message, /^organization api limit exceeded, try again in /);
    assert.deepEqual([error.limit.scope, error.limit.type, error.limit.value, error.limit.remaining], ['organization', 'api', 1, 0]);
    assert.ok(error.limit.reset instanceof Date);
    return;
  }
  assert.fail('no request of 10,000 in a row was refused');
}

const client = connect(TEST_API_TOKEN);
if (process.argv[2] === 'rate-limit') {
  await rateLimit(client);
} else {
  const personal = connectPersonally(AXIOM_TOKEN);
  for (const part of [datasets, users, formats, ingest, values, tabular, legacy, json, paging, savedQueries, edge, refusals, trim, deletion]) {
    await part(client, personal);
  }
}
