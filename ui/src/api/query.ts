// Queries in text: asked plainly, or watched with progress and partial answers.

import { has } from "../session/shell.ts";
import { parseAnswer } from "../values/parse.ts";
import type { Value } from "../values/value.ts";
import { ApiError, type ErrorBody } from "./errors.ts";
import { readEvents } from "./event-stream.ts";
import { call, send } from "./request.ts";
import { type Listening, streamedOrPlain, type Timer } from "./silence.ts";

export interface Field {
  name: string;
  type: string;
  agg?: { name: string; fields?: string[]; args?: Value[] };
}

export interface Table {
  name: string;
  sources: { name: string }[];
  fields: Field[];
  order: { field: string; desc: boolean }[];
  groups: { name: string }[];
  range: { field: string; start: string; end: string };
  buckets?: { field: string; size: number };
  columns: Value[][];
}

export interface Message {
  priority: string;
  count: number;
  code: string;
  msg: string;
}

export interface Status {
  elapsedTime: number;
  blocksExamined: number;
  rowsExamined: number;
  rowsMatched: number;
  numGroups: number;
  isPartial: boolean;
  continuationToken: string;
  isEstimate: boolean;
  cacheStatus: number;
  minCursor?: string;
  maxCursor?: string;
  messages: Message[];
}

export interface Explain {
  plan: string;
  steps: { name: string; rows: number; elapsedMicros: number }[];
  blocks: { examined: number; skipped: number; cached: number };
  skipped: { why: string; blocks: number }[];
  bytesRead: number;
  bytesTotal: number;
  memoryPeak: number;
}

export interface QueryAnswer {
  format: string;
  status: Status;
  tables: Table[];
  datasetNames: string[];
  fieldsMetaMap: Record<string, FieldMeta[]>;
  explain?: Explain;
}

export interface FieldMeta {
  name: string;
  type: string;
  unit: string;
  hidden: boolean;
  description: string;
}

export interface QueryRequest {
  apl: string;
  startTime: string;
  endTime: string;
  defaultLimit?: number;
  cursor?: string;
  includeCursor?: boolean;
  includeCursorField?: boolean;
  maxBinAutoGroups?: number;
}

export interface Progress {
  elapsedTime: number;
  rowsExamined: number;
  rowsMatched: number;
  blocksDone: number;
  blocksTotal: number;
  bytesRead: number;
}

/** What a query cost, and what is left of the month. */
export interface Cost {
  cost: number;
  limit: number | null;
  remaining: number | null;
  historyId: string | null;
}

export interface Options {
  signal?: AbortSignal;
  explain?: boolean;
  nocache?: boolean;
  /** Keeps the query in the history. */
  keep?: boolean;
  streamingDuration?: string;
}

const PATH = "/v1/query/_apl";

/** Asks for an answer. A query that is wrong is told inside of the stream, so that nothing stands in the console. */
export async function ask(
  request: QueryRequest,
  options: { signal?: AbortSignal } = {},
): Promise<{ answer: QueryAnswer }> {
  return watch(request, options);
}

/** Asks without a stream, for what only headers tell: the cost and the id in the history. */
export async function askPlainly(
  request: QueryRequest,
  options: Options = {},
): Promise<{ answer: QueryAnswer; cost: Cost }> {
  const { data, headers } = await call<QueryAnswer>(PATH, {
    body: request,
    parameters: parameters(options),
    signal: options.signal,
  });
  return { answer: data, cost: costIn(headers) };
}

export interface Watching extends Options {
  timer?: Timer;
  onProgress?: (progress: Progress) => void;
  /** Rows so far, each time in place of those before. */
  onPartial?: (answer: QueryAnswer) => void;
}

/** Asks and hears how far the query is. Where nothing is heard for a while, the plain answer is asked for. */
export async function watch(
  request: QueryRequest,
  options: Watching = {},
): Promise<{ answer: QueryAnswer; cost: Cost | null }> {
  return streamedOrPlain(
    (listening) => hear(request, options, listening),
    () => askPlainly(request, options),
    options,
  );
}

async function hear(
  request: QueryRequest,
  options: Watching,
  { signal, heard }: Listening,
): Promise<{ answer: QueryAnswer; cost: Cost | null }> {
  const response = await send(PATH, {
    body: request,
    accept: "text/event-stream",
    parameters: { ...parameters(options), partial: has("partial-answers") && options.onPartial ? true : undefined },
    signal,
  });
  if (!response.body) throw new ApiError(0, { message: "the answer has no body" });
  let answer: QueryAnswer | null = null;
  let cost: Cost | null = null;
  for await (const { event, data } of readEvents(response.body, heard)) {
    if (event === "progress") options.onProgress?.(JSON.parse(data) as Progress);
    else if (event === "partial") options.onPartial?.((await parseAnswer(data)) as unknown as QueryAnswer);
    else if (event === "done") cost = JSON.parse(data) as Cost;
    else if (event === "error") throw streamed(JSON.parse(data) as ErrorBody);
    else if (event === "result") {
      answer = (await parseAnswer(data)) as unknown as QueryAnswer;
      if (!has("done-event")) break;
    }
  }
  if (!answer) throw new ApiError(0, { message: "the answer ended early", hint: "try again" });
  return { answer, cost };
}

/** What an event `error` says. */
export function streamed(body: ErrorBody): ApiError {
  const status = body.code !== undefined && body.code >= 400 && body.code < 600 ? body.code : 422;
  return new ApiError(status, body);
}

function parameters(options: Options): Record<string, string | boolean | undefined> {
  return {
    format: "tabular",
    explain: options.explain || undefined,
    nocache: options.nocache || undefined,
    saveAsKind: options.keep ? "apl" : undefined,
    "streaming-duration": options.streamingDuration,
  };
}

function costIn(headers: Headers): Cost {
  const number = (name: string) => (headers.has(name) ? Number(headers.get(name)) : null);
  return {
    cost: number("x-tidegauge-query-cost-gbms") ?? 0,
    limit: number("x-querylimit-limit"),
    remaining: number("x-querylimit-remaining"),
    historyId: headers.get("x-tidegauge-history-query-id"),
  };
}
