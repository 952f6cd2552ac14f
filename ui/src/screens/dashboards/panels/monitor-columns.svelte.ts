// What the columns of a list of monitors need beyond their states: how each went over a day, one request after another,
// and the names of notifiers. What cannot be had is left out.

import { historyOf } from "../../../api/monitors.ts";
import { listNotifiers } from "../../../api/notifiers.ts";
import { fromMs, writeTime } from "../../../time/nanoseconds.ts";
import { type Piece, piecesOf } from "../state-strip.ts";

/** Each takes a request of its own, so not all of two hundred have one. */
export const HISTORIES_MOST = 30;
const DAY = 86_400_000;

export class MonitorColumns {
  histories = $state.raw<ReadonlyMap<string, Piece[]>>(new Map());
  /** Null while they are not known. */
  notifiers = $state.raw<ReadonlyMap<string, string> | null>(null);

  async askHistories(ids: string[], nowMs: number, signal: AbortSignal): Promise<void> {
    const [from, to] = [nowMs - DAY, nowMs];
    for (const id of ids.slice(0, HISTORIES_MOST)) {
      const states = await historyOf(id, writeTime(fromMs(from)), writeTime(fromMs(to)), signal).catch(() => null);
      if (signal.aborted) return;
      if (states) this.histories = new Map([...this.histories, [id, piecesOf(states, from / 1000, to / 1000)]]);
    }
  }

  /** Their names alone are kept of what the service tells of them. */
  async askNotifiers(): Promise<void> {
    const list = await listNotifiers().catch(() => []);
    this.notifiers = new Map(list.map(({ id, name }) => [id, name]));
  }
}
