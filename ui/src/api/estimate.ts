// What a query would read and cost, told before it runs.

import { has } from "../session/shell.ts";
import { call } from "./request.ts";

export interface Estimate {
  blocks: number;
  blocksTotal: number;
  bytes: number;
  bytesTotal: number;
  /** At most so many rows are looked at. */
  rows: number;
  /** How much of it is kept from questions before, from 0 to 1. */
  keptShare: number;
  /** In GB·ms. */
  cost: { low: number; high: number };
}

/** Null where the service cannot tell. */
export async function estimate(
  apl: string,
  startTime: string,
  endTime: string,
  signal?: AbortSignal,
): Promise<Estimate | null> {
  if (!has("estimate")) return null;
  return (await call<Estimate>("/v1/query/estimate", { body: { apl, startTime, endTime }, signal })).data;
}
