// Names and values as the query language writes them, so that no name or value of an event can become a part of the
// query itself.

import type { Value } from "../values/value.ts";

const PLAIN = /^[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*$/;
// Words that mean something where a name could stand.
const WORDS = new Set([
  "and",
  "or",
  "not",
  "by",
  "in",
  "between",
  "true",
  "false",
  "null",
  "contains",
  "has",
  "startswith",
  "endswith",
  "matches",
  "asc",
  "desc",
  "on",
  "kind",
  "with",
  "let",
  "set",
  "print",
  "union",
  "search",
  "datatable",
  "range",
  "table",
  "declare",
  "externaldata",
  "to",
  "from",
  "step",
  "default",
  "limit",
  "of",
  "typeof",
  "where",
  "extend",
  "project",
  "count",
  "sort",
  "order",
  "take",
  "top",
  "join",
  "lookup",
  "parse",
  "sample",
  "distinct",
  "summarize",
]);

export function quoted(text: string): string {
  const inner = text
    .replaceAll("\\", "\\\\")
    .replaceAll('"', '\\"')
    .replaceAll("\n", "\\n")
    .replaceAll("\r", "\\r")
    .replaceAll("\t", "\\t");
  return `"${inner}"`;
}

/** A field's name where a field is meant. */
export function fieldName(name: string): string {
  return PLAIN.test(name) && !WORDS.has(name.toLowerCase()) ? name : `['${escapedName(name)}']`;
}

/** A dataset's name where a table is meant. */
export function tableName(name: string): string {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && !WORDS.has(name.toLowerCase()) ? name : `['${escapedName(name)}']`;
}

function escapedName(name: string): string {
  return name
    .replaceAll("\\", "\\\\")
    .replaceAll("'", "\\'")
    .replaceAll("\n", "\\n")
    .replaceAll("\r", "\\r")
    .replaceAll("\t", "\\t");
}

/** A value where one is meant; null where it cannot be written as one. */
export function literal(value: Value, type = ""): string | null {
  if (value === null) return null;
  if (typeof value === "string")
    return type === "datetime" ? `datetime(${value.replace(/[^0-9TZ:.+-]/g, "")})` : quoted(value);
  if (typeof value === "boolean") return String(value);
  if (typeof value === "bigint") return value.toString();
  if (typeof value === "number") return Number.isFinite(value) ? String(value) : null;
  return null;
}
