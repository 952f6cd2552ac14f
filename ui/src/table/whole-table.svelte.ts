// An answer that is here as a whole, such as groups; it can be put in another order.

import type { Field, Table } from "../api/query.ts";
import type { Value } from "../values/value.ts";
import { Page, type Row, type RowSource } from "./rows.ts";

export interface Order {
  field: string;
  desc: boolean;
}

export class WholeTable implements RowSource {
  readonly fields: Field[];
  readonly total: number;
  readonly isOpen = false;
  readonly version = 0;
  readonly continues: RowSource | null;
  readonly #page: Page;
  readonly #places: number[] | null;

  constructor(table: Table, order: Order | null = null, continues: RowSource | null = null) {
    this.continues = continues;
    this.#page = new Page(table);
    this.fields = this.#page.fields;
    this.total = this.#page.count;
    this.#places = order ? this.#ordered(order) : null;
  }

  row(index: number): Row | undefined {
    if (index < 0 || index >= this.total) return undefined;
    return this.#page.row(this.#places?.[index] ?? index);
  }

  want(): void {
    // Everything is here.
  }

  *loaded(): Iterable<{ index: number; row: Row }> {
    for (let index = 0; index < this.total; index++) yield { index, row: this.row(index)! };
  }

  #ordered({ field, desc }: Order): number[] {
    const places = Array.from({ length: this.total }, (_, place) => place);
    const direction = desc ? -1 : 1;
    return places.sort((a, b) => direction * compare(this.#page.value(field, a), this.#page.value(field, b)) || a - b);
  }
}

/** Nulls are least, numbers go before texts, and bigints beside floats lose nothing. */
export function compare(a: Value | undefined, b: Value | undefined): number {
  const rank = (value: Value | undefined) =>
    value === null || value === undefined
      ? 0
      : typeof value === "number" || typeof value === "bigint"
        ? 1
        : typeof value === "string"
          ? 2
          : 3;
  const [first, second] = [rank(a), rank(b)];
  if (first !== second) return first - second;
  if (first === 0) return 0;
  if (first === 3) return String(a).localeCompare(String(b));
  return a! < b! ? -1 : a! > b! ? 1 : 0;
}
