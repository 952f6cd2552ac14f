// The counts over time that stand above the events: by a field's most frequent values, with the rest together.

import { type Annotation, annotations } from "../../api/annotations.ts";
import { type ApiError, asApiError, isAborted } from "../../api/errors.ts";
import { ask, type Table } from "../../api/query.ts";
import { fieldName, literal } from "../../apl/names.ts";
import type { Bucket } from "../../charts/Histogram.svelte";
import { OTHER } from "../../charts/palette.ts";
import { catalogue } from "../../session/catalogue.svelte.ts";
import { parseTime, writeTime } from "../../time/nanoseconds.ts";
import type { Moments } from "../../time/range.ts";
import { cellText } from "../../values/show.ts";

const TOP = 5;
const BARS = 120;

export interface Counted {
  buckets: Bucket[];
  size: bigint;
  groups: string[];
  total: number;
  moments: Moments;
}

export class HistogramState {
  counted = $state.raw<Counted | null>(null);
  earlier = $state.raw<Bucket[]>([]);
  notes = $state.raw<Annotation[]>([]);
  isLoading = $state(false);
  error = $state.raw<ApiError | null>(null);
  #abort: AbortController | null = null;
  #of = "";

  clear(): void {
    this.#abort?.abort();
    this.counted = null;
    this.earlier = [];
    this.notes = [];
    this.isLoading = false;
    this.error = null;
  }

  /** `split` is a field, or empty. `back` is how far the period to compare with lies, in nanoseconds, or null. */
  async load(
    base: string,
    moments: Moments,
    split: { name: string; type: string } | null,
    back: bigint | null,
    dataset: string | null,
  ): Promise<Counted | null> {
    this.#abort?.abort();
    const abort = new AbortController();
    this.#abort = abort;
    const { signal } = abort;
    this.isLoading = true;
    try {
      const parts = split ? await this.#parts(base, moments, split, signal) : null;
      const shifted = back === null ? null : { start: moments.start - back, end: moments.end - back };
      const [now, before, notes] = await Promise.all([
        this.#count(base, moments, parts, signal),
        shifted ? this.#count(base, shifted, null, signal) : null,
        dataset ? notesOf(dataset, moments, signal) : [],
      ]);
      if (signal.aborted) return null;
      this.counted = now;
      this.#of = base;
      this.error = null;
      this.earlier =
        before && back !== null ? before.buckets.map((bucket) => ({ ...bucket, start: bucket.start + back })) : [];
      this.notes = notes;
      return now;
    } catch (error) {
      if (!isAborted(error) && !signal.aborted) {
        this.error = asApiError(error);
        // What was counted of the same events is worth more than nothing.
        if (base !== this.#of) this.counted = null;
      }
      return null;
    } finally {
      if (this.#abort === abort) this.isLoading = false;
    }
  }

  /** The most frequent values of a field: their names, and an expression that numbers them; all others are -1. */
  async #parts(
    base: string,
    moments: Moments,
    split: { name: string; type: string },
    signal: AbortSignal,
  ): Promise<Parts | null> {
    const name = fieldName(split.name);
    const apl = `${base}\n| summarize n = count() by v = ${name}\n| top ${TOP} by n`;
    const { answer } = await ask({ apl, ...range(moments) }, { signal });
    const names: string[] = [];
    const cases: string[] = [];
    for (const value of answer.tables[0]?.columns[0] ?? []) {
      const written = literal(value, split.type);
      if (value !== null && written === null) continue;
      cases.push(`${value === null ? `isnull(${name})` : `${name} == ${written}`}, ${names.length}`);
      names.push(value === null ? "none" : cellText(value, 60) || "empty");
    }
    return cases.length === 0 ? null : { names, expression: `case(${cases.join(", ")}, -1)` };
  }

  async #count(base: string, moments: Moments, parts: Parts | null, signal: AbortSignal): Promise<Counted> {
    const by = parts ? `, part = ${parts.expression}` : "";
    const apl = `${base}\n| summarize n = count() by bin_auto(_time)${by}`;
    const { answer } = await ask({ apl, ...range(moments), maxBinAutoGroups: BARS }, { signal });
    const table = answer.tables[0];
    return table ? counted(table, parts, moments) : { buckets: [], size: 1n, groups: [], total: 0, moments };
  }
}

/** Without the right to read them there are none, and none are asked for. */
async function notesOf(dataset: string, moments: Moments, signal: AbortSignal): Promise<Annotation[]> {
  await catalogue.known;
  if (!catalogue.mayOrg("annotations", "read")) return [];
  return annotations(dataset, writeTime(moments.start), writeTime(moments.end), signal).catch(() => []);
}

interface Parts {
  names: string[];
  expression: string;
}

function range({ start, end }: Moments): { startTime: string; endTime: string } {
  return { startTime: writeTime(start), endTime: writeTime(end) };
}

function counted(table: Table, parts: Parts | null, moments: Moments): Counted {
  const place = (name: string) => table.fields.findIndex((field) => field.name === name);
  const [times, counts, numbers] = [
    table.columns[place("_time")] ?? [],
    table.columns[place("n")] ?? [],
    table.columns[place("part")],
  ];
  const byStart = new Map<bigint, Bucket>();
  const totals = new Map<string, number>();
  times.forEach((text, row) => {
    const start = typeof text === "string" ? parseTime(text) : null;
    if (start === null) return;
    const group = parts ? (parts.names[Number(numbers?.[row])] ?? OTHER) : "";
    const count = Number(counts[row] ?? 0);
    let bucket = byStart.get(start);
    if (!bucket) {
      bucket = { start, counts: new Map(), total: 0 };
      byStart.set(start, bucket);
    }
    bucket.counts.set(group, (bucket.counts.get(group) ?? 0) + count);
    bucket.total += count;
    totals.set(group, (totals.get(group) ?? 0) + count);
  });
  const size = BigInt(table.buckets?.size ?? 0) || guessedSize([...byStart.keys()], moments);
  const buckets = filled(byStart, size, moments);
  const names = [...totals.keys()].sort((a, b) =>
    a === OTHER ? 1 : b === OTHER ? -1 : totals.get(b)! - totals.get(a)!,
  );
  return { buckets, size, groups: names, total: [...totals.values()].reduce((sum, count) => sum + count, 0), moments };
}

function guessedSize(starts: bigint[], moments: Moments): bigint {
  const sorted = starts.sort((a, b) => (a < b ? -1 : 1));
  let least = moments.end - moments.start;
  for (let place = 1; place < sorted.length; place++) {
    const apart = sorted[place]! - sorted[place - 1]!;
    if (apart < least) least = apart;
  }
  return least > 0n ? least : 1n;
}

/** Also the buckets without events, so that the keys find them and gaps are seen. */
function filled(found: Map<bigint, Bucket>, size: bigint, { start, end }: Moments): Bucket[] {
  const any = found.keys().next().value;
  if (any === undefined || (end - start) / size > 2000n) return [...found.values()];
  const buckets: Bucket[] = [];
  let at = any - ((any - start) / size + 1n) * size;
  for (; at < end; at += size) {
    if (at + size <= start) continue;
    buckets.push(found.get(at) ?? { start: at, counts: new Map(), total: 0 });
  }
  return buckets;
}
