// Annotations of the dataset that is looked at: what can be done with one, and making one.

import { address } from "../../address/address.svelte.ts";
import { type Annotation, annotate } from "../../api/annotations.ts";
import { parseTime, writeTime } from "../../time/nanoseconds.ts";
import type { Moments } from "../../time/range.ts";
import type { Exploration } from "./exploration.svelte.ts";

/** What is different since this moment: the events from it on, against those before it. */
export function compareSince(note: Annotation): void {
  address.change({ tab: "compare", group: `_time >= datetime(${note.time})`, brush: null });
}

/** Which texts there were only after this moment. */
export function patternsSince(note: Annotation): void {
  address.change({ tab: "patterns", since: note.time });
}

/** The stretch around a moment, an eighth of the present range on both sides. */
export function around(note: Annotation, { start, end }: Moments): Moments | null {
  const at = parseTime(note.time);
  if (at === null) return null;
  const each = (end - start) / 8n;
  return { start: at - each, end: at + each };
}

export async function makeNote(explore: Exploration, at: bigint, title: string, type: string): Promise<void> {
  if (!explore.dataset) return;
  const time = writeTime(at);
  await annotate({ datasets: [explore.dataset], type, time, title, description: "" });
  await explore.recount();
}
