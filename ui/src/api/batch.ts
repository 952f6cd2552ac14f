// Many queries with one request: each answer comes when it is there, all over one connection.

import { parseAnswer } from "../values/parse.ts";
import type { Value } from "../values/value.ts";
import { ApiError, type ErrorBody } from "./errors.ts";
import { readEvents } from "./event-stream.ts";
import { type QueryAnswer, type QueryRequest, streamed } from "./query.ts";
import { send } from "./request.ts";

export interface BatchQuery {
  id: string;
  request: QueryRequest & { variables?: Record<string, Value> };
}

export interface BatchAnswer {
  id: string;
  answer: QueryAnswer | null;
  /** GB·ms. */
  cost: number | null;
  error: ApiError | null;
}

/** Most queries that one request may have. */
export const BATCH_MOST = 100;

/** Asks all of them. A query that fails is told in its own answer; only what fails for all of them throws. */
export async function askMany(
  queries: BatchQuery[],
  signal: AbortSignal,
  onanswer: (answer: BatchAnswer) => void,
): Promise<void> {
  const body = queries.map(({ id, request }) => ({ queryId: id, aplRequest: request }));
  const response = await send("/v1/query/batch", { body, accept: "text/event-stream", signal });
  if (!response.body) throw new ApiError(0, { message: "the answer has no body" });
  const open = new Set(queries.map(({ id }) => id));
  for await (const { event, data } of readEvents(response.body)) {
    // What ends all of them has no queryId.
    if (event === "error") throw streamed(JSON.parse(data) as ErrorBody);
    const told = (await parseAnswer(data)) as unknown as {
      queryId: string;
      cost?: number;
      data?: QueryAnswer;
      error?: ErrorBody;
    };
    if (!open.delete(told.queryId)) continue;
    const error = told.error ? streamed(told.error) : null;
    onanswer({ id: told.queryId, answer: told.data ?? null, cost: told.cost ?? null, error });
  }
  for (const id of open) {
    const error = new ApiError(0, {
      message: "the answer ended early",
      hint: "it is asked again with the next refresh",
    });
    onanswer({ id, answer: null, cost: null, error });
  }
}
