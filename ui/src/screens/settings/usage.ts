// What an organisation uses, as drawings and sentences need it: bars by day, datasets by size, and what the month comes
// to if it goes on as the last days did. Nothing here calls anything.

import type { DayOfDataset, Measure } from "../../api/organisation.ts";
import { bytes, short } from "../../values/show.ts";

export type What = "ingestedBytes" | "queryCost";

/** The name under which all is added up that is shown by no name of its own. */
export const REST = "\u0000other";

const DAY_MS = 86_400_000;
/** Of the unit of costs, which is a gigabyte held or read for a millisecond. */
export const COSTS_PER_HOUR = 3_600_000;
/** A forecast from fewer whole days would be a guess. */
const DAYS_MIN = 3;
const DAYS_LOOKED_AT = 7;

export const dayText = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** Every day from one to another, both included. */
export function daysBetween(from: string, to: string): string[] {
  const days: string[] = [];
  for (let at = Date.parse(`${from}T00:00:00Z`); at <= Date.parse(`${to}T00:00:00Z`); at += DAY_MS)
    days.push(dayText(at));
  return days;
}

export interface Bars {
  days: string[];
  /** The largest datasets first, the rest last. */
  series: { name: string; values: number[]; sum: number }[];
  most: number;
}

/** Bars of each day, stacked by the largest datasets. A day without use is a day with nothing. */
export function barsOf(rows: DayOfDataset[], from: string, to: string, what: What, named = 8): Bars {
  const days = daysBetween(from, to);
  const place = new Map(days.map((day, index) => [day, index]));
  const sums = new Map<string, number>();
  for (const row of rows) sums.set(row.dataset ?? REST, (sums.get(row.dataset ?? REST) ?? 0) + Number(row[what]));
  const largest = [...sums]
    .filter(([name, sum]) => name !== REST && sum > 0)
    .sort((a, b) => b[1] - a[1] || a[0].localeCompare(b[0]));
  const shown = new Set(largest.slice(0, named).map(([name]) => name));
  const series = new Map<string, { name: string; values: number[]; sum: number }>();
  for (const name of [...shown, REST]) series.set(name, { name, values: days.map(() => 0), sum: 0 });
  for (const row of rows) {
    const at = place.get(row.day);
    const one = series.get(row.dataset !== null && shown.has(row.dataset) ? row.dataset : REST);
    if (at === undefined || !one) continue;
    const amount = Number(row[what]);
    one.values[at] = (one.values[at] ?? 0) + amount;
    one.sum += amount;
  }
  const kept = [...series.values()].filter(({ sum }) => sum > 0);
  const most = Math.max(0, ...days.map((_, at) => kept.reduce((all, { values }) => all + (values[at] ?? 0), 0)));
  return { days, series: kept, most };
}

export interface Forecast {
  /** What the month comes to by the mean of the last whole days, and by the least and the most of them. */
  mean: number;
  least: number;
  most: number;
  /** How many days it is made of. */
  days: number;
  /** The day on which the limit would be reached at that pace; null if not in this month. */
  reached: string | null;
}

/** What the month comes to if each day that is left is like the last whole ones, or null where too few are known. */
export function forecast(
  rows: DayOfDataset[],
  what: What,
  measure: Measure,
  nowMs: number,
  resetsMs: number,
): Forecast | null {
  const today = dayText(nowMs);
  const used = new Map<string, number>();
  for (const row of rows) used.set(row.day, (used.get(row.day) ?? 0) + Number(row[what]));
  const first = [...used.keys()].sort()[0];
  if (first === undefined) return null;
  const whole = daysBetween(dayText(nowMs - DAYS_LOOKED_AT * DAY_MS), dayText(nowMs - DAY_MS)).filter(
    (day) => day >= first && day < today,
  );
  if (whole.length < DAYS_MIN) return null;
  const amounts = whole.map((day) => used.get(day) ?? 0);
  const left = Math.max(0, resetsMs - nowMs) / DAY_MS;
  const mean = amounts.reduce((all, amount) => all + amount, 0) / amounts.length;
  const already = Number(measure.used);
  const until = (Number(measure.limit) - already) / mean;
  return {
    mean: already + mean * left,
    least: already + Math.min(...amounts) * left,
    most: already + Math.max(...amounts) * left,
    days: whole.length,
    reached: mean > 0 && until >= 0 && until <= left ? dayText(nowMs + until * DAY_MS) : null,
  };
}

/** An amount in the unit that the licence is written in. */
export function amount(what: What | "storedBytes", value: number): string {
  return what === "queryCost" ? gbHours(value) : bytes(value);
}

/** A cost in gigabyte-hours, which is what the licence counts; small ones in the unit in which queries tell theirs. */
export function gbHours(cost: number): string {
  if (cost < COSTS_PER_HOUR / 100) return `${short(cost)} GB·ms`;
  return `${short(cost / COSTS_PER_HOUR)} GB·h`;
}
