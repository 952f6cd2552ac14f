// How the monitors on a dashboard stand: their names and whether an alert is open.

import { listMonitors, standings } from "./monitors.ts";

export interface MonitorState {
  id: string;
  name: string;
  type: string;
  dataset: string;
  /** Null where no run was made yet. */
  state: "open" | "closed" | null;
  since: string | null;
  isResting: boolean;
  notifierIds: string[];
}

/** The chosen monitors in their order; those that are gone or may not be seen are left out. */
export async function monitorStates(ids: string[], nowMs: number, signal?: AbortSignal): Promise<MonitorState[]> {
  const [all, states] = await Promise.all([listMonitors(signal), standings(signal)]);
  const known = new Map(all.map((monitor) => [monitor.id, monitor]));
  return ids.flatMap((id) => {
    const monitor = known.get(id);
    if (!monitor) return [];
    const standing = states.get(id);
    const until = standing?.mutedUntil ?? monitor.disabledUntil;
    return {
      id,
      name: monitor.name,
      type: monitor.type,
      dataset: firstDataset(monitor.aplQuery),
      state: standing?.lastRun || standing?.state === "open" ? standing.state : null,
      since: standing?.since ?? null,
      notifierIds: monitor.notifierIds,
      isResting: monitor.disabled || (until != null && Date.parse(until) > nowMs),
    };
  });
}

/** All monitors that can be put on a dashboard. */
export async function monitorNames(): Promise<{ id: string; name: string }[]> {
  return (await listMonitors()).map(({ id, name }) => ({ id, name }));
}

function firstDataset(query: string | undefined): string {
  const found = /^\s*(?:\['([^']+)'\]|([\w.-]+))/.exec(query ?? "");
  return found?.slice(1).find(Boolean) ?? "";
}
