// What a stream shows: the last five thousand events, at most two hundred new ones a second, with an honest count of
// those that were left out. While it is paused new ones wait and nothing on the screen moves.

import type { Arrived } from "../../api/tail.ts";
import type { Row } from "../../table/rows.ts";

const MOST = 5000;
const A_SECOND = 200;

interface Entry {
  key: string;
  row: Row;
}

export class Ring {
  shown = $state.raw<Entry[]>([]);
  waiting = $state(0);
  isPaused = $state(false);
  /** In events per second, over the last seconds. */
  rate = $state(0);
  shownRate = $state(0);
  leftOutRate = $state(0);
  arrived = $state(0);
  leftOut = $state(0);
  #held: Entry[] = [];
  #seen = new Set<string>();
  #second = 0;
  #inSecond = 0;
  #window: { at: number; came: number; kept: number }[] = [];
  #number = 0;

  begin(rows: Row[]): void {
    const fresh = rows.map((row) => this.#entry(row)).filter((entry) => entry !== null);
    this.shown = [...this.shown, ...fresh].slice(-MOST);
  }

  take({ rows, leftOut }: Arrived, now: number): void {
    const second = Math.floor(now / 1000);
    if (second !== this.#second) {
      this.#second = second;
      this.#inSecond = 0;
    }
    const fresh = rows.map((row) => this.#entry(row)).filter((entry) => entry !== null);
    const room = Math.max(0, A_SECOND - this.#inSecond);
    const kept = sample(fresh, room);
    this.#inSecond += kept.length;
    const came = fresh.length + leftOut;
    this.arrived += came;
    this.leftOut += came - kept.length;
    this.#window.push({ at: now, came, kept: kept.length });
    this.measure(now);
    if (this.isPaused) {
      this.#held = [...this.#held, ...kept].slice(-MOST);
      this.waiting += kept.length;
    } else this.shown = [...this.shown, ...kept].slice(-MOST);
    if (this.#seen.size > 20_000) this.#seen = new Set(this.shown.map(({ key }) => key));
  }

  /** Looks at the last five seconds. */
  measure(now: number): void {
    this.#window = this.#window.filter(({ at }) => at > now - 5000);
    const sum = (of: (entry: { came: number; kept: number }) => number) =>
      this.#window.reduce((all, entry) => all + of(entry), 0) / 5;
    this.rate = sum(({ came }) => came);
    this.shownRate = sum(({ kept }) => kept);
    this.leftOutRate = Math.max(0, this.rate - this.shownRate);
  }

  pause(): void {
    this.isPaused = true;
  }

  go(): void {
    this.isPaused = false;
    this.shown = [...this.shown, ...this.#held].slice(-MOST);
    this.#held = [];
    this.waiting = 0;
  }

  clear(): void {
    this.shown = [];
    this.#held = [];
    this.waiting = 0;
    this.arrived = 0;
    this.leftOut = 0;
    this.#window = [];
    this.#seen.clear();
  }

  /** Each event once, also where two answers overlap. */
  #entry(row: Row): Entry | null {
    const key = row.id ?? `row ${++this.#number}`;
    if (this.#seen.has(key)) return null;
    this.#seen.add(key);
    return { key, row };
  }
}

/** So many of a list, evenly. */
function sample<T>(list: T[], most: number): T[] {
  if (list.length <= most) return list;
  const kept: T[] = [];
  for (let place = 0; place < most; place++) kept.push(list[Math.floor((place * list.length) / most)]!);
  return kept;
}
