// Events as they arrive: by the service's own stream in the order of arrival, or, where there is none or nothing is heard
// of it, by asking again and again with the last cursor, in the order of their times, which misses events that come late.

import { tableName } from "../apl/names.ts";
import { has } from "../session/shell.ts";
import { Page, type Row } from "../table/rows.ts";
import { fromMs, writeTime } from "../time/nanoseconds.ts";
import { parseAnswer } from "../values/parse.ts";
import { nowMs } from "./clock.ts";
import { type ApiError, asApiError, type ErrorBody, isAborted } from "./errors.ts";
import { readEvents } from "./event-stream.ts";
import { ask, askPlainly, type QueryAnswer, streamed, type Table } from "./query.ts";
import { send } from "./request.ts";
import { listen, Silence, type Timer, way } from "./silence.ts";

export interface Arrived {
  rows: Row[];
  /** Events that matched and are not among the rows. */
  leftOut: number;
}

export interface Tail {
  onrows: (arrived: Arrived) => void;
  onproblem: (problem: ApiError) => void;
  /** Hears whether events that arrive late, with an older time, are seen. */
  onway?: (seesLate: boolean) => void;
  signal: AbortSignal;
  timer?: Timer;
}

/** Where the following is. */
interface Place {
  /** When it began, in milliseconds. */
  since: number;
  /** Behind what the service's stream goes on. */
  position?: string;
  /** The id of the newest event that was seen. */
  last?: string;
  /** Nothing at all was heard of the stream. */
  isHeldBack: boolean;
}

interface Told {
  answer: QueryAnswer;
  dropped: number;
  position: string;
}

const BATCH = 2000;
const PAUSE = 500;

/** Follows a dataset behind some stages until the signal ends it. */
export async function tail(dataset: string, stages: string, options: Tail): Promise<void> {
  let wait = PAUSE;
  const place: Place = { since: nowMs(), isHeldBack: false };
  while (!options.signal.aborted) {
    try {
      const streams = has("tail") && !place.isHeldBack && !way.holdsBack;
      options.onway?.(streams);
      if (streams)
        await listen(({ signal, heard }) => stream(dataset, stages, place, { ...options, signal }, heard), options);
      else await poll(dataset, stages, place, options);
      wait = PAUSE;
    } catch (error) {
      if (isAborted(error) || options.signal.aborted) return;
      if (error instanceof Silence) {
        // One that broke off is begun anew.
        place.isHeldBack = !error.cameAfterWords;
        continue;
      }
      // Whatever it was, it may have been no matter of the way.
      place.isHeldBack = false;
      const problem = asApiError(error);
      options.onproblem(problem);
      // A question that is wrong stays wrong; all else may pass.
      if (problem.status === 400 || problem.status === 403 || problem.status === 404 || problem.status === 422) return;
      wait = Math.min(30_000, Math.max(wait * 2, (problem.retryAfter ?? 0) * 1000));
      await pause(wait, options.signal);
    }
  }
}

/** The newest events, so that a stream does not begin empty. */
export async function newest(dataset: string, stages: string, count: number, signal: AbortSignal): Promise<Row[]> {
  const end = fromMs(nowMs());
  const { answer } = await ask(
    {
      apl: text(dataset, stages),
      startTime: writeTime(end - 3_600_000_000_000n),
      endTime: writeTime(end),
      defaultLimit: count,
      includeCursorField: true,
    },
    { signal },
  );
  return inOrder(rowsOf(answer.tables[0]));
}

/** Oldest first; of one time in the order in which they came, as the stream goes on. */
function inOrder(rows: Row[]): Row[] {
  if (rows.some(({ id }) => !id)) return rows.reverse();
  return rows.sort((a, b) => (a.id! < b.id! ? -1 : 1));
}

async function poll(dataset: string, stages: string, place: Place, { onrows, signal }: Tail): Promise<void> {
  if (!place.last && !place.isHeldBack) see(place, await newest(dataset, stages, 1, signal));
  const begin = writeTime(fromMs(nowMs() - 3_600_000));
  while (!signal.aborted) {
    const request = {
      apl: `${text(dataset, stages)} | sort by _time asc`,
      startTime: place.last ? begin : writeTime(fromMs(place.isHeldBack ? place.since : nowMs() - 1000)),
      // Clocks of senders may be a little ahead.
      endTime: writeTime(fromMs(nowMs() + 300_000)),
      cursor: place.last,
      defaultLimit: BATCH,
      includeCursorField: true,
    };
    const { answer } = await askPlainly(request, { signal, streamingDuration: "20s" });
    if (place.isHeldBack) way.remember();
    const rows = rowsOf(answer.tables[0]);
    see(place, rows);
    if (rows.length > 0) onrows({ rows, leftOut: 0 });
    if (rows.length < BATCH) await pause(PAUSE, signal);
  }
}

/** A stream ends after some minutes; the next one goes on behind what was seen. */
async function stream(
  dataset: string,
  stages: string,
  place: Place,
  { onrows, signal }: Tail,
  heard: () => void,
): Promise<void> {
  const response = await send("/v1/query/tail", {
    body: { apl: text(dataset, stages), after: place.position },
    accept: "text/event-stream",
    signal,
  });
  if (!response.body) return;
  for await (const { event, data } of readEvents(response.body, heard)) {
    if (event === "error") throw streamed(JSON.parse(data) as ErrorBody);
    if (event !== "events") continue;
    const { answer, dropped, position } = (await parseAnswer(data)) as unknown as Told;
    place.position = position;
    const rows = rowsOf(answer.tables[0]);
    see(place, rows);
    onrows({ rows, leftOut: dropped });
  }
}

function see(place: Place, rows: Row[]): void {
  for (const { id } of rows) if (id && (!place.last || id > place.last)) place.last = id;
}

function text(dataset: string, stages: string): string {
  const rest = stages.trim().replace(/^\|/, "").trim();
  return rest ? `${tableName(dataset)} | ${rest}` : tableName(dataset);
}

function rowsOf(table: Table | undefined): Row[] {
  if (!table) return [];
  const page = new Page(table);
  return Array.from({ length: page.count }, (_, at) => page.row(at));
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
