// What happens when the licence allows nothing more.
import assert from 'node:assert/strict';
import { ingestRefused, refused } from './checks.js';

// The licence has nothing left for this month.
export async function quota(client) {
  await client.datasets.create({ name: 'node-quota' });
  await refused(430, /gigabyte-hours/, () => client.query("['node-quota']"));
  await ingestRefused(430, /this month/, () => client.ingest('node-quota', { n: 1 }));
}

// The licence allows one request per second by now, so one of many in a row is refused.
export async function rateLimit(client) {
  for (let attempt = 0; attempt < 10_000; attempt++) {
    const error = await client.datasets.list().then(
      () => undefined,
      (error) => error,
    );
    if (error === undefined) continue;
    assert.match(error.message, /^organization api limit exceeded, try again in /);
    assert.deepEqual(
      [error.limit.scope, error.limit.type, error.limit.value, error.limit.remaining],
      ['organization', 'api', 1, 0],
    );
    assert.ok(error.limit.reset instanceof Date);
    return;
  }
  assert.fail('no request of 10,000 in a row was refused');
}
