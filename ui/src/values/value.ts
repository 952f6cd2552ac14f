// The values that events and answers hold. An integer that a float cannot hold exactly is a bigint, so that no digit is
// lost between the service and the screen.

export type Value = null | boolean | number | bigint | string | Value[] | { [name: string]: Value };

export function isObject(value: Value | undefined): value is { [name: string]: Value } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isNumber(value: Value | undefined): value is number | bigint {
  return typeof value === "number" || typeof value === "bigint";
}

/** The nearest float, for charts and bars, where digits beyond do not show. */
export function toFloat(value: Value | undefined): number | null {
  if (typeof value === "number") return value;
  if (typeof value === "bigint") return Number(value);
  return null;
}
