// A dashboard as it was kept: its document in the version of then, and for each chart the answer of then.

import { type FrozenAnswer, frozen } from "../../../api/answers.ts";
import { type Document, readVersion } from "../../../api/dashboards.ts";
import { type ApiError, asApiError } from "../../../api/errors.ts";
import { parseTime } from "../../../time/nanoseconds.ts";
import type { Moments } from "../../../time/range.ts";
import { PanelState } from "../board-run.svelte.ts";
import type { KeptChart } from "./link.ts";

const KEY = "kept";

export class KeptBoard {
  document = $state.raw<Document | null>(null);
  error = $state.raw<ApiError | null>(null);
  /** When the first of the answers was kept. */
  since = $state<string | null>(null);
  #states = new Map<string, PanelState>();

  /** The answer of a chart; null where none was kept. */
  panel(id: string): PanelState | null {
    return this.#states.get(id) ?? null;
  }

  async load(uid: string, version: number, charts: KeptChart[]): Promise<void> {
    try {
      const document = await readVersion(uid, version);
      const wanted = charts.flatMap((kept) => {
        const chart = document.charts[kept.place];
        return chart ? [{ ...kept, state: this.#begin(chart.id) }] : [];
      });
      this.document = document;
      this.error = null;
      for (const { state, answer, earlier } of wanted) await this.#read(state, answer, earlier);
    } catch (reason) {
      this.error = asApiError(reason);
    }
  }

  #begin(id: string): PanelState {
    const state = new PanelState();
    state.isAsking = true;
    this.#states.set(id, state);
    return state;
  }

  async #read(state: PanelState, answer: string, earlier: string | null): Promise<void> {
    try {
      const now = await frozen(answer);
      const before = earlier ? await frozen(earlier) : null;
      state.take(KEY, 1, now.answer, null, null);
      state.moments = momentsOf(now);
      if (before) state.takeEarlier(KEY, before.answer, null);
      this.since ??= now.createdAt;
    } catch (reason) {
      state.take(KEY, 1, null, null, asApiError(reason));
    }
  }
}

function momentsOf({ startTime, endTime }: FrozenAnswer): Moments | null {
  const [start, end] = [parseTime(startTime), parseTime(endTime)];
  return start !== null && end !== null ? { start, end } : null;
}
