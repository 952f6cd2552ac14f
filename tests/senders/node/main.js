// Sends COUNT events through each sender as it is on npm, to a dataset of its own. What arrived is looked up by
// ../python/node.py, which starts this program. Usage: main.js URL TOKEN COUNT
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { Client } from '@elastic/elasticsearch';
import { SeverityNumber } from '@opentelemetry/api-logs';
import { OTLPLogExporter } from '@opentelemetry/exporter-logs-otlp-http';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { BatchLogRecordProcessor, LoggerProvider } from '@opentelemetry/sdk-logs';
import { TracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace';
import Libhoney from 'libhoney';
import pino from 'pino';
import pinoElasticsearch from 'pino-elasticsearch';
import { pinoLoki } from 'pino-loki';
import winston from 'winston';
import SplunkTransport from 'winston-splunk-httplogger';

const { Logger: SplunkLogger } = createRequire(import.meta.url)('splunk-logging');
const [url, token, countText] = process.argv.slice(2);
const count = Number(countText);
const numbers = Array.from({ length: count }, (_, n) => n);
const authorization = `Bearer ${token}`;

async function otlpLogs() {
  const headers = { authorization, 'x-tidegauge-dataset': 'node-otlp-logs' };
  const exporter = new OTLPLogExporter({ url: `${url}/v1/logs`, headers });
  const processor = new BatchLogRecordProcessor({ exporter, maxQueueSize: 2 * count });
  const provider = new LoggerProvider({ processors: [processor] });
  const logger = provider.getLogger('shop');
  for (const n of numbers) {
    logger.emit({ body: `message ${n}`, severityNumber: SeverityNumber.ERROR, attributes: { 'http.route': `${n}` } });
  }
  await provider.shutdown();
}

async function otlpSpans() {
  const headers = { authorization, 'x-tidegauge-dataset': 'node-otlp-spans' };
  const exporter = new OTLPTraceExporter({ url: `${url}/v1/traces`, headers, compression: 'gzip' });
  const processor = new BatchSpanProcessor({ exporter, maxQueueSize: 2 * count });
  const provider = new TracerProvider({ spanProcessors: [processor] });
  const tracer = provider.getTracer('shop');
  for (const n of numbers) tracer.startSpan(`message ${n}`).end();
  await provider.shutdown();
}

async function elastic() {
  const client = new Client({ node: url, auth: { apiKey: token } });
  const stats = await client.helpers.bulk({
    datasource: numbers.map((n) => ({ message: `message ${n}` })),
    flushBytes: 5000,
    refreshOnCompletion: true,
    onDocument: () => ({ index: { _index: 'node-elastic' } }),
  });
  if (stats.successful !== count || stats.failed !== 0) throw new Error(JSON.stringify(stats));
}

async function pinoToElastic() {
  const stream = pinoElasticsearch({ index: 'node-pino-elastic', node: url, auth: { apiKey: token }, flushBytes: 5000 });
  const inserted = once(stream, 'insert');
  const logger = pino({ messageKey: 'message' }, stream);
  for (const n of numbers) logger.warn(`message ${n}`);
  stream.end();
  const [stats] = await inserted;
  if (stats.successful !== count || stats.failed !== 0) throw new Error(JSON.stringify(stats));
}

async function pinoToLoki() {
  const stream = pinoLoki({
    host: url,
    basicAuth: { username: 'any', password: token },
    headers: { 'X-Scope-OrgID': 'node-loki' },
    labels: { job: 'shop' },
    batching: { interval: 1 },
    silenceErrors: false,
  });
  const logger = pino({}, stream);
  for (const n of numbers) logger.warn(`message ${n}`);
  const closed = once(stream, 'close');
  stream.end();
  await closed;
}

// A request of this sender holds as many as maxBatchCount says. The last one, sent by `flush`, has fewer, and must have
// some: this sender posts nothing at all otherwise, which is refused.
async function splunk() {
  const logger = new SplunkLogger({ token, url, maxBatchCount: 60, batchInterval: 0 });
  const failures = [];
  logger.error = (error) => failures.push(error);
  for (const n of numbers) {
    logger.send({ message: `message ${n}`, metadata: { index: 'node-splunk', host: 'till' } });
  }
  await new Promise((resolve, reject) => logger.flush((error) => (error ? reject(error) : resolve())));
  if (failures.length > 0) throw failures[0];
}

// A logger that is ended while its transport still sends loses what waits, so that the end of this program is awaited.
async function winstonToSplunk() {
  const transport = new SplunkTransport({ splunk: { token, url, index: 'node-winston' } });
  const logger = winston.createLogger({ transports: [transport] });
  for (const n of numbers) logger.warn(`message ${n}`);
}

async function honeycomb() {
  const answers = [];
  const client = new Libhoney({
    writeKey: token,
    dataset: 'node-honeycomb',
    apiHost: url,
    responseCallback: (queue) => answers.push(...queue),
  });
  for (const n of numbers) client.newEvent().add({ message: `message ${n}` }).send();
  await client.flush();
  const refused = answers.find((answer) => answer.status_code !== 202);
  if (refused || answers.length !== count) throw new Error(`${answers.length} answers, ${JSON.stringify(refused)}`);
}

for (const send of [otlpLogs, otlpSpans, elastic, pinoToElastic, pinoToLoki, splunk, winstonToSplunk, honeycomb]) {
  await send().catch((error) => {
    console.error(`senders: ${send.name} failed`);
    throw error;
  });
}
