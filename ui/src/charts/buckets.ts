// Where the buckets of a chart over time begin and end, in seconds.

/** From the beginning of one bucket to the end of another one. `bucket` is their length, where they have one. */
export function between(
  times: number[],
  bucket: number | null,
  { first, last }: { first: number; last: number },
): { from: number; to: number } | null {
  const [from, until] = [times[first], times[last]];
  if (from === undefined || until === undefined) return null;
  // Without a length one ends where the next begins, and the last is as long as the one before.
  const next = times[last + 1];
  const before = times[last - 1];
  const length = bucket ?? (next !== undefined ? next - until : before !== undefined ? until - before : null);
  return length === null || length <= 0 ? null : { from, to: until + length };
}
