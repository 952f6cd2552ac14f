// Reads and writes JSON without losing digits of integers: those beyond 2^53 become bigints. A text without sixteen
// digits in a row goes straight to the browser's own reader; only others pay for a look at each number.

import type { Value } from "./value.ts";

const LONG_DIGITS = /\d{16}/;
// A string, which is passed over, or a whole number of at least 16 digits that is not part of a float.
const STRING_OR_LONG = /"(?:[^"\\]|\\.)*"|-?\d{16,}(?![\d.eE])|-?\d+\.\d*(?:[eE][+-]?\d+)?/g;

export function parseExact(text: string): Value {
  if (!LONG_DIGITS.test(text)) return JSON.parse(text) as Value;
  // Long integers travel through the browser's reader as texts with a mark that no event can know.
  const mark = `\u0001${randomWord()}:`;
  const quoted = JSON.stringify(mark).slice(0, -1);
  let found = false;
  const marked = text.replace(STRING_OR_LONG, (part) => {
    const first = part.charCodeAt(0);
    if (first === 34 || part.includes(".") || isSafe(part)) return part;
    found = true;
    return `${quoted}${part}"`;
  });
  const parsed = JSON.parse(marked) as Value;
  return found ? restored(parsed, mark) : parsed;
}

/** JSON with the digits of bigints as they are. `indent` is how many blanks a level is moved in. */
export function stringifyExact(value: Value, indent = 0): string {
  let mark = "";
  const marked = JSON.stringify(
    value,
    (_, part: unknown) => {
      if (typeof part !== "bigint") return part;
      mark ||= `\u0001${randomWord()}:`;
      return mark + part.toString();
    },
    indent,
  );
  if (mark === "") return marked;
  const quoted = JSON.stringify(mark).slice(0, -1);
  return marked.replaceAll(new RegExp(`${escaped(quoted)}(-?\\d+)"`, "g"), "$1");
}

function isSafe(digits: string): boolean {
  return Number.isSafeInteger(Number(digits));
}

function restored(value: Value, mark: string): Value {
  if (typeof value === "string") return value.startsWith(mark) ? BigInt(value.slice(mark.length)) : value;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      const part = value[index] as Value;
      if (typeof part === "string" || (typeof part === "object" && part !== null)) value[index] = restored(part, mark);
    }
    return value;
  }
  if (typeof value === "object" && value !== null) {
    for (const name of Object.keys(value)) {
      const part = value[name] as Value;
      if (typeof part === "string" || (typeof part === "object" && part !== null)) {
        // A field may be called __proto__, which an assignment would not make a field.
        Object.defineProperty(value, name, {
          value: restored(part, mark),
          enumerable: true,
          writable: true,
          configurable: true,
        });
      }
    }
  }
  return value;
}

function randomWord(): string {
  const words = crypto.getRandomValues(new Uint32Array(2));
  return Array.from(words, (word) => word.toString(36)).join("");
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
