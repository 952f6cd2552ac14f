// Reads what `histogram(field, count)` answers: stretches of values with how often they occur.

import type { Table } from "../api/query.ts";
import { isObject, toFloat, type Value } from "../values/value.ts";

export interface Bar {
  from: number;
  to: number;
  count: number;
}

export interface Distribution {
  field: string;
  bars: Bar[];
}

/** Null where the answer is something else, or more than one such list. */
export function distributionOf(table: Table): Distribution | null {
  if (table.groups.length > 0) return null;
  const place = table.fields.findIndex(({ agg }) => agg?.name === "histogram");
  const field = table.fields[place]?.agg?.fields?.[0];
  const bars = place < 0 ? [] : barsIn(table.columns[place]?.[0] ?? null);
  return field && bars.length > 0 ? { field, bars } : null;
}

/** The bars in one cell: `[{from, to, count}]`. */
export function barsIn(cell: Value): Bar[] {
  if (!Array.isArray(cell)) return [];
  return cell.filter(isObject).flatMap((bar) => {
    const [from, to, count] = [toFloat(bar.from), toFloat(bar.to), toFloat(bar.count)];
    return from === null || to === null || count === null ? [] : [{ from, to, count }];
  });
}
