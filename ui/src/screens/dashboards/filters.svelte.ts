// The filters of a dashboard while it is looked at: what was chosen is in the address, and choices that come from queries
// are asked for, those of one filter after those that it depends on.

import { address } from "../../address/address.svelte.ts";
import { askMany } from "../../api/batch.ts";
import { nowMs } from "../../api/clock.ts";
import { asApiError, isAborted } from "../../api/errors.ts";
import { fixed, type Range, resolveRange } from "../../time/range.ts";
import { beginning, dependents, type Filter, type Known, known, type Option, optionsFrom } from "./variables.ts";

/** How the address names the value of a filter. */
export const PREFIX = "v.";

/** An empty value that was chosen, where the document begins with another one; the address keeps no empty ones. */
export const EMPTY = " ";

export class Filters {
  #list = $state.raw<Filter[]>([]);
  #range = $state.raw<Range>({ start: "now-1h", end: "now" });
  #loaded = $state.raw<ReadonlyMap<string, Option[]>>(new Map());
  #problems = $state.raw<ReadonlyMap<string, string>>(new Map());
  #asking = new Set<string>();
  #abort = new AbortController();
  readonly #known = $derived.by(() => this.#look());

  configure(list: Filter[], range: Range): void {
    this.#list = list;
    this.#range = range;
  }

  get list(): Filter[] {
    return this.#list;
  }

  /** Null while one of them is not known. */
  get values(): Map<string, string> | null {
    return this.#known.values;
  }

  value(id: string): string {
    return this.#chosen(id) ?? this.#known.values?.get(id) ?? "";
  }

  options(id: string): Option[] {
    return this.#known.options.get(id) ?? [];
  }

  /** What is wrong with the query for the choices of a filter. */
  problem(filter: Filter): string {
    return this.#problems.get(filter.query) ?? "";
  }

  /** Chooses a value. What depends on it begins anew. */
  choose(id: string, value: string): void {
    const filter = this.#list.find((entry) => entry.id === id);
    const isBeginning = filter !== undefined && value === beginning(filter, []);
    const parameters: Record<string, string | null> = { [PREFIX + id]: isBeginning ? null : value || EMPTY };
    for (const other of dependents(this.#list, id)) parameters[PREFIX + other] = null;
    address.change(parameters);
  }

  /** Asks for choices that are missing. To be called in an effect. */
  load(): void {
    const missing = this.#known.missing.filter(({ key }) => !this.#asking.has(key));
    const moments = resolveRange(this.#range, nowMs());
    if (missing.length === 0 || !moments) return;
    const { start, end } = fixed(moments);
    for (const { key } of missing) this.#asking.add(key);
    const queries = missing.map(({ apl, variables }, place) => ({
      id: String(place),
      request: { apl, startTime: start, endTime: end, ...(variables ? { variables } : {}) },
    }));
    const take = (place: number, options: Option[], problem: string) => {
      const entry = missing[place]!;
      this.#asking.delete(entry.key);
      this.#loaded = new Map(this.#loaded).set(entry.key, options);
      this.#problems = new Map(this.#problems).set(entry.apl, problem);
    };
    askMany(queries, this.#abort.signal, ({ id, answer, error }) => {
      const table = answer?.tables[0];
      take(Number(id), table ? optionsFrom(table.fields, table.columns) : [], error?.message ?? "");
    }).catch((reason) => {
      // Panels do not wait for ever: a filter without choices is like one that lets everything through.
      if (isAborted(reason)) return;
      for (const place of missing.keys()) take(place, [], asApiError(reason).message);
    });
  }

  end(): void {
    this.#abort.abort();
  }

  #chosen(id: string): string | null {
    const value = address.get(PREFIX + id);
    return value === EMPTY ? "" : value;
  }

  #look(): Known {
    const chosen = new Map<string, string>();
    for (const { id } of this.#list) {
      const value = this.#chosen(id);
      if (value !== null) chosen.set(id, value);
    }
    return known(this.#list, chosen, this.#loaded, `${this.#range.start} ${this.#range.end}`);
  }
}
