// What else was said of a trace: events with its id that are no spans, in every dataset that has such a field.

import { ask, type FieldMeta } from "../../api/query.ts";
import { idText } from "../../event/trace-fields.ts";
import { levelField, messageField } from "../../table/columns.ts";
import { CURSOR } from "../../table/rows.ts";
import { writeTime } from "../../time/nanoseconds.ts";
import type { Moments } from "../../time/range.ts";
import { forEach } from "./many.ts";
import { eventsOf } from "./queries.ts";
import { readRows, text, time } from "./rows.ts";
import { serviceField, spanField, spanFieldsOf, traceField } from "./span-fields.ts";

export interface LogLine {
  key: string;
  dataset: string;
  cursor: string | null;
  /** Nanoseconds since 1970. */
  time: bigint;
  span: string;
  service: string;
  level: string;
  message: string;
}

export interface Logs {
  lines: LogLine[];
  /** Datasets of which more lines were found than are shown. */
  cut: string[];
  /** Datasets that could not be read. */
  failed: string[];
  /** Datasets with such a field that were not looked at, because there are too many. */
  passedOver: number;
  datasets: number;
}

const DATASETS = 30;
const LINES = 500;

/** `newest` says which datasets are looked at where there are too many: those with the newest events. */
export async function logsOf(
  trace: string,
  fields: Map<string, FieldMeta[]>,
  newest: (dataset: string) => string,
  within: Moments,
  signal: AbortSignal,
): Promise<Logs> {
  const having = [...fields.keys()].filter((dataset) => traceField(fields.get(dataset)!) !== null);
  having.sort((a, b) => newest(b).localeCompare(newest(a)) || a.localeCompare(b));
  const names = having.slice(0, DATASETS);
  const outcomes = await forEach(names, (dataset) => linesIn(dataset, fields.get(dataset)!, trace, within, signal));
  signal.throwIfAborted();
  const lines = outcomes.flatMap(({ made }) => made ?? []);
  return {
    lines: lines.sort((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : 0)),
    cut: outcomes.filter(({ made }) => made && made.length >= LINES).map(({ name }) => name),
    failed: outcomes.filter(({ error }) => error !== undefined).map(({ name }) => name),
    passedOver: having.length - names.length,
    datasets: names.length,
  };
}

async function linesIn(
  dataset: string,
  fields: FieldMeta[],
  trace: string,
  { start, end }: Moments,
  signal: AbortSignal,
): Promise<LogLine[]> {
  const names = {
    trace: traceField(fields)!,
    span: spanField(fields),
    service: serviceField(fields),
    level: levelField(fields),
    message: messageField(fields),
  };
  const { answer } = await ask(
    {
      apl: eventsOf(dataset, trace, names, spanFieldsOf(fields), LINES),
      startTime: writeTime(start),
      endTime: writeTime(end),
      includeCursorField: true,
    },
    { signal },
  );
  return readRows(answer.tables[0], (row) => {
    const at = time(row("_time"));
    const cursor = row(CURSOR);
    if (at === null) return null;
    return {
      key: `${dataset}/${text(cursor)}`,
      dataset,
      cursor: typeof cursor === "string" ? cursor : null,
      time: at,
      span: idText(row("span")),
      service: text(row("service")),
      level: text(row("level")),
      message: text(row("message")),
    };
  });
}
