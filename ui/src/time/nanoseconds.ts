// Times as nanoseconds since 1970, read from and written to RFC 3339 without losing a digit. A `Date` has milliseconds,
// so it is used for calendars alone.

const FORM = /^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d):(\d\d)(?:\.(\d{1,9})\d*)?([Zz]|[+-]\d\d:\d\d)$/;
const MILLION = 1_000_000n;

export function parseTime(text: string): bigint | null {
  const found = FORM.exec(text);
  if (!found) return null;
  const [, year, month, day, hour, minute, second, part = "", zone = "Z"] = found;
  const ms = Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second));
  if (Number.isNaN(ms)) return null;
  const ns = BigInt(ms) * MILLION + BigInt(part.padEnd(9, "0") || "0");
  return ns - BigInt(offsetMinutes(zone)) * 60_000_000_000n;
}

/** RFC 3339 in UTC with as many digits as there are. */
export function writeTime(ns: bigint): string {
  const ms = floorDiv(ns, MILLION);
  const rest = ns - ms * MILLION;
  const whole = new Date(Number(ms)).toISOString();
  const digits = (whole.slice(20, 23) + rest.toString().padStart(6, "0")).replace(/0+$/, "");
  return `${whole.slice(0, 19)}${digits ? `.${digits}` : ""}Z`;
}

export function fromMs(ms: number): bigint {
  return BigInt(Math.round(ms)) * MILLION;
}

export function toMs(ns: bigint): number {
  return Number(floorDiv(ns, MILLION));
}

/** Seconds as a float, for charts. */
export function toSeconds(ns: bigint): number {
  return Number(ns) / 1e9;
}

function floorDiv(value: bigint, by: bigint): bigint {
  const whole = value / by;
  return value < 0n && whole * by !== value ? whole - 1n : whole;
}

function offsetMinutes(zone: string): number {
  if (zone === "Z" || zone === "z") return 0;
  const sign = zone[0] === "-" ? -1 : 1;
  return sign * (Number(zone.slice(1, 3)) * 60 + Number(zone.slice(4, 6)));
}
