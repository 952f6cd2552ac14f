// Who may change whom: whoever changes a member or hands out a role must hold all of it themselves, and owners are made
// and unmade by owners. The service decides; this keeps buttons away that it would refuse.

import { type Group, isBuiltIn, type Member, type Role } from "../../api/members.ts";
import type { Capabilities } from "../../api/people.ts";
import { contains } from "../../capabilities/matrix.ts";

export interface Viewer {
  /** The built-in role of who looks, or "custom". */
  role: string;
  held: Capabilities | null;
}

/** Whether a role can be given or taken. */
export function mayGive(viewer: Viewer, roleId: string, roles: Role[]): boolean {
  if (roleId === "owner") return viewer.role === "owner";
  const role = roles.find(({ id }) => id === roleId);
  // A role that cannot be looked up is one that this viewer may not read: only who holds everything can be sure.
  return role ? contains(viewer.held, role.may) : viewer.role === "owner";
}

/** All roles of a member: the main one, further ones, and those by groups. */
export function rolesOf(member: Member, roles: Role[], groups: Group[]): string[] {
  const further = roles.filter(({ id, members }) => !isBuiltIn(id) && members.includes(member.id)).map(({ id }) => id);
  const byGroups = groups.filter(({ members }) => members.includes(member.id)).flatMap((group) => group.roles);
  return [...new Set([member.role.id, ...further, ...byGroups])];
}

export function mayChange(viewer: Viewer, member: Member, roles: Role[], groups: Group[]): boolean {
  return rolesOf(member, roles, groups).every((role) => mayGive(viewer, role, roles));
}

/** Whether somebody is the only owner who has accepted: the organisation cannot be left without one. */
export function isLastOwner(member: Member, members: Member[]): boolean {
  const owners = members.filter(({ role, accepted }) => role.id === "owner" && accepted);
  return member.role.id === "owner" && member.accepted && owners.length === 1;
}
