// The clients of Elasticsearch, two versions, and of OpenSearch, by their helpers for bulk requests, and pino's transport.
import { once } from 'node:events';
import { Client } from '@elastic/elasticsearch';
import { Client as OpenSearch } from '@opensearch-project/opensearch';
import { Client as Client8 } from 'elasticsearch8';
import pino from 'pino';
import pinoElasticsearch from 'pino-elasticsearch';

async function bulk(client, index, numbers) {
  const stats = await client.helpers.bulk({
    datasource: numbers.map((n) => ({ message: `message ${n}` })),
    flushBytes: 5000,
    refreshOnCompletion: true,
    onDocument: () => ({ index: { _index: index } }),
  });
  check(stats, numbers.length);
  await client.close();
}

function check(stats, count) {
  if (stats.successful !== count || stats.failed !== 0) throw new Error(JSON.stringify(stats));
}

export default [
  function elastic9({ url, token, numbers }) {
    return bulk(new Client({ node: url, auth: { apiKey: token } }), 'node-elastic-9', numbers);
  },
  function elastic8({ url, token, numbers }) {
    const auth = { username: 'any', password: token };
    return bulk(new Client8({ node: url, auth, compression: true }), 'node-elastic-8', numbers);
  },
  async function opensearch({ url, token, numbers }) {
    const client = new OpenSearch({ node: url, auth: { username: 'any', password: token }, compression: 'gzip' });
    const { body } = await client.info();
    if (body.cluster_name !== 'tidegauge') throw new Error(JSON.stringify(body));
    await bulk(client, 'node-opensearch', numbers);
  },
  async function pinoToElastic({ url, token, numbers }) {
    const stream = pinoElasticsearch({ index: 'node-pino-elastic', node: url, auth: { apiKey: token }, flushBytes: 5000 });
    const inserted = once(stream, 'insert');
    const logger = pino({ messageKey: 'message' }, stream);
    for (const n of numbers) logger.warn(`message ${n}`);
    stream.end();
    const [stats] = await inserted;
    check(stats, numbers.length);
  },
];
