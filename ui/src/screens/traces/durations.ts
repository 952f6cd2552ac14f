// Lengths of time in nanoseconds: read from what events hold, and written for people, short or with every digit.

import { grouped } from "../../values/show.ts";
import type { Value } from "../../values/value.ts";

const UNITS: Record<string, number> = { ns: 1, us: 1e3, µs: 1e3, μs: 1e3, ms: 1e6, s: 1e9, m: 60e9, h: 3600e9 };
const PART = /(\d+(?:\.\d+)?)(ns|us|µs|μs|ms|s|m|h)/g;
const CLOCK = /^(?:(\d+)\.)?(\d+):(\d\d):(\d\d)(?:\.(\d{1,9}))?$/;

/** Nanoseconds of a value that counts in units of so many; null for what is no length of time. */
export function nanoseconds(value: Value | undefined, unit: number): number | bigint | null {
  if (typeof value === "bigint") return value * BigInt(unit);
  if (typeof value === "number") return Number.isFinite(value) ? value * unit : null;
  return typeof value === "string" ? readDuration(value) : null;
}

/** Nanoseconds of `1h2m3.5s`, `120ms` or `00:00:01.5`; null if the text is neither. */
export function readDuration(text: string): number | null {
  const written = text.trim();
  const clock = CLOCK.exec(written);
  if (clock) {
    const [, days = "0", hours, minutes, seconds, part = ""] = clock;
    const whole = ((Number(days) * 24 + Number(hours)) * 60 + Number(minutes)) * 60 + Number(seconds);
    return whole * 1e9 + Number(part.padEnd(9, "0") || 0);
  }
  if (!/^(?:\d+(?:\.\d+)?(?:ns|us|µs|μs|ms|s|m|h))+$/.test(written)) return null;
  let sum = 0;
  for (const [, count, unit] of written.matchAll(PART)) sum += Number(count) * UNITS[unit!]!;
  return Math.round(sum);
}

/** `812 ns`, `84.1 µs`, `12.3 ms`, `1.2 s`, `2 min 5 s`, `3 h 4 min`, `2 d 1 h`. */
export function shortDuration(ns: number): string {
  if (ns < 0) return `−${shortDuration(-ns)}`;
  if (ns < 999.5) return `${trimmed(ns)} ns`;
  if (ns < 999.5e3) return `${trimmed(ns / 1e3)} µs`;
  if (ns < 999.5e6) return `${trimmed(ns / 1e6)} ms`;
  if (ns < 59.95e9) return `${trimmed(ns / 1e9)} s`;
  const seconds = Math.round(ns / 1e9);
  if (seconds < 3600) return pair(seconds, 60, "min", "s");
  const minutes = Math.round(seconds / 60);
  return minutes < 1440 ? pair(minutes, 60, "h", "min") : pair(Math.round(minutes / 60), 24, "d", "h");
}

/** Every digit: `12,345,678 ns`. */
export function exactDuration(ns: number | bigint): string {
  return `${grouped(ns)} ns`;
}

/** The steps of an axis between two moments: about so many, at round lengths of time. */
export function ticks(from: number, to: number, count: number): number[] {
  const length = to - from;
  if (!(length > 0) || count < 1) return [];
  const step = roundStep(length / count);
  const list: number[] = [];
  for (let at = Math.ceil(from / step) * step; at <= to && list.length < 100; at += step) list.push(at);
  return list;
}

const LONG_STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400];

function roundStep(least: number): number {
  if (least > 1e9) {
    const long = LONG_STEPS.find((seconds) => seconds * 1e9 >= least);
    return long ? long * 1e9 : Math.ceil(least / 86_400e9) * 86_400e9;
  }
  const power = 10 ** Math.floor(Math.log10(Math.max(1, least)));
  return [1, 2, 5, 10].map((by) => by * power).find((step) => step >= least) ?? power * 10;
}

function trimmed(value: number): string {
  const text = value.toFixed(value < 10 ? 2 : value < 99.95 ? 1 : 0);
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

function pair(count: number, by: number, large: string, small: string): string {
  const rest = count % by;
  return `${Math.floor(count / by)} ${large}${rest ? ` ${rest} ${small}` : ""}`;
}
