// Whether a page that asks again every 15 seconds keeps its memory: a script to run by hand, not a test. Three pages, with
// events, with a chart and with a dashboard, while events come in. Ends with 1 when one grows by more than a fifth.
//
//   TIDEGAUGE_BINARY=…/tidegauge MINUTES=60 node tests/browser/hour.js

import { board, put, query } from "./boards.js";
import { openBrowser, openPage, signIn } from "./browser.js";
import { startService } from "./service.js";

const minutes = Number(process.env.MINUTES ?? 60);
const service = await startService();
const browser = await openBrowser();
let isOver = false;
try {
  await service.generate("gen", 20_000, 1);
  const { page, context, faults } = await openPage(browser);
  await signIn(page, service.link);
  const charts = await context.newPage();
  const dashboard = await context.newPage();
  const open = (where, parameters) =>
    where.goto(
      `${service.address}/explore?${new URLSearchParams({ from: "now-1h", to: "now", refresh: "15", ...parameters })}`,
    );
  await open(page, { q: "gen" });
  await open(charts, { q: "gen | summarize count() by bin_auto(_time), level", chart: "area" });
  const kinds = [
    ["TimeSeries", "gen | summarize count() by bin_auto(_time), level"],
    ["Statistic", "gen | count"],
    ["Table", "gen | summarize count() by service, level"],
    ["TopK", "gen | summarize count() by path"],
    ["Pie", "gen | summarize count() by level"],
    ["LogStream", "gen | take 50"],
  ];
  const panels = kinds.map(([type, apl], place) => ({ id: `p${place}`, type, name: type, query: query(apl) }));
  const cells = panels.map(({ id }, place) => ({
    i: id,
    x: (place % 3) * 4,
    y: Math.floor(place / 3) * 5,
    w: 4,
    h: 5,
  }));
  await put(service, "hour", board("An hour", panels, cells));
  await dashboard.goto(`${service.address}/dashboards/hour?from=now-1h&to=now&refresh=15`);
  void feed();
  const pages = await Promise.all(
    [
      ["events", page],
      ["chart", charts],
      ["dashboard", dashboard],
    ].map(async ([name, where]) => ({ name, protocol: await context.newCDPSession(where), seen: [] })),
  );
  for (const { protocol } of pages) await protocol.send("Performance.enable");
  for (let minute = 0; minute <= minutes; minute++) {
    for (const { name, protocol, seen } of pages) {
      await protocol.send("HeapProfiler.collectGarbage");
      const { metrics } = await protocol.send("Performance.getMetrics");
      const figure = (wanted) => metrics.find((metric) => metric.name === wanted).value;
      seen.push({
        heap: figure("JSHeapUsedSize") / 1e6,
        nodes: figure("Nodes"),
        listeners: figure("JSEventListeners"),
      });
      const { heap, nodes, listeners } = seen.at(-1);
      console.log(`${minute} min, ${name}: ${heap.toFixed(1)} MB, ${nodes} nodes, ${listeners} listeners`);
    }
    if (minute < minutes) await new Promise((resolve) => setTimeout(resolve, 60_000));
  }
  const failed = pages.flatMap(({ name, seen }) =>
    ["heap", "nodes", "listeners"].flatMap((figure) => {
      // The first minute is for what is fetched once.
      const first = Math.max(...seen.slice(1, 3).map((entry) => entry[figure]));
      const last = Math.min(...seen.slice(-2).map((entry) => entry[figure]));
      return last > first * 1.2 ? [`${name}: ${figure} grew from ${first.toFixed(1)} to ${last.toFixed(1)}`] : [];
    }),
  );
  console.log(failed.length === 0 ? "flat" : failed.join("\n"), faults);
  process.exitCode = failed.length === 0 && faults.length === 0 ? 0 : 1;
} finally {
  isOver = true;
  await browser.close();
  await service.stop();
}

/** Ten events a second. */
async function feed() {
  for (let number = 0; !isOver; number++) {
    const events = Array.from({ length: 10 }, (_, place) => ({
      message: `event ${number} of ${place}`,
      level: place < 2 ? "error" : "info",
    }));
    await service.call("/v1/datasets/gen/ingest", events).catch(() => undefined);
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
}
