// A first dashboard for any dataset, made of the fields that it has: how many events there are and of which kind, what
// fails, how long things take, which groups are the greatest, and the newest events.

import type { Chart, Document, Place } from "../../api/dashboards.ts";
import type { FieldMeta } from "../../api/query.ts";
import { fieldName, tableName } from "../../apl/names.ts";
import { levelField, messageField } from "../../table/columns.ts";
import type { Value } from "../../values/value.ts";
import { emptyDocument } from "./document.ts";

const STATUSES = ["status", "status_code", "http.status_code", "http.response.status_code", "response.status"];
/** Names of durations, with the unit of each where its name tells one. */
const DURATIONS: [string, string][] = [
  ["duration_ms", "TimeMS"],
  ["elapsed_ms", "TimeMS"],
  ["latency_ms", "TimeMS"],
  ["duration", ""],
  ["elapsed", ""],
  ["latency", ""],
];
/** What people group by first; others follow in the order of the dataset. */
const GROUPS = ["service", "service.name", "host", "hostname", "path", "url", "endpoint", "method", "region", "user"];
const MOST_GROUPS = 3;
const IS_NUMBER = /^(integer|float)$/;

type Entry = [
  place: [x: number, y: number, w: number, h: number],
  chart: { type: string; name?: string } & Record<string, Value>,
];

const asked = (apl: string, queryOptions: Record<string, Value> = {}): Record<string, Value> => ({
  query: { apl, queryOptions },
});

export function exampleOf(dataset: string, fields: FieldMeta[]): Document {
  const shown = fields.filter(({ name, hidden }) => !hidden && !name.startsWith("_"));
  const source = tableName(dataset);
  const numeric = (name: string) => shown.some((field) => field.name === name && IS_NUMBER.test(field.type));
  const status = STATUSES.find(numeric);
  const [duration, unit] = DURATIONS.find(([name]) => numeric(name)) ?? [null, ""];
  const [level, message] = [levelField(shown), messageField(shown)];
  const over = "bin_auto(_time)";

  const figures: Entry[1][] = [
    { type: "Statistic", name: "Events", ...asked(`${source}\n| summarize count() by ${over}`) },
  ];
  if (status) {
    const failed = `${source}\n| summarize countif(${fieldName(status)} >= 500) by ${over}`;
    figures.push({ type: "Statistic", name: "Failures", ...asked(failed) });
  }
  if (duration) {
    const slow = `${source}\n| summarize percentile(${fieldName(duration)}, 99) by ${over}`;
    figures.push({ type: "Statistic", name: `99 of 100 ${duration} within`, unit, ...asked(slow) });
  }
  const entries: Entry[] = figures.map((chart, place) => [
    [(12 / figures.length) * place, 0, 12 / figures.length, 3],
    chart,
  ]);

  const split = level ?? status;
  const counted = `${source}\n| summarize count() by ${over}${split ? `, ${fieldName(split)}` : ""}`;
  const bars = asked(counted, { timeSeriesVariant: "bars", stacked: "true" });
  entries.push([[0, 3, 12, 5], { type: "TimeSeries", name: split ? `Events by ${split}` : "Events", ...bars }]);

  const groups = groupsOf(shown, [level, message]);
  groups.forEach((name, place) => {
    const width = 12 / groups.length;
    const greatest = `${source}\n| summarize count() by ${fieldName(name)}\n| top 12 by count_`;
    entries.push([[width * place, 8, width, 6], { type: "TopK", name: `Most frequent ${name}`, ...asked(greatest) }]);
  });
  entries.push([
    [0, groups.length > 0 ? 14 : 8, 12, 8],
    { type: "LogStream", name: "Newest events", ...asked(`${source}\n| take 200`) },
  ]);
  return documentOf(
    `Overview of ${dataset}`.slice(0, 100),
    `What comes into ${dataset}, and what of it is worth a look`,
    entries,
  );
}

/** Texts that are likely to have few values: known names first. */
function groupsOf(fields: FieldMeta[], others: (string | null)[]): string[] {
  const texts = fields.filter(({ name, type }) => type === "string" && !others.includes(name)).map(({ name }) => name);
  const known = GROUPS.filter((name) => texts.includes(name));
  const rest = texts.filter((name) => !known.includes(name) && !/(^|[._])id$|trace|span|time|uuid|token/i.test(name));
  return [...known, ...rest].slice(0, MOST_GROUPS);
}

function documentOf(name: string, description: string, entries: Entry[]): Document {
  const charts: Chart[] = [];
  const layout: Place[] = [];
  entries.forEach(([[x, y, w, h], chart], number) => {
    const id = `panel-${number + 1}`;
    charts.push({ id, ...chart });
    layout.push({ i: id, x, y, w, h });
  });
  return { ...emptyDocument(name, ""), description, timeWindowStart: "qr-now-6h", charts, layout };
}
