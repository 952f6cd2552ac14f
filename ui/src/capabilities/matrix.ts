// Capabilities as a matrix that people fill in: what is held, what can be given, and what it is in words. Nobody gives
// more than they hold, by the rules that the service has.

import type { Capabilities } from "../api/people.ts";
import { ACTIONS, ANY, AREAS, type Scope } from "./areas.ts";

type Grants = Record<string, string[]>;

export const NOTHING: Capabilities = { org: {}, datasets: {}, views: {} };

/** Whether an action is held: over the organisation, or on one dataset or view, or on all of them. */
export function holds(held: Capabilities, scope: Scope, name: string, area: string, action: string): boolean {
  const has = (grants: Grants | undefined) => grants?.[area]?.includes(action) ?? false;
  if (scope === "org") return has(held.org);
  return has(held[scope][ANY]) || has(held[scope][name]);
}

/** Each capability: the scope, the dataset or view, the area and the action. */
export function* each(capabilities: Capabilities): Generator<[Scope, string, string, string]> {
  for (const [area, actions] of Object.entries(capabilities.org))
    for (const action of actions) yield ["org", "", area, action];
  for (const scope of ["datasets", "views"] as const)
    for (const [name, grants] of Object.entries(capabilities[scope]))
      for (const [area, actions] of Object.entries(grants))
        for (const action of actions) yield [scope, name, area, action];
}

/** Whether all that is wanted is held: only then it can be given, changed or taken away. */
export function contains(held: Capabilities | null, wanted: Capabilities): boolean {
  if (!held) return false;
  for (const [scope, name, area, action] of each(wanted)) if (!holds(held, scope, name, area, action)) return false;
  return true;
}

/** The part of what is wanted that is held. */
export function within(held: Capabilities, wanted: Capabilities): Capabilities {
  let kept = NOTHING;
  for (const [scope, name, area, action] of each(wanted))
    if (holds(held, scope, name, area, action)) kept = set(kept, scope, name, area, action, true);
  return kept;
}

/** The same with one capability more or less. What becomes empty goes. */
export function set(
  capabilities: Capabilities,
  scope: Scope,
  name: string,
  area: string,
  action: string,
  isHeld: boolean,
): Capabilities {
  if (scope === "org") return { ...capabilities, org: changed(capabilities.org, area, action, isHeld) };
  const grants = changed(capabilities[scope][name] ?? {}, area, action, isHeld);
  const named = { ...capabilities[scope] };
  if (Object.keys(grants).length > 0) named[name] = grants;
  else delete named[name];
  return { ...capabilities, [scope]: named };
}

function changed(grants: Grants, area: string, action: string, isHeld: boolean): Grants {
  const now = new Set(grants[area] ?? []);
  if (isHeld) now.add(action);
  else now.delete(action);
  const next = { ...grants };
  if (now.size > 0) next[area] = ACTIONS.filter((known) => now.has(known));
  else delete next[area];
  return next;
}

export function isEmpty(capabilities: Capabilities): boolean {
  return each(capabilities).next().done === true;
}

export type Preset = "ingest" | "read" | "everything";

export const PRESETS: { id: Preset; name: string; means: string }[] = [
  { id: "ingest", name: "Send events only", means: "for shippers and agents" },
  { id: "read", name: "Read only", means: "for reports and dashboards elsewhere" },
  { id: "everything", name: "Everything I may", means: "for scripts that act for you" },
];

/** What a preset gives, as far as it is held. Sending is on one dataset, or on all that can be sent to. */
export function preset(held: Capabilities, which: Preset, dataset = ANY): Capabilities {
  if (which === "everything") return within(held, held);
  if (which === "ingest") return within(held, { ...NOTHING, datasets: { [dataset]: { ingest: ["create"] } } });
  let kept = NOTHING;
  for (const [scope, name, area, action] of each(held))
    if (action === "read") kept = set(kept, scope, name, area, action, true);
  return kept;
}

/** Everything there is. */
export function everything(): Capabilities {
  const grants = (scope: Scope) => Object.fromEntries(AREAS[scope].map(({ id, actions }) => [id, actions]));
  return { org: grants("org"), datasets: { [ANY]: grants("datasets") }, views: { [ANY]: grants("views") } };
}

/** What is allowed, in a few words: `send events on web`, `read everything`, `everything`. */
export function inWords(capabilities: Capabilities, most = 3): string {
  const all = everything();
  if (contains(capabilities, all)) return "everything";
  const reads = preset(all, "read");
  if (!isEmpty(capabilities) && contains(capabilities, reads) && contains(reads, capabilities))
    return "read everything";
  const parts: string[] = [];
  for (const scope of ["datasets", "views"] as const) {
    for (const [name, grants] of Object.entries(capabilities[scope])) {
      const all = scope === "views" ? "all views" : "all datasets";
      parts.push(`${ofGrants(scope, grants)} on ${name === ANY ? all : name}`);
    }
  }
  for (const [area, actions] of Object.entries(capabilities.org)) parts.push(ofArea("org", area, actions));
  if (parts.length === 0) return "nothing";
  const more = parts.length - most;
  return more > 0 ? `${parts.slice(0, most).join(" · ")} · ${more} more` : parts.join(" · ");
}

function ofGrants(scope: Scope, grants: Grants): string {
  const areas = Object.entries(grants);
  if (AREAS[scope].every(({ id, actions }) => actions.every((action) => grants[id]?.includes(action))))
    return "everything";
  return areas.map(([area, actions]) => ofArea(scope, area, actions)).join(", ");
}

function ofArea(scope: Scope, area: string, actions: string[]): string {
  const known = AREAS[scope].find(({ id }) => id === area);
  const name = (known?.name ?? area).toLowerCase();
  if (known && known.actions.length === 1) return name;
  if (known?.actions.every((action) => actions.includes(action))) return `all of ${name}`;
  return `${actions.join(", ")} ${name}`;
}
