// The filters of a dashboard as variables of its queries: which there are, what each begins with, which wait for others,
// and the text of a query with its values written into it.

import type { Chart, Document } from "../../api/dashboards.ts";
import { isObject, type Value } from "../../values/value.ts";

export interface Option {
  name: string;
  value: string;
  isDefault: boolean;
}

export interface Filter {
  /** What queries call it. */
  id: string;
  name: string;
  kind: "search" | "select";
  /** Choices that the document lists. */
  options: Option[];
  /** Where further choices come from; empty for none. */
  query: string;
}

/** All filters of a document, in the order in which they are read. */
export function filtersOf(document: Document): Filter[] {
  const found = new Map<string, Filter>();
  for (const chart of document.charts)
    for (const filter of filtersIn(chart)) if (!found.has(filter.id)) found.set(filter.id, filter);
  return [...found.values()];
}

export function filtersIn(chart: Chart): Filter[] {
  if (chart.type !== "SmartFilter" || !Array.isArray(chart.filters)) return [];
  return chart.filters.flatMap((entry) => {
    if (!isObject(entry) || typeof entry.id !== "string" || entry.active === false) return [];
    const kind = entry.type === "select" ? "select" : "search";
    const query =
      isObject(entry.apl) && typeof entry.apl.apl === "string"
        ? entry.apl.apl
        : typeof entry.apl === "string"
          ? entry.apl
          : "";
    const name = typeof entry.name === "string" && entry.name !== "" ? entry.name : entry.id;
    return [
      {
        id: entry.id,
        name,
        kind,
        options: optionsIn(entry.options),
        query: kind === "select" && entry.selectType !== "list" ? query : "",
      },
    ];
  });
}

function optionsIn(value: Value | undefined): Option[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((entry) => {
    if (typeof entry === "string") return [{ name: entry, value: entry, isDefault: false }];
    if (!isObject(entry)) return [];
    const text = textOf(entry.value);
    return [{ name: textOf(entry.key) || text, value: text, isDefault: entry.default === true }];
  });
}

/** The choices in an answer: columns `key` and `value`, or the first one for both. */
export function optionsFrom(fields: { name: string }[], columns: Value[][]): Option[] {
  const at = (name: string) => fields.findIndex((field) => field.name === name);
  const valueAt = at("value") >= 0 ? at("value") : 0;
  const keyAt = at("key") >= 0 ? at("key") : valueAt;
  const seen = new Set<string>();
  const found: Option[] = [];
  (columns[valueAt] ?? []).forEach((value, row) => {
    if (value === null) return;
    const text = textOf(value);
    if (seen.has(text) || found.length >= OPTIONS_MOST) return;
    seen.add(text);
    found.push({ name: textOf(columns[keyAt]?.[row]) || text, value: text, isDefault: false });
  });
  return found;
}

/** Choices that a list shows at most. */
export const OPTIONS_MOST = 1000;

/** What a filter begins with. Null means that its choices have to be known first. */
export function beginning(filter: Filter, loaded: Option[] | null): string | null {
  if (filter.kind === "search") return "";
  const chosen = filter.options.find(({ isDefault }) => isDefault) ?? filter.options[0];
  if (chosen) return chosen.value;
  if (filter.query === "") return "";
  return loaded === null ? null : (loaded[0]?.value ?? "");
}

/** What is known of the filters at a moment, and what has to be asked next. */
export interface Known {
  /** Null while one of the values waits for its choices. */
  values: Map<string, string> | null;
  options: Map<string, Option[]>;
  /** Queries for choices that are not there yet. */
  missing: { key: string; apl: string; variables: Record<string, string> | undefined }[];
}

/** Goes through the filters in their order: the choices of one may depend on the values of those before it. `range` is
 *  part of what choices are kept under. */
export function known(
  filters: Filter[],
  chosen: ReadonlyMap<string, string>,
  loaded: ReadonlyMap<string, Option[]>,
  range: string,
): Known {
  const values = new Map<string, string>();
  const waiting = new Set<string>();
  const options = new Map<string, Option[]>();
  const missing: Known["missing"] = [];
  for (const filter of filters) {
    let found: Option[] | null = null;
    if (filter.query !== "" && mentioned(filter.query, waiting).length === 0) {
      const variables = variablesFor(filter.query, values);
      const key = JSON.stringify([filter.query, variables ?? null, range]);
      found = loaded.get(key) ?? null;
      if (found === null) missing.push({ key, apl: filter.query, variables });
    }
    options.set(filter.id, withoutRepeats([...filter.options, ...(found ?? [])]));
    const value = chosen.get(filter.id) ?? beginning(filter, found);
    if (value === null) waiting.add(filter.id);
    else values.set(filter.id, value);
  }
  return { values: waiting.size === 0 ? values : null, options, missing };
}

function withoutRepeats(options: Option[]): Option[] {
  const seen = new Set<string>();
  return options.filter(({ value }) => !seen.has(value) && seen.add(value));
}

/** Which names of variables stand in a query. A word inside of a text counts too, which does no harm. */
export function mentioned(apl: string, ids: Iterable<string>): string[] {
  const words = new Set(apl.match(/[\p{L}_][\p{L}\p{N}_]*/gu) ?? []);
  return [...ids].filter((id) => words.has(id));
}

/** The filters of which the choices depend on this one: those behind it that name it. */
export function dependents(filters: Filter[], id: string): string[] {
  const at = filters.findIndex((filter) => filter.id === id);
  const touched = [id];
  for (const filter of filters.slice(at + 1)) {
    if (filter.query !== "" && mentioned(filter.query, touched).length > 0) touched.push(filter.id);
  }
  return touched.slice(1);
}

/** The variables that a query is asked with. Only those it names, so that others do not ask it anew. */
export function variablesFor(apl: string, values: ReadonlyMap<string, string>): Record<string, string> | undefined {
  const names = mentioned(apl, values.keys());
  if (names.length === 0) return undefined;
  return Object.fromEntries(names.map((name) => [name, values.get(name) ?? ""]));
}

/** The query with the values written into it, for places that know no variables. */
export function inlined(apl: string, values: ReadonlyMap<string, string>): string {
  const names = mentioned(apl, values.keys());
  if (names.length === 0) return apl;
  const lines = names.map((name) => `let ${name} = ${quoted(values.get(name) ?? "")};`);
  // A `let` goes before the default that a declaration behind it gives.
  return `${lines.join("\n")}\n${apl}`;
}

export function quoted(text: string): string {
  const inner = text
    .replaceAll("\\", "\\\\")
    .replaceAll('"', '\\"')
    .replaceAll("\n", "\\n")
    .replaceAll("\r", "\\r")
    .replaceAll("\t", "\\t");
  return `"${inner}"`;
}

function textOf(value: Value | undefined): string {
  if (value === null || value === undefined) return "";
  return typeof value === "string" ? value : typeof value === "object" ? JSON.stringify(value) : String(value);
}
