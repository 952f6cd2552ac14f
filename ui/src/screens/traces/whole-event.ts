// One event with all of its fields, by its row id.

import { ask } from "../../api/query.ts";
import { tableName } from "../../apl/names.ts";
import { Page } from "../../table/rows.ts";
import { writeTime } from "../../time/nanoseconds.ts";
import { timeOfRow } from "../../time/row-id.ts";
import type { Value } from "../../values/value.ts";

/** Null if it is gone. */
export async function wholeEvent(
  dataset: string,
  cursor: string,
  signal?: AbortSignal,
): Promise<Record<string, Value> | null> {
  const ns = timeOfRow(cursor);
  if (ns === null) return null;
  const request = {
    apl: tableName(dataset),
    startTime: writeTime(ns),
    endTime: writeTime(ns + 1n),
    defaultLimit: 1,
    cursor,
    includeCursor: true,
    includeCursorField: true,
  };
  const { answer } = await ask(request, { signal });
  const page = answer.tables[0] ? new Page(answer.tables[0]) : null;
  const row = page && page.count > 0 ? page.row(0) : null;
  return row?.id === cursor ? row.object(true) : null;
}
