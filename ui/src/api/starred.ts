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

/** The ids of those that the caller has starred: `who` is what whoever starred one wrote there, often only `me`. */
export async function starredByMe(signal?: AbortSignal): Promise<Set<string>> {
  // Without `who` these are listed; `me` would be taken for a name.
  return new Set((await list(undefined, signal)).map(({ id }) => id));
}

export async function listStarred(signal?: AbortSignal): Promise<Starred[]> {
  return list("all", signal);
}

async function list(who: string | undefined, signal?: AbortSignal): Promise<Starred[]> {
  const all: Starred[] = [];
  const limit = 1000;
  for (let offset = 0; ; offset += limit) {
    const { data } = await call<Starred[]>("/v2/apl-starred-queries", {
      parameters: { limit, offset, who },
      signal,
    });
    all.push(...data);
    if (data.length < limit) return all;
  }
}

const at = (id: string) => `/v2/apl-starred-queries/${encodeURIComponent(id)}`;

export async function readStarred(id: string, signal?: AbortSignal): Promise<Starred> {
  return (await call<Starred>(at(id), { signal })).data;
}

export async function star(input: StarredInput): Promise<Starred> {
  const { name, dataset, apl, startTime, endTime } = input;
  const body = { kind: "apl", name, who: "me", dataset, metadata: {}, query: { apl, startTime, endTime } };
  return (await call<Starred>("/v2/apl-starred-queries", { body })).data;
}

/** Changes what is given. All else stays as it is now: whose it is, and what other clients wrote beside it. */
export async function changeStarred(id: string, change: Partial<StarredInput>): Promise<Starred> {
  const { kind, name, who, dataset, metadata, query } = await readStarred(id);
  const { name: newName, dataset: newDataset, ...newQuery } = change;
  const body = {
    kind,
    name: newName ?? name,
    who,
    dataset: newDataset ?? dataset,
    metadata,
    query: { ...query, ...newQuery },
  };
  return (await call<Starred>(at(id), { method: "PUT", body })).data;
}

export async function deleteStarred(id: string): Promise<void> {
  await call(at(id), { method: "DELETE" });
}
