// What the values of one field are like in a range behind a filter: by the service's own route, or by queries in text.

import { has } from "../session/shell.ts";
import type { Value } from "../values/value.ts";
import { ask } from "./query.ts";
import { call } from "./request.ts";

export interface FieldStatistics {
  field: string;
  rows: number;
  present: number;
  distinct: number;
  /** Each occurs at least so often, and by `error` more at most. */
  top: { value: Value; count: number; error?: number }[];
  min: Value;
  median: Value;
  max: Value;
  /** Counted on a part of the rows alone. */
  isSampled: boolean;
}

const TOP = 10;

/** `base` is the query up to its filters; `name` the field as a query writes it. */
export async function fieldStatistics(
  base: string,
  field: { name: string; written: string; type: string },
  range: { startTime: string; endTime: string },
  signal?: AbortSignal,
): Promise<FieldStatistics> {
  if (has("field-statistics")) {
    const body = { apl: base, ...range, fields: [field.name], top: TOP };
    const { data } = await call<{ rows: number; isSampled: boolean; fields: FieldStatistics[] }>("/v1/query/fields", {
      body,
      signal,
    });
    const found = data.fields[0];
    if (found) return { ...found, rows: data.rows, isSampled: data.isSampled };
  }
  const name = field.written;
  const isNumeric = /integer|float/.test(field.type) && !field.type.includes("string");
  const numbers = isNumeric ? `, low = min(${name}), middle = percentile(${name}, 50), high = max(${name})` : "";
  const whole = `${base}\n| summarize all = count(), present = countif(isnotnull(${name})), kinds = dcount(${name})${numbers}`;
  const top = `${base}\n| where isnotnull(${name})\n| summarize n = count() by v = ${name}\n| top ${TOP} by n`;
  const [first, second] = await Promise.all([
    ask({ apl: whole, ...range }, { signal }),
    ask({ apl: top, ...range }, { signal }),
  ]);
  const column = (answer: typeof first, wanted: string) => {
    const table = answer.answer.tables[0];
    const place = table?.fields.findIndex((entry) => entry.name === wanted) ?? -1;
    return place >= 0 ? (table?.columns[place] ?? []) : [];
  };
  const values = column(second, "v");
  const counts = column(second, "n");
  return {
    field: field.name,
    rows: Number(column(first, "all")[0] ?? 0),
    present: Number(column(first, "present")[0] ?? 0),
    distinct: Number(column(first, "kinds")[0] ?? 0),
    top: values.map((value, index) => ({ value, count: Number(counts[index] ?? 0) })),
    min: column(first, "low")[0] ?? null,
    median: column(first, "middle")[0] ?? null,
    max: column(first, "high")[0] ?? null,
    isSampled: false,
  };
}
