// The range of time that a screen looks at: relative to now, or fixed. It is kept as it was chosen, and becomes two
// moments only when a query runs.

import { fromMs, parseTime, writeTime } from "./nanoseconds.ts";
import { moment, span } from "./write.ts";
import type { Zone } from "./zone.svelte.ts";

export interface Range {
  /** `now-1h`, `now`, or RFC 3339. */
  start: string;
  end: string;
}

/** Two moments: the start is part of it, the end is not. */
export interface Moments {
  start: bigint;
  end: bigint;
}

export const DEFAULT_RANGE: Range = { start: "now-1h", end: "now" };

export const PRESETS: { label: string; range: Range }[] = [
  ["5 minutes", "5m"],
  ["15 minutes", "15m"],
  ["30 minutes", "30m"],
  ["1 hour", "1h"],
  ["3 hours", "3h"],
  ["6 hours", "6h"],
  ["12 hours", "12h"],
  ["24 hours", "1d"],
  ["2 days", "2d"],
  ["7 days", "7d"],
  ["30 days", "30d"],
  ["90 days", "90d"],
].map(([label, length]) => ({ label: `Last ${label}`, range: { start: `now-${length}`, end: "now" } }));

const UNITS: Record<string, bigint> = {
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
  d: 86_400_000_000_000n,
  w: 604_800_000_000_000n,
};

/** The moment that a text means, or null if it means none. */
export function resolveTime(text: string, nowMs: number): bigint | null {
  const wanted = text.trim();
  if (wanted === "now") return fromMs(nowMs);
  const relative = /^now-((?:\d+(?:ms|s|m|h|d|w))+)$/.exec(wanted);
  if (relative) {
    const parts = relative[1]!.matchAll(/(\d+)(ms|s|m|h|d|w)/g);
    let back = 0n;
    for (const [, count, unit] of parts) back += BigInt(count!) * UNITS[unit!]!;
    return fromMs(nowMs) - back;
  }
  return parseTime(wanted);
}

export function resolveRange(range: Range, nowMs: number): Moments | null {
  const start = resolveTime(range.start, nowMs);
  const end = resolveTime(range.end, nowMs);
  return start === null || end === null || start >= end ? null : { start, end };
}

export function isRelative(range: Range): boolean {
  return range.start.startsWith("now") || range.end.startsWith("now");
}

export function fixed({ start, end }: Moments): Range {
  return { start: writeTime(start), end: writeTime(end) };
}

/** The same length, half of it earlier (-1) or later (1). */
export function step(range: Range, direction: -1 | 1, nowMs: number): Range {
  const moments = resolveRange(range, nowMs);
  if (!moments) return range;
  const half = (moments.end - moments.start) / 2n;
  const by = direction === 1 ? half : -half;
  return fixed({ start: moments.start + by, end: moments.end + by });
}

/** Twice the length around the same middle; one that ends now goes on ending now. */
export function zoomOut(range: Range, nowMs: number): Range {
  const moments = resolveRange(range, nowMs);
  if (!moments) return range;
  const length = moments.end - moments.start;
  if (range.end === "now") return { start: `now-${(length * 2n) / UNITS.s!}s`, end: "now" };
  return fixed({ start: moments.start - length / 2n, end: moments.end + length / 2n });
}

export function describe(range: Range, zone: Zone, nowMs: number): string {
  const preset = PRESETS.find(({ range: { start, end } }) => start === range.start && end === range.end);
  if (preset) return preset.label;
  const moments = resolveRange(range, nowMs);
  if (!moments) return "No valid range";
  if (range.end === "now" && range.start.startsWith("now-")) {
    return `Last ${span(Number((moments.end - moments.start) / 1_000_000n) / 1000)}`;
  }
  return `${moment(moments.start, zone)} – ${range.end === "now" ? "now" : moment(moments.end, zone)}`;
}
