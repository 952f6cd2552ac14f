// The audit trail as somebody searches it: by who, by what and by time. The service gives pages, the newest first; what
// fits is found here, and the screen says how far back it has looked.

import type { AuditEntry } from "../../api/audit.ts";
import { parseTime, toMs } from "../../time/nanoseconds.ts";

export interface Wanted {
  who: string;
  /** Words of the action, the resource or the detail; all of them must be there. */
  what: string;
  outcome: "" | "done" | "refused";
  /** In milliseconds; null for an open side. */
  from: number | null;
  to: number | null;
}

const timeOf = (entry: AuditEntry): number => toMs(parseTime(entry.time) ?? 0n);

/** Who did it, by name where the id is known; the token stands behind it in parentheses. */
export function actorName(actor: string, names: ReadonlyMap<string, string>): string {
  return actor
    .replace(/\buser_[0-9a-f]+\b/g, (id) => names.get(id) ?? id)
    .replace(/\btoken_[0-9a-f]+\b/g, (id) => names.get(id) ?? id);
}

export function fits(entry: AuditEntry, wanted: Wanted, names: ReadonlyMap<string, string>): boolean {
  const time = timeOf(entry);
  if (wanted.from !== null && time < wanted.from) return false;
  if (wanted.to !== null && time > wanted.to) return false;
  if (wanted.outcome && entry.outcome !== wanted.outcome) return false;
  const who = `${entry.actor} ${actorName(entry.actor, names)}`.toLowerCase();
  if (wanted.who && !who.includes(wanted.who.toLowerCase())) return false;
  const what = `${entry.action} ${entry.resource} ${entry.detail} ${entry.requestId}`.toLowerCase();
  return wanted.what
    .toLowerCase()
    .split(/\s+/)
    .every((word) => what.includes(word));
}

/** What a line says of an entry: its detail with names for ids, and what it was about where the detail does not say. */
export function told(entry: AuditEntry, names: ReadonlyMap<string, string>): string {
  const detail = actorName(entry.detail, names);
  const resource = names.get(entry.resource) ?? entry.resource;
  if (!detail) return resource;
  // The detail of what has a name begins with it; a refused call says its route already.
  return detail.startsWith('"') || entry.outcome === "refused" || !resource ? detail : `${resource}: ${detail}`;
}

/** Whether nothing older can fit. */
export function isBehind(entry: AuditEntry, wanted: Wanted): boolean {
  return wanted.from !== null && timeOf(entry) < wanted.from;
}
