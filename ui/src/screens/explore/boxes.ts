// Where the values of numbers lie on both sides of a comparison, for boxes beside their stretches.

import { ask } from "../../api/query.ts";
import { fieldName } from "../../apl/names.ts";
import { toFloat } from "../../values/value.ts";
import type { Asked } from "./exploration.svelte.ts";

/** The 5th, 25th, 50th, 75th and 95th of a hundred values. */
export type Box = [number, number, number, number, number];

export interface Boxes {
  inside: Box | null;
  outside: Box | null;
}

/** So many fields are looked at: those that differ most. */
const MOST = 12;

export async function boxesOf(
  asked: Asked,
  condition: string,
  fields: string[],
  signal: AbortSignal,
): Promise<Map<string, Boxes>> {
  const wanted = fields.slice(0, MOST);
  const found = new Map<string, Boxes>();
  if (wanted.length === 0) return found;
  const parts = wanted.map((field, place) => `p${place} = percentiles_array(${fieldName(field)}, 5, 25, 50, 75, 95)`);
  const apl = `${asked.base}\n| summarize ${parts.join(", ")} by side = (${condition})`;
  const { answer } = await ask({ apl, startTime: asked.startTime, endTime: asked.endTime }, { signal });
  const table = answer.tables[0];
  const place = (name: string) => table?.fields.findIndex((field) => field.name === name) ?? -1;
  const sides = table?.columns[place("side")] ?? [];
  wanted.forEach((field, number) => {
    const column = table?.columns[place(`p${number}`)] ?? [];
    const box = (side: boolean): Box | null => {
      const value = column[sides.indexOf(side)];
      const numbers = Array.isArray(value) ? value.map(toFloat) : [];
      return numbers.length === 5 && numbers.every((entry) => entry !== null) ? (numbers as Box) : null;
    };
    found.set(field, { inside: box(true), outside: box(false) });
  });
  return found;
}
