// What people do about a monitor from a list or from its own screen. Each gives the monitor as it is then.

import { type Monitor, resolveMonitor, saveMonitor } from "../../api/monitors.ts";
import { definitionOf } from "./definition.ts";

export function mute(monitor: Monitor, until: string | null): Promise<Monitor> {
  return saveMonitor({ ...definitionOf(monitor), disabledUntil: until }, monitor.id);
}

export function enable(monitor: Monitor, isOn: boolean): Promise<Monitor> {
  return saveMonitor({ ...definitionOf(monitor), disabled: !isOn }, monitor.id);
}

/** Closes what is open, and tells what became of it. */
export async function resolve(monitor: Monitor): Promise<string> {
  const messages = await resolveMonitor(monitor.id);
  return messages === 0 ? "Nothing was open." : `Closed; ${messages} message${messages === 1 ? " says" : "s say"} so.`;
}
