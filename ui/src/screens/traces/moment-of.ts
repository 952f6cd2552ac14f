// A moment as the events of a span hold it: nanoseconds since 1970, or RFC 3339.

import { parseTime } from "../../time/nanoseconds.ts";
import type { Value } from "../../values/value.ts";

export function momentOf(value: Value | undefined): bigint | null {
  if (typeof value === "bigint") return value;
  if (typeof value === "number") return Number.isSafeInteger(value) && value > 0 ? BigInt(value) : null;
  if (typeof value !== "string") return null;
  return /^\d{1,19}$/.test(value) ? BigInt(value) : parseTime(value);
}
