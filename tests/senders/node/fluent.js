// Sends by Fluent forward and prints the number of each event that was acknowledged. Usage: fluent.js PORT [COUNT]
// With COUNT, so many by every client of npm in each of its forms; the tag says which. Without, some at a time by one that
// tries again, until its input ends.
import { createRequire } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import FluentLogger from '@fluent-org/logger';

const fluentLogger = createRequire(import.meta.url)('fluent-logger');
const { FluentClient } = FluentLogger;
const [port, count] = process.argv.slice(2).map(Number);
const host = '127.0.0.1';
const TOGETHER = 20;

function acknowledged(n) {
  process.stdout.write(`${n}\n`);
}

// Waits for one acknowledgement before the next chunk.
function older(eventMode) {
  const sender = fluentLogger.createFluentSender(`older-${eventMode}`, {
    host,
    port,
    eventMode,
    requireAckResponse: true,
    ackResponseTimeout: 10_000,
  });
  const emitted = Array.from({ length: count }, (_, n) => {
    return new Promise((resolve, reject) => {
      sender.emit('door', { n, message: `message ${n}` }, (error) => (error ? reject(error) : resolve(acknowledged(n))));
    });
  });
  return Promise.all(emitted).then(() => sender.end());
}

async function newer(eventMode) {
  const client = new FluentClient(`newer-${eventMode}`, {
    eventMode,
    milliseconds: true,
    ack: { ackTimeout: 10_000 },
    socket: { host, port },
  });
  const numbers = Array.from({ length: count }, (_, n) => n);
  await Promise.all(numbers.map((n) => client.emit('door', { n, message: `message ${n}` }).then(() => acknowledged(n))));
  await client.disconnect();
}

async function forever() {
  let isOver = false;
  process.stdin.on('end', () => (isOver = true)).resume();
  const client = new FluentClient('retrying', {
    ack: { ackTimeout: 3_000 },
    eventRetry: { attempts: 1000, backoff: 1, delay: 100 },
    socket: { host, port, reconnect: { backoff: 1, delay: 100 } },
  });
  // It tells of each connection that fails, and ends the program if nobody listens.
  client.socketOn('error', () => {});
  for (let begin = 0; !isOver; begin += TOGETHER) {
    const numbers = Array.from({ length: TOGETHER }, (_, i) => begin + i);
    await Promise.all(numbers.map((n) => client.emit('door', { n }).then(() => acknowledged(n))));
    await sleep(20);
  }
  await client.disconnect();
}

if (count) {
  for (const mode of ['Message', 'PackedForward', 'CompressedPackedForward']) await older(mode);
  for (const mode of ['Message', 'Forward', 'PackedForward', 'CompressedPackedForward']) await newer(mode);
} else {
  await forever();
}
