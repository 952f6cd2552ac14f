// What the program for @axiomhq/js checks with: clients for several tokens, and that a call is refused as it should be.
import assert from 'node:assert/strict';
import { Axiom, AxiomWithoutBatching } from '@axiomhq/js';

const { AXIOM_ORG_ID: orgId, AXIOM_URL: url } = process.env;
export const SERVICE_URL = url;
export const PERSONAL_TOKEN = process.env.AXIOM_TOKEN;
export const API_TOKEN = process.env.TEST_API_TOKEN;
export const INGEST_TOKEN = process.env.TEST_INGEST_TOKEN;

export const START = '2026-06-01T12:00:00Z';
export const END = '2026-06-01T13:00:00Z';
export const at = (seconds) => new Date(Date.parse(START) + seconds * 1000).toISOString();

// This client reports a failed ingest through `onError` alone, and writes a warning about personal tokens.
export const failures = [];
const onError = (error) => failures.push(error);

export const connect = (token, options = {}) => new AxiomWithoutBatching({ url, token, onError, ...options });
export const connectBatching = (token) => new Axiom({ url, token, onError });

export function connectPersonally(token) {
  const { warn } = console;
  const warnings = [];
  console.warn = (text) => warnings.push(text);
  try {
    return connect(token, { orgId });
  } finally {
    console.warn = warn;
    assert.match(warnings.join(), /personal token/);
  }
}

export async function rows(client, apl, options) {
  const result = await client.query(apl, options);
  return [...result.tables[0].events()];
}

// The call is refused with the status, and with the message or one that matches it.
export async function refused(status, message, call) {
  const error = await call().then(
    (value) => assert.fail(`expected a refusal with ${status}, got ${JSON.stringify(value)}`),
    (error) => error,
  );
  assertRefusal(error, status, message);
}

// The same for ingest, which answers with zeros and reports the error on the side.
export async function ingestRefused(status, message, call) {
  failures.length = 0;
  const answer = await call();
  assert.equal(answer.ingested, 0);
  assert.equal(failures.length, 1);
  assertRefusal(failures.pop(), status, message);
}

function assertRefusal(error, status, message) {
  assert.equal(error.name, 'AxiomRequestError', String(error));
  assert.equal(error.status, status, String(error));
  const text = error.message.slice(`${error.method} ${error.endpoint} failed with ${status}: `.length);
  if (message instanceof RegExp) {
    assert.match(text, message);
  } else {
    assert.equal(text, message);
  }
}

// A token that is not known has no class of its own in this client.
export const forbidden = (call) => assert.rejects(call, { name: 'Error', message: 'forbidden' });

// A token as docs/reference/mcp.md has one made for a model: it may read, and make nothing.
export async function makeReadingToken() {
  const body = {
    name: 'assistant',
    datasetCapabilities: { '*': { query: ['read'], starredQueries: ['read'] } },
    orgCapabilities: { monitors: ['read'], dashboards: ['read'] },
  };
  return (await save('/v2/tokens', 200, body)).token;
}

// The client reads saved queries and dashboards, and cannot make one.
export const saveQuery = (query) => save('/v2/apl-starred-queries', 200, query);
export const saveDashboard = (dashboard) => save('/v2/dashboards', 201, dashboard);

async function save(path, status, body) {
  const headers = { authorization: `Bearer ${API_TOKEN}`, 'content-type': 'application/json' };
  const answer = await fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  assert.equal(answer.status, status);
  return answer.json();
}
