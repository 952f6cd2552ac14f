// The events around one, in the order of the table: newest first, and those of one moment as they were sent. Row ids
// decide, so it does not matter how many events have the same time.

import { ask, type Table } from "../../api/query.ts";
import { tableName } from "../../apl/names.ts";
import { CURSOR, Page, type Row } from "../../table/rows.ts";
import { writeTime } from "../../time/nanoseconds.ts";
import { timeOfRow } from "../../time/row-id.ts";

export interface Surrounding {
  rows: Row[];
  /** Where the event itself stands, or -1 if it is not there. */
  at: number;
}

const DAY = 86_400_000_000_000n;
const MOST_OF_A_MOMENT = 2000;

/** `conditions` are what the neighbours must have in common with the event. */
export async function surrounding(
  dataset: string,
  id: string,
  conditions: string[],
  each: number,
  signal?: AbortSignal,
): Promise<Surrounding> {
  const time = timeOfRow(id);
  if (time === null) return { rows: [], at: -1 };
  const base = [tableName(dataset), ...conditions.map((condition) => `where ${condition}`)].join(" | ");
  const get = async (apl: string, start: bigint, end: bigint, defaultLimit: number) => {
    const { answer } = await ask(
      { apl, startTime: writeTime(start), endTime: writeTime(end), defaultLimit, includeCursorField: true },
      { signal },
    );
    return rowsOf(answer.tables[0]);
  };
  const [later, same, earlier] = await Promise.all([
    get(`${base} | sort by _time asc`, time + 1n, time + 30n * DAY, each),
    get(base, time, time + 1n, MOST_OF_A_MOMENT),
    get(base, time - 30n * DAY, time, each),
  ]);
  const place = same.findIndex((row) => row.id === id);
  const before = same.slice(Math.max(0, place - each), place);
  const after = same.slice(place + 1, place + 1 + each);
  const newer = [...newestFirst(later).slice(-Math.max(0, each - before.length) || later.length), ...before];
  const wanted = before.length >= each ? before : newer;
  const older = [...after, ...earlier].slice(0, each);
  const rows = place < 0 ? [...newestFirst(later), ...same, ...earlier] : [...wanted, same[place]!, ...older];
  return { rows, at: place < 0 ? -1 : wanted.length };
}

/** Turns the order of times around and leaves those of one moment as they were sent. */
function newestFirst(rows: Row[]): Row[] {
  const moments: Row[][] = [];
  for (const row of rows) {
    const last = moments.at(-1);
    if (last && timeOfRow(last[0]?.id ?? "") === timeOfRow(row.id ?? "")) last.push(row);
    else moments.push([row]);
  }
  return moments.reverse().flat();
}

function rowsOf(table: Table | undefined): Row[] {
  if (!table?.fields.some(({ name }) => name === CURSOR)) return [];
  const page = new Page(table);
  return Array.from({ length: page.count }, (_, at) => page.row(at));
}
