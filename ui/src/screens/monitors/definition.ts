// A definition while it is written: what a new one begins with, which fields a kind has, and which field a refusal is
// about.

import type { ApiError } from "../../api/errors.ts";
import type { Definition, Kind, Monitor } from "../../api/monitors.ts";
import { listsEvents } from "../../apl/stages.ts";

export const KINDS: { id: Kind; name: string; says: string }[] = [
  { id: "Threshold", name: "Threshold", says: "a number of the answer is compared with one that you choose" },
  { id: "MatchEvent", name: "Match event", says: "each event that matches is told by a message of its own" },
  { id: "AnomalyDetection", name: "Anomaly", says: "the newest stretch of time is compared with those before it" },
];

const OPERATORS: Record<Kind, [string, string][]> = {
  Threshold: [
    ["Above", "above"],
    ["AboveOrEqual", "at or above"],
    ["Below", "below"],
    ["BelowOrEqual", "at or below"],
  ],
  AnomalyDetection: [
    ["Above", "above what is expected"],
    ["Below", "below what is expected"],
    ["AboveOrBelow", "away from what is expected"],
  ],
  MatchEvent: [],
};

export function operatorsOf(kind: Kind): [string, string][] {
  return OPERATORS[kind];
}

/** A new monitor, of a query that somebody looks at or of none. */
export function newDefinition(apl: string | null, name: string | null): Definition {
  return {
    name: name ?? "",
    description: "",
    type: "Threshold",
    aplQuery: apl ? watched(apl, "Threshold") : "",
    operator: "Above",
    threshold: 0,
    intervalMinutes: 5,
    rangeMinutes: 5,
    notifierIds: [],
    alertOnNoData: false,
    notifyByGroup: false,
    notifyEveryRun: false,
    skipResolved: false,
    resolvable: false,
    secondDelay: 0,
    triggerAfterNPositiveResults: 0,
    triggerFromNRuns: 0,
    tolerance: 0,
    compareDays: 0,
    columnName: "",
    disabled: false,
    disabledUntil: null,
  };
}

/** What a monitor of a kind can judge: a query of single events is counted, but for one that tells of events. */
export function watched(apl: string, kind: Kind): string {
  const text = apl.trimEnd();
  if (text === "" || kind === "MatchEvent" || !listsEvents(text)) return text;
  return `${text}\n| summarize count()${kind === "AnomalyDetection" ? " by bin(_time, 1m)" : ""}`;
}

/** What `watched` writes behind a query, to be taken away again with the kind. */
const COUNTED = /\n\| summarize count\(\)(?: by bin\(_time, 1m\))?$/;

/** The definition with another kind, whose operator and query are such that it can be one. */
export function withKind(definition: Definition, kind: Kind): Definition {
  const operators = operatorsOf(kind).map(([id]) => id);
  const operator = operators.includes(definition.operator ?? "") ? definition.operator : operators[0];
  const rangeMinutes = kind === "AnomalyDetection" ? Math.max(60, definition.rangeMinutes) : definition.rangeMinutes;
  return {
    ...definition,
    type: kind,
    operator,
    rangeMinutes,
    aplQuery: watched(definition.aplQuery.replace(COUNTED, ""), kind),
  };
}

/** What is sent of a monitor: its definition without what the service says of it. */
export function definitionOf(monitor: Monitor): Definition {
  const { id: _id, createdAt: _at, createdBy: _by, updatedAt: _updated, ...definition } = monitor;
  return { ...definition, columnName: definition.columnName ?? "", disabledUntil: definition.disabledUntil ?? null };
}

/** As long as the service lets a name be. */
const NAME_MOST = 256;

/** Another monitor that does the same. It is not muted: what the first one rests for is not its affair. */
export function copyOf(monitor: Monitor): Definition {
  return { ...definitionOf(monitor), name: `${monitor.name.slice(0, NAME_MOST - 7)} (copy)`, disabledUntil: null };
}

/** Whether two definitions would do the same; names, descriptions and notifiers change nothing of what is found. */
export function doesTheSame(one: Definition, other: Definition): boolean {
  const found = (definition: Definition) => {
    const { name: _n, description: _d, notifierIds: _i, disabled: _o, disabledUntil: _u, ...rest } = definition;
    return JSON.stringify(Object.entries(rest).sort(([a], [b]) => a.localeCompare(b)));
  };
  return found(one) === found(other);
}

/** What is wrong with which field, where a refusal names one: `threshold in body must be …`. */
export function fieldProblem(error: ApiError | null): { field: string; says: string } | null {
  const found = /^(?:(?:monitor|compare)\.)?(\w+)(?:\.\d+)* in body (.+)$/.exec(error?.message ?? "");
  return found ? { field: found[1]!, says: found[2]! } : null;
}

/** How often a monitor runs, and over how much time, in words. */
export function rhythm({ intervalMinutes, rangeMinutes, type }: Definition): string {
  const every = `every ${minutes(intervalMinutes)}`;
  return type === "MatchEvent" ? every : `${every} over ${minutes(rangeMinutes)}`;
}

export function minutes(count: number): string {
  if (count % 1440 === 0) return `${count / 1440} d`;
  return count % 60 === 0 ? `${count / 60} h` : `${count} min`;
}
