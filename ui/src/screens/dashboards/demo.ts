// Three dashboards over the demo events: how the shop's services do, what its visitors meet, and its log.

import { type Chart, createDashboard, type Document, listDashboards, type Place } from "../../api/dashboards.ts";
import { DEMO } from "../../api/demo-events.ts";
import { ApiError } from "../../api/errors.ts";
import type { Value } from "../../values/value.ts";
import { emptyDocument } from "./document.ts";

export type Entry = [
  place: [x: number, y: number, w: number, h: number],
  chart: { type: string; name?: string } & Record<string, Value>,
];

export const asked = (apl: string, queryOptions: Record<string, Value> = {}): Record<string, Value> => ({
  query: { apl, queryOptions },
});
/** The beginning of queries that the filter of a service narrows. */
const NARROWED = `declare query_parameters (service_filter:string = "");\n${DEMO}\n| where isempty(service_filter) or service == service_filter`;
const IN_TEXT = `declare query_parameters (service_filter:string = "", text_filter:string = "");\n${DEMO}\n| where isempty(service_filter) or service == service_filter\n| where isempty(text_filter) or message contains text_filter`;

const SERVICE_FILTER: Record<string, Value> = {
  id: "service_filter",
  name: "Service",
  type: "select",
  selectType: "apl",
  options: [{ key: "All services", value: "", default: true }],
  apl: {
    apl: `${DEMO}\n| summarize n = count() by service\n| order by service asc\n| project key = service, value = service`,
  },
};
const PATH_FILTER: Record<string, Value> = {
  id: "path_filter",
  name: "Path",
  type: "select",
  selectType: "apl",
  options: [{ key: "All paths", value: "", default: true }],
  apl: { apl: `${NARROWED}\n| summarize n = count() by path\n| top 50 by n\n| project key = path, value = path` },
};

export function documentOf(name: string, description: string, entries: Entry[]): Document {
  const charts: Chart[] = [];
  const layout: Place[] = [];
  entries.forEach(([[x, y, w, h], chart], number) => {
    const id = `panel-${number + 1}`;
    charts.push({ id, ...chart });
    layout.push({ i: id, x, y, w, h });
  });
  return { ...emptyDocument(name, ""), description, timeWindowStart: "qr-now-6h", charts, layout };
}

export const DEMO_DASHBOARDS: { uid: string; document: () => Document }[] = [
  { uid: "demo-services", document: services },
  { uid: "demo-visitors", document: visitors },
  { uid: "demo-log", document: log },
];

function services(): Document {
  const each = "bin_auto(_time)";
  return documentOf("Shop: services", "Traffic, failures and speed of each service of the demo shop", [
    [[0, 0, 12, 2], { type: "SmartFilter", name: "Filters", filters: [SERVICE_FILTER, PATH_FILTER] }],
    [
      [0, 2, 3, 3],
      {
        type: "Statistic",
        name: "Requests",
        unit: "Abbreviated",
        ...asked(`${pathed()}\n| summarize count() by ${each}`),
      },
    ],
    [
      [3, 2, 3, 3],
      {
        type: "Statistic",
        name: "Failures",
        warningThreshold: "Above",
        warningThresholdValue: "1",
        errorThreshold: "Above",
        errorThresholdValue: "500",
        ...asked(`${pathed()}\n| summarize countif(status >= 500) by ${each}`),
      },
    ],
    [
      [6, 2, 3, 3],
      {
        type: "Statistic",
        name: "Half of them within",
        unit: "TimeMS",
        ...asked(`${pathed()}\n| summarize percentile(duration_ms, 50) by ${each}`),
      },
    ],
    [
      [9, 2, 3, 3],
      {
        type: "Statistic",
        name: "99 of 100 within",
        unit: "TimeMS",
        warningThreshold: "Above",
        warningThresholdValue: "1000",
        ...asked(`${pathed()}\n| summarize percentile(duration_ms, 99) by ${each}`),
      },
    ],
    [
      [0, 5, 6, 6],
      {
        type: "TimeSeries",
        name: "Requests by service",
        numSeries: 10,
        ...asked(`${pathed()}\n| summarize count() by ${each}, service`, {
          timeSeriesVariant: "area",
          stacked: "true",
        }),
      },
    ],
    [
      [6, 5, 6, 6],
      {
        type: "TimeSeries",
        name: "Failures by service",
        numSeries: 10,
        ...asked(`${pathed()}\n| where status >= 500\n| summarize count() by ${each}, service`, {
          timeSeriesVariant: "bars",
          stacked: "true",
        }),
      },
    ],
    [
      [0, 11, 6, 6],
      {
        type: "Heatmap",
        name: "How long answers take (ms)",
        ...asked(`${pathed()}\n| where duration_ms < 200\n| summarize histogram(duration_ms, 20) by ${each}`),
      },
    ],
    [
      [6, 11, 3, 6],
      {
        type: "TopK",
        name: "Slowest paths",
        unit: "TimeMS",
        ...asked(`${pathed()}\n| summarize percentile(duration_ms, 99) by path\n| top 12 by percentile_duration_ms`),
      },
    ],
    [[9, 11, 3, 6], { type: "Pie", name: "Answers by status", ...asked(`${pathed()}\n| summarize count() by status`) }],
  ]);
}

