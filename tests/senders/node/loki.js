// Sends lines by winston's transport for Loki until its input ends, and prints the number of each; those that are not taken
// wait in its memory and are sent again. Usage: loki.js ADDRESS
import { createRequire } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import winston from 'winston';

const LokiTransport = createRequire(import.meta.url)('winston-loki');
const TOGETHER = 20;

let isOver = false;
process.stdin.on('end', () => (isOver = true)).resume();
const transport = new LokiTransport({
  host: process.argv[2],
  labels: { job: 'shop' },
  interval: 0.05,
  format: winston.format.printf(({ message }) => message),
  gracefulShutdown: false,
});
// After a failure it rests for a minute, which nobody waits for here.
transport.batcher.circuitBreakerInterval = 200;
const logger = winston.createLogger({ transports: [transport] });
for (let n = 0; !isOver; n++) {
  logger.info(`${n}`);
  process.stdout.write(`${n}\n`);
  if (n % TOGETHER === 0) await sleep(50);
}
while (transport.batcher.batchesSending > 0 || transport.batcher.batch.streams.length > 0) await sleep(50);
await transport.close();
