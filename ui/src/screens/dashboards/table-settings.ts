// How a chart says that its rows look (`tableSettings`): which columns in which order and how wide, and some taste. Clients
// write it as an object or as the text of one; what cannot be read is as if it were not there.

import type { Chart } from "../../api/dashboards.ts";
import type { Field } from "../../api/query.ts";
import { type Column, defaultColumns, defaultWidth, SUMMARY } from "../../table/columns.ts";
import { parseExact, stringifyExact } from "../../values/exact-json.ts";
import { isObject, type Value } from "../../values/value.ts";
import { withKey } from "./document.ts";

export interface TableTaste {
  wrap: boolean;
  text: "small" | "normal" | "large";
  marksLevels: boolean;
  /** Of events: whether their time stands first, and everything else at the end. */
  hasTime: boolean;
  hasRest: boolean;
}

const WIDTH = { least: 48, most: 2000 };

function settingsOf(chart: Chart): { [name: string]: Value } {
  const raw = chart.tableSettings;
  if (isObject(raw)) return raw;
  if (typeof raw !== "string") return {};
  try {
    const read = parseExact(raw);
    return isObject(read) ? read : {};
  } catch {
    return {};
  }
}

function tasteIn(chart: Chart): { [name: string]: Value } {
  const { settings } = settingsOf(chart);
  return isObject(settings) ? settings : {};
}

export function tasteOf(chart: Chart): TableTaste {
  const { wrapLines, fontSize, highlightSeverity, showTimestamp, showEvent } = tasteIn(chart);
  const size = Number.parseFloat(typeof fontSize === "string" || typeof fontSize === "number" ? String(fontSize) : "");
  return {
    wrap: wrapLines === true,
    text: size < 12 ? "small" : size > 13 ? "large" : "normal",
    marksLevels: highlightSeverity !== false,
    hasTime: showTimestamp !== false,
    hasRest: showEvent !== false,
  };
}

/** The columns that the chart names, of those that the answer has. Of events, everything else follows in one column; of
 * an answer with columns of its own, those that are not named follow, because the query asked for them. */
export function columnsOf(chart: Chart, fields: Field[], isEvents: boolean): Column[] {
  const { columns } = settingsOf(chart);
  const types = new Map(fields.map(({ name, type }) => [name, type]));
  const named = new Map<string, Column>();
  for (const entry of Array.isArray(columns) ? columns : []) {
    const field = isObject(entry) ? entry.name : entry;
    if (typeof field !== "string" || !types.has(field)) continue;
    const wanted = isObject(entry) && typeof entry.width === "number" ? entry.width : 0;
    const width =
      wanted > 0 ? Math.min(WIDTH.most, Math.max(WIDTH.least, wanted)) : defaultWidth(field, types.get(field));
    named.set(field, { field, width, pinned: false });
  }
  const shown = [...named.values()];
  if (!isEvents) return [...shown, ...defaultColumns(fields, false).filter(({ field }) => !named.has(field))];
  if (shown.length === 0) return defaultColumns(fields, true);
  const { hasTime, hasRest } = tasteOf(chart);
  const column = (field: string): Column => ({ field, width: defaultWidth(field), pinned: false });
  const needsTime = hasTime && types.has("_time") && !named.has("_time");
  return [...(needsTime ? [column("_time")] : []), ...shown, ...(hasRest ? [column(SUMMARY)] : [])];
}

/** The columns that the chart names, whether or not an answer has them. */
export function namedIn(chart: Chart): { name: string; width: number | null }[] {
  const { columns } = settingsOf(chart);
  return (Array.isArray(columns) ? columns : []).flatMap((entry) => {
    const name = isObject(entry) ? entry.name : entry;
    if (typeof name !== "string") return [];
    return [{ name, width: isObject(entry) && typeof entry.width === "number" ? entry.width : null }];
  });
}

/** The chart with these columns; what else it says of one that stays is kept. Without any, the table has its own. */
export function withColumns(chart: Chart, wanted: { name: string; width: number | null }[]): Chart {
  const { columns } = settingsOf(chart);
  const before = new Map<Value | undefined, Value>();
  for (const entry of Array.isArray(columns) ? columns : []) before.set(isObject(entry) ? entry.name : entry, entry);
  const next = wanted.map(({ name, width }): Value => {
    const known = before.get(name);
    const { width: _, ...others } = isObject(known) ? known : { name, width: null };
    return width === null ? { ...others } : { ...others, width };
  });
  return withSettings(chart, { ...settingsOf(chart), columns: next.length > 0 ? next : undefined });
}

/** The chart with one part of its taste; null is what a table has by itself. */
export function withTaste(chart: Chart, name: string, value: Value): Chart {
  const taste = { ...tasteIn(chart), [name]: value ?? undefined };
  const isEmpty = Object.values(taste).every((part) => part === undefined);
  return withSettings(chart, { ...settingsOf(chart), settings: isEmpty ? undefined : (taste as Value) });
}

/** Written in the form that is there: as a text where it was one. */
function withSettings(chart: Chart, settings: Record<string, Value | undefined>): Chart {
  const kept = present(settings);
  if (Object.keys(kept).length === 0) return withKey(chart, "tableSettings", null);
  return withKey(chart, "tableSettings", typeof chart.tableSettings === "string" ? stringifyExact(kept) : kept);
}

/** Without what is not there, which JSON does not have. */
function present(settings: Record<string, Value | undefined>): { [name: string]: Value } {
  const kept: { [name: string]: Value } = {};
  for (const [name, value] of Object.entries(settings)) {
    if (value === undefined) continue;
    kept[name] = isObject(value) ? present(value) : value;
  }
  return kept;
}
