// Figures of services for a range: how long operations take, how much services do, who calls whom.

import { ask } from "../../api/query.ts";
import { writeTime } from "../../time/nanoseconds.ts";
import type { Moments } from "../../time/range.ts";
import { CALLS, calls, latencies, OPERATIONS, SERVICES, type Source, services } from "./queries.ts";
import { count, readRows, span, text } from "./rows.ts";

export interface Operation {
  service: string;
  name: string;
  spans: number;
  failed: number;
  p50: number | null;
  p95: number | null;
  p99: number | null;
}

export interface Service {
  service: string;
  spans: number;
  failed: number;
  p95: number | null;
}

export interface Call {
  caller: string;
  service: string;
  calls: number;
  failed: number;
  p95: number | null;
}

export interface ServiceMapData {
  services: Service[];
  calls: Call[];
  /** Calls were counted in one of so many traces. */
  share: number;
  spans: number;
  hasMoreServices: boolean;
  hasMoreCalls: boolean;
}

/** So many spans are put beside their parents; of more, whole traces are left out by chance. */
const JOINED = 400_000;

const within = ({ start, end }: Moments) => ({ startTime: writeTime(start), endTime: writeTime(end) });

export async function operations(
  source: Source,
  range: Moments,
  signal: AbortSignal,
): Promise<{ operations: Operation[]; hasMore: boolean }> {
  const { answer } = await ask({ apl: latencies(source), ...within(range) }, { signal });
  const { unit } = source.fields;
  const found = readRows(answer.tables[0], (row) => ({
    service: text(row("service")),
    name: text(row("name")),
    spans: count(row("spans")),
    failed: count(row("failed")),
    p50: span(row("p50"), unit),
    p95: span(row("p95"), unit),
    p99: span(row("p99"), unit),
  }));
  return { operations: found.slice(0, OPERATIONS), hasMore: found.length > OPERATIONS };
}

export async function serviceMap(source: Source, range: Moments, signal: AbortSignal): Promise<ServiceMapData> {
  const { unit } = source.fields;
  const { answer } = await ask({ apl: services(source), ...within(range) }, { signal });
  const found = readRows(answer.tables[0], (row) => ({
    service: text(row("service")),
    spans: count(row("spans")),
    failed: count(row("failed")),
    p95: span(row("p95"), unit),
  }));
  const spans = answer.status.rowsMatched;
  const share = Math.max(1, Math.ceil(spans / JOINED));
  const { answer: joined } = await ask({ apl: calls(source, share), ...within(range) }, { signal });
  const pairs = readRows(joined.tables[0], (row) => ({
    caller: text(row("caller")),
    service: text(row("service")),
    calls: count(row("calls")) * share,
    failed: count(row("failed")) * share,
    p95: span(row("p95"), unit),
  }));
  return {
    services: found.slice(0, SERVICES),
    calls: pairs.slice(0, CALLS),
    share,
    spans,
    hasMoreServices: found.length > SERVICES,
    hasMoreCalls: pairs.length > CALLS,
  };
}
