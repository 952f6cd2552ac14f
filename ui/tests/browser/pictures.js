// Pictures of each screen, light and dark, with its empty, loading and error states, into tests/pictures. With `guide`,
// those that the guides show, in their place.

import { mkdir, readdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { openBrowser, openPage, signIn } from "./browser.js";
import { prepareEndpoints } from "./pictures-endpoints.js";
import { prepareMonitors } from "./pictures-monitors.js";
import { startReceiver } from "./receiver.js";
import { startService } from "./service.js";
import { logsOf, sendOtlp, sendSpans, spanId, traceId, traceSpans } from "./spans.js";
import { prepareTeam, TEAM_STATES } from "./team-pictures.js";

const GUIDE = fileURLToPath(new URL("../../../docs/guide/pictures", import.meta.url));
const isGuide = process.argv[2] === "guide";
const folder = isGuide ? GUIDE : (process.env.PICTURES ?? fileURLToPath(new URL("../pictures", import.meta.url)));
/** The names that are wanted, where not all are. */
const wanted = isGuide ? new Set(await readdir(GUIDE)) : null;
const isWanted = (name) => wanted === null || wanted.has(`${name}.png`);
const q = (parameters) => new URLSearchParams({ from: "now-6h", to: "now", ...parameters });
const STATES = [
  [
    "explore",
    `/explore?${q({ q: "demo" })}`,
    ".row .cell",
    async (page) => {
      await page.locator(".row").nth(1).click();
      await page.locator('.field button[title^="level "]').click();
      await page.waitForTimeout(700);
    },
  ],
  [
    "explore-builder",
    `/explore?${q({ q: "demo | where status >= 500 | summarize count() by bin_auto(_time), path", mode: "builder" })}`,
    "table.legend",
  ],
  [
    "explore-chart",
    `/explore?${q({ q: "demo | summarize count() by bin_auto(_time), service", chart: "area" })}`,
    "table.legend",
  ],
  ["explore-patterns", `/explore?${q({ q: "demo", tab: "patterns" })}`, "td.template"],
  ["explore-compare", `/explore?${q({ q: "demo", tab: "compare", group: "status >= 500" })}`, "article"],
  ["explore-explain", `/explore?${q({ q: "demo | where status >= 500", tab: "explain" })}`, ".explain"],
  ["explore-error", `/explore?${q({ q: "demo | where strln(path) > 1" })}`, ".problem"],
  [
    "explore-no-rows",
    `/explore?${q({ q: "demo", from: "2020-01-01T00:00:00Z", to: "2020-01-02T00:00:00Z" })}`,
    ".empty",
  ],
  ["stream", "/stream?dataset=demo", ".event"],
  ["datasets", "/datasets", "table.plain"],
  ["dataset", "/datasets/demo", ".row"],
  ["dataset-send", "/datasets/demo?view=send", ".snippets"],
  ["dataset-care", "/datasets/demo?view=care", ".care"],
  ["traces", `/traces?${q({})}`, "table.plain tbody tr"],
  ["traces-latencies", `/traces?${q({ view: "latency" })}`, "table.plain tbody tr"],
  ["traces-map", `/traces?${q({ view: "map", node: "checkout" })}`, "svg .service"],
  ["trace", `/traces?${q({ trace: traceId(1), span: spanId(1, 12) })}`, ".span .event"],
  [
    "trace-logs",
    `/traces?${q({ trace: traceId(1) })}`,
    ".waterfall .row",
    async (page) => {
      await page.getByRole("tab", { name: /Logs/ }).click();
      await page.waitForTimeout(300);
    },
  ],
  ["trace-missing", `/traces?${q({ trace: "4bf92f3577b34da6a3ce929d0e0e4736" })}`, ".empty"],
  ["queries", "/queries", "table.plain"],
  ["queries-history", "/queries?view=history", "table.plain"],
  ["dashboards", "/dashboards", "table.plain"],
  ["dashboard", "/dashboards/demo-services", ".chart canvas"],
  ["dashboard-visitors", "/dashboards/demo-visitors", ".chart canvas"],
  ["dashboard-log", "/dashboards/demo-log", ".row .cell"],
  ["dashboard-edit", "/dashboards/demo-services?edit=1", ".corner"],
  ["dashboard-panel", "/dashboards/demo-services?edit=1&chart=panel-6", ".cm-content"],
  ["dashboard-health", "/dashboards/service:health", "section .value"],
  ...TEAM_STATES,
];

/** A trace to look at, others to compare it with, and logs in it. */
async function sendTraces(service) {
  const now = Date.now();
  for (let number = 2; number < 120; number++) {
    const start = now - number * 170_000;
    await sendSpans(
      service,
      "shop",
      traceSpans({ number, count: 12 + (number % 60), start, length: 40 + ((number * 37) % 400) }),
    );
  }
  await sendSpans(
    service,
    "shop",
    traceSpans({ number: 1, count: 70, start: now - 200_000, length: 640, failing: 0.06 }),
  );
  const line = (place, span, severityNumber, text) => ({
    timeUnixNano: String(BigInt(now - 200_000 + place) * 1_000_000n),
    severityNumber,
    body: { stringValue: text },
    traceId: traceId(1),
    spanId: spanId(1, span),
  });
  await sendOtlp(
    service,
    "logs",
    "app-logs",
    logsOf("checkout", [
      line(12, 0, 9, "order 4711 with 3 lines"),
      line(90, 3, 9, "stock is locked"),
      line(150, 12, 13, "card was declined once, trying again"),
      line(410, 20, 17, "out of stock: 1 of 3 lines cannot be sent"),
      line(600, 0, 9, "answered with 200"),
    ]),
  );
}

const service = await startService(["--notify-allowed-networks", "127.0.0.0/8"]);
const receiver = await startReceiver();
const browser = await openBrowser();
await mkdir(folder, { recursive: true });
try {
  const { page, faults } = await openPage(browser);
  const shot = async (name) => {
    if (isWanted(name)) await page.screenshot({ path: `${folder}/${name}.png` });
  };
  await signIn(page, service.link);
  await page.getByRole("button", { name: "Load demo events" }).waitFor();
  await shot("first-light");
  await page.getByRole("button", { name: "Make a command to copy" }).click();
  await page.locator(".snippets").waitFor();
  await shot("first-command-light");
  await page.getByRole("button", { name: "Load demo events" }).click();
  await page.locator(".row .cell").first().waitFor();
  await service.call("/v2/apl-starred-queries", {
    kind: "apl",
    name: "Failures by path",
    who: "me",
    dataset: "demo",
    metadata: {},
    query: { apl: "demo | where status >= 500 | summarize count() by path" },
  });
  await page.goto(`${service.address}/endpoints`);
  await page.getByRole("heading", { name: "There is no endpoint yet" }).waitFor();
  await shot("endpoints-empty-light");
  STATES.push(...(await prepareEndpoints(service)));
  STATES.push(...(await prepareMonitors(service, receiver)));
  await page.goto(`${service.address}/traces`);
  await page.getByRole("heading", { name: "There are no spans yet" }).waitFor();
  await shot("traces-empty-light");
  await sendTraces(service);
  await prepareTeam(service);
  for (const theme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme: theme, reducedMotion: "reduce" });
    for (const [name, path, ready, more] of STATES) {
      if (!isWanted(`${name}-${theme}`)) continue;
      await page.goto(service.address + path);
      await page
        .locator(ready)
        .first()
        .waitFor({ timeout: 20_000 })
        .catch((error) => console.log(`${name}: ${error.message.split("\n")[0]}`));
      await page.waitForTimeout(700);
      await more?.(page);
      await shot(`${name}-${theme}`);
    }
  }
  await page.route("**/v1/query/_apl*", () => undefined);
  await page.goto(`${service.address}/explore?q=demo`);
  await page.waitForTimeout(900);
  await shot("explore-loading-dark");
  console.log(`${folder}: done`, faults);
} finally {
  await browser.close();
  await receiver.stop();
  await service.stop();
}
