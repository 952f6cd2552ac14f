// Sends COUNT events through each sender as it is on npm, to a dataset of its own: one file of ./families for each family.
// What arrived is looked up by ../python/node.py, which starts this program. Usage: main.js URL TOKEN COUNT PLACES
// PLACES is JSON: ports of listeners, and addresses of endpoints for senders that have no place for a dataset.
import cloudevents from './families/cloudevents.js';
import datadog from './families/datadog.js';
import elastic from './families/elastic.js';
import honeycomb from './families/honeycomb.js';
import loki from './families/loki.js';
import sockets from './families/sockets.js';
import splunk from './families/splunk.js';
import telemetry from './families/telemetry.js';

const [url, token, countText, places] = process.argv.slice(2);
const target = {
  url,
  token,
  authorization: `Bearer ${token}`,
  places: JSON.parse(places),
  numbers: Array.from({ length: Number(countText) }, (_, n) => n),
};

for (const family of [telemetry, elastic, loki, splunk, honeycomb, datadog, cloudevents, sockets]) {
  for (const send of family) {
    await send(target).catch((error) => {
      console.error(`senders: ${send.name} failed`);
      throw error;
    });
  }
}
