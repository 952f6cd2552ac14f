// Writes rows as CSV for people. A text that a spreadsheet would take for a formula gets an apostrophe before it;
// numbers stay numbers, also negative ones.

import { fullText } from "../values/show.ts";
import type { Value } from "../values/value.ts";

// In all widths, also behind what is not seen; as the service does it in exported files.
const FORMULA =
  /^(?:[\s\p{Cc}\p{Default_Ignorable_Code_Point}]*[=+\-@\u2212\ufe62\ufe63\ufe66\ufe6b\uff0b\uff0d\uff1d\uff20]|[\t\r])/u;

export function csvCell(value: Value | undefined): string {
  if (value === null || value === undefined) return "";
  let text = fullText(value);
  if (typeof value === "string" && FORMULA.test(text)) text = `'${text}`;
  return /[",\r\n]/.test(text) || text !== text.trim() ? `"${text.replaceAll('"', '""')}"` : text;
}

export function writeCsv(names: string[], columns: Value[][]): string {
  const count = columns[0]?.length ?? 0;
  const lines = [names.map(csvCell).join(",")];
  for (let row = 0; row < count; row++) lines.push(columns.map((column) => csvCell(column[row])).join(","));
  return `${lines.join("\r\n")}\r\n`;
}
