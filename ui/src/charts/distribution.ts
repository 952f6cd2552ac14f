// Reads what `histogram(field, count)` answers: stretches of values with how often they occur.

import type { Table } from "../api/query.ts";
import { isObject, toFloat } from "../values/value.ts";

export interface Distribution {
  field: string;
  bars: { from: number; to: number; count: number }[];
}

/** Null where the answer is something else, or more than one such list. */
export function distributionOf(table: Table): Distribution | null {
  if (table.groups.length > 0) return null;
  const place = table.fields.findIndex(({ agg }) => agg?.name === "histogram");
  const field = table.fields[place]?.agg?.fields?.[0];
  const list = place < 0 ? undefined : table.columns[place]?.[0];
  if (!field || !Array.isArray(list)) return null;
  const bars = list.filter(isObject).flatMap((bar) => {
    const [from, to, count] = [toFloat(bar.from), toFloat(bar.to), toFloat(bar.count)];
    return from === null || to === null || count === null ? [] : [{ from, to, count }];
  });
  return bars.length > 0 ? { field, bars } : null;
}
