// How many events each dataset got over the last day, for the small curves of the list: one connection for all of them.

import { nowMs } from "../../api/clock.ts";
import { readEvents } from "../../api/event-stream.ts";
import type { QueryAnswer } from "../../api/query.ts";
import { send } from "../../api/request.ts";
import { tableName } from "../../apl/names.ts";
import { fromMs, parseTime, writeTime } from "../../time/nanoseconds.ts";

const STEPS = 24;
const HOUR = 3_600_000_000_000n;

export async function activity(
  names: string[],
  onfound: (name: string, counts: number[]) => void,
  signal: AbortSignal,
): Promise<void> {
  const end = fromMs(nowMs());
  const start = end - BigInt(STEPS) * HOUR;
  for (let from = 0; from < names.length; from += 100) {
    const queries = names.slice(from, from + 100).map((name) => ({
      queryId: name,
      aplRequest: {
        apl: `${tableName(name)} | summarize n = count() by bin(_time, 1h)`,
        startTime: writeTime(start),
        endTime: writeTime(end),
      },
    }));
    const response = await send("/v1/query/batch", { body: queries, accept: "text/event-stream", signal });
    if (!response.body) return;
    for await (const { data } of readEvents(response.body)) {
      const { queryId, data: answer } = JSON.parse(data) as { queryId: string; data?: QueryAnswer };
      const table = answer?.tables[0];
      if (!table) continue;
      const counts = new Array<number>(STEPS).fill(0);
      const times = table.columns[table.fields.findIndex(({ name }) => name === "_time")] ?? [];
      const numbers = table.columns[table.fields.findIndex(({ name }) => name === "n")] ?? [];
      times.forEach((text, row) => {
        const ns = parseTime(String(text));
        if (ns === null) return;
        const place = Math.max(0, Math.min(STEPS - 1, Number((ns - start) / HOUR)));
        counts[place] = (counts[place] ?? 0) + Number(numbers[row] ?? 0);
      });
      onfound(queryId, counts);
    }
  }
}
