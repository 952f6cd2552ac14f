// Asks for the templates of a field's texts behind the present filters: how many, when, how they went over time, and
// which of them the period before did not have, or nothing before a moment that was marked.

import { ask, type Table } from "../../api/query.ts";
import { fieldName } from "../../apl/names.ts";
import { parseTime, writeTime } from "../../time/nanoseconds.ts";
import { fullText } from "../../values/show.ts";
import type { Value } from "../../values/value.ts";
import type { Asked } from "./exploration.svelte.ts";

export interface Pattern {
  template: string;
  count: number;
  first: string;
  last: string;
  example: string;
  trend: number[];
  isNew: boolean;
}

export interface Patterns {
  list: Pattern[];
  total: number;
  isCut: boolean;
}

const MOST = 200;
const STEPS = 24;
/** A period with less than one of so many events is not compared with. */
const SPARSE = 20;

/** With `since`, a moment of the range, those are new that begin after it; without, those that begin in the range. */
export async function patternsOf(
  asked: Asked,
  field: string,
  since: bigint | null,
  signal: AbortSignal,
): Promise<Patterns> {
  const name = fieldName(field);
  const range = { startTime: asked.startTime, endTime: asked.endTime };
  const length = asked.moments.end - asked.moments.start;
  const begin = since ?? asked.moments.start;
  const before = { startTime: writeTime(begin - length), endTime: since === null ? asked.startTime : writeTime(begin) };
  const filtered = `${asked.base}\n| where isnotnull(${name})`;
  const step = length / BigInt(STEPS) / 1_000_000n + 1n;
  const [main, trend, earlier, all] = await Promise.all([
    ask(
      {
        apl: `${filtered}\n| summarize n = count(), first = min(_time), last = max(_time), arg_max(_time, ${name}) by t = template(tostring(${name}))\n| top ${MOST} by n`,
        ...range,
      },
      { signal },
    ),
    ask(
      {
        apl: `${filtered}\n| summarize n = count() by t = template(tostring(${name})), b = bin(_time, ${step}ms)`,
        ...range,
        defaultLimit: 50_000,
      },
      { signal },
    ),
    ask(
      {
        apl: `${filtered}\n| summarize n = count() by t = template(tostring(${name}))`,
        ...before,
        defaultLimit: 50_000,
      },
      { signal },
    ),
    ask({ apl: `${filtered}\n| count`, ...range }, { signal }),
  ]);
  const table = main.answer.tables[0];
  const trends = trendsOf(trend.answer.tables[0], asked.moments.start, length);
  const known = new Set((column(earlier.answer.tables[0], "t") ?? []).map(fullText));
  const sum = (counts: Value[] | undefined) =>
    (counts ?? []).reduce((all: number, count) => all + Number(count ?? 0), 0);
  const total = Number(all.answer.tables[0]?.columns[0]?.[0] ?? 0);
  // Beside a period with hardly an event everything would be new, which says nothing.
  const isComparable = sum(column(earlier.answer.tables[0], "n")) * SPARSE >= total;
  const [templates, counts, first, last, examples] = ["t", "n", "first", "last", field].map(
    (wanted) => column(table, wanted) ?? [],
  );
  const list = templates!.map((template, row) => {
    const text = fullText(template);
    return {
      template: text,
      count: Number(counts![row] ?? 0),
      first: fullText(first![row]),
      last: fullText(last![row]),
      example: fullText(examples![row]),
      trend: trends.get(text) ?? [],
      isNew: isComparable && !known.has(text),
    };
  });
  return { list, total, isCut: list.length >= MOST };
}

function trendsOf(table: Table | undefined, start: bigint, length: bigint): Map<string, number[]> {
  const [templates, times, counts] = ["t", "b", "n"].map((wanted) => column(table, wanted) ?? []);
  const trends = new Map<string, number[]>();
  templates!.forEach((template, row) => {
    const ns = parseTime(fullText(times![row]));
    if (ns === null) return;
    const text = fullText(template);
    const trend = trends.get(text) ?? new Array<number>(STEPS).fill(0);
    const place = Math.max(0, Math.min(STEPS - 1, Number(((ns - start) * BigInt(STEPS)) / length)));
    trend[place] = (trend[place] ?? 0) + Number(counts![row] ?? 0);
    trends.set(text, trend);
  });
  return trends;
}

function column(table: Table | undefined, name: string): Value[] | undefined {
  const place = table?.fields.findIndex((field) => field.name === name) ?? -1;
  return place < 0 ? undefined : table?.columns[place];
}
