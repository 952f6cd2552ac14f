// What a definition of a monitor would have done: asked with progress where the service tells of it and that is heard,
// else plainly.

import { ApiError, type ErrorBody } from "./errors.ts";
import { readEvents } from "./event-stream.ts";
import type { Definition } from "./monitors.ts";
import { streamed } from "./query.ts";
import { send } from "./request.ts";
import { type Listening, streamedOrPlain, type Timer } from "./silence.ts";

export interface Alert {
  openedAt: string;
  /** Not there where it would still be open at the end. */
  closedAt?: string;
  group?: Record<string, string>;
  value: number | null;
  reason: string;
}

/** What one definition would have done. */
export interface Replayed {
  runs: number;
  opened: number;
  notifications: number;
  alerts: Alert[];
  values: { timestamp: string; value: number | null; state: "open" | "closed" }[];
  cost: number;
  isJoined: boolean;
}

export interface Backtest {
  monitor: Replayed;
  compare?: Replayed;
}

export interface BacktestProgress {
  elapsedTime: number;
  share: number;
  queries: number;
  cost: number;
}

export interface BacktestRequest {
  monitor: Definition;
  compare?: Definition;
  startTime: string;
  endTime: string;
}

const PATH = "/v2/monitors/backtest";

export async function backtest(
  request: BacktestRequest,
  signal: AbortSignal,
  onProgress: (progress: BacktestProgress) => void,
  timer?: Timer,
): Promise<Backtest> {
  return streamedOrPlain(
    (listening) => hear(request, listening, onProgress),
    async () => (await (await send(PATH, { body: request, signal })).json()) as Backtest,
    { signal, timer },
  );
}

async function hear(
  request: BacktestRequest,
  { signal, heard }: Listening,
  onProgress: (progress: BacktestProgress) => void,
): Promise<Backtest> {
  const response = await send(PATH, { body: request, accept: "text/event-stream", signal });
  if (!response.headers.get("content-type")?.startsWith("text/event-stream")) {
    return (await response.json()) as Backtest;
  }
  if (!response.body) throw new ApiError(0, { message: "the answer has no body" });
  for await (const { event, data } of readEvents(response.body, heard)) {
    if (event === "progress") onProgress(JSON.parse(data) as BacktestProgress);
    else if (event === "error") throw streamed(JSON.parse(data) as ErrorBody);
    else if (event === "result") return JSON.parse(data) as Backtest;
  }
  throw new ApiError(0, { message: "the answer ended early", hint: "try again" });
}
