// Splunk's own logger, and the transport of winston that is built upon it.
import { createRequire } from 'node:module';
import winston from 'winston';
import SplunkTransport from 'winston-splunk-httplogger';

const { Logger: SplunkLogger } = createRequire(import.meta.url)('splunk-logging');

export default [
  // A request of this sender holds as many as maxBatchCount says. The last one, sent by `flush`, has fewer, and must have
  // some: this sender posts nothing at all otherwise, which is refused.
  async function splunk({ url, token, numbers }) {
    const logger = new SplunkLogger({ token, url, maxBatchCount: 70, batchInterval: 0 });
    const failures = [];
    logger.error = (error) => failures.push(error);
    for (const n of numbers) {
      logger.send({ message: `message ${n}`, metadata: { index: 'node-splunk', host: 'till' } });
    }
    await new Promise((resolve, reject) => logger.flush((error) => (error ? reject(error) : resolve())));
    if (failures.length > 0) throw failures[0];
  },
  // A logger that is ended while its transport still sends loses what waits, so that the end of this program is awaited.
  async function winstonToSplunk({ url, token, numbers }) {
    const transport = new SplunkTransport({ splunk: { token, url, index: 'node-winston' } });
    const logger = winston.createLogger({ transports: [transport] });
    for (const n of numbers) logger.warn(`message ${n}`);
  },
];
