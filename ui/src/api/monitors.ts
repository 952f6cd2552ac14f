// Monitors: their definitions, how they stand, what their runs have found, and what people do about it.

import { has } from "../session/shell.ts";
import { call } from "./request.ts";

export type Kind = "Threshold" | "MatchEvent" | "AnomalyDetection";

/** What people decide about a monitor. */
export interface Definition {
  name: string;
  description: string;
  type: Kind;
  aplQuery: string;
  operator?: string;
  threshold: number;
  intervalMinutes: number;
  rangeMinutes: number;
  notifierIds: string[];
  alertOnNoData: boolean;
  notifyByGroup: boolean;
  notifyEveryRun: boolean;
  skipResolved: boolean;
  resolvable: boolean;
  secondDelay: number;
  triggerAfterNPositiveResults: number;
  triggerFromNRuns: number;
  tolerance: number;
  compareDays: number;
  columnName?: string;
  disabled: boolean;
  disabledUntil?: string | null;
}

export interface Monitor extends Definition {
  id: string;
  createdAt: string;
  createdBy: string;
  updatedAt: string;
}

/** How a monitor stands. */
export interface Standing {
  id: string;
  state: "open" | "closed";
  since?: string;
  open: number;
  groups: { group: Record<string, string>; since: string }[];
  lastRun?: { timestamp: string; finishedAt: string; outcome: Outcome; value: number | null; reason: string };
  nextRun?: string;
  disabled: boolean;
  mutedUntil?: string;
  failures: number;
}

export type Outcome = "judged" | "no_data" | "failed";

/** What one run has found of a monitor, or of one of its groups. */
export interface Run {
  checkId: string;
  timestamp: string;
  finishedAt: string;
  queryStartTime: string;
  queryEndTime: string;
  state: "open" | "closed";
  isChange: boolean;
  outcome: Outcome;
  value: number | null;
  reason: string;
  group?: Record<string, string>;
  missedRuns: number;
  cost: number;
}

const PATH = "/v2/monitors";
const at = (id: string) => `${PATH}/${encodeURIComponent(id)}`;

export async function listMonitors(signal?: AbortSignal): Promise<Monitor[]> {
  return (await call<Monitor[]>(PATH, { signal })).data;
}

export async function monitor(id: string): Promise<Monitor> {
  return (await call<Monitor>(at(id))).data;
}

/** How all monitors stand, by their ids. An older service cannot tell. */
export async function standings(signal?: AbortSignal): Promise<Map<string, Standing>> {
  if (!has("monitor-states")) return new Map();
  const { data } = await call<Standing[]>(`${PATH}/states`, { signal });
  return new Map(data.map((standing) => [standing.id, standing]));
}

/** Makes a monitor, or replaces the one of an id. */
export async function saveMonitor(definition: Definition, id?: string): Promise<Monitor> {
  return (await call<Monitor>(id ? at(id) : PATH, { method: id ? "PUT" : "POST", body: definition })).data;
}

export async function deleteMonitor(id: string): Promise<void> {
  await call(at(id), { method: "DELETE" });
}

/** Closes what is open; gives how many messages say so. */
export async function resolveMonitor(id: string): Promise<number> {
  return (await call<{ messages: number }>(`${at(id)}/resolve`, { method: "POST" })).data.messages;
}

/** In which state a monitor was after a run. */
export interface StateThen {
  state: "open" | "closed";
  timestamp: string;
}

/** The states of a stretch of time, the newest first. */
export async function historyOf(
  id: string,
  startTime: string,
  endTime: string,
  signal?: AbortSignal,
): Promise<StateThen[]> {
  return (await call<StateThen[]>(`${at(id)}/history`, { parameters: { startTime, endTime }, signal })).data;
}

/** The newest runs of a stretch of time, whole ones and those of groups. */
export async function runsOf(id: string, startTime: string, endTime: string, limit: number): Promise<Run[]> {
  return (await call<Run[]>(`${at(id)}/runs`, { parameters: { startTime, endTime, limit } })).data;
}