function pathed(): string {
  return `declare query_parameters (service_filter:string = "", path_filter:string = "");\n${DEMO}\n| where isempty(service_filter) or service == service_filter\n| where isempty(path_filter) or path == path_filter`;
}

function visitors(): Document {
  return documentOf("Shop: visitors", "Where visitors of the demo shop are, and what they meet", [
    [[0, 0, 12, 1], { type: "SectionHeader", name: "Where they are" }],
    [
      [0, 1, 4, 6],
      { type: "TopK", name: "Cities", ...asked(`${DEMO}\n| summarize count() by ['geo.city']\n| top 20 by count_`) },
    ],
    [
      [4, 1, 8, 6],
      {
        type: "TimeSeries",
        name: "Bytes sent",
        unit: "Byte",
        ...asked(`${DEMO}\n| summarize sum(bytes) by bin_auto(_time)`),
      },
    ],
    [[0, 7, 12, 1], { type: "SectionHeader", name: "What they do" }],
    [
      [0, 8, 5, 6],
      {
        type: "Table",
        name: "Paths",
        ...asked(
          `${DEMO}\n| summarize requests = count(), failures = countif(status >= 500), p95 = percentile(duration_ms, 95) by path\n| order by requests desc\n| take 100`,
        ),
      },
    ],
    [
      [5, 8, 4, 6],
      {
        type: "Scatter",
        name: "Paths: requests and time",
        ...asked(`${DEMO}\n| summarize requests = count(), average = avg(duration_ms) by path`),
      },
    ],
    [[9, 8, 3, 6], { type: "Pie", name: "Methods", ...asked(`${DEMO}\n| summarize count() by method`) }],
    [
      [0, 14, 12, 3],
      {
        type: "Note",
        name: "",
        text: "## About these events\nThey are made up: **a shop** with several services. Drag over a chart to look closer, and open a panel in Explore by its menu.\n\n- `e` changes this dashboard, `r` asks anew\n- Filters, range and comparison are in the link",
      },
    ],
  ]);
}

function log(): Document {
  return documentOf("Shop: log", "Levels and newest events of the demo shop, with a search", [
    [
      [0, 0, 12, 2],
      {
        type: "SmartFilter",
        name: "Filters",
        filters: [SERVICE_FILTER, { id: "text_filter", name: "In the message", type: "search" }],
      },
    ],
    [
      [0, 2, 8, 5],
      {
        type: "TimeSeries",
        name: "Events by level",
        ...asked(`${IN_TEXT}\n| summarize count() by bin_auto(_time), level`, {
          timeSeriesVariant: "bars",
          stacked: "true",
        }),
      },
    ],
    [
      [8, 2, 4, 5],
      {
        type: "TopK",
        name: "What messages have in common",
        ...asked(`${IN_TEXT}\n| summarize count() by template(message)\n| top 12 by count_`),
      },
    ],
    [[0, 7, 12, 9], { type: "LogStream", name: "Newest events", ...asked(`${IN_TEXT}\n| take 200`) }],
  ]);
}

/** Makes those that are not there yet, and tells how many. What somebody made of one stays. */
export async function makeDemoDashboards(): Promise<number> {
  let made = 0;
  const known = new Set((await listDashboards()).map(({ uid }) => uid));
  for (const { uid, document } of DEMO_DASHBOARDS) {
    if (known.has(uid)) continue;
    try {
      await createDashboard(document(), uid);
      made += 1;
    } catch (reason) {
      // One that only its owner sees is in no list.
      if (!(reason instanceof ApiError) || reason.status !== 409) throw reason;
    }
  }
  return made;
}
