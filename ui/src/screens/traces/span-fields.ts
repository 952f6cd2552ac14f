// Which fields of a dataset hold what of a span, by the names that OTLP and others give them. A dataset holds spans if
// it has the ids of traces and spans, how long each took, and either the parent's id or both name and kind.

import type { FieldMeta } from "../../api/query.ts";
import { firstOf, SPAN_IDS, TRACE_IDS } from "../../event/trace-fields.ts";

export interface SpanFields {
  trace: string;
  span: string;
  duration: string;
  /** So many nanoseconds is one of the duration. */
  unit: number;
  /** Durations are texts such as `12ms`. */
  isText: boolean;
  parent: string | null;
  service: string | null;
  name: string | null;
  kind: string | null;
  error: string | null;
  /** `error` is true or false, and nothing else. */
  isErrorBoolean: boolean;
  status: string | null;
  statusMessage: string | null;
}

const PARENTS = ["parent_span_id", "parentSpanId", "parent.id", "trace.parent_id", "parentSpanID", "ParentSpanId"];
const DURATIONS: [string, number][] = [
  ["duration", 1],
  ["duration_ns", 1],
  ["durationNano", 1],
  ["Duration", 1],
  ["duration_us", 1000],
  ["duration_ms", 1_000_000],
  ["durationMs", 1_000_000],
];
const SERVICES = ["service.name", "service_name", "serviceName", "ServiceName", "service"];
const NAMES = ["name", "span.name", "span_name", "SpanName", "operation", "operation_name", "operationName"];
const KINDS = ["kind", "span.kind", "span_kind", "SpanKind"];
const STATUSES = ["status.code", "status_code", "StatusCode"];
const MESSAGES = ["status.message", "status_message", "StatusMessage"];
/** What people may have said that the durations of a dataset are counted in. */
const UNITS: Record<string, number> = {
  ns: 1,
  timens: 1,
  nanoseconds: 1,
  us: 1000,
  µs: 1000,
  timeus: 1000,
  microseconds: 1000,
  ms: 1_000_000,
  timems: 1_000_000,
  milliseconds: 1_000_000,
  s: 1_000_000_000,
  timesec: 1_000_000_000,
  seconds: 1_000_000_000,
};

export function spanFieldsOf(fields: FieldMeta[]): SpanFields | null {
  const byName = new Map(fields.map((field) => [field.name, field]));
  const first = (names: readonly string[]) => firstOf(names, (name) => byName.has(name));
  const trace = first(TRACE_IDS);
  const span = first(SPAN_IDS);
  const [duration, counted] = DURATIONS.find(([name]) => byName.has(name)) ?? [null, 1];
  const parent = first(PARENTS);
  const name = first(NAMES);
  const kind = first(KINDS);
  if (!trace || !span || !duration || !(parent || (name && kind))) return null;
  const meta = byName.get(duration)!;
  const error = first(["error"]);
  return {
    trace,
    span,
    duration,
    unit: UNITS[meta.unit.toLowerCase()] ?? counted,
    isText: /string/.test(meta.type) && !/integer|float|long|real/.test(meta.type),
    parent,
    service: first(SERVICES),
    name,
    kind,
    error,
    isErrorBoolean: error !== null && byName.get(error)!.type === "boolean",
    status: first(STATUSES),
    statusMessage: first(MESSAGES),
  };
}

/** The datasets that hold spans, with where they hold what. */
export function spanDatasets(all: Map<string, FieldMeta[]>): Map<string, SpanFields> {
  const found = new Map<string, SpanFields>();
  for (const [dataset, fields] of all) {
    const known = spanFieldsOf(fields);
    if (known) found.set(dataset, known);
  }
  return found;
}

/** The field with the id of a trace that a dataset has, for events that are no spans. */
export function traceField(fields: FieldMeta[]): string | null {
  const names = new Set(fields.map(({ name }) => name));
  return firstOf(TRACE_IDS, (name) => names.has(name));
}

export function spanField(fields: FieldMeta[]): string | null {
  const names = new Set(fields.map(({ name }) => name));
  return firstOf(SPAN_IDS, (name) => names.has(name));
}

export function serviceField(fields: FieldMeta[]): string | null {
  const names = new Set(fields.map(({ name }) => name));
  return firstOf(SERVICES, (name) => names.has(name));
}
