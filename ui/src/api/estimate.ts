// What a query would read and cost, told before it runs.

import { has } from "../session/shell.ts";
import { check } from "./query-text.ts";
import { call } from "./request.ts";

export interface Estimate {
  blocks: number;
  blocksTotal: number;
  bytes: number;
  bytesTotal: number;
  /** At most so many rows are looked at. */
  rows: number;
  /** In GB·ms: if all is in memory already, and if nothing is. */
  cost: { low: number; high: number };
}

/** Null where the service cannot tell, and for what reads anything but datasets that are known. */
export async function estimate(
  apl: string,
  startTime: string,
  endTime: string,
  isKnown: (dataset: string) => boolean,
  signal?: AbortSignal,
): Promise<Estimate | null> {
  if (!has("estimate")) return null;
  // A text that is still being written would be refused, and every refused call stands in the console.
  const { diagnostics, datasets } = await check(apl, signal);
  if (diagnostics.length > 0 || !datasets?.every(isKnown)) return null;
  return (await call<Estimate>("/v1/query/estimate", { body: { apl, startTime, endTime }, signal })).data;
}
