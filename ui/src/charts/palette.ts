// Colours of series. A group keeps its colour while it is on the screen, whatever else comes and goes; from the ninth on
// a line is dashed as well, because hues alone no longer tell them apart.

const COUNT = 12;
const LEVELS: Record<string, string> = {
  error: "var(--danger)",
  fatal: "var(--danger)",
  critical: "var(--danger)",
  warn: "var(--series-2)",
  warning: "var(--series-2)",
  info: "var(--series-1)",
  debug: "var(--series-12)",
  trace: "var(--series-12)",
};

export interface Ink {
  colour: string;
  isDashed: boolean;
}

export class Palette {
  #places = new Map<string, number>();

  /** Says which groups are there now; those that stay keep their colours. The others get theirs in the order of their
   * names, so that the same groups look the same for everybody, whichever answer comes first. */
  take(names: string[]): void {
    const wanted = new Set(names);
    for (const name of this.#places.keys()) if (!wanted.has(name)) this.#places.delete(name);
    const used = new Set(this.#places.values());
    for (const name of [...names].sort()) {
      if (this.#places.has(name)) continue;
      let place = 0;
      while (used.has(place)) place += 1;
      used.add(place);
      this.#places.set(name, place);
    }
  }

  /** Adds groups to those that are there; none gives up its colour. */
  add(names: string[]): void {
    for (const name of [...names].sort()) if (!this.#places.has(name)) this.#places.set(name, this.#places.size);
  }

  of(name: string): Ink {
    const level = LEVELS[name.toLowerCase()];
    if (level) return { colour: level, isDashed: false };
    if (name === OTHER) return { colour: "var(--line-strong)", isDashed: false };
    const place = this.#places.get(name) ?? 0;
    return { colour: `var(--series-${(place % COUNT) + 1})`, isDashed: place >= 8 };
  }
}

/** The rest of the groups, which is no value and cannot be filtered by. */
export const OTHER = "\u0000other";

/** What `var(--…)` means now, for drawings on a canvas, which are made anew whenever `theme.shown` changes. */
export function resolved(colour: string): string {
  const name = /^var\((--[\w-]+)\)$/.exec(colour)?.[1];
  return name ? getComputedStyle(document.documentElement).getPropertyValue(name).trim() : colour;
}
