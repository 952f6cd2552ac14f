// How an endpoint stands, and what a person can do about what it refused last.

import type { Endpoint } from "../../api/endpoints.ts";
import { condition } from "../../apl/filters.ts";
import { tableName } from "../../apl/names.ts";
import { parseTime } from "../../time/nanoseconds.ts";
import { kindOf } from "./kinds.ts";

export interface Standing {
  text: string;
  tag: "" | "good" | "warn" | "bad" | "note";
}

/** By what happened last: something was stored, or refused, or both at once, or nothing ever came. */
export function standing({ events, failures, lastEventAt, lastError }: Endpoint): Standing {
  const stored = parseTime(lastEventAt ?? "");
  const refused = parseTime(lastError?.time ?? "");
  if (stored === null && refused === null) {
    return events === 0 && failures === 0 ? { text: "nothing came yet", tag: "note" } : { text: "", tag: "" };
  }
  if (refused === null || (stored !== null && stored > refused)) return { text: "arriving", tag: "good" };
  return stored === refused ? { text: "refused in part", tag: "warn" } : { text: "refused", tag: "bad" };
}

export interface Advice {
  text: string;
  /** The kind of endpoint that the sender needs. */
  kind?: string;
}

/** What can be done about a refusal, where that is known. */
export function adviceOn(message: string): Advice | null {
  const other = /the endpoint takes \w+, and this is (\w+)/.exec(message)?.[1];
  if (other) {
    return {
      text: `Its sender speaks ${kindOf(other).name}. Give it the address of an endpoint of that kind.`,
      kind: other,
    };
  }
  if (message.includes("dataset not found")) {
    return { text: "Its dataset is gone. Make one of its name, or let the endpoint send to another one." };
  }
  if (message.includes("licence allows")) {
    return { text: "Usage, in the settings, shows what is used and what the licence allows." };
  }
  return null;
}

/** The query for what came in by it: its dataset, and its labels where it has some. */
export function queryFor({ dataset, labels }: Pick<Endpoint, "dataset" | "labels">): string {
  const conditions = Object.entries(labels)
    .map(([name, value]) => condition(name, value, "", true))
    .filter((text) => text !== null);
  return [tableName(dataset), ...conditions.map((text) => `| where ${text}`)].join("\n");
}

/** What is wrong with which field, where a refusal names one: `name in body should be …`. */
export function fieldProblem(message: string): { field: string; says: string } | null {
  const found = /^(\w+)(?:\.[^ ]+)? in body (.+)$/.exec(message);
  return found ? { field: found[1]!, says: found[2]! } : null;
}
