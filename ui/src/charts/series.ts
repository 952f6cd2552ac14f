// From the table of an answer to series over time, one for each group and each computed field.

import type { Table } from "../api/query.ts";
import { parseTime, toSeconds } from "../time/nanoseconds.ts";
import { cellText } from "../values/show.ts";
import { toFloat, type Value } from "../values/value.ts";

export interface Series {
  name: string;
  /** The values of the groups, in the order of `groups`. */
  keys: Value[];
  measure: string;
  values: (number | null)[];
  total: number;
}

export interface Chart {
  /** Seconds since 1970. */
  times: number[];
  /** Length of a bucket in seconds, where there is one. */
  bucket: number | null;
  groups: string[];
  measures: string[];
  series: Series[];
  /** More series than are drawn. */
  leftOut: number;
}

const MOST = 50;

/** Null where the table is not one over time. Of several computed fields all have series, or `only` one. */
export function chartOf(table: Table, only: string | null = null): Chart | null {
  const timeField =
    table.buckets?.field ??
    table.groups.find(({ name }) => table.fields.find((field) => field.name === name)?.type === "datetime")?.name;
  const timeAt = table.fields.findIndex(({ name }) => name === timeField);
  if (timeAt < 0) return null;
  const groups = table.groups.map(({ name }) => name).filter((name) => name !== timeField);
  const groupAt = groups.map((name) => table.fields.findIndex((field) => field.name === name));
  const measureAt = table.fields
    .map((_, place) => place)
    .filter((place) => place !== timeAt && !groupAt.includes(place) && isMeasure(table, place));
  if (measureAt.length === 0) return null;

  const moments = (table.columns[timeAt] ?? []).map((text) => {
    const ns = typeof text === "string" ? parseTime(text) : null;
    return ns === null ? Number.NaN : toSeconds(ns);
  });
  const bucket = table.buckets ? Number(table.buckets.size) / 1e9 : null;
  const times = [...new Set(moments.filter((moment) => !Number.isNaN(moment)))].sort((a, b) => a - b);
  const filled = bucket ? withGaps(times, bucket) : times;
  const placeOf = new Map(filled.map((moment, place) => [moment, place]));

  const byKey = new Map<string, Series>();
  moments.forEach((moment, row) => {
    const at = placeOf.get(moment);
    if (at === undefined) return;
    const keys = groupAt.map((place) => table.columns[place]?.[row] ?? null);
    for (const place of measureAt) {
      const measure = table.fields[place]!.name;
      if (only !== null && measure !== only) continue;
      const name = seriesName(keys, measure, measureAt.length > 1 || keys.length === 0);
      const key = `${measure}\u0000${keys.map((value) => `${typeof value}${cellText(value)}`).join("\u0000")}`;
      let series = byKey.get(key);
      if (!series) {
        series = { name, keys, measure, values: new Array<number | null>(filled.length).fill(null), total: 0 };
        byKey.set(key, series);
      }
      const value = toFloat(table.columns[place]?.[row]);
      series.values[at] = value;
      series.total += value ?? 0;
    }
  });
  const all = [...byKey.values()].sort((a, b) => b.total - a.total);
  return {
    times: filled,
    bucket,
    groups,
    measures: measureAt.map((place) => table.fields[place]!.name),
    series: all.slice(0, MOST),
    leftOut: Math.max(0, all.length - MOST),
  };
}

function isMeasure(table: Table, place: number): boolean {
  if (!/integer|float|timespan/.test(table.fields[place]!.type)) return false;
  return (table.columns[place] ?? []).some((value) => toFloat(value) !== null);
}

function seriesName(keys: Value[], measure: string, withMeasure: boolean): string {
  const group = keys.map((value) => (value === null ? "none" : cellText(value, 80) || "empty")).join(" · ");
  return group && withMeasure ? `${group} · ${measure}` : group || measure;
}

/** Buckets in which nothing was found are gaps, not lines from one side to the other. */
export function withGaps(times: number[], bucket: number): number[] {
  const first = times[0];
  const last = times.at(-1);
  if (first === undefined || last === undefined || (last - first) / bucket > 2000) return times;
  const filled: number[] = [];
  for (let moment = first; moment <= last + bucket / 2; moment += bucket) filled.push(moment);
  // Buckets of unequal length, as those of months, would not meet.
  return times.every((moment) => filled.includes(moment)) ? filled : times;
}
