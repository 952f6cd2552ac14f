// Asks for a whole answer, as far as one answer goes, and hands it to the browser as a file.

import { ask } from "../api/query.ts";
import { CURSOR } from "../table/rows.ts";
import { stringifyExact } from "../values/exact-json.ts";
import type { Value } from "../values/value.ts";
import { writeCsv } from "./csv.ts";

const MOST = 50_000;

export async function downloadAnswer(
  asked: { apl: string; startTime: string; endTime: string; dataset: string | null },
  format: "csv" | "ndjson",
): Promise<{ rows: number; isCut: boolean }> {
  const { answer } = await ask({
    apl: asked.apl,
    startTime: asked.startTime,
    endTime: asked.endTime,
    defaultLimit: MOST,
  });
  const table = answer.tables[0];
  if (!table) return { rows: 0, isCut: false };
  const kept = table.fields.map((field, place) => ({ name: field.name, place })).filter(({ name }) => name !== CURSOR);
  const names = kept.map(({ name }) => name);
  const columns = kept.map(({ place }) => table.columns[place] ?? []);
  const rows = columns[0]?.length ?? 0;
  const text = format === "csv" ? writeCsv(names, columns) : writeNdjson(names, columns, rows);
  saveText(
    text,
    `${asked.dataset ?? "answer"}-${asked.endTime.slice(0, 19).replaceAll(":", "")}.${format}`,
    format === "csv" ? "text/csv" : "application/x-ndjson",
  );
  return { rows, isCut: rows >= MOST || answer.status.isPartial };
}

function writeNdjson(names: string[], columns: Value[][], rows: number): string {
  const lines: string[] = [];
  for (let row = 0; row < rows; row++) {
    const event: Record<string, Value> = Object.create(null);
    names.forEach((name, place) => {
      const value = columns[place]?.[row];
      if (value !== null && value !== undefined) event[name] = value;
    });
    lines.push(stringifyExact(event));
  }
  return lines.length > 0 ? `${lines.join("\n")}\n` : "";
}

/** Hands a text to the browser as a file. */
export function saveText(text: string, name: string, type: string): void {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
