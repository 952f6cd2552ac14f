// Reads stages into rows of a form and writes rows back as stages. What the form does not know stays a stage of text,
// so that changing between form and text never loses anything.

import type { Stage } from "./stages.ts";

export const OPERATORS = [
  "==",
  "!=",
  ">",
  ">=",
  "<",
  "<=",
  "contains",
  "!contains",
  "has",
  "!has",
  "startswith",
  "endswith",
  "matches regex",
  "exists",
  "not exists",
] as const;

export const AGGREGATES = [
  "count",
  "dcount",
  "sum",
  "avg",
  "min",
  "max",
  "percentile",
  "countif",
  "topk",
  "rate",
] as const;

export type Row =
  | { kind: "where"; field: string; operator: string; value: string }
  | { kind: "summarize"; aggregates: { name: string; arguments: string }[]; by: string[] }
  | { kind: "sort"; by: string }
  | { kind: "take"; count: string }
  | { kind: "text"; text: string };

const NAME = String.raw`(?:[A-Za-z_][\w.]*|\[(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")\])`;
const VALUE = String.raw`(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|-?\d+(?:\.\d+)?|true|false|datetime\([^()]*\)|\d+(?:ms|s|m|h|d))`;
const WHERE = new RegExp(
  String.raw`^(?:where|filter)\s+(${NAME})\s*(==|!=|>=|<=|>|<|!?contains|!?has|startswith|endswith|matches regex)\s*(${VALUE})$`,
);
const EXISTS = new RegExp(String.raw`^(?:where|filter)\s+(isnotnull|isnull)\((${NAME})\)$`);

export function readRow(stage: Stage): Row {
  const where = WHERE.exec(stage.text);
  if (where) return { kind: "where", field: where[1]!, operator: where[2]!, value: where[3]! };
  const exists = EXISTS.exec(stage.text);
  if (exists) {
    return {
      kind: "where",
      field: exists[2]!,
      operator: exists[1] === "isnotnull" ? "exists" : "not exists",
      value: "",
    };
  }
  if (stage.word === "summarize") return readSummarize(stage.text) ?? { kind: "text", text: stage.text };
  const sort = /^(?:sort|order) by\s+(.+)$/s.exec(stage.text);
  if (sort && !sort[1]!.includes("(")) return { kind: "sort", by: sort[1]! };
  const take = /^(?:take|limit)\s+(\d+)$/.exec(stage.text);
  if (take) return { kind: "take", count: take[1]! };
  return { kind: "text", text: stage.text };
}

export function writeRow(row: Row): string {
  switch (row.kind) {
    case "where":
      if (row.operator === "exists") return `where isnotnull(${row.field})`;
      if (row.operator === "not exists") return `where isnull(${row.field})`;
      return `where ${row.field} ${row.operator} ${row.value}`;
    case "summarize": {
      const aggregates = row.aggregates.map(({ name, arguments: inner }) => `${name}(${inner})`).join(", ");
      return `summarize ${aggregates}${row.by.length > 0 ? ` by ${row.by.join(", ")}` : ""}`;
    }
    case "sort":
      return `sort by ${row.by}`;
    case "take":
      return `take ${row.count}`;
    case "text":
      return row.text;
  }
}

/** A value as it was typed into the form: numbers, truth values and quoted texts stay, all else becomes a text. */
export function writtenValue(typed: string, fieldType: string): string {
  const text = typed.trim();
  if (new RegExp(`^${VALUE}$`).test(text) && !(fieldType === "string" && /^[-\dtf]/.test(text))) return text;
  return JSON.stringify(typed);
}

function readSummarize(text: string): Row | null {
  const inner = text.replace(/^summarize\s+/, "");
  const [before = "", after] = splitBy(inner);
  const aggregates: { name: string; arguments: string }[] = [];
  for (const part of splitTop(before)) {
    const found = /^([a-z_]+)\(([^()]*)\)$/.exec(part);
    if (!found) return null;
    aggregates.push({ name: found[1]!, arguments: found[2]! });
  }
  const by = after === undefined ? [] : splitTop(after);
  if (aggregates.length === 0 || by.some((key) => key.includes("="))) return null;
  return { kind: "summarize", aggregates, by };
}

function splitBy(text: string): [string, string | undefined] {
  const found = /\sby\s/.exec(text);
  if (!found) return [text, undefined];
  return [text.slice(0, found.index), text.slice(found.index + found[0].length)];
}

function splitTop(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let from = 0;
  for (let at = 0; at <= text.length; at++) {
    const sign = text[at];
    if (sign === "(" || sign === "[") depth += 1;
    else if (sign === ")" || sign === "]") depth -= 1;
    else if ((sign === "," && depth === 0) || at === text.length) {
      const part = text.slice(from, at).trim();
      if (part) parts.push(part);
      from = at + 1;
    }
  }
  return parts;
}
