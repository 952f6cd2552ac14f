// Where rows stand: all have one height but those that are open or wrapped. Works for a million rows, of which few differ.

export class Heights {
  #extra = new Map<number, number>();
  #sorted: number[] | null = null;
  count: number;
  row: number;

  constructor(count: number, row: number) {
    this.count = count;
    this.row = row;
  }

  /** Says how much higher than the others a row is; true if that is new. */
  set(index: number, extra: number): boolean {
    if ((this.#extra.get(index) ?? 0) === extra) return false;
    if (extra === 0) this.#extra.delete(index);
    else this.#extra.set(index, extra);
    this.#sorted = null;
    return true;
  }

  clear(): void {
    this.#extra.clear();
    this.#sorted = null;
  }

  get total(): number {
    let sum = this.count * this.row;
    for (const [index, extra] of this.#extra) if (index < this.count) sum += extra;
    return sum;
  }

  top(index: number): number {
    let sum = index * this.row;
    for (const other of this.#indices()) {
      if (other >= index) break;
      sum += this.#extra.get(other) ?? 0;
    }
    return sum;
  }

  height(index: number): number {
    return this.row + (this.#extra.get(index) ?? 0);
  }

  /** The row at a height. */
  at(y: number): number {
    let sum = 0;
    for (const other of this.#indices()) {
      const top = other * this.row + sum;
      if (top + this.height(other) > y) {
        if (y >= top) return this.#within(other);
        break;
      }
      sum += this.#extra.get(other) ?? 0;
    }
    return this.#within(Math.floor((y - sum) / this.row));
  }

  #within(index: number): number {
    return Math.max(0, Math.min(this.count - 1, index));
  }

  #indices(): number[] {
    this.#sorted ??= [...this.#extra.keys()].sort((a, b) => a - b);
    return this.#sorted;
  }
}

/** Browsers draw no element higher than this; Firefox is the lowest. */
export const MOST_PIXELS = 12_000_000;

/** From where the scroll bar stands to where the rows stand, and back, when the rows are higher than an element may be. */
export class Scale {
  readonly drawn: number;
  readonly real: number;
  readonly view: number;

  constructor(real: number, view: number, most = MOST_PIXELS) {
    this.real = real;
    this.view = view;
    this.drawn = Math.min(real, most);
  }

  get isScaled(): boolean {
    return this.real > this.drawn;
  }

  toReal(scrolled: number): number {
    if (!this.isScaled) return scrolled;
    const share = scrolled / Math.max(1, this.drawn - this.view);
    return Math.min(1, share) * (this.real - this.view);
  }

  toScroll(real: number): number {
    if (!this.isScaled) return real;
    return (real / Math.max(1, this.real - this.view)) * (this.drawn - this.view);
  }
}
