// Ranges of a number over time, from columns such as of `histogram(field, n) by bin_auto(_time)`: one series for each
// stretch of values, the greatest first, as on an axis.

import type { Table } from "../api/query.ts";
import { parseTime, toSeconds } from "../time/nanoseconds.ts";
import { short } from "../values/show.ts";
import { barsIn } from "./distribution.ts";
import { type Chart, type Series, withGaps } from "./series.ts";

/** Null where the answer has no such column, or no time. Groups of the same time are drawn together. */
export function rangesOverTime(table: Table, most = 20): Chart | null {
  const at = table.fields.findIndex(({ agg }) => agg !== undefined && /^histogram/.test(agg.name));
  const timeAt = table.fields.findIndex(({ type }) => type === "datetime");
  if (at < 0 || timeAt < 0) return null;
  const moments = (table.columns[timeAt] ?? []).map((text) => {
    const ns = typeof text === "string" ? parseTime(text) : null;
    return ns === null ? Number.NaN : toSeconds(ns);
  });
  const cells = (table.columns[at] ?? []).map(barsIn);
  const all = cells.flat();
  const low = all.reduce((least, { from }) => Math.min(least, from), Number.POSITIVE_INFINITY);
  const high = all.reduce((greatest, { to }) => Math.max(greatest, to), Number.NEGATIVE_INFINITY);
  if (!Number.isFinite(low) || !Number.isFinite(high)) return null;
  const bucket = table.buckets ? Number(table.buckets.size) / 1e9 : null;
  const known = [...new Set(moments.filter((moment) => !Number.isNaN(moment)))].sort((a, b) => a - b);
  const times = bucket ? withGaps(known, bucket) : known;
  const placeOf = new Map(times.map((moment, place) => [moment, place]));
  const measure = table.fields[at]!.name;
  const { names, size } = stretches(low, high, most);
  const series = names.map((name): Series => {
    return { name, keys: [], measure, values: new Array<number | null>(times.length).fill(null), total: 0 };
  });
  cells.forEach((bars, row) => {
    const time = placeOf.get(moments[row] ?? Number.NaN);
    if (time === undefined) return;
    for (const { from, to, count } of bars) {
      const found = series[Math.min(names.length - 1, Math.max(0, Math.floor(((from + to) / 2 - low) / size)))]!;
      found.values[time] = (found.values[time] ?? 0) + count;
      found.total += count;
    }
  });
  return { times, bucket, groups: [], measures: [measure], series: series.reverse(), leftOut: 0 };
}

/** The names of so many stretches of the same size; where all values are the same there is but one. */
function stretches(low: number, high: number, most: number): { names: string[]; size: number } {
  if (high <= low) return { names: [short(low)], size: 1 };
  const size = (high - low) / most;
  const edges = Array.from({ length: most + 1 }, (_, place) => low + place * size);
  const brief = edges.map((edge) => short(edge));
  const written = new Set(brief).size === brief.length ? brief : edges.map(String);
  return { names: edges.slice(1).map((_, place) => `${written[place]} – ${written[place + 1]}`), size };
}
