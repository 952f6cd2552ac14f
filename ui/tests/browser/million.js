// How much memory a table of a million rows takes, and how long jumps take: a script to run by hand, not a test.
//
//   TIDEGAUGE_BINARY=…/tidegauge node tests/browser/million.js [events]

import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { openBrowser, openPage, signIn } from "./browser.js";
import { startService } from "./service.js";

const run = promisify(execFile);
const events = Number(process.argv[2] ?? 1_000_000);
const service = await startService();
const browser = await openBrowser();
try {
  const from = new Date(Date.now() - 6 * 3_600_000).toISOString();
  const command = `"${service.binary}" bench generate --events ${events} --span 6h --from ${from} | "${service.binary}" ingest many - --url ${service.direct}`;
  await run("bash", ["-c", command], { env: { ...process.env, TIDEGAUGE_TOKEN: service.token }, maxBuffer: 1e8 });
  const { page, faults } = await openPage(browser);
  await signIn(page, service.link);
  await page.goto(`${service.address}/explore?${new URLSearchParams({ q: "many", from: "now-7h", to: "now" })}`);
  await page.waitForFunction(
    (count) => Number(document.querySelector(".viewport")?.getAttribute("aria-rowcount")) > count,
    events * 0.9,
    { timeout: 60_000 },
  );
  const protocol = await page.context().newCDPSession(page);
  const heap = async () => Math.round((await protocol.send("Runtime.getHeapUsage")).usedSize / 1e6);
  console.log(
    `${await page.locator(".viewport").getAttribute("aria-rowcount")} rows, ${await heap()} MB at the beginning`,
  );
  for (const share of [1, 0.5, 0.25, 0.75, 0.1, 0.9, 0]) {
    const began = Date.now();
    await page.locator(".viewport").evaluate((element, part) => {
      element.scrollTop = element.scrollHeight * part;
    }, share);
    await page.waitForTimeout(50);
    await page.waitForFunction(() => !document.querySelector(".viewport .coming"), null, { timeout: 60_000 });
    console.log(`at ${share * 100} %: ${Date.now() - began} ms, ${await heap()} MB`);
  }
  for (let step = 0; step < 60; step++) {
    await page.locator(".viewport").evaluate((element) => {
      element.scrollTop += element.clientHeight * 18;
    });
    await page.waitForFunction(() => !document.querySelector(".viewport .coming"), null, { timeout: 60_000 });
  }
  await protocol.send("HeapProfiler.collectGarbage");
  console.log(`after sixty pages: ${await heap()} MB`, faults);
} finally {
  await browser.close();
  await service.stop();
}
