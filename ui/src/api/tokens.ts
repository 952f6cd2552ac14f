// API tokens: for now only the one that sends events, made while a newcomer looks on.

import { call } from "./request.ts";

/** Makes a token that may send events into one dataset and nothing else. Its text is told once. */
export async function ingestToken(dataset: string, name: string, expiresAt?: string): Promise<string> {
  const body = { name, expiresAt, datasetCapabilities: { [dataset]: { ingest: ["create"] } } };
  return (await call<{ token: string }>("/v2/tokens", { body })).data.token;
}
