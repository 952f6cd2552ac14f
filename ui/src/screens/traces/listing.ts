// The list of traces of a range: roots that fit, or traces in which any span fits, with what is in each.

import { ask } from "../../api/query.ts";
import { writeTime } from "../../time/nanoseconds.ts";
import type { Moments } from "../../time/range.ts";
import { contentsOf, type Filters, rootsOf, type Source, TRACES, tracesOf } from "./queries.ts";
import { count, readRows, span, text, time } from "./rows.ts";

export interface TraceLine {
  trace: string;
  /** Nanoseconds since 1970: of the root, or of the first span that fits. */
  time: bigint | null;
  /** Nanoseconds of the root, or of the longest span that fits where the root is not here. */
  duration: number | null;
  service: string;
  name: string;
  isFailed: boolean;
  hasRoot: boolean;
  /** How many spans fit, where any may. */
  fitting: number | null;
  contents: Contents | null;
}

export interface Contents {
  spans: number;
  failed: number;
  services: number;
}

export interface Listing {
  lines: TraceLine[];
  /** There may be more than these. */
  isCut: boolean;
  matched: number;
}

const HOUR = 3_600_000_000_000n;

export async function listTraces(
  source: Source,
  filters: Filters,
  order: "time" | "duration",
  range: Moments,
  signal: AbortSignal,
): Promise<Listing> {
  const bounds = { startTime: writeTime(range.start), endTime: writeTime(range.end) };
  const { answer } = await ask({ apl: tracesOf(source, filters, order), ...bounds }, { signal });
  const { unit } = source.fields;
  const isCut = (answer.tables[0]?.columns[0]?.length ?? 0) >= TRACES;
  if (!filters.anySpan) {
    const lines = readRows(answer.tables[0], (row) => ({
      trace: text(row("trace")),
      time: time(row("_time")),
      duration: span(row("duration"), unit),
      service: text(row("service")),
      name: text(row("name")),
      isFailed: row("failed") === true,
      hasRoot: true,
      fitting: null,
      contents: null,
    }));
    return { lines, isCut, matched: answer.status.rowsMatched };
  }
  const lines = readRows(answer.tables[0], (row) => ({
    trace: text(row("trace")),
    time: time(row("first")),
    duration: span(row("longest"), unit),
    service: "",
    name: "",
    isFailed: false,
    hasRoot: false,
    fitting: count(row("fitting")),
    contents: null,
  }));
  return { lines: await withRoots(lines, source, range, signal), isCut, matched: answer.status.numGroups };
}

/** The same lines with the roots of their traces, which may have begun before the range. */
async function withRoots(
  lines: TraceLine[],
  source: Source,
  range: Moments,
  signal: AbortSignal,
): Promise<TraceLine[]> {
  if (lines.length === 0) return lines;
  const traces = lines.map(({ trace }) => trace);
  const bounds = { startTime: writeTime(range.start - HOUR), endTime: writeTime(range.end) };
  const { answer } = await ask({ apl: rootsOf(source, traces), ...bounds }, { signal });
  const roots = new Map<string, TraceLine>();
  for (const root of readRows(answer.tables[0], (row) => ({
    trace: text(row("trace")),
    time: time(row("_time")),
    duration: span(row("duration"), source.fields.unit),
    service: text(row("service")),
    name: text(row("name")),
    isFailed: row("failed") === true,
  }))) {
    if (!roots.has(root.trace)) roots.set(root.trace, { ...root, hasRoot: true, fitting: null, contents: null });
  }
  return lines.map((line) => {
    const root = roots.get(line.trace);
    return root ? { ...root, fitting: line.fitting } : line;
  });
}

/** How much is in each trace. What of it is a little outside of the range counts as well. */
export async function contents(
  lines: TraceLine[],
  source: Source,
  range: Moments,
  signal: AbortSignal,
): Promise<Map<string, Contents>> {
  if (lines.length === 0) return new Map();
  const apl = contentsOf(source, [...new Set(lines.map(({ trace }) => trace))]);
  const bounds = { startTime: writeTime(range.start - HOUR), endTime: writeTime(range.end + HOUR) };
  const { answer } = await ask({ apl, ...bounds }, { signal });
  const rows = readRows(answer.tables[0], (row): [string, Contents] => [
    text(row("trace")),
    { spans: count(row("spans")), failed: count(row("failed")), services: count(row("services")) },
  ]);
  return new Map(rows);
}
