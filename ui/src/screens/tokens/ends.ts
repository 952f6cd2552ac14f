// When a token ends: the choices of a form, and what a list says of one.

import { parseTime, toMs } from "../../time/nanoseconds.ts";
import { span } from "../../time/write.ts";

export interface EndChoice {
  id: string;
  name: string;
  /** Days from now; null for one that does not end by itself. */
  days: number | null;
}

export const ENDS: EndChoice[] = [
  { id: "7", name: "in 7 days", days: 7 },
  { id: "30", name: "in 30 days", days: 30 },
  { id: "90", name: "in 90 days", days: 90 },
  { id: "365", name: "in a year", days: 365 },
  { id: "never", name: "never", days: null },
];

export const END_DEFAULT = "90";

const DAY_MS = 86_400_000;

/** The end that a choice means, as it is sent. */
export function endOf(choice: string, nowMs: number): string | null {
  const days = ENDS.find(({ id }) => id === choice)?.days ?? null;
  return days === null ? null : new Date(nowMs + days * DAY_MS).toISOString();
}

export interface Ending {
  text: string;
  kind: "" | "warn" | "bad";
}

/** What a list says of the end of a token. One that ends within a week is worth a look. */
export function ending(expiresAt: string | null, nowMs: number): Ending {
  const time = expiresAt === null ? null : parseTime(expiresAt);
  if (time === null) return { text: "never", kind: "" };
  const seconds = (toMs(time) - nowMs) / 1000;
  if (seconds <= 0) return { text: `ended ${span(Math.round(-seconds))} ago`, kind: "bad" };
  return { text: `in ${span(Math.round(seconds))}`, kind: seconds < 7 * 86_400 ? "warn" : "" };
}
