// API tokens: the list, who made them and when they were last used, and what people do with them.

import { has } from "../session/shell.ts";
import type { Capabilities } from "./people.ts";
import { call } from "./request.ts";

export interface Token {
  id: string;
  name: string;
  description: string;
  expiresAt: string | null;
  endsWithMembership: boolean;
  may: Capabilities;
}

export interface TokenUse {
  id: string;
  lastUsedAt: string | null;
  createdAt: string;
  createdBy: { id: string; name: string; isMember: boolean };
}

export interface NewToken {
  name: string;
  description: string;
  /** Null for one that does not end by itself. */
  expiresAt: string | null;
  endsWithMembership: boolean;
  may: Capabilities;
}

/** What holds capabilities on the wire, as tokens, roles and clients do. */
export interface WireCapabilities {
  orgCapabilities: Capabilities["org"];
  datasetCapabilities: Capabilities["datasets"];
  viewCapabilities?: Capabilities["views"];
}

export function readCapabilities(wire: WireCapabilities): Capabilities {
  return { org: wire.orgCapabilities, datasets: wire.datasetCapabilities, views: wire.viewCapabilities ?? {} };
}

export function writeCapabilities({ org, datasets, views }: Capabilities): WireCapabilities {
  return { orgCapabilities: org, datasetCapabilities: datasets, viewCapabilities: views };
}

type WireToken = Omit<Token, "may" | "endsWithMembership"> & WireCapabilities & { endsWithMembership?: boolean };

export async function listTokens(): Promise<Token[]> {
  const { data } = await call<WireToken[]>("/v2/tokens");
  return data.map((wire) => ({
    id: wire.id,
    name: wire.name,
    description: wire.description,
    expiresAt: wire.expiresAt,
    endsWithMembership: wire.endsWithMembership ?? false,
    may: readCapabilities(wire),
  }));
}

export const hasTokenUses = (): boolean => has("token-usage");

/** By the id of the token. */
export async function tokenUses(): Promise<Map<string, TokenUse>> {
  if (!hasTokenUses()) return new Map();
  const { data } = await call<TokenUse[]>("/v2/tokens/usage");
  return new Map(data.map((use) => [use.id, use]));
}

/** Makes a token. Its text is told this once. */
export async function createToken({ may, ...token }: NewToken): Promise<string> {
  const body = { ...token, ...writeCapabilities(may) };
  return (await call<{ token: string }>("/v2/tokens", { body })).data.token;
}

/** Puts a new token in the place of one, which goes on to work until a time. */
export async function regenerateToken(old: Token, oldEnds: string, newEnds: string | null): Promise<string> {
  const body: Record<string, unknown> = { existingTokenExpiresAt: oldEnds };
  if (newEnds) body.newTokenExpiresAt = newEnds;
  // Left out, the end of the old one would be that of the new one.
  else if (old.expiresAt) {
    const { name, description, endsWithMembership, may } = old;
    body.newToken = { name, description, endsWithMembership, ...writeCapabilities(may) };
  }
  const path = `/v2/tokens/${encodeURIComponent(old.id)}/regenerate`;
  return (await call<{ token: string }>(path, { body })).data.token;
}

export async function deleteToken(id: string): Promise<void> {
  await call(`/v2/tokens/${encodeURIComponent(id)}`, { method: "DELETE" });
}

/** Makes a token that may send events into one dataset and nothing else. */
export async function ingestToken(dataset: string, name: string, expiresAt?: string): Promise<string> {
  const body = { name, expiresAt, datasetCapabilities: { [dataset]: { ingest: ["create"] } } };
  return (await call<{ token: string }>("/v2/tokens", { body })).data.token;
}
