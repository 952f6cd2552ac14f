// The backtest beside a definition: asked a moment after the last change, one at a time, the one before ended. A longer
// stretch of time stays while typing only where it is answered quickly.

import { type Backtest, type BacktestProgress, backtest } from "../../api/backtest.ts";
import { nowMs } from "../../api/clock.ts";
import { type ApiError, asApiError, isAborted } from "../../api/errors.ts";
import type { Definition } from "../../api/monitors.ts";
import { fromMs, writeTime } from "../../time/nanoseconds.ts";

/** How long nothing must change before it is asked, in milliseconds. */
const PAUSE = 250;

/** A backtest of more than a day that takes longer is not asked for again with each letter. */
const QUICK = 1500;

const DAY = 86_400_000;

/** What was found, over which time. */
export interface Found {
  startTime: string;
  endTime: string;
  answer: Backtest;
  took: number;
}

export class BacktestRun {
  days = $state(1);
  found = $state.raw<Found | null>(null);
  error = $state.raw<ApiError | null>(null);
  progress = $state.raw<BacktestProgress | null>(null);
  isRunning = $state(false);
  #abort: AbortController | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** Asks soon, for who is still typing. */
  soon(definition: Definition, saved: Definition | null): void {
    this.#stop();
    if (this.days > 1 && (this.found?.took ?? 0) > QUICK) this.days = 1;
    this.#timer = setTimeout(() => void this.ask(definition, saved), PAUSE);
  }

  async ask(definition: Definition, saved: Definition | null): Promise<void> {
    this.#stop();
    if (definition.aplQuery.trim() === "") {
      this.found = null;
      this.error = null;
      return;
    }
    const abort = new AbortController();
    this.#abort = abort;
    this.isRunning = true;
    this.progress = null;
    const began = performance.now();
    const now = nowMs();
    const times = { startTime: writeTime(fromMs(now - this.days * DAY)), endTime: writeTime(fromMs(now)) };
    // Nobody has named it yet: what it would do does not depend on that.
    const monitor = { ...definition, name: definition.name.trim() || "unnamed" };
    const asked = (compare: Definition | null) =>
      backtest({ monitor, compare: compare ?? undefined, ...times }, abort.signal, (progress) => {
        if (this.#abort === abort) this.progress = progress;
      });
    try {
      // The saved version may have become wrong, as when its dataset is gone; then there is nothing to compare with. What
      // is wrong with the new one is told when it is asked alone.
      const answer = await asked(saved).catch((reason) => {
        if (!saved || isAborted(reason) || this.#abort !== abort) throw reason;
        return asked(null);
      });
      if (this.#abort !== abort) return;
      this.found = { ...times, answer, took: performance.now() - began };
      this.error = null;
    } catch (reason) {
      if (this.#abort !== abort || isAborted(reason)) return;
      this.error = asApiError(reason);
    } finally {
      if (this.#abort === abort) this.#stop();
    }
  }

  cancel(): void {
    this.#stop();
  }

  #stop(): void {
    clearTimeout(this.#timer);
    const abort = this.#abort;
    this.#abort = null;
    this.isRunning = false;
    this.progress = null;
    abort?.abort();
  }
}
