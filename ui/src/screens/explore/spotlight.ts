// Compares some events with the others of the same range, field by field, by the service's own statistics.

import { ask } from "../../api/query.ts";
import { isObject, type Value } from "../../values/value.ts";
import type { Asked } from "./exploration.svelte.ts";

export interface Difference {
  value: Value;
  inside: number;
  outside: number;
  insideCount: number;
  outsideCount: number;
}

export interface Dimension {
  field: string;
  score: number;
  effect: number;
  chance: number;
  medianChange: number | null;
  differences: Difference[];
}

export async function spotlight(asked: Asked, condition: string, signal: AbortSignal): Promise<Dimension[]> {
  const { answer } = await ask(
    {
      apl: `${asked.base}\n| summarize spotlight(${condition}, *)`,
      startTime: asked.startTime,
      endTime: asked.endTime,
    },
    { signal },
  );
  const found = answer.tables[0]?.columns[0]?.[0];
  if (!Array.isArray(found)) return [];
  return found
    .filter(isObject)
    .map((entry) => ({
      field: String(entry.dimension ?? ""),
      score: Number(entry.delta_score ?? 0),
      effect: Number(entry.effect_size ?? 0),
      chance: Number(entry.p_value ?? 1),
      medianChange: entry.median_relative_change === null ? null : Number(entry.median_relative_change),
      differences: (Array.isArray(entry.differences) ? entry.differences : []).filter(isObject).map((difference) => ({
        value: difference.value ?? null,
        inside: Number(difference.comparison_percentage ?? 0),
        outside: Number(difference.baseline_percentage ?? 0),
        insideCount: Number(difference.comparison_count ?? 0),
        outsideCount: Number(difference.baseline_count ?? 0),
      })),
    }))
    .sort((a, b) => b.score - a.score);
}
