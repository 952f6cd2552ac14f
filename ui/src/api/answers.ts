// Frozen answers: what was seen at a moment, kept under an id, for links that show the same rows for ever.

import { has } from "../session/shell.ts";
import type { QueryAnswer } from "./query.ts";
import { call } from "./request.ts";

export interface FrozenAnswer {
  id: string;
  apl: string;
  startTime: string;
  endTime: string;
  createdAt: string;
  createdBy: string;
  answer: QueryAnswer;
}

export function canFreeze(): boolean {
  return has("answers");
}

/** Runs the query once more over an absolute range and keeps its answer. */
export async function freeze(apl: string, startTime: string, endTime: string): Promise<string> {
  return (await call<{ id: string }>("/v2/answers", { body: { apl, startTime, endTime } })).data.id;
}

export async function frozen(id: string): Promise<FrozenAnswer> {
  return (await call<FrozenAnswer>(`/v2/answers/${encodeURIComponent(id)}`)).data;
}
