// What can be done with a dashboard's document. Every change makes a new one in which all that was not meant stays as it
// was, also keys that this interface does not know.

import type { Chart, Document } from "../../api/dashboards.ts";
import { isObject, type Value } from "../../values/value.ts";
import { arranged, type Cell, COLUMNS, ROOM, settled, written } from "./layout.ts";

/** The kinds of charts, with their names for people and how large a new one is. */
export const KINDS: { type: string; name: string; w: number; h: number; asks: boolean }[] = [
  { type: "TimeSeries", name: "Time series", w: 6, h: 5, asks: true },
  { type: "Statistic", name: "Number", w: 3, h: 3, asks: true },
  { type: "TopK", name: "Top list", w: 4, h: 5, asks: true },
  { type: "Table", name: "Table", w: 6, h: 5, asks: true },
  { type: "Pie", name: "Pie", w: 4, h: 5, asks: true },
  { type: "Heatmap", name: "Heatmap", w: 6, h: 5, asks: true },
  { type: "Scatter", name: "Points", w: 6, h: 5, asks: true },
  { type: "LogStream", name: "Newest events", w: 12, h: 6, asks: true },
  { type: "MonitorList", name: "Monitors", w: 4, h: 4, asks: false },
  { type: "SmartFilter", name: "Filters", w: 12, h: 2, asks: false },
  { type: "Note", name: "Note", w: 4, h: 3, asks: false },
  { type: "SectionHeader", name: "Heading", w: 12, h: 1, asks: false },
  { type: "Spacer", name: "Empty space", w: 3, h: 2, asks: false },
  { type: "Placeholder", name: "Placeholder", w: 4, h: 4, asks: false },
];

export const REFRESH_SECONDS = [15, 60, 300, 900];

export function asks(type: string): boolean {
  return KINDS.find((kind) => kind.type === type)?.asks ?? false;
}

export function kindName(type: string): string {
  return KINDS.find((kind) => kind.type === type)?.name ?? type;
}

export function emptyDocument(name: string, owner: string): Document {
  return {
    name,
    owner,
    description: "",
    charts: [],
    layout: [],
    refreshTime: 60,
    schemaVersion: 2,
    timeWindowStart: "qr-now-1h",
    timeWindowEnd: "qr-now",
  };
}

/** The text of a chart's query; empty where it has none. */
export function queryOf(chart: Chart): string {
  const query = chart.query;
  return isObject(query) && typeof query.apl === "string" ? query.apl : "";
}

/** A chart in the language of metrics, which is kept and not answered. */
export function isOfMetrics(chart: Chart): boolean {
  const query = chart.query;
  return isObject(query) && typeof query.mpl === "string" && typeof query.apl !== "string";
}

export function queryOptions(chart: Chart): Record<string, Value> {
  const query = chart.query;
  return isObject(query) && isObject(query.queryOptions) ? query.queryOptions : {};
}

export function withQuery(chart: Chart, apl: string): Chart {
  const query = isObject(chart.query) ? chart.query : {};
  return { ...chart, query: { ...query, apl } };
}

/** The chart with one option of its query; null takes it away. */
export function withQueryOption(chart: Chart, name: string, value: Value): Chart {
  const query = isObject(chart.query) ? chart.query : { apl: "" };
  const options = { ...queryOptions(chart) };
  if (value === null || value === "") delete options[name];
  else options[name] = value;
  return { ...chart, query: { ...query, queryOptions: options } };
}

/** The chart with a key of its own; null takes it away. */
export function withKey(chart: Chart, name: string, value: Value): Chart {
  const next = { ...chart };
  if (value === null) delete next[name];
  else next[name] = value;
  return next;
}

/** What a chart of a kind needs beyond its type, so that the service keeps it. What the chart has already stays. */
export function asKind(chart: Chart, type: string): Chart {
  const next: Chart = { ...chart, type };
  if (asks(type) && !isObject(next.query)) next.query = { apl: "" };
  if (type === "Note" && typeof next.text !== "string") next.text = "";
  if (type === "MonitorList" && !Array.isArray(next.selectedMonitors)) next.selectedMonitors = [];
  if (type === "SmartFilter" && !Array.isArray(next.filters)) next.filters = [];
  return next;
}

