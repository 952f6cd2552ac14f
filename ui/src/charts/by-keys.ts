// Reading what lies along an axis of time by keys, as all charts over time do: arrows move a cursor over the buckets,
// with Shift they choose a stretch, Enter takes what is chosen, Esc leaves.

export interface Reading {
  /** The bucket that is read, by its place. */
  cursor: number | null;
  /** The bucket at which the chosen stretch began; null while none was chosen by keys. */
  anchor: number | null;
}

export const NOTHING_READ: Reading = { cursor: null, anchor: null };

/** `take` is for what is chosen, or for the bucket that is read; `drop` lets go of what is chosen, `leave` of the bucket. */
export type Step =
  | { does: "read" | "choose"; cursor: number; anchor: number | null }
  | { does: "take" }
  | { does: "drop" }
  | { does: "leave" };

/** What a key does among so many buckets; null where it is none of these keys. `isChosen` is also so after a mouse chose. */
export function stepBy(
  { key, shiftKey }: { key: string; shiftKey: boolean },
  { cursor, anchor }: Reading,
  count: number,
  isChosen: boolean,
): Step | null {
  if (count === 0) return null;
  if (key === "Enter") return cursor === null && !isChosen ? null : { does: "take" };
  if (key === "Escape") return isChosen ? { does: "drop" } : cursor === null ? null : { does: "leave" };
  const next = placeAfter(key, cursor, count);
  if (next === null) return null;
  // The first key only goes to a bucket: there is nothing yet from which a stretch could begin.
  if (!shiftKey || cursor === null) return { does: "read", cursor: next, anchor: null };
  return { does: "choose", cursor: next, anchor: anchor ?? cursor };
}

function placeAfter(key: string, cursor: number | null, count: number): number | null {
  if (key === "Home") return 0;
  if (key === "End") return count - 1;
  if (key === "ArrowRight") return cursor === null ? 0 : Math.min(count - 1, cursor + 1);
  if (key === "ArrowLeft") return cursor === null ? count - 1 : Math.max(0, cursor - 1);
  return null;
}

/** The first and the last bucket of what is chosen, or the one that is read. */
export function stretchOf({ cursor, anchor }: Reading): { first: number; last: number } | null {
  if (cursor === null) return null;
  const other = anchor ?? cursor;
  return { first: Math.min(cursor, other), last: Math.max(cursor, other) };
}
