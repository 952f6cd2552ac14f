// The queries behind the screen, in text. Names and values become parts of them only through `apl/names.ts`, so that
// none can be anything but a name or a value.

import { fieldName, quoted, tableName } from "../../apl/names.ts";
import type { SpanFields } from "./span-fields.ts";

/** What the list of traces is narrowed to. Empty means everything. */
export interface Filters {
  service: string;
  operation: string;
  /** Nanoseconds; 0 is none. */
  least: number;
  failed: boolean;
  /** Filters look at roots alone, or at every span. */
  anySpan: boolean;
}

export interface Source {
  dataset: string;
  fields: SpanFields;
}

/** So many spans are shown of one trace, which is as many rows as an answer has. */
export const SPANS = 50_000;
export const TRACES = 200;
export const OPERATIONS = 500;
export const SERVICES = 100;
export const CALLS = 300;

/** A span, and no other event that only names one. */
export function isSpan(fields: SpanFields): string {
  const timed = `isnotnull(${fieldName(fields.duration)})`;
  const either = fields.kind ? `(${timed} or isnotnull(${fieldName(fields.kind)}))` : timed;
  return `isnotempty(${fieldName(fields.span)}) and ${either}`;
}

export function isRoot({ parent }: SpanFields): string {
  if (!parent) return "true";
  return `(isempty(${fieldName(parent)}) or ${fieldName(parent)} == "0000000000000000")`;
}

/** Whether a span failed: by the field of errors, or by its status. */
export function isFailed({ error, isErrorBoolean, status }: SpanFields): string {
  const parts: string[] = [];
  if (error) {
    const name = fieldName(error);
    parts.push(isErrorBoolean ? `${name} == true` : `tostring(${name}) !in~ ("", "false", "0")`);
  }
  if (status) parts.push(`tostring(${fieldName(status)}) in~ ("ERROR", "STATUS_CODE_ERROR", "2")`);
  return parts.length > 0 ? `(${parts.join(" or ")})` : "false";
}

/** A duration as something to compute with. */
function length({ duration, isText }: SpanFields): string {
  return isText ? `totimespan(${fieldName(duration)})` : fieldName(duration);
}

function textOf(field: string | null): string {
  return field ? `tostring(${fieldName(field)})` : '""';
}

function narrowed(fields: SpanFields, filters: Filters): string {
  const conditions = [`${isSpan(fields)}`];
  if (!filters.anySpan) conditions.push(isRoot(fields));
  if (filters.service) conditions.push(`${textOf(fields.service)} == ${quoted(filters.service)}`);
  if (filters.operation) conditions.push(`${textOf(fields.name)} == ${quoted(filters.operation)}`);
  if (filters.least > 0) {
    const least = fields.isText ? `totimespan(${Math.round(filters.least)})` : String(filters.least / fields.unit);
    conditions.push(`${length(fields)} >= ${least}`);
  }
  if (filters.failed) conditions.push(isFailed(fields));
  return conditions.join(" and ");
}

function columns(fields: SpanFields): string {
  return [
    `trace = tostring(${fieldName(fields.trace)})`,
    `service = ${textOf(fields.service)}`,
    `name = ${textOf(fields.name)}`,
    `duration = ${fieldName(fields.duration)}`,
    `failed = ${isFailed(fields)}`,
  ].join(", ");
}

/** The spans of a trace, the earliest first. */
export function spansOf({ dataset, fields }: Source, trace: string): string {
  const parent = fields.parent ? `tostring(${fieldName(fields.parent)})` : '""';
  const kind = fields.kind ? `tostring(${fieldName(fields.kind)})` : '""';
  return `${tableName(dataset)}
| where ${fieldName(fields.trace)} == ${quoted(trace)} and ${isSpan(fields)}
| sort by _time asc
| project _time, ${columns(fields)}, span = tostring(${fieldName(fields.span)}), parent = ${parent}, kind = ${kind}
| take ${SPANS}`;
}

/** How many spans a trace has. */
export function countOf({ dataset, fields }: Source, trace: string): string {
  return `${tableName(dataset)} | where ${fieldName(fields.trace)} == ${quoted(trace)} and ${isSpan(fields)} | count`;
}

/** The spans of a trace in which a text stands anywhere. */
export function spansWith({ dataset, fields }: Source, trace: string, text: string): string {
  return `${tableName(dataset)}
| where ${fieldName(fields.trace)} == ${quoted(trace)} and ${isSpan(fields)}
| search ${quoted(text)}
| project span = tostring(${fieldName(fields.span)})
| take ${SPANS}`;
}

