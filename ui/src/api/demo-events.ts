// Events to try the product with: made by the service's own generator, or in the browser where it has no route for that.

import { has } from "../session/shell.ts";
import { ingest } from "./datasets.ts";
import { call } from "./request.ts";

export const DEMO = "demo";

/** Loads them and tells how many there are. */
export async function loadDemoEvents(onProgress: (done: number, all: number) => void): Promise<number> {
  if (has("demo-events")) {
    const { data } = await call<{ dataset: string; ingested: number }>("/v2/datasets/_demo", { body: {} });
    return data.ingested;
  }
  const { demoEvents } = await import("../screens/first/demo-events.ts");
  const all = 6000;
  const step = 1500;
  for (let done = 0; done < all; done += step) {
    onProgress(done, all);
    await ingest(DEMO, demoEvents(done, step, all, Date.now()));
  }
  onProgress(all, all);
  return all;
}
