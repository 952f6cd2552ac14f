// Something that is asked anew whenever what it depends on changes: the one before is given up, what was asked later is
// shown later, and what came before stays when asking anew fails.

import { type ApiError, asApiError, isAborted } from "./errors.ts";

export class Asked<Made> {
  made = $state.raw<Made | null>(null);
  error = $state.raw<ApiError | null>(null);
  isAsking = $state(false);
  #abort: AbortController | null = null;

  /** What came, or null where it failed or something else was asked since. */
  async ask(run: (signal: AbortSignal) => Promise<Made>, { keep = true } = {}): Promise<Made | null> {
    this.#abort?.abort();
    const abort = new AbortController();
    this.#abort = abort;
    this.isAsking = true;
    if (!keep) this.made = null;
    try {
      const made = await run(abort.signal);
      if (abort.signal.aborted) return null;
      this.made = made;
      this.error = null;
      return made;
    } catch (error) {
      if (!abort.signal.aborted && !isAborted(error)) this.error = asApiError(error);
      return null;
    } finally {
      if (this.#abort === abort) this.isAsking = false;
    }
  }

  end(): void {
    this.#abort?.abort();
  }
}
