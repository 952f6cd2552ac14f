// Sends log records in JSON by OpenTelemetry's exporter until its input ends, and prints the number of each that was taken.
// Attempts are the exporter's own; what it gives up ends the program. Usage: otlp.js URL TOKEN DATASET
import { setTimeout as sleep } from 'node:timers/promises';
import { OTLPLogExporter } from '@opentelemetry/exporter-logs-otlp-http';
import { BatchLogRecordProcessor, LoggerProvider } from '@opentelemetry/sdk-logs';

const [url, token, dataset] = process.argv.slice(2);
const TOGETHER = 20;
const PACE_MILLIS = 150;
const TAKEN = 0;

let isOver = false;
process.stdin.on('end', () => (isOver = true)).resume();
const headers = { authorization: `Bearer ${token}`, 'x-tidegauge-dataset': dataset };
const sender = new OTLPLogExporter({ url: `${url}/v1/logs`, headers });
const exporter = {
  export(records, done) {
    sender.export(records, (result) => {
      const numbers = records.map((record) => record.body);
      if (result.code !== TAKEN) {
        console.error(`senders: OpenTelemetry for Node gave up ${numbers}: ${result.error}`);
        process.exit(1);
      }
      process.stdout.write(numbers.map((n) => `${n}\n`).join(''));
      done(result);
    });
  },
  forceFlush: () => sender.forceFlush(),
  shutdown: () => sender.shutdown(),
};
const provider = new LoggerProvider({ processors: [new BatchLogRecordProcessor({ exporter })] });
const logger = provider.getLogger('shop');
for (let begin = 0; !isOver; begin += TOGETHER) {
  for (let n = begin; n < begin + TOGETHER; n++) logger.emit({ body: `${n}` });
  await provider.forceFlush();
  await sleep(PACE_MILLIS);
}
await provider.shutdown();
