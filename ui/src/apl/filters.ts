// From a click on a value to a stage that can be read and removed: `| where status == 500`.

import type { Value } from "../values/value.ts";
import { fieldName, literal, quoted } from "./names.ts";
import { leading, takeApart, withoutStage, withStage } from "./stages.ts";

/** The condition that keeps, or leaves out, rows with this value; null where a value has no condition. */
export function condition(field: string, value: Value, type: string, keeps: boolean): string | null {
  const name = fieldName(field);
  if (value === null) return keeps ? `isnull(${name})` : `isnotnull(${name})`;
  if (Array.isArray(value) || typeof value === "object") {
    return `tostring(${name}) ${keeps ? "==" : "!="} ${quoted(JSON.stringify(value, (_, part) => (typeof part === "bigint" ? Number(part) : part)))}`;
  }
  const written = literal(value, type);
  return written === null ? null : `${name} ${keeps ? "==" : "!="} ${written}`;
}

const SPAN = /^(-?\d+(?:\.\d+)?(?:e[+-]?\d+)?) \.\. (-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)$/i;

/** The condition for a stretch of numbers that a comparison tells as `12.5 .. 40`; null if the text is none. */
export function spanCondition(field: string, value: Value, type: string, keeps: boolean): string | null {
  const found = typeof value === "string" && /integer|float/.test(type) ? SPAN.exec(value) : null;
  return found ? `${fieldName(field)} ${keeps ? "between" : "!between"} (${found[1]} .. ${found[2]})` : null;
}

/** The text with a filter behind those that are there; one that says the opposite gives way. */
export function withFilter(text: string, wanted: string): string {
  const query = takeApart(text);
  const stage = `where ${wanted}`;
  const same = query.stages.findIndex((found) => found.text === stage);
  if (same >= 0) return text;
  const opposite = query.stages.findIndex((found) => found.text === `where ${turned(wanted)}`);
  const cleared = opposite >= 0 ? withoutStage(text, opposite) : text;
  return withStage(cleared, stage, leading(takeApart(cleared)));
}

/** The filters that are shown as chips, by the index of their stage. */
export function filters(text: string): { index: number; text: string }[] {
  return takeApart(text)
    .stages.map((stage, index) => ({ index, text: stage.text.replace(/^(where|filter)\s+/i, ""), word: stage.word }))
    .filter(({ word }) => word === "where" || word === "filter" || word === "search")
    .map(({ index, text: shown }) => ({ index, text: shown }));
}

function turned(condition: string): string {
  if (condition.startsWith("isnull(")) return condition.replace("isnull(", "isnotnull(");
  if (condition.startsWith("isnotnull(")) return condition.replace("isnotnull(", "isnull(");
  return condition.includes(" == ") ? condition.replace(" == ", " != ") : condition.replace(" != ", " == ");
}
