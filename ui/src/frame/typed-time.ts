// Times as people type them, in the zone that the screen shows, and back.

import { fromMs, parseTime, writeTime } from "../time/nanoseconds.ts";
import { resolveTime } from "../time/range.ts";
import { fullTime } from "../time/write.ts";
import type { Zone } from "../time/zone.svelte.ts";

/** What stands in the field for a time of the range. */
export function shownTime(text: string, zone: Zone): string {
  if (text.startsWith("now")) return text;
  const ns = parseTime(text);
  if (ns === null) return text;
  return fullTime(ns, zone)
    .replace("T", " ")
    .replace(/(Z|[+-]\d\d:\d\d)$/, "");
}

/** `now-1h`, or RFC 3339 for what was typed; null if it is neither. Without a zone the screen's counts. */
export function readTyped(typed: string, zone: Zone): string | null {
  const text = typed.trim();
  if (text.startsWith("now")) return resolveTime(text, 0) === null ? null : text;
  const found = /^(\d{4})-(\d\d?)-(\d\d?)(?:[T ](\d\d?):(\d\d)(?::(\d\d)(\.\d{1,9})?)?)?\s*(Z|[+-]\d\d:\d\d)?$/i.exec(
    text,
  );
  if (!found) return null;
  const [, year, month, day, hour = "0", minute = "0", second = "0", part = "", offset] = found;
  const numbers = [year, month, day, hour, minute, second].map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  if (offset) {
    const whole = `${year}-${pad(month!)}-${pad(day!)}T${pad(hour)}:${pad(minute)}:${pad(second)}${part}${offset.toUpperCase()}`;
    const ns = parseTime(whole);
    return ns === null ? null : writeTime(ns);
  }
  const [y, mo, d, h, mi, s] = numbers;
  if (mo < 1 || mo > 12 || d < 1 || d > 31 || h > 23 || mi > 59 || s > 59) return null;
  const ms = zone === "utc" ? Date.UTC(y, mo - 1, d, h, mi, s) : new Date(y, mo - 1, d, h, mi, s).getTime();
  if (Number.isNaN(ms)) return null;
  return writeTime(fromMs(ms) + BigInt(part.slice(1).padEnd(9, "0") || "0"));
}

const pad = (text: string) => text.padStart(2, "0");
