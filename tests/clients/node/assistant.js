// What a language model's program does by @modelcontextprotocol/sdk as it is on npm: it lists the tools, reads a schema, asks,
// and is refused where its token may only read. Also through mcp-remote, for programs that start servers and reach none.
import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport, getDefaultEnvironment } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { API_TOKEN, SERVICE_URL, makeReadingToken } from './checks.js';

const DATASET = 'node-assistant';
const EVENTS = 250;
// How many rows an answer has when nobody says, and the most that can be asked for.
const ROWS = 100;
const MOST_ROWS = 1000;
const CHANGING = ['createMonitor', 'saveQuery'];
const SAVED = { name: 'by a model', apl: `['${DATASET}'] | count`, dataset: DATASET };
const WATCHED = {
  name: 'by a model',
  aplQuery: SAVED.apl,
  operator: 'Above',
  threshold: 5,
  intervalMinutes: 5,
  rangeMinutes: 60,
};

const ADDRESS = new URL('/mcp', SERVICE_URL);
const beside = (path) => fileURLToPath(new URL(path, import.meta.url));

function connect(token) {
  const headers = token ? { authorization: `Bearer ${token}` } : {};
  return connectBy(new StreamableHTTPClientTransport(ADDRESS, { requestInit: { headers } }));
}

// As docs/reference/mcp.md has it started, and with what it keeps beside this program.
function connectThroughProgram(token) {
  const env = { ...getDefaultEnvironment(), MCP_REMOTE_CONFIG_DIR: beside('mcp-remote') };
  const args = [`${ADDRESS}`, '--header', `Authorization: Bearer ${token}`];
  const command = beside('node_modules/.bin/mcp-remote');
  return connectBy(new StdioClientTransport({ command, args, env, stderr: 'ignore' }));
}

async function connectBy(transport) {
  const client = new Client({ name: 'tidegauge-client-test', version: '1.0.0' });
  await client.connect(transport);
  return client;
}

async function found(client, name, input = {}) {
  const result = await client.callTool({ name, arguments: input });
  assert.equal(result.isError, false, JSON.stringify(result.content));
  assert.deepEqual(JSON.parse(result.content[0].text), result.structuredContent);
  return result.structuredContent;
}

async function refused(client, name, input, message) {
  const result = await client.callTool({ name, arguments: input });
  assert.deepEqual([result.isError, result.content.length], [true, 1]);
  assert.match(result.content[0].text, message);
}

const names = async (client) => (await client.listTools()).tools.map((tool) => tool.name);

export async function assistant(axiom) {
  const events = Array.from({ length: EVENTS }, (_, number) => ({ number, path: `/${number % 3}` }));
  await axiom.ingest(DATASET, events);

  const token = await makeReadingToken();
  const reading = await connect(token);
  assert.equal(reading.getServerVersion().name, 'tidegauge');
  const { tools } = await reading.listTools();
  assert.ok(tools.every((tool) => tool.annotations.readOnlyHint && tool.inputSchema.type === 'object'));
  await questions(reading);
  await noChanges(reading);
  await reading.close();

  const everything = await connect(API_TOKEN);
  const changing = (await names(everything)).filter((name) => !tools.some((tool) => tool.name === name));
  assert.deepEqual(changing.sort(), CHANGING);
  // What was refused has left nothing.
  assert.deepEqual((await found(everything, 'getSavedQueries', { contains: SAVED.name })).queries, []);
  assert.deepEqual((await found(everything, 'checkMonitors', { contains: WATCHED.name })).monitors, []);
  const { id } = await found(everything, 'saveQuery', SAVED);
  assert.deepEqual((await found(everything, 'runSavedQuery', { id })).tables[0].rows, [[EVENTS]]);
  await everything.close();

  const through = await connectThroughProgram(token);
  assert.deepEqual(await names(through), tools.map((tool) => tool.name));
  await questions(through);
  await noChanges(through);
  await through.close();

  await assert.rejects(connect(), { name: 'Error', code: 401 });
  console.log('@modelcontextprotocol/sdk: schema, questions and refusals, also through mcp-remote');
}

async function questions(client) {
  const { fields, events } = await found(client, 'getDatasetSchema', { dataset: DATASET });
  const types = Object.fromEntries(fields.map((field) => [field.name, field.type]));
  assert.deepEqual([types.number, types.path, events], ['integer', 'string', EVENTS]);

  const apl = `['${DATASET}'] | project number`;
  for (const [limit, rows] of [
    [undefined, ROWS],
    [7, 7],
    [MOST_ROWS, EVENTS],
  ]) {
    const { tables, status, costGbms } = await found(client, 'queryApl', { apl, limit });
    assert.equal(tables[0].rows.length, rows);
    const codes = status.messages.map((message) => message.code);
    assert.deepEqual(codes, rows < EVENTS ? ['apl_rowlimitapplied_1'] : []);
    assert.ok(costGbms > 0);
  }
  await refused(client, 'queryApl', { apl, limit: MOST_ROWS + 1 }, /limit .* between 1 and 1000/);
  await refused(client, 'queryApl', { apl: `['${DATASET}'] | wher number == 1` }, /line 1, column 22.*where/s);
}

async function noChanges(client) {
  await refused(client, 'saveQuery', SAVED, /does not have access to resource: starredQueries with action: create/);
  await refused(client, 'createMonitor', WATCHED, /does not have access to resource: monitors with action: create/);
}
