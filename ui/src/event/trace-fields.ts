// Which fields tie an event to a trace, by the names that senders give them, and where that trace is shown.

import { address } from "../address/address.svelte.ts";
import { fullText } from "../values/show.ts";
import type { Value } from "../values/value.ts";

/** Names of the field with the id of the trace, the usual ones first. */
export const TRACE_IDS = [
  "trace_id",
  "traceId",
  "trace.id",
  "trace.trace_id",
  "traceID",
  "TraceId",
  "traceid",
  "otelTraceID",
  "dd.trace_id",
];

/** Names of the field with the id of the span. */
export const SPAN_IDS = [
  "span_id",
  "spanId",
  "span.id",
  "trace.span_id",
  "spanID",
  "SpanId",
  "spanid",
  "otelSpanID",
  "dd.span_id",
];

/** The first of the names that there is. */
export function firstOf(names: readonly string[], has: (name: string) => boolean): string | null {
  return names.find(has) ?? null;
}

/** An id as a text; empty where there is none, which zeros stand for too. */
export function idText(value: Value | undefined): string {
  const text = typeof value === "object" ? "" : fullText(value).trim();
  return /^0*$/.test(text) ? "" : text;
}

/** The address of the trace that a field of an event names; null where the field or the value is no such thing. */
export function traceLink(field: string, value: Value | undefined, event: Record<string, Value>): string | null {
  const trace = TRACE_IDS.includes(field) ? idText(value) : "";
  if (trace === "" || trace.length > 256) return null;
  const span = firstOf(SPAN_IDS, (name) => idText(event[name]) !== "");
  return address.link("/traces", {
    trace,
    span: span ? idText(event[span]) : null,
    at: typeof event._time === "string" ? event._time : null,
  });
}

/** The same for the event as a whole. */
export function traceOf(event: Record<string, Value>): string | null {
  const field = firstOf(TRACE_IDS, (name) => idText(event[name]) !== "");
  return field ? traceLink(field, event[field], event) : null;
}
