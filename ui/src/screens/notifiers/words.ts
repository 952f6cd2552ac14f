// What the states of messages look like, and what an attempt came to in a few words.

import type { Attempt, Delivery } from "../../api/notifiers.ts";
import { grouped } from "../../values/show.ts";

export function stateTag(state: Delivery["state"]): string {
  return { sent: "good", waiting: "note", dead: "bad", withdrawn: "warn" }[state] ?? "";
}

/** `200 · 41 ms`, `not reached · 3,000 ms`. */
export function came({ status, error, latencyMs }: Attempt): string {
  const how = status ?? (error ? "no answer" : "sent");
  return `${how} · ${latencyMs} ms`;
}

/** What the counts of states are of, where older messages are not looked at; empty where all are. */
export function countedIn(loaded: number, isAll: boolean): string {
  return isAll ? "" : `Counted in the newest ${grouped(loaded)} messages; there may be older ones.`;
}

/** `12 attempts, last 503`. */
export function attemptsText({ attempts }: Delivery): string {
  const last = attempts.at(-1);
  if (!last) return "not tried yet";
  const count = `${attempts.length} attempt${attempts.length === 1 ? "" : "s"}`;
  return `${count}, ${attempts.length === 1 ? "" : "last "}${came(last)}`;
}
