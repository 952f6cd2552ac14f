// The groups of an answer with one of its numbers each, the greatest first, for lists, pies and single numbers.

import type { Table } from "../../api/query.ts";
import { cellText, grouped } from "../../values/show.ts";
import { isNumber, toFloat, type Value } from "../../values/value.ts";

export interface GroupRow {
  name: string;
  keys: { field: string; value: Value }[];
  value: number;
  exact: string;
}

/** The columns of numbers that are no groups, of which one at a time can be drawn. */
export function measuresOf(table: Table): string[] {
  const groups = new Set(table.groups.map(({ name }) => name));
  return table.fields
    .filter(({ name, type }) => !groups.has(name) && /integer|float/.test(type))
    .map(({ name }) => name);
}

/** Over time, what the stretches have of a group is added. */
export function groupRows(table: Table, measure: string): GroupRow[] {
  const at = table.fields.findIndex(({ name }) => name === measure);
  const places = table.groups
    .filter(({ name }) => name !== "_time")
    .map(({ name }) => table.fields.findIndex((field) => field.name === name));
  const sums = new Map<string, GroupRow>();
  (table.columns[at] ?? []).forEach((value, row) => {
    const keys = places.map((place) => ({
      field: table.fields[place]!.name,
      value: table.columns[place]?.[row] ?? null,
    }));
    const name =
      keys.map(({ value: key }) => (key === null ? "none" : cellText(key, 120) || "empty")).join(" · ") || measure;
    const float = toFloat(value) ?? 0;
    const before = sums.get(name);
    if (before) {
      before.value += float;
      before.exact = grouped(before.value);
    } else sums.set(name, { name, keys, value: float, exact: isNumber(value) ? grouped(value) : "–" });
  });
  return [...sums.values()].sort((a, b) => b.value - a.value);
}
