// Answers of queries as what they stand for: spans, lines of logs, traces of a list, figures of services.

import type { Table } from "../../api/query.ts";
import { idText } from "../../event/trace-fields.ts";
import { CURSOR } from "../../table/rows.ts";
import { parseTime } from "../../time/nanoseconds.ts";
import { fullText } from "../../values/show.ts";
import { toFloat, type Value } from "../../values/value.ts";
import { nanoseconds } from "./durations.ts";
import type { Span } from "./tree.ts";

/** One row of an answer, by the names of its columns. */
export type Reader = (column: string) => Value | undefined;

export function readRows<Made>(table: Table | undefined, read: (row: Reader) => Made | null): Made[] {
  if (!table) return [];
  const places = new Map(table.fields.map(({ name }, place) => [name, place]));
  const made: Made[] = [];
  for (let at = 0; at < (table.columns[0]?.length ?? 0); at++) {
    const found = read((column) => table.columns[places.get(column) ?? -1]?.[at]);
    if (found !== null) made.push(found);
  }
  return made;
}

export const text = (value: Value | undefined) => fullText(value);
export const count = (value: Value | undefined) => toFloat(value) ?? 0;
export const time = (value: Value | undefined) => (typeof value === "string" ? parseTime(value) : null);
/** A length of time as a float, for figures and orders. */
export function span(value: Value | undefined, unit: number): number | null {
  const ns = nanoseconds(value, unit);
  return ns === null ? null : Number(ns);
}

export function readSpan(row: Reader, dataset: string, unit: number): Span | null {
  const start = time(row("_time"));
  if (start === null) return null;
  const cursor = row(CURSOR);
  return {
    dataset,
    cursor: typeof cursor === "string" ? cursor : null,
    id: idText(row("span")),
    parent: idText(row("parent")),
    service: text(row("service")),
    name: text(row("name")),
    kind: text(row("kind"))
      .toLowerCase()
      .replace(/^span_kind_/, ""),
    start,
    duration: nanoseconds(row("duration"), unit),
    isFailed: row("failed") === true,
  };
}
