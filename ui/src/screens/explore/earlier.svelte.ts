// The same chart over an earlier period, moved to where the present one is, so that both can be drawn and their sums
// compared.

import { type ApiError, asApiError, isAborted } from "../../api/errors.ts";
import { ask } from "../../api/query.ts";
import { type Chart, chartOf, type Series } from "../../charts/series.ts";
import { writeTime } from "../../time/nanoseconds.ts";
import type { Asked } from "./exploration.svelte.ts";

export class EarlierChart {
  /** By `key`, with a value for each point of the present chart. */
  series = $state.raw<Map<string, Series>>(new Map());
  error = $state.raw<ApiError | null>(null);

  /** `back` is how far the earlier period lies, in nanoseconds. The answer ends what is under way. */
  load(asked: Asked, chart: Chart, back: bigint): () => void {
    const abort = new AbortController();
    this.error = null;
    const startTime = writeTime(asked.moments.start - back);
    const endTime = writeTime(asked.moments.end - back);
    ask({ apl: asked.apl, startTime, endTime }, { signal: abort.signal }).then(
      ({ answer }) => {
        const table = answer.tables[0];
        const before = table ? chartOf(table) : null;
        this.series = before ? moved(before, chart, Number(back) / 1e9) : new Map();
      },
      (reason) => {
        if (!isAborted(reason)) this.error = asApiError(reason);
      },
    );
    return () => abort.abort();
  }

  clear(): void {
    if (this.series.size > 0) this.series = new Map();
    this.error = null;
  }
}

export function keyOf({ name, measure }: Series): string {
  return `${measure}\u0000${name}`;
}

/** Puts each value to the nearest point of the present chart. */
export function moved(before: Chart, now: Chart, seconds: number): Map<string, Series> {
  const found = new Map<string, Series>();
  const first = now.times[0];
  if (first === undefined) return found;
  const step = now.bucket ?? (now.times.length > 1 ? now.times[1]! - first : 1);
  for (const series of before.series) {
    const values = new Array<number | null>(now.times.length).fill(null);
    before.times.forEach((time, place) => {
      const at = Math.round((time + seconds - first) / step);
      if (at >= 0 && at < values.length) values[at] = series.values[place] ?? null;
    });
    found.set(keyOf(series), { ...series, values });
  }
  return found;
}
