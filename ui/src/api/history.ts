// The queries that were run: the team's, kept by the service, or without that route those of this browser.

import { has } from "../session/shell.ts";
import { call } from "./request.ts";

export interface Kept {
  id: string;
  dataset: string;
  who: string;
  created: string;
  apl: string;
  startTime: string;
  endTime: string;
}

export interface HistoryPage {
  queries: Kept[];
  /** Where the next page begins, or null at the end. */
  before: string | null;
}

interface Stored {
  id: string;
  kind: string;
  dataset: string;
  who: string;
  created: string;
  query: { apl?: string; startTime?: string | null; endTime?: string | null };
}

const LOCAL = "tidegauge.history";
const MOST = 200;

/** Whether the list is the team's; else it is this browser's. */
export function isShared(): boolean {
  return has("history-list");
}

export async function history(who: "me" | "all", before: string | null, signal?: AbortSignal): Promise<HistoryPage> {
  if (!isShared()) return { queries: local(), before: null };
  const limit = 100;
  const parameters = { who, before: before ?? undefined, limit };
  const { data } = await call<Stored[]>("/v1/datasets/_history", { parameters, signal });
  const queries = data.filter((entry) => entry.query.apl !== undefined).map(kept);
  return { queries, before: data.length === limit ? (data.at(-1)?.id ?? null) : null };
}

/** One query by its id, as long links name it. */
export async function keptQuery(id: string): Promise<Kept> {
  return kept((await call<Stored>(`/v1/datasets/_history/${encodeURIComponent(id)}`)).data);
}

/** Remembers a query in this browser, the same text only once. */
export function remember(query: { dataset: string; apl: string; startTime: string; endTime: string }): void {
  if (isShared() || query.apl.length > 20_000) return;
  const created = new Date().toISOString();
  const others = local().filter((entry) => entry.apl !== query.apl);
  const list = [{ ...query, id: created, who: "", created }, ...others].slice(0, MOST);
  try {
    localStorage.setItem(LOCAL, JSON.stringify(list));
  } catch {
    // A full or closed storage only costs the memory of this browser.
  }
}

function local(): Kept[] {
  try {
    return JSON.parse(localStorage.getItem(LOCAL) ?? "[]") as Kept[];
  } catch {
    return [];
  }
}

function kept(entry: Stored): Kept {
  return {
    id: entry.id,
    dataset: entry.dataset,
    who: entry.who,
    created: entry.created,
    apl: entry.query.apl ?? "",
    startTime: entry.query.startTime ?? "",
    endTime: entry.query.endTime ?? "",
  };
}
