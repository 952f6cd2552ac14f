// One place where a query runs: at most one at a time, with its progress, its answer or its error. A later run ends the
// one before, and nothing of an earlier run is ever shown after a later one began.

import { type ApiError, asApiError, isAborted } from "../../api/errors.ts";
import { type Cost, type Progress, type QueryAnswer, type QueryRequest, watch } from "../../api/query.ts";

export class QueryRun {
  isRunning = $state(false);
  /** Told only after a while, so that quick queries do not flicker. */
  isSlow = $state(false);
  progress = $state.raw<Progress | null>(null);
  answer = $state.raw<QueryAnswer | null>(null);
  isPartial = $state(false);
  cost = $state.raw<Cost | null>(null);
  error = $state.raw<ApiError | null>(null);
  wasCancelled = $state(false);
  #abort: AbortController | null = null;
  #number = 0;

  /** `onPartial` hears of rows so far, before the whole answer is there. */
  async start(
    request: QueryRequest,
    keep: boolean,
    onPartial?: (answer: QueryAnswer) => void,
  ): Promise<QueryAnswer | null> {
    this.#abort?.abort();
    const abort = new AbortController();
    this.#abort = abort;
    const number = ++this.#number;
    const isCurrent = () => number === this.#number;
    this.isRunning = true;
    this.isSlow = false;
    this.wasCancelled = false;
    this.isPartial = false;
    this.progress = null;
    const slow = setTimeout(() => {
      if (isCurrent()) this.isSlow = true;
    }, 300);
    try {
      const { answer, cost } = await watch(request, {
        signal: abort.signal,
        keep,
        onProgress: (progress) => {
          if (isCurrent()) this.#advance(progress);
        },
        onPartial: (partial) => {
          if (!isCurrent()) return;
          this.answer = partial;
          this.isPartial = true;
          this.error = null;
          onPartial?.(partial);
        },
      });
      if (!isCurrent()) return null;
      this.answer = answer;
      this.isPartial = false;
      this.cost = cost;
      this.error = null;
      return answer;
    } catch (error) {
      if (isCurrent()) {
        if (isAborted(error)) this.wasCancelled = true;
        else this.error = asApiError(error);
      }
      return null;
    } finally {
      clearTimeout(slow);
      if (isCurrent()) {
        this.isRunning = false;
        this.isSlow = false;
      }
    }
  }

  cancel(): void {
    this.#abort?.abort();
  }

  /** How much is done never goes back, although a query may find more blocks on its way. */
  #advance(next: Progress): void {
    const share = (progress: Progress) => (progress.blocksTotal === 0 ? 0 : progress.blocksDone / progress.blocksTotal);
    const before = this.progress;
    if (before && share(next) < share(before)) {
      this.progress = { ...next, blocksDone: Math.ceil(share(before) * next.blocksTotal) };
    } else this.progress = next;
  }
}
