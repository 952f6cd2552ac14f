// Clients of the embedded authorisation server, and what the person has allowed to which.

import type { Capabilities } from "./people.ts";
import { call } from "./request.ts";
import { readCapabilities, type WireCapabilities, writeCapabilities } from "./tokens.ts";

export interface Client {
  id: string;
  name: string;
  redirectUris: string[];
  grants: string[];
  isPublic: boolean;
  may: Capabilities;
  createdAt: string;
  updatedAt: string;
}

export type ClientInput = Pick<Client, "name" | "redirectUris" | "grants" | "isPublic" | "may">;

export interface Grant {
  id: string;
  clientId: string;
  clientName: string;
  scope: string;
  createdAt: string;
  lastUsedAt: string;
  expiresAt: string;
}

/** The grant types with what they mean for who chooses. */
export const GRANT_TYPES: { id: string; name: string; means: string }[] = [
  { id: "authorization_code", name: "Sign in with a browser", means: "people allow it on a page of this service" },
  { id: "refresh_token", name: "Stay signed in", means: "it gets new access tokens without asking again" },
  {
    id: "urn:ietf:params:oauth:grant-type:device_code",
    name: "Sign in with a code",
    means: "for programs without a browser: a code is typed in elsewhere",
  },
  { id: "client_credentials", name: "Act for itself", means: "no person: it holds capabilities of its own" },
];

export const ACTS_FOR_ITSELF = "client_credentials";

type WireClient = Omit<Client, "may"> & WireCapabilities;

const one = (id: string) => `/v2/oauth/clients/${encodeURIComponent(id)}`;

export async function listClients(): Promise<Client[]> {
  const { data } = await call<WireClient[]>("/v2/oauth/clients");
  return data.map((wire) => ({
    id: wire.id,
    name: wire.name,
    redirectUris: wire.redirectUris,
    grants: wire.grants,
    isPublic: wire.isPublic,
    may: readCapabilities(wire),
    createdAt: wire.createdAt,
    updatedAt: wire.updatedAt,
  }));
}

/** Makes or changes a client. The secret of a new one is told this once; a public one has none. */
export async function saveClient(
  { may, ...client }: ClientInput,
  id?: string,
): Promise<{ id: string; secret: string }> {
  const body = { ...client, ...writeCapabilities(may) };
  const { data } = await (id
    ? call<{ id: string; clientSecret?: string }>(one(id), { method: "PUT", body })
    : call<{ id: string; clientSecret?: string }>("/v2/oauth/clients", { body }));
  return { id: data.id, secret: data.clientSecret ?? "" };
}

export async function newSecret(id: string, formerSecretSeconds: number): Promise<string> {
  const { data } = await call<{ clientSecret?: string }>(`${one(id)}/secret`, { body: { formerSecretSeconds } });
  return data.clientSecret ?? "";
}

export async function deleteClient(id: string): Promise<void> {
  await call(one(id), { method: "DELETE" });
}

export async function listGrants(): Promise<Grant[]> {
  return (await call<Grant[]>("/v2/user/grants")).data;
}

export async function revokeGrant(id: string): Promise<void> {
  await call(`/v2/user/grants/${encodeURIComponent(id)}`, { method: "DELETE" });
}
