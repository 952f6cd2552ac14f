// Dashboards for the tests in a browser: how they are made and read, and what a page asks of the service for them.

export const EVENTS = "boards";
export const query = (apl, queryOptions = {}) => ({ apl, queryOptions });
export const OVER_TIME = `${EVENTS} | summarize count() by bin_auto(_time), level`;
export const BY_SERVICE = `${EVENTS} | summarize count() by service`;

/** One chart of each type, as clients write them, with keys that the interface does not draw. */
export const EVERY_TYPE = [
  {
    id: "timeseries-1",
    type: "TimeSeries",
    name: "Series",
    datasetId: EVENTS,
    query: query(OVER_TIME, { aggChartOpts: "{}" }),
  },
  {
    id: "heatmap-1",
    type: "Heatmap",
    name: "Heat",
    query: query(`${EVENTS} | summarize histogram(duration_ms, 10) by bin_auto(_time)`),
  },
  { id: "logstream-1", type: "LogStream", name: "Log", query: query(`${EVENTS} | take 50`) },
  { id: "pie-1", type: "Pie", name: "Pie", query: query(BY_SERVICE) },
  {
    id: "scatter-1",
    type: "Scatter",
    name: "Points",
    query: query(`${EVENTS} | summarize count(), avg(duration_ms) by path`),
  },
  {
    id: "table-1",
    type: "Table",
    name: "Rows",
    query: query(BY_SERVICE),
    tableSettings: { columns: [{ name: "service", width: 12.5 }] },
  },
  { id: "topk-1", type: "TopK", name: "Top", query: query(BY_SERVICE) },
  {
    id: "statistic-1",
    type: "Statistic",
    name: "Number",
    query: query(`${EVENTS} | count`),
    errorThreshold: "Above",
    errorThresholdValue: "1",
  },
  { id: "sectionheader-1", type: "SectionHeader", name: "A heading", query: query(BY_SERVICE) },
  { id: "note-1", type: "Note", text: "Who is on call: **see the wiki**" },
  {
    id: "monitorlist-1",
    type: "MonitorList",
    name: "Watched",
    selectedMonitors: [],
    columns: { status: true, history: false, dataset: true, type: true, notifiers: false },
  },
  { id: "smartfilter-1", type: "SmartFilter", name: "Filter Bar", filters: [{ type: "search", id: "sf_search" }] },
  { id: "spacer-1", type: "Spacer", name: "Spacer" },
  { id: "placeholder-1", type: "Placeholder" },
];
/** What is seen of each when it is drawn. */
export const DRAWN = {
  "timeseries-1": "canvas",
  "heatmap-1": ".cells .cell",
  "logstream-1": ".row .time",
  "pie-1": "path[d]",
  "scatter-1": "circle",
  "table-1": ".row .cell",
  "topk-1": ".bar",
  "statistic-1": ".value.error",
  "sectionheader-1": "h2",
  "note-1": "strong",
  "monitorlist-1": "table",
  "smartfilter-1": "input[type=search]",
  "spacer-1": "section",
  "placeholder-1": ".placeholder",
};

export function board(name, charts, layout, more = {}) {
  return {
    name,
    owner: "",
    charts,
    layout,
    refreshTime: 900,
    schemaVersion: 2,
    timeWindowStart: "qr-now-6h",
    timeWindowEnd: "qr-now",
    ...more,
  };
}

/** The text of a document as the service has it, letter by letter. */
export async function textOf(service, uid) {
  const answer = await fetch(`${service.direct}/v2/dashboards/uid/${uid}`, {
    headers: { authorization: `Bearer ${service.token}` },
  });
  const text = await answer.text();
  return {
    version: JSON.parse(text).version,
    text: /"dashboard":(\{.*\})(?=,"(createdAt|updatedAt))/s.exec(text)?.[1] ?? text,
  };
}

export const put = (service, uid, dashboard) => service.call("/v2/dashboards", { uid, overwrite: true, dashboard });
export const read = (service, uid) => service.call(`/v2/dashboards/uid/${uid}`);
export const cellOf = (page, id) => page.locator(`[data-cell="${id}"]`);

/** Counts the batches of a page: how many there are, how many at once at most, and what each asked. */
export async function watchBatches(page, slowMs = 0) {
  const seen = { asked: [], open: 0, most: 0 };
  await page.route("**/v1/query/batch", async (route) => {
    seen.asked.push(route.request().postDataJSON());
    seen.open += 1;
    seen.most = Math.max(seen.most, seen.open);
    if (slowMs > 0) await new Promise((resolve) => setTimeout(resolve, slowMs));
    await route.continue().catch(() => undefined);
  });
  const closed = (request) => {
    if (request.url().includes("/v1/query/batch")) seen.open -= 1;
  };
  page.on("requestfinished", closed);
  page.on("requestfailed", closed);
  seen.ids = () => seen.asked.flatMap((queries) => queries.map(({ queryId }) => queryId));
  seen.end = async () => {
    page.off("requestfinished", closed);
    page.off("requestfailed", closed);
    await page.unroute("**/v1/query/batch");
  };
  return seen;
}

export const hide = (page, state) =>
  page.evaluate((value) => {
    Object.defineProperty(document, "visibilityState", { value, configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));
  }, state);
