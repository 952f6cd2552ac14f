// Rows as the table reads them, wherever they come from.

import type { Field, Table } from "../api/query.ts";
import type { Value } from "../values/value.ts";

/** The column that holds row ids; it is never shown as a field. */
export const CURSOR = "_cursor";

export class Row {
  readonly #page: Page;
  readonly #at: number;

  constructor(page: Page, at: number) {
    this.#page = page;
    this.#at = at;
  }

  get(field: string): Value | undefined {
    return this.#page.value(field, this.#at);
  }

  get id(): string | null {
    const id = this.#page.value(CURSOR, this.#at);
    return typeof id === "string" ? id : null;
  }

  get fields(): Field[] {
    return this.#page.fields;
  }

  /** The whole row, without fields that it does not have. */
  object(withNulls = false): Record<string, Value> {
    const whole: Record<string, Value> = Object.create(null);
    for (const { name } of this.#page.fields) {
      const value = this.get(name);
      if (value !== undefined && (withNulls || value !== null)) whole[name] = value;
    }
    return whole;
  }
}

/** Some rows of one answer, as columns. */
export class Page {
  readonly fields: Field[];
  readonly count: number;
  readonly #columns: Value[][];
  readonly #places: Map<string, number>;

  constructor(table: Table) {
    this.#columns = table.columns;
    this.#places = new Map(table.fields.map(({ name }, place) => [name, place]));
    this.fields = table.fields.filter(({ name }) => name !== CURSOR);
    this.count = table.columns[0]?.length ?? 0;
  }

  row(at: number): Row {
    return new Row(this, at);
  }

  value(field: string, at: number): Value | undefined {
    const place = this.#places.get(field);
    return place === undefined ? undefined : this.#columns[place]?.[at];
  }
}

export interface RowSource {
  /** How many rows there are, as far as it is known. */
  readonly total: number;
  /** Whether the total can still grow. */
  readonly isOpen: boolean;
  /** Grows with each change, so that drawings know. */
  readonly version: number;
  readonly fields: Field[];
  /** The first rows of the same answer, which these take the place of: who reads them is not moved. */
  readonly continues: RowSource | null;
  row(index: number): Row | undefined;
  /** Says which rows will be drawn, so that they are fetched. */
  want(first: number, last: number): void;
  /** All rows that are here now, in order. */
  loaded(): Iterable<{ index: number; row: Row }>;
}
