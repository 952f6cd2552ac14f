// Each screen and panel with what it asks for, so that it can be put into its loading, error and empty state: its answer is
// held back, refused, or put in place of what the service has.

import { sendSpans, spanId, traceId, traceSpans } from "./spans.js";

const OLD = "from=2020-01-01T00:00:00Z&to=2020-01-02T00:00:00Z";
const NOW = "from=now-6h&to=now";
const QUERY = /^\/v1\/query\/_apl$/;
const SPANS = "states-spans";
const TRACE = 9001;

/** What the service says while it is refused. */
export const REFUSAL = { code: 503, message: "held back by a test", requestId: "0123456789abcdef" };

/**
 * What the states need, and the list of them:
 *   asks    the path of the request that holds the data
 *   refused what is said where it is refused
 *   ready   what is seen once it has come
 *   empty   what is said where there is nothing, with `answer` in place of the service's or by another `path`
 */
export async function screensWithStates(service) {
  const now = Date.now();
  await service.call("/v1/datasets/states-quiet/ingest", [
    { _time: new Date(now - 3 * 3_600_000).toISOString(), message: "long ago" },
  ]);
  await sendSpans(service, SPANS, traceSpans({ number: TRACE, count: 12, start: now - 60_000, length: 200 }));
  await service.call("/v2/apl-starred-queries", {
    kind: "apl",
    name: "States",
    who: "me",
    dataset: "demo",
    metadata: {},
    query: { apl: "demo | take 7" },
  });
  const board = (name, charts, layout) => ({
    dashboard: {
      name,
      owner: "",
      charts,
      layout,
      refreshTime: 60,
      schemaVersion: 2,
      timeWindowStart: "qr-now-1h",
      timeWindowEnd: "qr-now",
    },
    uid: name,
    overwrite: true,
  });
  await service.call("/v2/dashboards", board("states-empty", [], []));
  const chart = { id: "one", type: "Statistic", name: "Events", query: { apl: "demo | count" } };
  await service.call("/v2/dashboards", board("states-one", [chart], [{ i: "one", x: 0, y: 0, w: 4, h: 4 }]));
  const monitor = await service.call("/v2/monitors", {
    name: "States",
    type: "Threshold",
    aplQuery: "demo | summarize count() by bin_auto(_time)",
    operator: "Above",
    threshold: 1e9,
    intervalMinutes: 1,
    rangeMinutes: 5,
    disabled: true,
  });
  const notifier = await service.call("/v2/notifiers", {
    name: "States",
    properties: { webhook: { url: "http://127.0.0.1:9/states" } },
  });
  const endpoint = await service.call("/v2/endpoints", { name: "States", kind: "ingest", dataset: "web" });
  await service.call("/v2/tokens", {
    name: "States",
    datasetCapabilities: { web: { ingest: ["create"] } },
  });
  const explore = (more = "") => `/explore?q=demo&${NOW}${more}`;
  const traces = (more = "", range = NOW) => `/traces?dataset=${SPANS}&${range}${more}`;
  const TABLE = "table.plain";
  const list = [];
  const add = (name, path, asks, ready, empty, refused = REFUSAL.message) =>
    list.push({ name, path, asks, ready, empty, refused });

  add("explore", explore(), QUERY, ".row .cell", {
    path: `/explore?q=demo&${OLD}`,
    says: "No events in this range of time",
  });
  const grouped = `/explore?q=demo+%7C+summarize+count()+by+bin_auto(_time),+service&${NOW}`;
  add("explore-chart", grouped, QUERY, "table.legend", null);
  add("explore-patterns", explore("&tab=patterns"), QUERY, "td.template", null);
  add("explore-compare", explore("&tab=compare&group=status+%3E%3D+500"), QUERY, "article", {
    path: explore("&tab=compare"),
    says: "Compare some events with all others",
  });
  add("explore-explain", explore("&tab=explain"), QUERY, ".explain", null);
  add("first", "/explore", /^\/v1\/datasets\/_stats$/, ".row .cell, .empty", {
    asks: /^\/v2\/datasets$/,
    answer: [],
    says: "Send your first event",
  });
  add("stream", "/stream?dataset=demo", /^\/v1\/query\/(_apl|tail)$/, '[role="log"]', {
    path: "/stream?dataset=states-quiet",
    says: "Waiting for events",
  });
  add("datasets", "/datasets", /^\/v1\/datasets\/_stats$/, TABLE, {
    asks: /^\/v2\/datasets$/,
    answer: [],
    says: "There is no dataset yet",
  });
  add("dataset", "/datasets/web", /^\/v1\/datasets\/web\/info$/, ".figures", null);
  add("dataset-virtual", "/datasets/web?view=virtual", /^\/v2\/vfields$/, ".body .empty, table.plain", {
    answer: [],
    says: "No virtual fields",
  });
  add("dataset-views", "/datasets/web?view=views", /^\/v2\/views$/, ".body .empty, table.plain", {
    answer: [],
    says: "No views of this dataset",
  });
  add("dataset-endpoints", "/datasets/web?view=endpoints", /^\/v2\/endpoints$/, TABLE, {
    answer: [],
    says: "No endpoint leads to web",
  });
  add("queries", "/queries", /^\/v2\/apl-starred-queries$/, TABLE, { answer: [], says: "No query is starred yet" });
  add("queries-history", "/queries?view=history", /^\/v1\/datasets\/_history$/, TABLE, {
    answer: [],
    says: "No query was run yet",
  });
  add("dashboards", "/dashboards", /^\/v2\/dashboards$/, TABLE, { answer: [], says: "There is no dashboard yet" });
  add("dashboard", "/dashboards/states-one", /^\/v2\/dashboards\/uid\/states-one$/, "[data-cell]", {
    path: "/dashboards/states-empty",
    says: "There is nothing on this dashboard yet",
  });
  add("dashboard-edit", "/dashboards/states-one?edit=1", /^\/v2\/dashboards\/uid\/states-one$/, ".corner", {
    path: "/dashboards/states-empty?edit=1",
    says: "There is nothing on this dashboard yet",
  });
  add("health", "/dashboards/service:health", /^\/metrics$/, "section .value", null, "cannot be read here: 503");
  add("monitors", "/monitors", /^\/v2\/monitors$/, TABLE, { answer: [], says: "Nothing is watched yet" });
  add("monitor", `/monitors/${monitor.id}`, new RegExp(`^/v2/monitors/${monitor.id}$`), ".body .bar", null);
  add("monitor-runs", `/monitors/${monitor.id}`, /\/runs$/, ".body .empty, table.plain", {
    answer: [],
    says: "No run in this time",
  });
  add("monitor-edit", `/monitors/${monitor.id}?view=edit`, new RegExp(`^/v2/monitors/${monitor.id}$`), "form", null);
  add("notifiers", "/notifiers", /^\/v2\/notifiers$/, TABLE, { answer: [], says: "Nobody is told yet" });
  add("notifier", `/notifiers/${notifier.id}`, new RegExp(`^/v2/notifiers/${notifier.id}$`), ".tabs", null);
  add("notifier-messages", `/notifiers/${notifier.id}`, /\/deliveries$/, ".body .empty, table.plain", {
    answer: [],
    says: "No message yet",
  });
  add("endpoints", "/endpoints", /^\/v2\/endpoints$/, TABLE, { answer: [], says: "There is no endpoint yet" });
  add("endpoint", `/endpoints/${endpoint.id}`, new RegExp(`^/v2/endpoints/${endpoint.id}$`), ".figures", null);
  add("tokens", "/tokens", /^\/v2\/tokens$/, TABLE, { answer: [], says: "There is no API token yet" });
  add("people", "/people", /^\/v2\/users$/, TABLE, null);
  add("people-roles", "/people?tab=roles", /^\/v2\/rbac\/roles$/, TABLE, null);
  add("people-groups", "/people?tab=groups", /^\/v2\/rbac\/groups$/, ".body .empty, table.plain", {
    answer: [],
    says: "There is no group yet",
  });
  add("settings", "/settings", /^\/v2\/orgs\/[^/]+$/, ".body dl", null);
  add("settings-usage", "/settings?tab=usage", /\/usage$/, ".three", null);
  add("settings-audit", "/settings?tab=audit", /^\/v2\/audit$/, TABLE, { answer: [], says: "The trail is empty" });
  add("settings-clients", "/settings?tab=clients", /^\/v2\/oauth\/clients$/, ".body .empty, table.plain", {
    answer: [],
    says: "No program is registered",
  });
  add("settings-grants", "/settings?tab=grants", /^\/v2\/user\/grants$/, ".body .empty, table.plain", {
    answer: [],
    says: "You have allowed no program",
  });
  add("traces", traces(), QUERY, "tbody tr", { path: traces("", OLD), says: "No traces in this range of time" });
  add("traces-latencies", traces("&view=latency"), QUERY, "tbody tr", {
    path: traces("&view=latency", OLD),
    says: "No spans in this range of time",
  });
  add("traces-map", traces("&view=map"), QUERY, "svg .service", {
    path: traces("&view=map", OLD),
    says: "No spans in this range of time",
  });
  add("trace", traces(`&trace=${traceId(TRACE)}&span=${spanId(TRACE, 1)}`), QUERY, ".waterfall .row", {
    path: traces("&trace=4bf92f3577b34da6a3ce929d0e0e4736"),
    says: "No span of this trace is here",
  });
  return list;
}

/** Takes a page's requests for some data into its hand: `mode` is what becomes of them from now on. */
export async function held(page, asks) {
  const control = { mode: "hold", answer: null };
  const waiting = [];
  const decide = async (route) => {
    if (control.mode === "hold") waiting.push(route);
    else if (control.mode === "refuse") await route.fulfill({ status: 503, json: REFUSAL });
    else if (control.mode === "answer") await route.fulfill({ json: control.answer });
    else await route.continue();
  };
  const fits = (url) => asks.test(url.pathname);
  // A request that its page has given up meanwhile needs no answer.
  await page.route(fits, (route) => decide(route).catch(() => undefined));
  return {
    /** `hold`, `refuse`, `answer` with something, or `pass`. Those that wait are treated so as well. */
    async set(mode, answer = null) {
      Object.assign(control, { mode, answer });
      for (const route of waiting.splice(0)) await decide(route).catch(() => undefined);
    },
    async end() {
      await this.set("pass");
      await page.unroute(fits);
    },
  };
}
