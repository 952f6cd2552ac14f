// How values are written for people: exact, one line where a cell needs one, and never as markup.

import { stringifyExact } from "./exact-json.ts";
import type { Value } from "./value.ts";

/** The whole text of a value, as it is copied. */
export function fullText(value: Value | undefined): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "string") return value;
  if (typeof value === "number") return Object.is(value, -0) ? "-0" : String(value);
  if (typeof value === "bigint" || typeof value === "boolean") return value.toString();
  return stringifyExact(value);
}

/** What a cell shows: the text up to `most` characters, with line ends and tabs made visible as blanks. */
export function cellText(value: Value | undefined, most = 500): string {
  const text = fullText(value);
  const cut = text.length > most ? `${text.slice(0, most)}…` : text;
  return onOneLine(cut);
}

/** Line ends and tabs as blanks. */
export function onOneLine(text: string): string {
  return text.replaceAll(/[\r\n\t]+/g, " ");
}

const GROUPS = /\B(?=(\d{3})+(?!\d))/g;

/** A number with its thousands apart and all of its digits. */
export function grouped(value: number | bigint): string {
  const text = value.toString();
  if (text.includes("e") || !/\d{4}/.test(text)) return text;
  const [whole = "", part] = text.split(".");
  const apart = whole.replace(GROUPS, ",");
  return part === undefined ? apart : `${apart}.${part}`;
}

const STEPS: [number, string][] = [
  [1e12, "T"],
  [1e9, "B"],
  [1e6, "M"],
  [1e3, "k"],
];

/** A number for an axis or a tight place: `1.2 M`. The exact one belongs into its title. */
export function short(value: number): string {
  const size = Math.abs(value);
  for (const [step, sign] of STEPS) {
    // What would be rounded to a thousand of a step is one of the next.
    if (size >= step * 0.9995) return `${trimmed(value / step)} ${sign}`;
  }
  if (size !== 0 && size < 0.01) return value.toPrecision(2);
  return trimmed(value);
}

/** A number for a table: with its thousands apart, and of a fraction no more digits than anybody compares. */
export function tabular(value: number): string {
  if (Number.isInteger(value)) return grouped(value);
  const size = Math.abs(value);
  if (size < 0.001) return value.toPrecision(3);
  return grouped(Number(value.toFixed(size < 1 ? 4 : size < 100 ? 3 : 2)));
}

/** Bytes in decimal units, as the service writes them. */
export function bytes(value: number): string {
  if (value < 1000) return `${value} B`;
  const units = ["kB", "MB", "GB", "TB", "PB"];
  let size = value;
  let unit = -1;
  // What would be rounded to a thousand of a unit is one of the next.
  while ((unit < 0 || size >= 999.5) && unit < units.length - 1) {
    size /= 1000;
    unit += 1;
  }
  return `${size.toFixed(size < 100 ? 1 : 0)} ${units[unit]}`;
}

/** A share of a whole: `71 %`, `0.4 %`, `< 0.1 %`. */
export function share(part: number, whole: number): string {
  if (whole === 0) return "0 %";
  const percent = (part / whole) * 100;
  if (percent === 0) return "0 %";
  if (percent < 0.1) return "< 0.1 %";
  if (percent > 99.9 && part < whole) return "> 99.9 %";
  return `${percent.toFixed(percent < 10 && percent !== Math.round(percent) ? 1 : 0)} %`;
}

/** Microseconds as people say them: `84 ms`, `1.2 s`. */
export function took(microseconds: number): string {
  if (microseconds < 1000) return `${Math.max(0, Math.round(microseconds))} µs`;
  if (microseconds < 1_000_000) return `${(microseconds / 1000).toFixed(microseconds < 10_000 ? 1 : 0)} ms`;
  return `${(microseconds / 1e6).toFixed(microseconds < 1e7 ? 2 : 1)} s`;
}

function trimmed(value: number): string {
  const size = Math.abs(value);
  const text = value.toFixed(size < 10 ? 2 : size < 100 ? 1 : 0);
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}
