// One trace as it is read: its spans from every dataset that holds some, around a moment first and then further away,
// and what other events say of it. A trace of many spans is cut at a bound, which is told.

import { nowMs } from "../../api/clock.ts";
import { type ApiError, asApiError, isAborted } from "../../api/errors.ts";
import { ask } from "../../api/query.ts";
import { catalogue } from "../../session/catalogue.svelte.ts";
import { fromMs, parseTime, writeTime } from "../../time/nanoseconds.ts";
import { type Moments, type Range, resolveRange } from "../../time/range.ts";
import { criticalPath, type Stretch } from "./critical-path.ts";
import { type Logs, logsOf } from "./logs.ts";
import { forEach } from "./many.ts";
import { countOf, SPANS, spansOf, spansWith } from "./queries.ts";
import { count, readRows, readSpan, text } from "./rows.ts";
import { type SpanFields, spanDatasets } from "./span-fields.ts";
import { buildTree, type Span, type Tree } from "./tree.ts";

const HOUR = 3_600_000_000_000n;
const DATASETS = 30;

/** How far from its moment a trace is looked for: an hour, a day, everything that is kept. */
export const REACHES = [HOUR, 24n * HOUR, null] as const;

export class TraceReading {
  isReading = $state(false);
  error = $state.raw<ApiError | null>(null);
  tree = $state.raw<Tree | null>(null);
  path = $state.raw<Map<number, Stretch[]>>(new Map());
  logs = $state.raw<Logs | null>(null);
  /** Datasets that could not be read, with the reason. */
  failed = $state.raw<{ dataset: string; why: string }[]>([]);
  passedOver = $state(0);
  /** How many spans there are, where not all of them are shown. */
  all = $state<number | null>(null);
  reach = $state(0);
  within = $state.raw<Moments | null>(null);
  #abort = new AbortController();
  #trace = "";
  #at: bigint | null = null;
  #range: Range | null = null;

  async open(trace: string, at: string | null, range: Range): Promise<void> {
    this.#trace = trace;
    this.#at = at ? parseTime(at) : null;
    this.#range = range;
    this.tree = null;
    this.error = null;
    this.logs = null;
    await this.read(0);
  }

  /** Looks so far around; one step further by itself where nothing is. */
  async read(reach = this.reach): Promise<void> {
    this.#abort.abort();
    const abort = new AbortController();
    this.#abort = abort;
    this.isReading = true;
    try {
      let spans = await this.#spans(reach, abort.signal);
      if (spans.length === 0 && reach === 0) {
        // Its dataset may have been made after the page was loaded.
        await catalogue.refresh();
        spans = await this.#spans(1, abort.signal);
      }
      if (abort.signal.aborted) return;
      const tree = buildTree(spans);
      this.path = criticalPath(tree.nodes);
      this.tree = tree;
      this.error = null;
      void this.#readLogs(tree, abort.signal);
    } catch (error) {
      if (!abort.signal.aborted && !isAborted(error)) this.error = asApiError(error);
    } finally {
      if (this.#abort === abort) this.isReading = false;
    }
  }

  end(): void {
    this.#abort.abort();
  }

  /** The ids of spans in which a text stands anywhere. */
  async find(words: string, signal: AbortSignal): Promise<Set<string>> {
    const sources = [...spanDatasets(catalogue.queryableFields)].slice(0, DATASETS);
    const outcomes = await forEach(
      sources.map(([dataset]) => dataset),
      async (dataset) => {
        const fields = new Map(sources).get(dataset)!;
        const apl = spansWith({ dataset, fields }, this.#trace, words);
        const { answer } = await ask({ apl, ...this.#bounds() }, { signal });
        return readRows(answer.tables[0], (row) => text(row("span")));
      },
    );
    const failed = outcomes.find(({ error }) => error !== undefined);
    if (failed && outcomes.every(({ made }) => made === undefined)) throw failed.error;
    return new Set(outcomes.flatMap(({ made }) => made ?? []));
  }

  /** The range that was looked at, for queries. */
  #bounds(): { startTime: string; endTime: string } {
    const { start, end } = this.within ?? { start: null, end: null };
    return { startTime: start === null ? "" : writeTime(start), endTime: end === null ? "" : writeTime(end) };
  }

  async #spans(reach: number, signal: AbortSignal): Promise<Span[]> {
    this.reach = reach;
    this.within = this.#around(reach);
    const sources = [...spanDatasets(catalogue.queryableFields)];
    const newest = (dataset: string) => catalogue.figures.get(dataset)?.maxTime ?? "";
    sources.sort(([a], [b]) => newest(b).localeCompare(newest(a)) || a.localeCompare(b));
    const known = new Map(sources.slice(0, DATASETS));
    this.passedOver = sources.length - known.size;
    const outcomes = await forEach([...known.keys()], (dataset) => this.#spansIn(dataset, known.get(dataset)!, signal));
    signal.throwIfAborted();
    const wrong = outcomes.filter(({ error }) => error !== undefined);
    if (wrong.length > 0 && wrong.length === outcomes.length) throw wrong[0]!.error;
    this.failed = wrong.map(({ name, error }) => ({ dataset: name, why: asApiError(error).message }));
    const spans = outcomes.flatMap(({ made }) => made?.spans ?? []);
    spans.sort((a, b) => (a.start < b.start ? -1 : a.start > b.start ? 1 : 0));
    const all = outcomes.reduce((sum, { made }) => sum + (made?.all ?? 0), 0);
    const shown = spans.slice(0, SPANS);
    this.all = all > shown.length ? all : null;
    return shown;
  }

  async #spansIn(dataset: string, fields: SpanFields, signal: AbortSignal): Promise<{ spans: Span[]; all: number }> {
    const source = { dataset, fields };
    const bounds = this.#bounds();
    const asked = { apl: spansOf(source, this.#trace), ...bounds, includeCursorField: true };
    const { answer } = await ask(asked, { signal });
    const spans = readRows(answer.tables[0], (row) => readSpan(row, dataset, fields.unit));
    if (spans.length < SPANS && !answer.status.isPartial) return { spans, all: spans.length };
    const { answer: counted } = await ask({ apl: countOf(source, this.#trace), ...bounds }, { signal });
    return { spans, all: count(counted.tables[0]?.columns[0]?.[0]) };
  }

  async #readLogs(tree: Tree, signal: AbortSignal): Promise<void> {
    if (tree.nodes.length === 0) return;
    const margin = HOUR / 12n;
    const within = { start: tree.start - margin, end: tree.start + BigInt(Math.round(tree.length)) + margin };
    const newest = (dataset: string) => catalogue.figures.get(dataset)?.maxTime ?? "";
    try {
      const logs = await logsOf(this.#trace, catalogue.queryableFields, newest, within, signal);
      if (!signal.aborted) this.logs = logs;
    } catch {
      // Given up: another reading has begun.
    }
  }

  #around(reach: number): Moments | null {
    const by = REACHES[reach];
    if (by === null || by === undefined) return null;
    if (this.#at !== null) return { start: this.#at - by, end: this.#at + by };
    const now = nowMs();
    const chosen = (this.#range && resolveRange(this.#range, now)) ?? { start: fromMs(now) - HOUR, end: fromMs(now) };
    return reach === 0 ? chosen : { start: chosen.start - by, end: chosen.end + by };
  }
}
