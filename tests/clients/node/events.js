// Events in every format and encoding that the client knows, by every way that it has, read back at once.
import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import { ContentEncoding, ContentType } from '@axiomhq/js';
import { API_TOKEN, SERVICE_URL, START, at, connect, connectBatching, failures, rows } from './checks.js';

const BODIES = {
  [ContentType.JSON]: (source) =>
    `[{"_time":"2026-06-01T12:00:00.123456789Z","source":"${source}","n":3},{"_time":"2026-06-01T12:00:01Z","source":"${source}","n":4}]`,
  [ContentType.NDJSON]: (source) =>
    `{"_time":"2026-06-01T12:00:00.123456789Z","source":"${source}","n":3}\n{"_time":"2026-06-01T12:00:01Z","source":"${source}","n":4}\n`,
  [ContentType.CSV]: (source) =>
    `_time,source,n\n2026-06-01T12:00:00.123456789Z,${source},3\n2026-06-01T12:00:01Z,${source},4\n`,
};

// Each content type in each encoding, read back at once.
export async function formats(client) {
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
        await rows(
          client,
          `['node-formats'] | where source == '${source}' | sort by _time asc | project _time, n`,
        ),
        [
          { _time: '2026-06-01T12:00:00.123456789Z', n: asText ? '3' : 3 },
          { _time: '2026-06-01T12:00:01Z', n: asText ? '4' : 4 },
        ],
      );
      sources.push(source);
    }
  }
  const apl =
    "['node-formats'] | summarize events = count(), total = sum(toint(n)) by source | sort by source asc";
  assert.deepEqual(
    await rows(client, apl),
    sources.sort().map((source) => ({ source, events: 2, total: 7 })),
  );
}

// Objects, streams, batches in the background, times in a layout of the caller's, and events that fail alone.
export async function ingest(client) {
  const one = await client.ingest('node-web', {
    _time: at(0),
    n: 1,
    whole: 9223372036854775807n,
    list: [1, 'a'],
    geo: { city: 'Köln' },
  });
  assert.deepEqual([one.ingested, one.failed, one.failures], [1, 0, []]);
  const stream = new Blob([`{"_time":"${at(1)}","n":2}\n{"_time":"${at(2)}","n":3}`]).stream();
  assert.equal((await client.ingestRaw('node-web', stream, ContentType.NDJSON)).ingested, 2);

  const batching = connectBatching(API_TOKEN);
  for (let n = 4; n <= 1200; n++) batching.ingest('node-web', { _time: at(n - 1), n });
  await batching.flush();
  assert.deepEqual(await rows(client, "['node-web'] | summarize count(), sum(n), max(_time)"), [
    { count_: 1200, sum_n: 720600, max__time: '2026-06-01T12:19:59Z' },
  ]);

  const options = { timestampField: 'when', timestampFormat: '2/Jan/2006:15:04:05 -0700', csvDelimiter: ';' };
  const csv = 'when;host\n17/May/2025:08:05:30 +0200;first\n';
  assert.equal(
    (await client.ingestRaw('node-times', csv, ContentType.CSV, ContentEncoding.Identity, options)).ingested,
    1,
  );
  assert.deepEqual(await rows(client, "['node-times'] | project-away _sysTime"), [
    { _time: '2025-05-17T06:05:30Z', host: 'first' },
  ]);

  const status = await client.ingest('node-times', [
    { _time: at(0), host: 'second' },
    { _time: 'soon', host: 'lost' },
  ]);
  assert.deepEqual([status.ingested, status.failed, status.failures.length], [1, 1, 1]);
  assert.match(status.failures[0].error, /^event 1: /);
  assert.deepEqual(failures, []);
}

// The numbers of this language end at 2⁵³, so that larger ones are read back as text.
export async function values(client) {
  const body = `[{"_time":"${START}","whole":9223372036854775807,"part":0.1,"yes":true,"list":[1,"a",null],"geo":{"city":"Köln"}},
    {"_time":"2026-06-01T12:00:00.000000001Z","whole":-9223372036854775808,"part":-1.5e300,"yes":false,"list":[]},
    {"_time":"2026-06-01T12:00:01Z","whole":9007199254740993}]`;
  assert.equal((await client.ingestRaw('node-values', body)).ingested, 3);
  const apl =
    "['node-values'] | sort by _time asc | project _time, whole = tostring(whole), part, yes, list, ['geo.city']";
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
  assert.deepEqual(
    [result.format, result.datasetNames, table.sources],
    ['tabular', ['node-values'], [{ name: 'node-values' }]],
  );
  assert.deepEqual(
    [result.status.rowsExamined, result.status.rowsMatched, result.status.isPartial],
    [3, 3, false],
  );
  const fields = await client.datasets.fields('node-values');
  assert.deepEqual(fields.map((field) => `${field.name} ${field.type}`).sort(), [
    '_sysTime datetime',
    '_time datetime',
    'geo.city string',
    'list array',
    'part float',
    'whole integer',
    'yes boolean',
  ]);
}

// The other pair of paths.
export async function edge() {
  const near = connect(API_TOKEN, { edgeUrl: SERVICE_URL });
  assert.equal((await near.ingest('node-times', { _time: at(0), host: 'edge' })).ingested, 1);
  assert.deepEqual(await rows(near, "['node-times'] | where host == 'edge' | count"), [{ Count: 1 }]);
}
