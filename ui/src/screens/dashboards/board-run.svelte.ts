// Asks the queries of a dashboard's panels: those in sight, all over one connection, each once for a state of range and
// variables and then with each refresh. What is there stays until the new answer comes; nothing of an earlier state is
// shown after a later one was asked.

import { askMany, BATCH_MOST, type BatchAnswer, type BatchQuery } from "../../api/batch.ts";
import { nowMs } from "../../api/clock.ts";
import { type ApiError, asApiError, isAborted } from "../../api/errors.ts";
import type { QueryAnswer } from "../../api/query.ts";
import { fixed, isRelative, type Moments, type Range, resolveRange } from "../../time/range.ts";
import { earlier } from "./period.ts";
import { nextRefresh } from "./refresh.ts";
import { variablesFor } from "./variables.ts";

/** What a panel asks. */
export interface Question {
  id: string;
  apl: string;
  /** A range of its own, if it has one. */
  range: Range | null;
  /** Seconds back to the period that it is compared with; 0 for none. */
  against: number;
}

export interface Setting {
  questions: Question[];
  range: Range;
  /** Null while they are not known. */
  values: ReadonlyMap<string, string> | null;
  /** Seconds between refreshes; 0 for none. */
  every: number;
}

/** What is known of one panel. */
export class PanelState {
  answer = $state.raw<QueryAnswer | null>(null);
  earlier = $state.raw<QueryAnswer | null>(null);
  moments = $state.raw<Moments | null>(null);
  #costs = $state.raw<{ now: number | null; earlier: number | null }>({ now: null, earlier: null });
  error = $state.raw<ApiError | null>(null);
  isAsking = $state(false);
  /** Told only after a while, so that quick refreshes do not flicker. */
  isSlow = $state(false);
  /** What the answers belong to. */
  key = "";
  #earlierKey = "";
  round = 0;

  /** GB·ms of both periods. */
  get cost(): number | null {
    const { now, earlier } = this.#costs;
    return now === null ? null : now + (earlier ?? 0);
  }

  take(key: string, round: number, answer: QueryAnswer | null, cost: number | null, error: ApiError | null): void {
    this.isAsking = this.isSlow = false;
    this.key = key;
    this.round = round;
    this.error = error;
    if (this.#earlierKey !== key) this.takeEarlier("", null, null);
    if (!answer) return;
    this.answer = answer;
    this.#costs = { ...this.#costs, now: cost };
  }

  /** The earlier period's answer may come before or after that of the present one. */
  takeEarlier(key: string, answer: QueryAnswer | null, cost: number | null): void {
    this.#earlierKey = key;
    this.earlier = answer;
    this.#costs = { ...this.#costs, earlier: cost };
  }
}

const SLOW_MS = 1200;
/** What to wait for where the service is busy and does not say how long. */
const BUSY_SECONDS = 10;

export class BoardRun {
  #panels = new Map<string, PanelState>();
  #inSight = new Set<string>();
  #setting: Setting | null = null;
  #keys = new Map<string, string>();
  #round = 1;
  #moments = new Map<string, Moments>();
  #running: { abort: AbortController; keys: Map<string, string> } | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #soon: ReturnType<typeof setTimeout> | undefined;
  #retryAfter: number | null = null;
  #lastEnd = 0;
  #hasEnded = false;
  readonly #chance: () => number;
  /** When the last answers came; null before. */
  updatedMs = $state<number | null>(null);
  isAsking = $state(false);
  /** What the range of the dashboard is in this round; panels may have ranges of their own. */
  moments = $state.raw<Moments | null>(null);

  constructor(chance: () => number = Math.random) {
    this.#chance = chance;
  }

  panel(id: string): PanelState {
    let panel = this.#panels.get(id);
    if (!panel) {
      panel = new PanelState();
      this.#panels.set(id, panel);
    }
    return panel;
  }

