// The transports of pino and winston for Loki. The one of winston has no place for a dataset beside a header, and none for
// `?dataset=`; an endpoint of its own says where its lines go.
import { once } from 'node:events';
import { createRequire } from 'node:module';
import pino from 'pino';
import { pinoLoki } from 'pino-loki';
import winston from 'winston';

const LokiTransport = createRequire(import.meta.url)('winston-loki');

export default [
  async function pinoToLoki({ url, token, numbers }) {
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
  },
  async function winstonToLoki({ places, numbers }) {
    const failures = [];
    const transport = new LokiTransport({
      host: places.loki,
      labels: { job: 'shop' },
      interval: 0.1,
      format: winston.format.printf(({ message }) => message),
      gracefulShutdown: false,
      onConnectionError: (error) => failures.push(error),
    });
    const logger = winston.createLogger({ transports: [transport] });
    for (const n of numbers) logger.warn(`message ${n}`, { labels: { shelf: `${n % 3}` } });
    await transport.flush();
    await transport.close();
    if (failures.length > 0) throw failures[0];
  },
];
