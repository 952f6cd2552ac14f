// Colours of services. The name decides first, so that a service looks the same in every trace and for everybody; only
// where two would look alike beside each other does the later one in the alphabet take the next colour. What was decided
// is kept in this browser, so that it looks the same after a reload too.

const COUNT = 12;
const KEY = "tidegauge.service-colours";
const KEPT = 300;
const LONGEST = 100;

export interface Ink {
  colour: string;
  /** Hues alone no longer tell so many apart. */
  isStriped: boolean;
}

export type Shelf = Pick<Storage, "getItem" | "setItem">;

export class ServiceColours {
  readonly #places = new Map<string, number>();
  readonly #shelf: Shelf | null;

  constructor(shelf: Shelf | null = null) {
    this.#shelf = shelf;
    for (const [service, place] of kept(shelf)) this.#places.set(service, place);
  }

  /** Says which services will be drawn together. Those that were seen before keep their colours. */
  take(services: Iterable<string>): void {
    const names = [...new Set(services)].sort();
    const used = new Set(names.flatMap((name) => this.#places.get(name) ?? []));
    let isNew = false;
    for (const service of names) {
      if (this.#places.has(service)) continue;
      let place = hash(service) % COUNT;
      for (let tried = 0; tried < 2 * COUNT && used.has(place); tried++) place = (place + 1) % (2 * COUNT);
      used.add(place);
      this.#places.set(service, place);
      isNew = true;
    }
    if (isNew) this.#keep();
  }

  of(service: string): Ink {
    const place = this.#places.get(service) ?? hash(service) % COUNT;
    return { colour: `var(--series-${(place % COUNT) + 1})`, isStriped: place >= COUNT };
  }

  #keep(): void {
    const newest = [...this.#places].filter(([service]) => service.length <= LONGEST).slice(-KEPT);
    try {
      this.#shelf?.setItem(KEY, JSON.stringify(newest));
    } catch {
      // Full or forbidden: colours are then decided anew after a reload.
    }
  }
}

/** What was kept, as far as it can be read. */
function kept(shelf: Shelf | null): [string, number][] {
  try {
    const found: unknown = JSON.parse(shelf?.getItem(KEY) ?? "[]");
    if (!Array.isArray(found)) return [];
    return found.filter(
      (entry): entry is [string, number] =>
        Array.isArray(entry) &&
        typeof entry[0] === "string" &&
        Number.isInteger(entry[1]) &&
        entry[1] >= 0 &&
        entry[1] < 2 * COUNT,
    );
  } catch {
    return [];
  }
}

function hash(text: string): number {
  let sum = 2166136261;
  for (let at = 0; at < text.length; at++) sum = Math.imul(sum ^ text.charCodeAt(at), 16777619);
  return sum >>> 0;
}