  configure(setting: Setting): void {
    const isOtherRange = JSON.stringify(setting.range) !== JSON.stringify(this.#setting?.range);
    if (isOtherRange) this.#moments.clear();
    this.#setting = setting;
    this.#keys = new Map(setting.questions.map((question) => [question.id, this.#keyOf(question)]));
    for (const id of this.#panels.keys()) if (!this.#keys.has(id) && !this.#inSight.has(id)) this.#panels.delete(id);
    const running = this.#running;
    if (running && [...running.keys].some(([id, key]) => this.#keys.get(id) !== key)) running.abort.abort();
    this.#askSoon();
  }

  see(id: string, isSeen: boolean): void {
    if (isSeen) this.#inSight.add(id);
    else this.#inSight.delete(id);
    if (isSeen) this.#askSoon();
  }

  /** Asks all panels anew, as of now. */
  refresh(): void {
    this.#round += 1;
    this.#moments.clear();
    this.#retryAfter = null;
    this.#askSoon();
  }

  /** The page was hidden or came back. */
  visibilityChanged(): void {
    if (document.visibilityState === "hidden") clearTimeout(this.#timer);
    else this.#askSoon();
  }

  end(): void {
    this.#hasEnded = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#soon);
    this.#running?.abort.abort();
  }

  /** Panels come into sight one after the other; a moment later they are asked together. */
  #askSoon(): void {
    clearTimeout(this.#soon);
    this.#soon = setTimeout(() => void this.#ask(), 30);
  }

  async #ask(): Promise<void> {
    const setting = this.#setting;
    if (this.#hasEnded || this.#running || !setting?.values || document.visibilityState === "hidden") return;
    const due = setting.questions.filter((question) => this.#isDue(question));
    if (due.length === 0) {
      this.#schedule();
      return;
    }
    clearTimeout(this.#timer);
    this.moments = this.#momentsOf(setting.range);
    const { queries, asked } = this.#queriesFor(due, setting.values);
    if (queries.length === 0) return;
    const abort = new AbortController();
    this.#running = { abort, keys: asked };
    this.isAsking = true;
    const slow = setTimeout(() => {
      for (const id of asked.keys()) if (this.panel(id).isAsking) this.panel(id).isSlow = true;
    }, SLOW_MS);
    const round = this.#round;
    try {
      await askMany(queries, abort.signal, (answer) => this.#take(answer, asked, round));
    } catch (reason) {
      if (!isAborted(reason)) this.#failAll(asApiError(reason), asked, round);
    } finally {
      clearTimeout(slow);
      for (const id of asked.keys()) this.panel(id).isAsking = this.panel(id).isSlow = false;
      this.#running = null;
      this.isAsking = false;
      this.#lastEnd = nowMs();
      this.updatedMs = this.#lastEnd;
      this.#askSoon();
    }
  }

  #isDue({ id }: Question): boolean {
    const panel = this.panel(id);
    return this.#inSight.has(id) && (panel.key !== this.#keys.get(id) || panel.round < this.#round);
  }

  #queriesFor(due: Question[], values: ReadonlyMap<string, string>) {
    const queries: BatchQuery[] = [];
    const asked = new Map<string, string>();
    for (const question of due) {
      if (queries.length + 2 > BATCH_MOST) break;
      const panel = this.panel(question.id);
      const moments = this.#momentsFor(question);
      if (!moments) continue;
      asked.set(question.id, this.#keys.get(question.id) ?? "");
      panel.isAsking = true;
      const variables = variablesFor(question.apl, values);
      const request = (range: Moments) => {
        const { start, end } = fixed(range);
        return { apl: question.apl, startTime: start, endTime: end, ...(variables ? { variables } : {}) };
      };
      queries.push({ id: `now:${question.id}`, request: request(moments) });
      if (question.against > 0) {
        queries.push({ id: `was:${question.id}`, request: request(earlier(moments, question.against)) });
      }
    }
    return { queries, asked };
  }

  #momentsFor({ range }: Question): Moments | null {
    return this.#momentsOf(range ?? this.#setting!.range);
  }

  /** All panels of a round look at the same moments, whenever they come into sight. */
  #momentsOf(wanted: Range): Moments | null {
    const key = `${wanted.start} ${wanted.end}`;
    const found = this.#moments.get(key) ?? resolveRange(wanted, nowMs());
    if (found) this.#moments.set(key, found);
    return found;
  }

  #take({ id, answer, cost, error }: BatchAnswer, asked: Map<string, string>, round: number): void {
    const [, which, chart] = /^(now|was):(.*)$/s.exec(id) ?? [];
    const question = this.#setting?.questions.find((entry) => entry.id === chart);
    const key = chart === undefined ? undefined : asked.get(chart);
    if (!question || chart === undefined || key !== this.#keys.get(chart)) return;
    const panel = this.panel(chart);
    if (which === "was") {
      panel.takeEarlier(key ?? "", answer, cost);
      return;
    }
    panel.take(key ?? "", round, answer, cost, error);
    if (error && (error.status === 429 || error.status === 503)) this.#retryAfter = error.retryAfter ?? BUSY_SECONDS;
    if (answer) panel.moments = this.#momentsFor(question);
  }

  #failAll(error: ApiError, asked: Map<string, string>, round: number): void {
    this.#retryAfter = error.retryAfter ?? (error.status === 429 || error.status === 503 ? BUSY_SECONDS : null);
    for (const [id, key] of asked) {
      this.panel(id).take(key, round, null, null, error);
    }
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    const setting = this.#setting;
    if (!setting) return;
    const wait = nextRefresh({
      every: setting.every,
      isHidden: document.visibilityState === "hidden",
      isMoving: isRelative(setting.range) || setting.questions.some(({ range }) => range !== null && isRelative(range)),
      retryAfter: this.#retryAfter,
      chance: this.#chance(),
    });
    if (wait === null) return;
    const left = Math.max(0, this.#lastEnd + wait - nowMs());
    this.#timer = setTimeout(() => this.refresh(), left);
  }

  #keyOf({ apl, range, against }: Question): string {
    const { values, range: whole } = this.#setting!;
    return JSON.stringify([apl, range ?? whole, against, (values && variablesFor(apl, values)) ?? null]);
  }
}
