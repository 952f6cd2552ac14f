// Who is signed in, where they belong and what they may do.

import { has } from "../session/shell.ts";
import { call } from "./request.ts";

export interface Person {
  id: string;
  name: string;
  email: string;
  role: { id: string; name: string };
}

export interface Organisation {
  id: string;
  name: string;
  role: string;
}

/** What the caller may do: areas of the organisation with their actions, and of each dataset (`*` for all). */
export interface Capabilities {
  org: Record<string, string[]>;
  datasets: Record<string, Record<string, string[]>>;
  views: Record<string, Record<string, string[]>>;
}

export async function currentPerson(): Promise<Person> {
  return (await call<Person>("/v2/user")).data;
}

export async function organisations(): Promise<Organisation[]> {
  return (await call<Organisation[]>("/v2/orgs")).data;
}

/** Without the route for it, the organisation's part is known and everything on datasets is tried. */
export async function capabilities(): Promise<Capabilities> {
  if (has("capabilities")) return (await call<Capabilities>("/v2/user/capabilities")).data;
  const { data } = await call<{ permissions?: string[]; role: string }>("/v1/user");
  const org: Record<string, string[]> = {};
  for (const permission of data.permissions ?? []) {
    const [area = "", action = ""] = permission.split("|");
    org[area] = [...(org[area] ?? []), action];
  }
  const reads = { query: ["read"], starredQueries: ["read"], virtualFields: ["read"] };
  const all = ["create", "read", "update", "delete"];
  const writes = { ...reads, ingest: ["create"], starredQueries: all, virtualFields: all };
  const cares = { ...writes, trim: ["update"], vacuum: ["update"], data: ["delete"] };
  const byRole: Record<string, Record<string, string[]>> = {
    owner: cares,
    admin: cares,
    user: writes,
    "read-only": reads,
  };
  const datasets = { "*": byRole[data.role] ?? writes };
  return { org, datasets, views: { "*": { query: ["read"] } } };
}

export function mayOrg(held: Capabilities | null, area: string, action: string): boolean {
  return held?.org[area]?.includes(action) ?? false;
}

/** Whether something may be done with any dataset at all. */
export function maySome(held: Capabilities | null, area: string, action: string): boolean {
  return Object.values(held?.datasets ?? {}).some((areas) => areas[area]?.includes(action) ?? false);
}

export function mayDataset(held: Capabilities | null, dataset: string, area: string, action: string): boolean {
  const has = (name: string) => held?.datasets[name]?.[area]?.includes(action) ?? false;
  return has("*") || has(dataset);
}
