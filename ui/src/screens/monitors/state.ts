// What a monitor's state is called. What needs a person comes before what rests.

import type { Monitor, Standing } from "../../api/monitors.ts";

export type StateId = "open" | "failing" | "muted" | "disabled" | "closed";

export interface ShownState {
  id: StateId;
  word: string;
  kind: "bad" | "warn" | "note" | "good" | "";
  title: string;
}

export const STATES: { id: StateId; name: string }[] = [
  { id: "open", name: "Alerting" },
  { id: "failing", name: "Failing" },
  { id: "muted", name: "Muted" },
  { id: "disabled", name: "Off" },
  { id: "closed", name: "Quiet" },
];

/** What needs a person stands above all else, whose order it leaves as it is. */
export function urgency(id: StateId): number {
  return id === "open" ? 0 : id === "failing" ? 1 : 2;
}

export function stateOf(monitor: Monitor, standing: Standing | undefined): ShownState {
  if (monitor.disabled) return { id: "disabled", word: "off", kind: "", title: "it does not run until it is on again" };
  if (monitor.disabledUntil) return { id: "muted", word: "muted", kind: "note", title: "it does not run until then" };
  if (standing?.state === "open") {
    const count = standing.open > 1 ? `${standing.open} alerting` : "alerting";
    return { id: "open", word: count, kind: "bad", title: standing.lastRun?.reason ?? "" };
  }
  if (standing?.lastRun?.outcome === "failed") {
    return { id: "failing", word: "failing", kind: "warn", title: standing.lastRun.reason };
  }
  const title = standing?.lastRun ? standing.lastRun.reason : "it has not run yet";
  return { id: "closed", word: standing?.lastRun ? "quiet" : "new", kind: standing?.lastRun ? "good" : "", title };
}
