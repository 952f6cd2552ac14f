// Labels of an endpoint as rows of a form. What is typed is a text; a number or a truth value that was there before stays
// one as long as its text is one.

import type { Labels } from "../../api/endpoints.ts";
import { parseExact } from "../../values/exact-json.ts";
import { fullText } from "../../values/show.ts";
import type { Value } from "../../values/value.ts";

export interface LabelRow {
  name: string;
  text: string;
  /** What it was before somebody typed. */
  was?: Value;
}

export function rowsOf(labels: Labels): LabelRow[] {
  return Object.entries(labels).map(([name, was]) => ({ name, text: shown(was), was }));
}

/** The labels that rows mean. A row without a name and a value is none. */
export function labelsOf(rows: LabelRow[]): Labels {
  const kept = rows.filter(({ name, text }) => name.trim() !== "" || text !== "");
  return Object.fromEntries(kept.map((row) => [row.name.trim(), valueIn(row)]));
}

function valueIn({ text, was }: LabelRow): Value {
  if (was === undefined || typeof was === "string") return text;
  if (text === shown(was)) return was;
  const isNumber = (typeof was === "number" || typeof was === "bigint") && /^-?\d+(\.\d+)?$/.test(text);
  const isTruth = typeof was === "boolean" && /^(true|false)$/.test(text);
  return isNumber || isTruth ? parseExact(text) : text;
}

const shown = (value: Value) => (value === null ? "null" : fullText(value));

/** What keeps rows from being labels, in words; empty if nothing does. */
export function problemOf(rows: LabelRow[]): string {
  const names = rows.filter(({ name, text }) => name.trim() !== "" || text !== "").map(({ name }) => name.trim());
  if (names.includes("")) return "Each label needs a name.";
  const twice = names.find((name, place) => names.indexOf(name) !== place);
  return twice === undefined ? "" : `The label ${twice} is there twice.`;
}

/** `site=pier`, for a list. */
export function labelText(name: string, value: Value): string {
  return `${name}=${shown(value)}`;
}
