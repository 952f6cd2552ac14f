// A list of events that is read page by page with exact cursors: no row twice and none missing while others arrive. Only
// some pages are kept. A jump into the middle begins at the bucket of the histogram that holds the place, then goes on
// by cursor.

import { ask, type Field, type QueryRequest, type Table } from "../api/query.ts";
import { CURSOR, Page, type Row, type RowSource } from "./rows.ts";

export const PAGE = 500;
const KEPT = 80;
const SKIM = 50_000;

/** So many rows are newer than `end`. */
export interface Anchor {
  before: number;
  end: string;
}

interface Edge {
  cursor?: string;
  endTime?: string;
}

export class EventPages implements RowSource {
  version = $state(0);
  problem = $state.raw<unknown>(null);
  fields = $state.raw<Field[]>([]);
  readonly continues: RowSource | null;
  readonly #request: QueryRequest;
  /** The same events with their times alone, to count rows that are passed over; null where that cannot be asked. */
  readonly #skim: string | null;
  readonly #pages = new Map<number, Page>();
  /** Where a page begins, for those that were reached. */
  readonly #edges = new Map<number, Edge>();
  readonly #loading = new Set<number>();
  /** Pages that could not be read. */
  readonly #missing = new Set<number>();
  readonly #abort = new AbortController();
  #anchors: Anchor[] = [];
  #known: number | null = null;
  #end: number | null = null;

  constructor(request: QueryRequest, skim: string | null, first: Table, continues: RowSource | null = null) {
    this.continues = continues;
    this.#request = request;
    this.#skim = skim;
    this.#edges.set(0, {});
    this.#take(0, first);
  }

  get total(): number {
    void this.version;
    if (this.#end !== null) return this.#end;
    const reached =
      Math.max(...this.#edges.keys()) * PAGE + (this.#pages.get(Math.max(...this.#edges.keys()))?.count ?? 0);
    return this.#canJump ? Math.max(this.#known ?? 0, reached) : reached + PAGE;
  }

  get isOpen(): boolean {
    void this.version;
    return this.#end === null && this.#known === null;
  }

  /** Takes what the histogram has counted: the number of all rows, and where buckets begin. */
  count(total: number, anchors: Anchor[]): void {
    this.#known = total;
    this.#anchors = anchors;
    this.version += 1;
  }

  row(index: number): Row | undefined {
    void this.version;
    const page = this.#pages.get(Math.floor(index / PAGE));
    const at = index % PAGE;
    return page && at < page.count ? page.row(at) : undefined;
  }

  want(first: number, last: number): void {
    for (let page = Math.floor(first / PAGE); page <= Math.floor(last / PAGE); page++) {
      if (this.#pages.has(page)) {
        // The latest looked at is the last to go.
        const found = this.#pages.get(page)!;
        this.#pages.delete(page);
        this.#pages.set(page, found);
      } else if (!this.#loading.has(page) && (this.#end === null || page * PAGE < this.#end)) void this.#load(page);
    }
  }

  *loaded(): Iterable<{ index: number; row: Row }> {
    for (const number of [...this.#pages.keys()].sort((a, b) => a - b)) {
      const page = this.#pages.get(number)!;
      for (let at = 0; at < page.count; at++) yield { index: number * PAGE + at, row: page.row(at) };
    }
  }

  /** Asks once more for the pages that could not be read. */
  async again(): Promise<void> {
    const missing = [...this.#missing];
    this.#missing.clear();
    this.problem = null;
    await Promise.all(missing.map((page) => this.#load(page)));
  }

  end(): void {
    this.#abort.abort();
  }

  get #canJump(): boolean {
    return this.#skim !== null && this.#known !== null;
  }

  async #load(page: number): Promise<void> {
    this.#loading.add(page);
    try {
      const edge = await this.#edge(page);
      if (!edge) return;
      const { answer } = await ask({ ...this.#request, ...edge, defaultLimit: PAGE }, { signal: this.#abort.signal });
      const table = answer.tables[0];
      if (table) this.#take(page, table);
    } catch (error) {
      if (this.#abort.signal.aborted) return;
      this.#missing.add(page);
      this.problem = error;
    } finally {
      this.#loading.delete(page);
    }
  }

  /** Finds where a page begins: known, or counted on from the nearest place before it. */
  async #edge(page: number): Promise<Edge | null> {
    const known = this.#edges.get(page);
    if (known) return known;
    const wanted = page * PAGE;
    let nearest = { before: 0, edge: this.#edges.get(0)! };
    for (const [number, edge] of this.#edges) {
      if (number <= page && number * PAGE > nearest.before) nearest = { before: number * PAGE, edge };
    }
    for (const anchor of this.#anchors) {
      if (anchor.before <= wanted && anchor.before > nearest.before)
        nearest = { before: anchor.before, edge: { endTime: anchor.end } };
    }
    if (!this.#skim) return null;
    let { before, edge } = nearest;
    while (before < wanted) {
      const defaultLimit = Math.min(SKIM, wanted - before);
      const { answer } = await ask(
        { ...this.#request, ...edge, apl: this.#skim, defaultLimit },
        { signal: this.#abort.signal },
      );
      const table = answer.tables[0];
      const ids = table?.columns[table.fields.findIndex(({ name }) => name === CURSOR)] ?? [];
      const last = ids.at(-1);
      if (typeof last !== "string" || ids.length < defaultLimit) {
        this.#end = before + ids.length;
        this.version += 1;
        return null;
      }
      before += ids.length;
      edge = { cursor: last };
    }
    this.#edges.set(page, edge);
    return edge;
  }

  #take(page: number, table: Table): void {
    const taken = new Page(table);
    this.#pages.set(page, taken);
    const last = taken.count > 0 ? taken.row(taken.count - 1).id : null;
    if (taken.count < PAGE) this.#end = page * PAGE + taken.count;
    else if (last) this.#edges.set(page + 1, { cursor: last });
    for (const oldest of this.#pages.keys()) {
      if (this.#pages.size <= KEPT) break;
      this.#pages.delete(oldest);
    }
    if (this.fields.length === 0 || taken.fields.length > this.fields.length) this.fields = taken.fields;
    this.version += 1;
  }
}