export function changeChart(document: Document, chart: Chart): Document {
  return { ...document, charts: document.charts.map((entry) => (entry.id === chart.id ? chart : entry)) };
}

/** Adds a chart where there is room below everything, or beside if `at` is given. */
export function addChart(document: Document, chart: Chart, size: { w: number; h: number }, at?: Cell): Document {
  const cell: Cell = at ?? { i: chart.id, x: 0, y: ROOM, w: Math.min(COLUMNS, size.w), h: size.h };
  const cells = settled([...arranged(document), { ...cell, i: chart.id }], at ? chart.id : undefined);
  return written({ ...document, charts: [...document.charts, chart] }, cells);
}

export function removeChart(document: Document, id: string): Document {
  const charts = document.charts.filter((chart) => chart.id !== id);
  const layout = document.layout.filter(({ i }) => i !== id);
  const cells = settled(arranged(document).filter(({ i }) => i !== id));
  return written({ ...document, charts, layout }, cells);
}

/** The same chart once more, below the first. */
export function duplicateChart(document: Document, id: string, newId: string): Document {
  const chart = document.charts.find((entry) => entry.id === id);
  const cell = arranged(document).find(({ i }) => i === id);
  if (!chart || !cell) return document;
  const name = chart.name ? { name: `${chart.name} (copy)` } : {};
  const copy = { ...structuredClone(chart), id: newId, ...name };
  const beside = cell.x + 2 * cell.w <= COLUMNS;
  const at = beside ? { ...cell, x: cell.x + cell.w } : { ...cell, y: cell.y + cell.h };
  return addChart(document, copy, cell, at);
}

/** A document out of a file: the document itself, or the answer of the service that has one. */
export function imported(value: Value): Document | string {
  if (!isObject(value)) return "the file has no dashboard: it begins with something else than an object";
  const inner = isObject(value.dashboard) ? value.dashboard : value;
  const document = isObject(inner.dashboard) ? inner.dashboard : inner;
  if (typeof document.name !== "string") return "the file has no dashboard: there is no name in it";
  if (!Array.isArray(document.charts) || !Array.isArray(document.layout)) {
    return "the file has no dashboard: charts and layout are missing";
  }
  return document as unknown as Document;
}

/** What is put into a new dashboard of somebody's: all of it but who and which one it was. */
export function copied(document: Document, name: string, owner: string): Document {
  const { uid: _uid, id: _id, version: _version, ...rest } = structuredClone(document);
  for (const key of ["createdAt", "createdBy", "updatedAt", "updatedBy"]) delete rest[key];
  return { ...(rest as Document), name: name.slice(0, 100), owner };
}

export interface Difference {
  name: string;
  what: "added" | "removed" | "changed";
}

/** What is different in a document, in words for people. */
export function differences(before: Document, after: Document): Difference[] {
  const found: Difference[] = [];
  const same = (a: unknown, b: unknown) => text(a) === text(b);
  const label = (chart: Chart) => chart.name || `${kindName(chart.type)} without a name`;
  const old = new Map(before.charts.map((chart) => [chart.id, chart]));
  for (const chart of after.charts) {
    const was = old.get(chart.id);
    old.delete(chart.id);
    if (!was) found.push({ name: label(chart), what: "added" });
    else if (!same(was, chart)) found.push({ name: label(chart), what: "changed" });
  }
  for (const chart of old.values()) found.push({ name: label(chart), what: "removed" });
  if (!same(before.layout, after.layout)) found.push({ name: "where charts stand", what: "changed" });
  const rest = ({ charts: _charts, layout: _layout, ...others }: Document) => others as Record<string, unknown>;
  const [a, b] = [rest(before), rest(after)];
  for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) {
    if (!same(a[key], b[key])) found.push({ name: SETTINGS[key] ?? key, what: "changed" });
  }
  return found;
}

const SETTINGS: Record<string, string> = {
  name: "the name",
  owner: "who sees it",
  description: "the description",
  refreshTime: "how often it asks anew",
  timeWindowStart: "the range of time",
  timeWindowEnd: "the end of the range",
  against: "the period to compare with",
};

function text(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => (typeof part === "bigint" ? `${part}n` : part)) ?? "";
}