/** The roots of traces, or the traces in which any span fits. */
export function tracesOf({ dataset, fields }: Source, filters: Filters, order: "time" | "duration"): string {
  const from = `${tableName(dataset)} | where ${narrowed(fields, filters)}`;
  if (!filters.anySpan) {
    return `${from}
| project _time, longest = ${length(fields)}, ${columns(fields)}
| sort by ${order === "time" ? "_time" : "longest"} desc
| take ${TRACES}`;
  }
  return `${from}
| summarize fitting = count(), longest = max(${length(fields)}), first = min(_time) by trace = tostring(${fieldName(fields.trace)})
| sort by ${order === "time" ? "first" : "longest"} desc
| take ${TRACES}`;
}

/** The roots of the traces that are named. */
export function rootsOf({ dataset, fields }: Source, traces: string[]): string {
  return `${tableName(dataset)}
| where ${fieldName(fields.trace)} in (${traces.map(quoted).join(", ")}) and ${isSpan(fields)} and ${isRoot(fields)}
| sort by _time asc
| project _time, ${columns(fields)}
| take ${10 * TRACES}`;
}

/** What is in the traces that are named. */
export function contentsOf({ dataset, fields }: Source, traces: string[]): string {
  const service = fields.service ? `dcount(${fieldName(fields.service)})` : "0";
  return `${tableName(dataset)}
| where ${fieldName(fields.trace)} in (${traces.map(quoted).join(", ")}) and ${isSpan(fields)}
| summarize spans = count(), failed = countif(${isFailed(fields)}), services = ${service} by trace = tostring(${fieldName(fields.trace)})
| take ${TRACES}`;
}

/** How long each operation of each service took. */
export function latencies({ dataset, fields }: Source): string {
  return `${tableName(dataset)}
| where ${isSpan(fields)}
| summarize spans = count(), failed = countif(${isFailed(fields)}), p50 = percentile(${length(fields)}, 50), p95 = percentile(${length(fields)}, 95), p99 = percentile(${length(fields)}, 99) by service = ${textOf(fields.service)}, name = ${textOf(fields.name)}
| sort by spans desc
| take ${OPERATIONS + 1}`;
}

/** How much each service did. */
export function services({ dataset, fields }: Source): string {
  return `${tableName(dataset)}
| where ${isSpan(fields)}
| summarize spans = count(), failed = countif(${isFailed(fields)}), p95 = percentile(${length(fields)}, 95) by service = ${textOf(fields.service)}
| sort by spans desc
| take ${SERVICES + 1}`;
}

/** Who called whom: each span beside its parent, where the two are of different services. With `share`, of one in so many
 *  traces, each of them whole. */
export function calls({ dataset, fields }: Source, share: number): string {
  const trace = fieldName(fields.trace);
  const sampled = share > 1 ? ` and hash(${trace}) % ${share} == 0` : "";
  const parent = fields.parent ? fieldName(fields.parent) : '""';
  return `let spans = ${tableName(dataset)} | where ${isSpan(fields)}${sampled};
spans
| where isnotempty(${parent})
| project trace = tostring(${trace}), parent = tostring(${parent}), service = ${textOf(fields.service)}, failed = ${isFailed(fields)}, length = ${length(fields)}
| join kind=inner (spans | project trace = tostring(${trace}), parent = tostring(${fieldName(fields.span)}), caller = ${textOf(fields.service)}) on trace, parent
| where caller != service
| summarize calls = count(), failed = countif(failed), p95 = percentile(length, 95) by caller, service
| sort by calls desc
| take ${CALLS + 1}`;
}

/** Events of a trace that are no spans, the earliest first. */
export function eventsOf(
  dataset: string,
  trace: string,
  names: { trace: string; span: string | null; service: string | null; level: string | null; message: string | null },
  spans: SpanFields | null,
  most: number,
): string {
  const text = (name: string | null) => (name ? fieldName(name) : '""');
  const others = spans ? ` and not(${isSpan(spans)})` : "";
  return `${tableName(dataset)}
| where ${fieldName(names.trace)} == ${quoted(trace)}${others}
| sort by _time asc
| project _time, span = tostring(${text(names.span)}), service = tostring(${text(names.service)}), level = tostring(${text(names.level)}), message = substring(tostring(${text(names.message)}), 0, 2000)
| take ${most}`;
}
