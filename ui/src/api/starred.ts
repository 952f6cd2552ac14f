// Starred queries: kept under a name by one person, and seen by all who may read those of the dataset.

import { call } from "./request.ts";

export interface Starred {
  id: string;
  kind: string;
  name: string;
  who: string;
  dataset: string;
  metadata: Record<string, unknown>;
  query: { apl: string; startTime?: string | null; endTime?: string | null };
}

export interface StarredInput {
  name: string;
  dataset: string;
  apl: string;
  startTime: string;
  endTime: string;
}

export async function listStarred(signal?: AbortSignal): Promise<Starred[]> {
  const all: Starred[] = [];
  const limit = 1000;
  for (let offset = 0; ; offset += limit) {
    const { data } = await call<Starred[]>("/v2/apl-starred-queries", {
      parameters: { limit, offset, who: "all" },
      signal,
    });
    all.push(...data);
    if (data.length < limit) return all;
  }
}

export async function saveStarred(input: StarredInput, id?: string): Promise<Starred> {
  const path = id ? `/v2/apl-starred-queries/${encodeURIComponent(id)}` : "/v2/apl-starred-queries";
  const body = {
    kind: "apl",
    name: input.name,
    who: "me",
    dataset: input.dataset,
    metadata: {},
    query: { apl: input.apl, startTime: input.startTime, endTime: input.endTime },
  };
  return (await call<Starred>(path, { method: id ? "PUT" : "POST", body })).data;
}

export async function deleteStarred(id: string): Promise<void> {
  await call(`/v2/apl-starred-queries/${encodeURIComponent(id)}`, { method: "DELETE" });
}
