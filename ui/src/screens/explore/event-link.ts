// The address of one event: its row id says when it was, so the dataset and the id are enough.

import { tableName } from "../../apl/names.ts";
import { organisation } from "../../session/organisation.svelte.ts";
import { writeTime } from "../../time/nanoseconds.ts";
import { timeOfRow } from "../../time/row-id.ts";

const AROUND = 300_000_000_000n;

export function eventLink(dataset: string, id: string): string {
  const ns = timeOfRow(id) ?? 0n;
  const search = new URLSearchParams({
    q: tableName(dataset),
    from: writeTime(ns - AROUND),
    to: writeTime(ns + AROUND),
    open: id,
  });
  if (organisation.id) search.set("org", organisation.id);
  return `${location.origin}/explore?${search}`;
}
