// From an answer to what a panel draws: series over time, ranked groups, one number.

import type { QueryAnswer, Table } from "../../api/query.ts";
import { chartOf, type Chart as Drawing, type Series } from "../../charts/series.ts";
import { cellText, grouped } from "../../values/show.ts";
import { isNumber, isObject, toFloat, type Value } from "../../values/value.ts";

export interface Ranked {
  name: string;
  keys: { field: string; value: Value }[];
  value: number;
  exact: string;
}

/** Null where the answer is not one over time. */
export function overTime(answer: QueryAnswer): Drawing | null {
  const table = answer.tables[0];
  return table ? chartOf(table) : null;
}

/** The table without time: the groups over the whole range, where there are such. */
export function totals(answer: QueryAnswer): Table | null {
  return answer.tables.find(({ name }) => name === "_totals") ?? answer.tables[0] ?? null;
}

/** Where the numbers of a table are: the first column of numbers that is not a group. */
function measureAt(table: Table): number {
  const groups = new Set(table.groups.map(({ name }) => name));
  const isNumeric = (type: string) => /integer|float/.test(type);
  const aggregated = table.fields.findIndex(({ name, type, agg }) => agg && !groups.has(name) && isNumeric(type));
  if (aggregated >= 0) return aggregated;
  return table.fields.findIndex(({ name, type }) => !groups.has(name) && isNumeric(type));
}

/** Groups by their number, the greatest first. A column of `topk` counts is taken apart. */
export function ranked(answer: QueryAnswer, most: number): Ranked[] {
  const table = totals(answer);
  if (!table) return [];
  const counted = countedValues(table);
  const rows = counted ?? groupRows(table);
  return rows.sort((a, b) => b.value - a.value).slice(0, most);
}

function groupRows(table: Table): Ranked[] {
  const at = measureAt(table);
  if (at < 0) return [];
  const keyAt = table.fields.flatMap((field, place) => {
    const isKey = table.groups.some(({ name }) => name === field.name) || (place !== at && field.type === "string");
    return isKey && field.name !== "_time" ? [place] : [];
  });
  const sums = new Map<string, Ranked>();
  (table.columns[at] ?? []).forEach((value, row) => {
    const keys = keyAt.map((place) => ({
      field: table.fields[place]!.name,
      value: table.columns[place]?.[row] ?? null,
    }));
    const name = nameOf(keys.map((key) => key.value)) || table.fields[at]!.name;
    const number = toFloat(value) ?? 0;
    const before = sums.get(name);
    if (!before) sums.set(name, { name, keys, value: number, exact: isNumber(value) ? grouped(value) : "–" });
    else {
      before.value += number;
      before.exact = grouped(before.value);
    }
  });
  return [...sums.values()];
}

/** The values in a column such as of `topk`: `[{key, count, error}]`. */
function countedValues(table: Table): Ranked[] | null {
  const at = table.fields.findIndex(({ agg }) => agg !== undefined && /^topk/.test(agg.name));
  const list = at < 0 ? undefined : table.columns[at]?.[0];
  if (!Array.isArray(list)) return null;
  const field = table.fields[at]?.agg?.fields?.[0] ?? "value";
  return list.flatMap((entry) => {
    if (!isObject(entry)) return [];
    const value = toFloat(entry.count) ?? 0;
    const key = entry.key ?? null;
    return [
      {
        name: nameOf([key]),
        keys: [{ field, value: key }],
        value,
        exact: isNumber(entry.count) ? grouped(entry.count) : "–",
      },
    ];
  });
}

function nameOf(keys: Value[]): string {
  return keys.map((value) => (value === null ? "none" : cellText(value, 120) || "empty")).join(" · ");
}

/** The one number of an answer, and how it went where the answer is over time. */
export function oneNumber(answer: QueryAnswer): { value: number | null; name: string; curve: number[] } {
  const drawing = overTime(answer);
  const table = totals(answer);
  const first = drawing?.series[0];
  const curve = first ? first.values.map((value) => value ?? 0) : [];
  if (!table) return { value: null, name: "", curve };
  const at = measureAt(table);
  const column = table.columns[at] ?? [];
  // Without totals, the newest stretch of time is the number.
  const value = toFloat(drawing && table.name !== "_totals" ? column.at(-1) : column[0]);
  return { value, name: table.fields[at]?.name ?? "", curve };
}

/** The earlier period's series moved forward by so many seconds, in the stretches of the present one. */
export function movedForward(now: Drawing, before: Drawing, seconds: number): Series[] {
  const half = (now.bucket ?? before.bucket ?? 1) / 2 + 1e-6;
  const placeOf = (moment: number) => {
    let low = 0;
    let high = now.times.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (now.times[middle]! < moment - half) low = middle + 1;
      else high = middle;
    }
    const found = now.times[low];
    return found !== undefined && Math.abs(found - moment) <= half ? low : -1;
  };
  const places = before.times.map((moment) => placeOf(moment + seconds));
  return before.series.map((series) => {
    const values = new Array<number | null>(now.times.length).fill(null);
    places.forEach((place, at) => {
      if (place >= 0) values[place] = series.values[at] ?? null;
    });
    return { ...series, values };
  });
}

/** Whether parts of the answer were kept from the same question before. */
export function usedKept(answer: QueryAnswer): boolean {
  return (answer.status.cacheStatus & 2) !== 0;
}
