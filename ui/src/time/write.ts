// Times as people read them, in UTC or in the local zone. Nothing here is ever sent: links and queries hold RFC 3339.

import { parseTime, toMs } from "./nanoseconds.ts";
import type { Zone } from "./zone.svelte.ts";

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

interface Parts {
  year: number;
  month: number;
  day: number;
  hour: number;
  minute: number;
  second: number;
  ms: number;
}

export function partsOf(ns: bigint, zone: Zone): Parts {
  const date = new Date(toMs(ns));
  if (zone === "utc") {
    return {
      year: date.getUTCFullYear(),
      month: date.getUTCMonth(),
      day: date.getUTCDate(),
      hour: date.getUTCHours(),
      minute: date.getUTCMinutes(),
      second: date.getUTCSeconds(),
      ms: date.getUTCMilliseconds(),
    };
  }
  return {
    year: date.getFullYear(),
    month: date.getMonth(),
    day: date.getDate(),
    hour: date.getHours(),
    minute: date.getMinutes(),
    second: date.getSeconds(),
    ms: date.getMilliseconds(),
  };
}

const two = (value: number) => String(value).padStart(2, "0");

/** `04:16:57.910` */
export function clockTime(ns: bigint, zone: Zone): string {
  const { hour, minute, second, ms } = partsOf(ns, zone);
  return `${two(hour)}:${two(minute)}:${two(second)}.${String(ms).padStart(3, "0")}`;
}

/** `18 Nov` */
export function dayOf(ns: bigint, zone: Zone): string {
  const { day, month } = partsOf(ns, zone);
  return `${day} ${MONTHS[month]}`;
}

/** `18 Nov 04:16`, with seconds or the year where they matter. */
export function moment(ns: bigint, zone: Zone): string {
  const { year, month, day, hour, minute, second } = partsOf(ns, zone);
  const years = year === new Date().getUTCFullYear() ? "" : ` ${year}`;
  return `${day} ${MONTHS[month]}${years} ${two(hour)}:${two(minute)}${second ? `:${two(second)}` : ""}`;
}

/** All digits with the offset: `2026-11-18T04:16:57.910530001Z` or `2026-11-18T05:16:57.910530001+01:00`. */
export function fullTime(ns: bigint, zone: Zone): string {
  const { year, month, day, hour, minute, second } = partsOf(ns, zone);
  const rest = ((ns % 1_000_000_000n) + 1_000_000_000n) % 1_000_000_000n;
  const digits = rest.toString().padStart(9, "0").replace(/0+$/, "");
  const text = `${year}-${two(month + 1)}-${two(day)}T${two(hour)}:${two(minute)}:${two(second)}${digits ? `.${digits}` : ""}`;
  return text + (zone === "utc" ? "Z" : offsetAt(ns));
}

/** Both zones, for a tooltip. */
export function bothZones(text: string): string {
  const ns = parseTime(text);
  return ns === null ? text : `${fullTime(ns, "utc")}\n${fullTime(ns, "local")} (local)`;
}

/** How long ago, in words. */
export function ago(ns: bigint, nowMs: number): string {
  const seconds = Math.round((nowMs - toMs(ns)) / 1000);
  if (seconds < 0) return `in ${span(-seconds)}`;
  // Minutes are whole here: a tenth of one would only flicker.
  return seconds < 2
    ? "just now"
    : `${seconds >= 60 && seconds < 3600 ? `${Math.round(seconds / 60)} min` : span(seconds)} ago`;
}

/** A number of seconds in its largest useful unit. */
export function span(seconds: number): string {
  const units: [number, string][] = [
    [86_400, "d"],
    [3600, "h"],
    [60, "min"],
  ];
  for (const [size, name] of units) {
    if (seconds >= size) {
      const count = seconds / size;
      return `${count < 10 && count !== Math.floor(count) ? count.toFixed(1).replace(/\.0$/, "") : Math.round(count)} ${name}`;
    }
  }
  return `${seconds < 10 && seconds !== Math.floor(seconds) ? seconds.toFixed(1).replace(/\.0$/, "") : Math.round(seconds)} s`;
}

function offsetAt(ns: bigint): string {
  const minutes = -new Date(toMs(ns)).getTimezoneOffset();
  const size = Math.abs(minutes);
  return `${minutes < 0 ? "-" : "+"}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}
