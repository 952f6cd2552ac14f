// Many browsers with a dashboard each that ask anew every 15 seconds while events arrive: what the batches take and what
// the service holds, minute by minute, and whether both stay flat. Each browser is a context of one Chromium with a page
// of its own, which has a process of its own; the time of a batch is what the page sees of it, on a machine that draws
// all of them as well. Ends with 1 where a figure grows.
//
//   TIDEGAUGE_SERVES_UI=1 TIDEGAUGE_BINARY=…/tidegauge [MINUTES=10 BROWSERS=50 STORED=1000000 RATE=1000]
//   node tests/measure/fifty.js

import { readFile } from "node:fs/promises";
import { openBrowser, openPage, signIn } from "../browser/browser.js";
import { startService } from "../browser/service.js";
import { Feed, fill } from "./feed.js";
import { ms, quantile } from "./figures.js";

const minutes = Number(process.env.MINUTES ?? 10);
const browsers = Number(process.env.BROWSERS ?? 50);
const stored = Number(process.env.STORED ?? 1_000_000);
const rate = Number(process.env.RATE ?? 1000);
const REFRESH_SECONDS = 15;
const SERVICES = ["gateway", "checkout", "catalogue", "accounts", "search", "sessions", "payments", "stock", "pricing"];
const REGIONS = ["eu-central-1", "us-east-1", "us-west-2", "ap-southeast-1", "sa-east-1"];
const HOURS = 6;

const service = await startService();
const browser = await openBrowser();
let feed;
try {
  await fill(service, "bench", stored, HOURS);
  for (let number = 0; number < browsers; number++)
    await service.call("/v2/dashboards", { uid: `board-${number}`, overwrite: true, dashboard: board(number) });
  const { page, context, faults } = await openPage(browser);
  await signIn(page, service.link);
  const signedIn = await context.storageState();
  await context.close();
  feed = new Feed(service, "bench", rate);
  const pages = [];
  for (let number = 0; number < browsers; number++) pages.push(await open(number, signedIn, faults));
  await measure(pages, faults);
} finally {
  feed?.stop();
  await browser.close();
  await service.stop();
}

async function open(number, storageState, faults) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, storageState });
  const page = await context.newPage();
  page.on("pageerror", (error) => faults.push(String(error)));
  await page.addInitScript(() => {
    window.batches = [];
    new PerformanceObserver((list) => {
      for (const { name, duration } of list.getEntries())
        if (name.endsWith("/v1/query/batch")) window.batches.push(duration);
    }).observe({ type: "resource", buffered: true });
  });
  const range = new URLSearchParams({ from: `now-${HOURS}h`, to: "now", refresh: String(REFRESH_SECONDS) });
  await page.goto(`${service.address}/dashboards/board-${number}?${range}`, { waitUntil: "commit" });
  return page;
}

async function measure(pages, faults) {
  const rows = [];
  console.log(`${pages.length} browsers of one Chromium, ${stored} events stored, ${rate} a second arrive`);
  console.log("| minute | batches | p50 | p99 | most | RSS of the service | events sent | panels with a problem |");
  console.log("|---:|---:|---:|---:|---:|---:|---:|---:|");
  await Promise.all(pages.map((page) => page.locator("[data-cell] .drawing").first().waitFor({ timeout: 120_000 })));
  await collect(pages);
  for (let minute = 1; minute <= minutes; minute++) {
    await new Promise((resolve) => setTimeout(resolve, 60_000));
    const { batches, problems } = await collect(pages);
    const row = { count: batches.length, p50: quantile(batches, 0.5), p99: quantile(batches, 0.99), rss: await rss() };
    rows.push(row);
    console.log(
      `| ${minute} | ${row.count} | ${ms(row.p50)} | ${ms(row.p99)} | ${ms(Math.max(...batches))} | ${Math.round(row.rss / 1e6)} MB | ${feed.sent} | ${[problems.length, ...new Set(problems)].join(" ")} |`,
    );
  }
  const grown = ["p99", "rss"].filter((figure) => !isFlat(rows.map((row) => row[figure])));
  console.log(grown.length === 0 ? "p99 and memory are flat" : `NOT flat: ${grown.join(", ")}`, faults);
  process.exitCode = grown.length === 0 && faults.length === 0 ? 0 : 1;
}

/** Flat: the last third is on average no more than a fifth above the third after the first minute. */
function isFlat(values) {
  const counted = values.slice(values.length > 3 ? 1 : 0);
  const part = Math.max(1, Math.floor(counted.length / 3));
  const mean = (list) => list.reduce((sum, value) => sum + value, 0) / list.length;
  return mean(counted.slice(-part)) <= 1.2 * mean(counted.slice(0, part));
}

/** The batches since the last time. */
async function collect(pages) {
  const seen = await Promise.all(
    pages.map((page) =>
      page.evaluate(() => {
        performance.clearResourceTimings();
        const problems = [...document.querySelectorAll(".problem")].map(({ textContent }) => textContent.trim());
        return { batches: window.batches.splice(0), problems };
      }),
    ),
  );
  return {
    batches: seen.flatMap(({ batches }) => batches),
    problems: seen.flatMap(({ problems }) => problems),
  };
}

async function rss() {
  const text = await readFile(`/proc/${service.pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+)/.exec(text)[1]) * 1024;
}

/** Eight panels of one service in one region, so that no two browsers ask the same. */
function board(number) {
  const events = `bench | where service == "${SERVICES[number % SERVICES.length]}" and region == "${REGIONS[Math.floor(number / SERVICES.length) % REGIONS.length]}" and status != ${1000 + number}`;
  const asked = [
    ["Statistic", `${events} | count`],
    ["Statistic", `${events} | summarize percentile(duration_ms, 99)`],
    ["TimeSeries", `${events} | summarize count() by bin_auto(_time), level`],
    ["TimeSeries", `${events} | summarize avg(duration_ms) by bin_auto(_time)`],
    ["TopK", `${events} | summarize n = count() by path | top 10 by n`],
    ["Pie", `${events} | summarize count() by status`],
    ["Table", `${events} | summarize count(), sum(bytes) by host`],
    ["LogStream", `${events} | where status >= 500 | take 30`],
  ];
  const charts = asked.map(([type, apl], place) => ({
    id: `p${place}`,
    type,
    name: `${type} ${place}`,
    query: { apl, queryOptions: {} },
  }));
  const layout = charts.map(({ id }, place) => ({
    i: id,
    x: (place % 4) * 3,
    y: Math.floor(place / 4) * 6,
    w: 3,
    h: 6,
  }));
  return {
    name: `Board ${number}`,
    owner: "",
    charts,
    layout,
    refreshTime: REFRESH_SECONDS,
    schemaVersion: 2,
    timeWindowStart: `qr-now-${HOURS}h`,
    timeWindowEnd: "qr-now",
  };
}
