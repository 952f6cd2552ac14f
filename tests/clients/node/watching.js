// Monitors, annotations and dashboards.
import assert from 'node:assert/strict';
import { refused, saveDashboard } from './checks.js';

export async function monitors(client, personal) {
  const wanted = {
    name: 'node errors',
    type: 'Threshold',
    description: 'Of a test',
    aplQuery: "['node-web'] | summarize count() by bin_auto(_time)",
    operator: 'Below',
    threshold: 1.5,
    alertOnNoData: true,
    notifyByGroup: false,
    resolvable: false,
    notifierIds: [],
    intervalMinutes: 5,
    rangeMinutes: 10,
    disabled: false,
  };
  const made = await personal.monitors.create(wanted);
  assert.match(made.id, /^mon_/);
  assert.equal(made.createdBy, (await personal.users.current()).id);
  assert.ok(!Number.isNaN(Date.parse(made.createdAt)));
  assert.deepEqual({ ...made, ...wanted }, made);
  assert.ok(!('disabledUntil' in made));
  assert.deepEqual(await client.monitors.get(made.id), made);
  assert.deepEqual(
    (await client.monitors.list()).filter((monitor) => monitor.id === made.id),
    [made],
  );
  const until = '2099-01-01T00:00:00Z';
  const changed = await client.monitors.update(made.id, {
    ...made,
    threshold: 7,
    notifierIDs: [],
    disabledUntil: until,
  });
  assert.deepEqual([changed.threshold, changed.disabledUntil], [7, until]);
  assert.deepEqual(await client.monitors.get(made.id), changed);
  const matching = await client.monitors.create({
    name: 'node matches',
    type: 'MatchEvent',
    aplQuery: "['node-web'] | where column_ifexists('host', '') == 'nowhere at all'",
  });
  assert.deepEqual([matching.intervalMinutes, matching.rangeMinutes], [1, 1]);
  await refused(400, /^line 1, column 16: /, () =>
    client.monitors.create({ ...wanted, aplQuery: "['node-web'] | sumarize count()" }),
  );
  for (const { id } of [made, matching]) {
    assert.equal((await client.monitors.delete(id)).status, 204);
    await refused(404, 'monitor not found', () => client.monitors.get(id));
  }
}

export async function annotations(client) {
  const made = await client.annotations.create({ type: 'release', datasets: ['node-web'], url: 'some-url' });
  assert.match(made.id, /^ann_/);
  assert.deepEqual([made.type, made.datasets, made.url], ['release', ['node-web'], 'some-url']);
  assert.ok(Math.abs(Date.parse(made.time) - Date.now()) < 300_000);
  assert.ok(!('endTime' in made));
  assert.deepEqual(await client.annotations.get(made.id), made);
  assert.deepEqual(await client.annotations.list({ datasets: ['node-web', 'node-none'] }), [made]);
  assert.deepEqual(await client.annotations.list({ datasets: ['node-none'] }), []);
  const endTime = new Date(Date.parse(made.time) + 60_000).toISOString();
  const changed = await client.annotations.update(made.id, { title: 'Release 7', endTime });
  assert.deepEqual([changed.title, Date.parse(changed.endTime)], ['Release 7', Date.parse(endTime)]);
  assert.deepEqual([changed.time, changed.datasets, changed.url], [made.time, made.datasets, made.url]);
  assert.equal((await client.annotations.delete(made.id)).status, 204);
  await refused(404, 'annotation not found', () => client.annotations.get(made.id));
}

export async function dashboards(client, personal) {
  const dashboard = {
    name: 'Node',
    owner: 'X-AXIOM-EVERYONE',
    charts: [{ id: 'a', type: 'Statistic', query: { apl: "['node-web'] | count" }, errorThresholdValue: '1' }],
    layout: [{ i: 'a', x: 0, y: null, w: 12, h: 4, minH: 0.5 }],
    refreshTime: 60,
    schemaVersion: 2,
    timeWindowStart: 'qr-now-1h',
    timeWindowEnd: 'qr-now',
  };
  const { status, dashboard: made } = await saveDashboard({ uid: 'node-board', dashboard });
  assert.deepEqual([status, made.uid, made.version, made.dashboard], ['created', 'node-board', 1, dashboard]);
  assert.deepEqual(await client.dashboards.get('node-board'), made);
  await saveDashboard({ uid: 'node-other', dashboard });
  for (const reader of [client, personal]) {
    const listed = await reader.dashboards.list({ limit: 1000 });
    assert.deepEqual(
      listed.filter(({ uid }) => uid === 'node-board'),
      [made],
    );
  }
  assert.equal((await client.dashboards.list({ limit: 1, offset: 1 })).length, 1);
  await refused(404, 'dashboard not found', () => client.dashboards.get('no such board/é'));
  await refused(422, 'limit in query must be between 1 and 1000', () => client.dashboards.list({ limit: 1001 }));
}
