// Matters of taste that follow a person: kept by the service where it can, else in this browser.

import { has } from "../session/shell.ts";
import { call } from "./request.ts";

const LOCAL = "tidegauge.preferences";

export function localPreferences(): Record<string, unknown> {
  try {
    return JSON.parse(localStorage.getItem(LOCAL) ?? "{}") as Record<string, unknown>;
  } catch {
    return {};
  }
}

export async function loadPreferences(): Promise<Record<string, unknown>> {
  if (!has("preferences")) return localPreferences();
  return (await call<Record<string, unknown>>("/v2/user/preferences")).data ?? {};
}

export async function savePreferences(preferences: Record<string, unknown>, isLast: boolean): Promise<void> {
  try {
    // Also here, so that the next page begins with the right colours before any call.
    localStorage.setItem(LOCAL, JSON.stringify(preferences));
  } catch {
    // A full or closed storage is no reason to fail.
  }
  if (has("preferences")) await call("/v2/user/preferences", { method: "PUT", body: preferences, keepalive: isLast });
}
