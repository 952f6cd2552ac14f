// Talks to the service through @axiomhq/js as it is on npm, and checks every value that comes back; then as a language model
// does, by @modelcontextprotocol/sdk.
//
// Usage: main.js [quota|rate-limit]. The address, the organisation and the owner's personal token come from AXIOM_URL,
// AXIOM_ORG_ID and AXIOM_TOKEN; TEST_API_TOKEN may do everything, TEST_INGEST_TOKEN may only send events. The client
// makes no tokens, no saved queries and no dashboards.
import { datasets, deletion, refusals, savedQueries, trim, users } from './administration.js';
import { assistant } from './assistant.js';
import { API_TOKEN, PERSONAL_TOKEN, connect, connectPersonally } from './checks.js';
import { edge, formats, ingest, values } from './events.js';
import { quota, rateLimit } from './limits.js';
import { json, legacy, paging, tabular } from './questions.js';
import { annotations, dashboards, monitors } from './watching.js';

const client = connect(API_TOKEN);
if (process.argv[2] === 'quota') {
  await quota(client);
} else if (process.argv[2] === 'rate-limit') {
  await rateLimit(client);
} else {
  const personal = connectPersonally(PERSONAL_TOKEN);
  for (const part of [
    datasets,
    users,
    formats,
    ingest,
    values,
    tabular,
    legacy,
    json,
    paging,
    savedQueries,
    monitors,
    annotations,
    dashboards,
    edge,
    assistant,
    refusals,
    trim,
    deletion,
  ]) {
    await part(client, personal);
  }
}
