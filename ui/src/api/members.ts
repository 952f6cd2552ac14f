// The members of the organisation, their roles and their groups.

import type { Capabilities } from "./people.ts";
import { call } from "./request.ts";
import { readCapabilities, type WireCapabilities, writeCapabilities } from "./tokens.ts";

export interface Member {
  id: string;
  name: string;
  email: string;
  role: { id: string; name: string };
  /** Whether they have accepted that they were added. */
  accepted: boolean;
}

export interface Role {
  id: string;
  name: string;
  description: string;
  members: string[];
  may: Capabilities;
}

export interface Group {
  id: string;
  name: string;
  description: string;
  members: string[];
  roles: string[];
}

export interface Invitation {
  link: string;
  expiresAt: string;
}

/** The roles that every organisation has; custom ones have ids of another form. */
export const BUILT_IN = ["owner", "admin", "user", "read-only", "none"] as const;

export const isBuiltIn = (id: string): boolean => (BUILT_IN as readonly string[]).includes(id);

const one = (path: string, id: string) => `${path}/${encodeURIComponent(id)}`;

export async function listMembers(): Promise<Member[]> {
  return (await call<Member[]>("/v2/users")).data;
}

export async function addMember(member: { name: string; email: string; role: string }): Promise<Member> {
  return (await call<Member>("/v2/users", { body: member })).data;
}

export async function setRole(id: string, role: string): Promise<Member> {
  return (await call<Member>(`${one("/v2/users", id)}/role`, { method: "PUT", body: { role } })).data;
}

/** Makes a link by which somebody accepts; the one before does not count any more. */
export async function invite(id: string): Promise<Invitation> {
  return (await call<Invitation>(`${one("/v2/users", id)}/invitation`, { method: "POST" })).data;
}

export async function removeMember(id: string): Promise<void> {
  await call(one("/v2/users", id), { method: "DELETE" });
}

type WireRole = Omit<Role, "may"> & WireCapabilities;

export async function listRoles(): Promise<Role[]> {
  const { data } = await call<WireRole[]>("/v2/rbac/roles");
  return data.map((wire) => ({
    id: wire.id,
    name: wire.name,
    description: wire.description,
    members: wire.members,
    may: readCapabilities(wire),
  }));
}

export async function saveRole({ may, ...role }: Omit<Role, "id">, id?: string): Promise<void> {
  const body = { ...role, ...writeCapabilities(may) };
  await (id ? call(one("/v2/rbac/roles", id), { method: "PUT", body }) : call("/v2/rbac/roles", { body }));
}

export async function deleteRole(id: string): Promise<void> {
  await call(one("/v2/rbac/roles", id), { method: "DELETE" });
}

export async function listGroups(): Promise<Group[]> {
  return (await call<Group[]>("/v2/rbac/groups")).data;
}

export async function saveGroup(group: Omit<Group, "id">, id?: string): Promise<void> {
  await (id
    ? call(one("/v2/rbac/groups", id), { method: "PUT", body: group })
    : call("/v2/rbac/groups", { body: group }));
}

export async function deleteGroup(id: string): Promise<void> {
  await call(one("/v2/rbac/groups", id), { method: "DELETE" });
}
