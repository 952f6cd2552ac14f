// Ranges of time as documents have them (`qr-now-1h`, milliseconds since 1970) and as the interface has them, and the
// earlier period that one is compared with.

import { fromMs, parseTime, toMs, writeTime } from "../../time/nanoseconds.ts";
import { type Moments, type Range, resolveTime } from "../../time/range.ts";

/** The range that a document names, or null if it cannot be read. */
export function rangeOf(start: string, end: string): Range | null {
  const [from, to] = [timeOf(start), timeOf(end)];
  return from !== null && to !== null ? { start: from, end: to } : null;
}

function timeOf(text: string): string | null {
  if (text.startsWith("qr-")) {
    const relative = text.slice(3);
    return resolveTime(relative, 0) === null ? null : relative;
  }
  return /^\d{1,15}$/.test(text) ? writeTime(fromMs(Number(text))) : null;
}

/** How a document names a time of the interface. */
export function documentTime(text: string): string {
  if (text.startsWith("now")) return `qr-${text}`;
  const ns = parseTime(text);
  return ns === null ? "qr-now" : String(toMs(ns));
}

/** Seconds of `1h`, `-1d`, `90d`; null for anything else. */
export function secondsOf(text: string): number | null {
  const found = /^-?(\d{1,6})(s|m|h|d|w)$/.exec(text.trim());
  if (!found) return null;
  const unit = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 }[found[2] as "s"];
  const seconds = Number(found[1]) * unit;
  return seconds > 0 ? seconds : null;
}

/** The periods that can be chosen to compare with. */
export const PERIODS: { value: string; name: string }[] = [
  { value: "-1h", name: "1 hour before" },
  { value: "-1d", name: "1 day before" },
  { value: "-7d", name: "7 days before" },
  { value: "-14d", name: "14 days before" },
  { value: "-30d", name: "30 days before" },
  { value: "-90d", name: "90 days before" },
];

export function periodName(against: string): string {
  return PERIODS.find(({ value }) => value === against)?.name ?? `${against.replace(/^-/, "")} before`;
}

export function earlier(moments: Moments, seconds: number): Moments {
  const back = BigInt(seconds) * 1_000_000_000n;
  return { start: moments.start - back, end: moments.end - back };
}

/** A range of a panel's own: from the options of its query, such as `quickRange: 6h` or two times. */
export function ownRange(options: Record<string, unknown>, query: Record<string, unknown>): Range | null {
  if (typeof options.quickRange === "string" && secondsOf(options.quickRange) !== null) {
    return { start: `now-${options.quickRange.replace(/^-/, "")}`, end: "now" };
  }
  const [start, end] = [query.startTime, query.endTime];
  if (typeof start !== "string" || typeof end !== "string") return null;
  return resolveTime(start, 0) !== null && resolveTime(end, 0) !== null ? { start, end } : null;
}
