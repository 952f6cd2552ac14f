// How a chart says that its rows look (`tableSettings`): which columns in which order and how wide, and some taste. Clients
// write it as an object or as the text of one; what cannot be read is as if it were not there.

import type { Chart } from "../../api/dashboards.ts";
import type { Field } from "../../api/query.ts";
import { type Column, defaultColumns, defaultWidth, SUMMARY } from "../../table/columns.ts";
import { isObject, type Value } from "../../values/value.ts";

export interface TableTaste {
  wrap: boolean;
  text: "small" | "normal" | "large";
  marksLevels: boolean;
}

const WIDTH = { least: 48, most: 2000 };

function settingsOf(chart: Chart): { [name: string]: Value } {
  const raw = chart.tableSettings;
  if (isObject(raw)) return raw;
  if (typeof raw !== "string") return {};
  try {
    const read = JSON.parse(raw) as Value;
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
  const { wrapLines, fontSize, highlightSeverity } = tasteIn(chart);
  const size = Number.parseFloat(typeof fontSize === "string" || typeof fontSize === "number" ? String(fontSize) : "");
  return {
    wrap: wrapLines === true,
    text: size < 12 ? "small" : size > 13 ? "large" : "normal",
    marksLevels: highlightSeverity !== false,
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
  const { showTimestamp, showEvent } = tasteIn(chart);
  const column = (field: string): Column => ({ field, width: defaultWidth(field), pinned: false });
  const hasTime = showTimestamp !== false && types.has("_time") && !named.has("_time");
  return [...(hasTime ? [column("_time")] : []), ...shown, ...(showEvent === false ? [] : [column(SUMMARY)])];
}
