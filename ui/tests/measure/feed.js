// Made-up events that arrive at a steady rate, with the times at which they are sent: lines of the generator whose times
// are put anew, because making them while something is measured would cost the machine more than taking them.

import { execFile } from "node:child_process";
import { promisify } from "node:util";

const run = promisify(execFile);
/** So many lines are sent again and again. */
const LINES = 20_000;
const EACH_MS = 500;

export class Feed {
  sent = 0;
  #isOver = false;

  constructor(service, dataset, rate) {
    void this.#run(service, dataset, rate);
  }

  stop() {
    this.#isOver = true;
  }

  async #run(service, dataset, rate) {
    const options = ["bench", "generate", "--events", String(LINES), "--seed", "7"];
    const { stdout } = await run(service.binary, options, { maxBuffer: 1e9 });
    const lines = stdout.split("\n").filter(Boolean);
    const size = Math.max(1, Math.round((rate * EACH_MS) / 1000));
    let next = Date.now();
    while (!this.#isOver) {
      const now = new Date().toISOString();
      const part = Array.from({ length: size }, (_, place) =>
        lines[(this.sent + place) % LINES].replace(/^\{"_time":"[^"]*"/, `{"_time":"${now}"`),
      );
      await send(service, dataset, part.join("\n"));
      this.sent += size;
      next += EACH_MS;
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, next - Date.now())));
    }
  }
}

/** Fills a dataset with events up to now, by the client of the binary: more than this program could hold as a text. */
export async function fill(service, dataset, count, hours) {
  const from = new Date(Date.now() - hours * 3_600_000).toISOString();
  const generate = `"${service.binary}" bench generate --events ${count} --span ${hours}h --from ${from}`;
  const command = `${generate} | "${service.binary}" ingest ${dataset} - --url ${service.direct}`;
  await run("bash", ["-o", "pipefail", "-c", command], {
    env: { ...process.env, TIDEGAUGE_TOKEN: service.token },
    maxBuffer: 1e8,
  });
}

async function send(service, dataset, body) {
  try {
    const answer = await fetch(`${service.direct}/v1/datasets/${dataset}/ingest`, {
      method: "POST",
      headers: { authorization: `Bearer ${service.token}`, "content-type": "application/x-ndjson" },
      body,
    });
    await answer.text();
  } catch {
    // The service is ending; what is measured says whether that was meant.
  }
}
