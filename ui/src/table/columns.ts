// Which columns a table of events has, and how a link says it: `_time,level~90,message`.

import type { Field } from "../api/query.ts";

export interface Column {
  field: string;
  width: number;
  pinned: boolean;
}

/** Not a field: all other values of an event in one line. */
export const SUMMARY = "*";

const LEVELS = ["level", "severity", "severity_text", "severityText", "log.level", "lvl"];
const MESSAGES = ["message", "msg", "body", "log", "text", "error"];

export function levelField(fields: Field[]): string | null {
  return LEVELS.find((name) => fields.some((field) => field.name === name)) ?? null;
}

export function messageField(fields: Field[]): string | null {
  return MESSAGES.find((name) => fields.some((field) => field.name === name)) ?? null;
}

export function defaultWidth(field: string, type = ""): number {
  if (field === "_time" || field === "_sysTime" || type === "datetime") return 156;
  if (field === SUMMARY) return 640;
  if (LEVELS.includes(field)) return 76;
  if (MESSAGES.includes(field)) return 520;
  if (type === "boolean") return 72;
  if (/^(integer|float)$/.test(type)) return 112;
  return Math.min(220, Math.max(96, field.length * 8 + 40));
}

/**
 * What is shown when nobody chose: time, level and message where there are such fields, then everything else. Fields that
 * are left out have no column of their own.
 */
export function defaultColumns(all: Field[], isEvents: boolean, leftOut: ReadonlySet<string> = new Set()): Column[] {
  const fields = leftOut.size === 0 ? all : all.filter(({ name }) => !leftOut.has(name));
  const column = (field: string, type = "") => ({ field, width: defaultWidth(field, type), pinned: false });
  // Groups are read first, and their names say little of how long their values are.
  const group = (name: string, type: string) => ({
    ...column(name, type),
    width: Math.max(112, defaultWidth(name, type)),
  });
  if (!isEvents) return fields.map(({ name, type }) => (type === "string" ? group(name, type) : column(name, type)));
  const hasTime = fields.some(({ name }) => name === "_time");
  const level = levelField(fields);
  const message = messageField(fields);
  return [
    ...(hasTime ? [column("_time")] : []),
    ...(level ? [column(level)] : []),
    ...(message ? [column(message)] : []),
    column(SUMMARY),
  ];
}

export function writeColumns(columns: Column[]): string {
  return columns
    .map(({ field, width, pinned }) => `${encodeURIComponent(field)}~${Math.round(width)}${pinned ? "!" : ""}`)
    .join(",");
}

export function readColumns(text: string, fields: Field[]): Column[] {
  return text
    .split(",")
    .map((part) => /^(.*?)(?:~(\d+))?(!)?$/.exec(part))
    .filter((found) => found !== null && found[1] !== "")
    .map((found) => {
      const field = decoded(found![1]!);
      const type = fields.find(({ name }) => name === field)?.type ?? "";
      const width = Math.min(2000, Math.max(48, Number(found![2] ?? defaultWidth(field, type))));
      return { field, width, pinned: found![3] === "!" };
    });
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
