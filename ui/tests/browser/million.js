// How much memory a table of a million rows takes, and how long jumps take, to a place and to a time: a script to run by
// hand, not a test. Ends with 1 when the page takes more than 300 MB, a jump more than 2 s, or a row is not the right one.
//
//   TIDEGAUGE_BINARY=…/tidegauge node tests/browser/million.js [events]

import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { openBrowser, openPage, signIn } from "./browser.js";
import { heapOf, processMemory } from "./memory.js";
import { startService } from "./service.js";

const MOST_MB = 300;
const MOST_MS = 2000;
const run = promisify(execFile);
const events = Number(process.argv[2] ?? 1_000_000);
const service = await startService();
const browser = await openBrowser();
const missed = [];
let most = 0;

const settled = (page) =>
  page.waitForFunction(
    () => !document.querySelector(".viewport .coming") && document.querySelector(".viewport .row .cell") !== null,
    null,
    { timeout: 60_000 },
  );

/** Says how it is now, and remembers what is beyond a goal. */
async function look(page, words, ms) {
  const [heap, process] = [await heapOf(page), await processMemory(browser)];
  most = Math.max(most, process ?? heap);
  const time = ms === undefined ? "" : `${Math.round(ms)} ms, `;
  console.log(`${words}: ${time}${heap.toFixed(0)} MB of the page, ${process?.toFixed(0) ?? "?"} MB of its process`);
  if (ms > MOST_MS) missed.push(`${words} took ${Math.round(ms)} ms`);
}

/** The times of the rows in sight, newest first in a right table. */
const times = (page) =>
  page.locator(".viewport .row .time").evaluateAll((list) =>
    list
      .map((cell) => [Number(cell.closest(".row").getAttribute("aria-rowindex")), cell.title.split("\n")[0]])
      .sort((a, b) => a[0] - b[0])
      .map(([, time]) => time),
  );

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
    { timeout: 120_000 },
  );
  await look(page, `${await page.locator(".viewport").getAttribute("aria-rowcount")} rows`);
  for (const share of [1, 0.5, 0.25, 0.75, 0.1, 0.9, 0]) {
    const began = performance.now();
    await page.locator(".viewport").evaluate(async (element, part) => {
      element.scrollTop = element.scrollHeight * part;
      // What is drawn follows in the next frames.
      for (let frame = 0; frame < 3; frame++) await new Promise((resolve) => requestAnimationFrame(resolve));
    }, share);
    await settled(page);
    await look(page, `at ${share * 100} %`, performance.now() - began);
    const seen = await times(page);
    if (String(seen) !== String([...seen].sort().reverse())) missed.push(`at ${share * 100} % rows are out of order`);
  }
  for (let step = 0; step < 60; step++) {
    await page.locator(".viewport").evaluate(async (element) => {
      element.scrollTop += element.clientHeight * 18;
      for (let frame = 0; frame < 3; frame++) await new Promise((resolve) => requestAnimationFrame(resolve));
    });
    await settled(page);
  }
  await look(page, "after sixty pages");
  // To a time: its bar, by keys, and back.
  await page.locator(".histogram").focus();
  for (let bar = 0; bar < 20; bar++) await page.keyboard.press("ArrowLeft");
  const began = performance.now();
  await page.keyboard.press("Enter");
  await page.waitForURL(/from=20/);
  const { searchParams } = new URL(page.url());
  const [start, end] = [searchParams.get("from"), searchParams.get("to")].map(Date.parse);
  const isThere = ([low, high]) => {
    const cells = [...document.querySelectorAll(".viewport .row .time")];
    const times = cells.map((cell) => Date.parse(cell.title.split("\n")[0]));
    return times.length > 0 && times.every((time) => time >= low - 1 && time <= high);
  };
  await page.waitForFunction(isThere, [start, end], { timeout: 60_000 });
  await look(page, "to a time", performance.now() - began);
  if (most > MOST_MB) missed.push(`${most.toFixed(0)} MB are more than ${MOST_MB}`);
  console.log(missed.length === 0 ? `within ${MOST_MB} MB and ${MOST_MS} ms` : missed.join("\n"), faults);
  process.exitCode = missed.length === 0 && faults.length === 0 ? 0 : 1;
} finally {
  await browser.close();
  await service.stop();
}
