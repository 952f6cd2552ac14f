// Sends documents by the helper of Elasticsearch's client for bulk requests until its input ends, and prints the number of
// each that was taken. What the helper gives up is handed to it again. Usage: elastic.js URL TOKEN DATASET
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from '@elastic/elasticsearch';

const [node, token, dataset] = process.argv.slice(2);
const TOGETHER = 20;
const PACE_MILLIS = 150;
const WAIT_MILLIS = 200;

let isOver = false;
process.stdin.on('end', () => (isOver = true)).resume();
const client = new Client({ node, auth: { apiKey: token } });

async function send(numbers) {
  let left = numbers;
  while (left.length > 0) {
    const dropped = [];
    try {
      await client.helpers.bulk({
        datasource: left.map((body) => ({ body })),
        onDocument: () => ({ create: { _index: dataset } }),
        onDrop: ({ document }) => dropped.push(document.body),
        wait: WAIT_MILLIS,
      });
      left = dropped;
    } catch (error) {
      // A request that was refused whole, as a gateway does it, or whose answer was lost.
      if (error.statusCode === 400) throw error;
    }
    if (left.length > 0) await sleep(WAIT_MILLIS);
  }
}

for (let begin = 0; !isOver; begin += TOGETHER) {
  const numbers = Array.from({ length: TOGETHER }, (_, place) => `${begin + place}`);
  await send(numbers);
  process.stdout.write(numbers.map((n) => `${n}\n`).join(''));
  await sleep(PACE_MILLIS);
}
await client.close();
