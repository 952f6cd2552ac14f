// From the table of an answer to points: which column goes across and which up, between which ends, and how many points
// are more than can be drawn.

import type { Field, Table } from "../api/query.ts";
import { parseTime, toSeconds } from "../time/nanoseconds.ts";
import { cellText } from "../values/show.ts";
import { toFloat, type Value } from "../values/value.ts";

export interface Axis {
  name: string;
  /** Whether its values are seconds since 1970. */
  isTime: boolean;
  from: number;
  to: number;
}

export interface Point {
  x: number;
  y: number;
  /** What the row is of: the values of its other groups. */
  of: string;
}

export interface Points {
  list: Point[];
  across: Axis;
  up: Axis;
  /** How many points there are in all. */
  total: number;
}

export const POINTS_MOST = 5000;

interface Column extends Field {
  place: number;
}

/** Null where no column has numbers. Two computed numbers are drawn against each other; one, or `only` one of several,
 * over time or else over the number it is grouped by, and over the rows where there is nothing else. */
export function pointsOf(table: Table, only: string | null = null, most = POINTS_MOST): Points | null {
  const grouped = new Set(table.groups.map(({ name }) => name));
  const fields = table.fields.map((field, place): Column => ({ ...field, place }));
  const numbers = fields.filter(({ type }) => /integer|float/.test(type));
  const measures = numbers.filter(({ name }) => !grouped.has(name) && (only === null || name === only));
  const time = timeOf(table, fields);
  const [first, second] = measures.length > 0 ? measures : numbers;
  if (!first) return null;
  const group = numbers.find(({ name, place }) => grouped.has(name) && place !== first.place);
  const across = second ? first : (time ?? group ?? null);
  const up = second ?? first;
  const others = fields.filter(({ name, place }) => grouped.has(name) && place !== across?.place && place !== up.place);
  const all = (table.columns[up.place] ?? []).flatMap((value, row): Point[] => {
    const x = across ? numberOf(table.columns[across.place]?.[row], across === time) : row;
    const y = toFloat(value);
    const of = others.map(({ place }) => cellText(table.columns[place]?.[row], 80) || "none").join(" · ");
    return x === null || y === null ? [] : [{ x, y, of }];
  });
  const isTime = across !== null && across === time;
  return {
    list: spread(all, most),
    across: { name: across?.name ?? "row", isTime, ...ends(all, "x", !isTime) },
    up: { name: up.name, isTime: false, ...ends(all, "y", true) },
    total: all.length,
  };
}

/** The column of time that rows are of: that of the stretches, a group, or the time of events. */
function timeOf(table: Table, fields: Column[]): Column | undefined {
  const times = fields.filter(({ type }) => type === "datetime");
  const groups = table.groups.map(({ name }) => name);
  return (
    times.find(({ name }) => name === table.buckets?.field) ??
    times.find(({ name }) => groups.includes(name)) ??
    (groups.length === 0 ? (times.find(({ name }) => name === "_time") ?? times[0]) : undefined)
  );
}

function numberOf(value: Value | undefined, isTime: boolean): number | null {
  if (!isTime) return toFloat(value);
  const ns = typeof value === "string" ? parseTime(value) : null;
  return ns === null ? null : toSeconds(ns);
}

/** As many as can be drawn, from everywhere: the first ones alone would be a part of the range. */
function spread(all: Point[], most: number): Point[] {
  if (all.length <= most) return all;
  return Array.from({ length: most }, (_, place) => all[Math.floor((place * all.length) / most)]!);
}

function ends(points: Point[], side: "x" | "y", withZero: boolean): { from: number; to: number } {
  let from = withZero ? 0 : Number.POSITIVE_INFINITY;
  let to = withZero ? 0 : Number.NEGATIVE_INFINITY;
  for (const point of points) {
    from = Math.min(from, point[side]);
    to = Math.max(to, point[side]);
  }
  if (from > to) return { from: 0, to: 1 };
  // A single moment stands in the middle, a single zero on the ground.
  if (from === to) return withZero ? { from, to: from + 1 } : { from: from - 30, to: to + 30 };
  return { from, to };
}
