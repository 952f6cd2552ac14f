// Datasets, users and saved queries, and everything that is refused.
import assert from 'node:assert/strict';
import {
  API_TOKEN,
  INGEST_TOKEN,
  connect,
  forbidden,
  ingestRefused,
  refused,
  rows,
  saveQuery,
} from './checks.js';

export async function datasets(client, personal) {
  const made = await client.datasets.create({
    name: 'node-web',
    description: 'Requests',
    useRetentionPeriod: true,
    retentionDays: 30,
  });
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

export async function users(client, personal) {
  const current = await personal.users.current();
  assert.match(current.id, /^user_/);
  assert.equal(current.role.id, 'owner');
  assert.match(current.email, /@/);
  assert.deepEqual(await client.users.get(current.id), current);
  assert.deepEqual(
    (await client.users.list()).filter((user) => user.id === current.id),
    [current],
  );
}

export async function savedQueries(client) {
  const query = { apl: "['node-web'] | count", startTime: 'now-1h', endTime: 'now' };
  const { id } = await saveQuery({
    kind: 'apl',
    name: 'Errors',
    who: '',
    dataset: 'node-web',
    metadata: { team: 'shop' },
    query,
  });
  const saved = await client.savedQueries.get(id);
  assert.deepEqual([saved.kind, saved.name, saved.dataset], ['apl', 'Errors', 'node-web']);
  assert.deepEqual([saved.query.apl, saved.metadata], ["['node-web'] | count", { team: 'shop' }]);
  assert.deepEqual(
    (await client.savedQueries.list({ limit: 10, who: 'all' })).filter((query) => query.id === saved.id),
    [saved],
  );
  assert.deepEqual(await rows(client, saved.query.apl), [{ Count: 1200 }]);
}

export async function refusals(client) {
  const stranger = connect('xaat-123');
  await forbidden(() => stranger.datasets.list());
  await forbidden(() => stranger.query("['node-web']"));
  const sender = connect(INGEST_TOKEN);
  assert.equal((await sender.ingest('node-times', { host: 'sender' })).ingested, 1);
  await refused(403, 'token does not have access to resource: query with action: read', () =>
    sender.query("['node-web']"),
  );
  await refused(403, 'token does not have access to resource: datasets with action: create', () =>
    sender.datasets.create({ name: 'x' }),
  );
  await ingestRefused(404, 'dataset not found', () => sender.ingest('node-unknown', { n: 1 }));
  for (const call of [
    client.datasets.get,
    client.datasets.delete,
    (name) => client.datasets.update(name, {}),
    (name) => client.datasets.trim(name, '1h'),
  ]) {
    await refused(404, 'dataset not found', () => call('node-unknown'));
  }
  await refused(404, 'dataset not found: "node-unknown"', () => client.query("['node-unknown']"));
  await refused(404, /not found/, () => client.savedQueries.get('unknown'));
  await refused(409, 'there is a dataset with this name', () => client.datasets.create({ name: 'node-web' }));
  await refused(422, 'name in body is required', () => client.datasets.create({}));
  await refused(422, /^maxDuration in body /, () => client.datasets.trim('node-web', 'a while'));
  await refused(422, /^format in query must be one of /, () =>
    client.query("['node-web']", { format: 'xml' }),
  );
  await refused(400, /^line 1, column /, () => client.query("['node-web'] | where"));
  await ingestRefused(400, /^malformed body at line 1, column 3/, () => client.ingestRaw('node-web', '[{'));
}

export async function trim(client) {
  await client.ingest('node-trim', { _time: '2020-01-01T00:00:00Z', n: 1 });
  assert.equal((await client.datasets.trim('node-trim', '1h')).status, 204);
  await client.ingest('node-trim', { n: 2 });
  await client.datasets.trim('node-trim', '1h0m0s');
  assert.deepEqual(await rows(client, "['node-trim'] | project n"), [{ n: 2 }]);
}

export async function deletion(client) {
  for (const dataset of await client.datasets.list()) {
    if (dataset.name.startsWith('node-'))
      assert.equal((await client.datasets.delete(dataset.id)).status, 204);
  }
  await refused(404, 'dataset not found', () => client.datasets.get('node-web'));
  await client.datasets.create({ name: 'node-web' });
  assert.deepEqual(await rows(client, "['node-web'] | count"), [{ Count: 0 }]);
  await client.datasets.delete('node-web');
}
