// Where charts stand in the grid of twelve columns: moving, sizing, and making room. Charts sink upwards, as they do in
// the public service; what stands in a document is changed only where a chart really moved.

import type { Document, Place } from "../../api/dashboards.ts";

export const COLUMNS = 12;
export const ROWS_MOST = 100;

/** Below everything. */
export const ROOM = 1_000_000;

export interface Cell {
  i: string;
  x: number;
  y: number;
  w: number;
  h: number;
  /** Does not move. */
  isFixed?: boolean;
}

const between = (value: number, low: number, high: number) => Math.max(low, Math.min(high, value));

/** All charts of a document with their places: those without one stand below, and none lies on another. */
export function arranged(document: Pick<Document, "charts" | "layout">): Cell[] {
  const places = new Map(document.layout.map((place) => [place.i, place]));
  const cells = document.charts.map((chart): Cell => {
    const place = places.get(chart.id);
    if (!place) return { i: chart.id, x: 0, y: ROOM, w: 6, h: 4 };
    const w = between(Math.round(place.w), 1, COLUMNS);
    return {
      i: chart.id,
      x: between(Math.round(place.x), 0, COLUMNS - w),
      y: place.y === null || place.y === undefined ? ROOM : Math.max(0, Number(place.y)),
      w,
      h: between(Math.round(place.h), 1, ROWS_MOST),
      ...(place.static === true ? { isFixed: true } : {}),
    };
  });
  return settled(cells);
}

export function overlap(a: Cell, b: Cell): boolean {
  return a.i !== b.i && a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
}

/** Every cell as high up as there is room, in the order from above; `first` goes before those that it lies on. */
export function settled(cells: Cell[], first?: string): Cell[] {
  const placed: Cell[] = cells.filter(({ isFixed }) => isFixed);
  const rank = (cell: Cell) => (cell.i === first ? 0 : 1);
  const order = cells.filter(({ isFixed }) => !isFixed).sort((a, b) => a.y - b.y || rank(a) - rank(b) || a.x - b.x);
  for (const cell of order) placed.push(sunk(cell, placed));
  const places = new Map(placed.map((cell) => [cell.i, cell]));
  return cells.map(({ i }) => places.get(i)!);
}

/** The highest place that can be reached from where the cell is without going through another one. */
function sunk(cell: Cell, placed: Cell[]): Cell {
  const bottom = placed.reduce((most, other) => Math.max(most, other.y + other.h), 0);
  let y = Math.min(cell.y, bottom);
  const isFree = (at: number) => !placed.some((other) => overlap({ ...cell, y: at }, other));
  while (!isFree(y)) y += 1;
  while (y > 0 && isFree(y - 1)) y -= 1;
  return { ...cell, y };
}

/** Moves a cell by columns and rows; others make room. */
export function moved(cells: Cell[], id: string, by: { x?: number; y?: number }): Cell[] {
  const cell = cells.find(({ i }) => i === id);
  if (!cell) return cells;
  const x = between(cell.x + (by.x ?? 0), 0, COLUMNS - cell.w);
  return placedAt(cells, id, { x, y: Math.max(0, cell.y + (by.y ?? 0)) });
}

/** One step downwards goes behind the next cell below, because a step of a row would sink back at once. */
export function steppedDown(cells: Cell[], id: string): Cell[] {
  const cell = cells.find(({ i }) => i === id);
  if (!cell) return cells;
  const below = cells
    .filter((other) => other.y >= cell.y + cell.h && other.x < cell.x + cell.w && cell.x < other.x + other.w)
    .sort((a, b) => a.y - b.y)[0];
  if (!below) return cells;
  const rest = cells.map((other) => (other.i === below.i ? { ...other, y: cell.y } : other));
  return settled(
    rest.map((other) => (other.i === id ? { ...other, y: cell.y + below.h } : other)),
    below.i,
  );
}

/** One step upwards takes the place of the next cell above. */
export function steppedUp(cells: Cell[], id: string): Cell[] {
  const cell = cells.find(({ i }) => i === id);
  if (!cell) return cells;
  const above = cells
    .filter((other) => other.y + other.h <= cell.y && other.x < cell.x + cell.w && cell.x < other.x + other.w)
    .sort((a, b) => b.y + b.h - (a.y + a.h))[0];
  return above ? placedAt(cells, id, { x: cell.x, y: above.y }) : cells;
}

/** Puts a cell somewhere; those that it lies on go below it. */
export function placedAt(cells: Cell[], id: string, at: { x: number; y: number }): Cell[] {
  const cell = cells.find(({ i }) => i === id);
  if (!cell || cell.isFixed) return cells;
  const target = { ...cell, x: between(at.x, 0, COLUMNS - cell.w), y: Math.max(0, at.y) };
  return settled(
    cells.map((other) => (other.i === id ? target : other)),
    id,
  );
}

export function sized(cells: Cell[], id: string, by: { w?: number; h?: number }): Cell[] {
  const cell = cells.find(({ i }) => i === id);
  if (!cell) return cells;
  return sizedTo(cells, id, { w: cell.w + (by.w ?? 0), h: cell.h + (by.h ?? 0) });
}

export function sizedTo(cells: Cell[], id: string, size: { w: number; h: number }): Cell[] {
  const next = cells.map((cell) =>
    cell.i === id && !cell.isFixed
      ? { ...cell, w: between(size.w, 1, COLUMNS - cell.x), h: between(size.h, 1, ROWS_MOST) }
      : cell,
  );
  return settled(next, id);
}

/** The document with these places. A place that means the same as before is left alone, letter by letter. */
export function written(document: Document, cells: Cell[]): Document {
  const old = new Map(document.layout.map((place) => [place.i, place]));
  const before = new Map(arranged(document).map((cell) => [cell.i, cell]));
  const layout: Place[] = [];
  for (const { i, x, y, w, h } of cells) {
    const place = old.get(i);
    old.delete(i);
    const was = before.get(i);
    const isSame = place && was && was.x === x && was.y === y && was.w === w && was.h === h;
    layout.push(isSame ? place : { ...place, i, x, y, w, h });
  }
  // Places of charts that are not there stay, as everything else that is not understood.
  return { ...document, layout: [...layout, ...old.values()] };
}

/** The rows that all cells need. */
export function rows(cells: Cell[]): number {
  return cells.reduce((most, { y, h }) => Math.max(most, y + h), 0);
}

/** The order in which charts are read: from above, then from the left. */
export function inReadingOrder(cells: Cell[]): Cell[] {
  return [...cells].sort((a, b) => a.y - b.y || a.x - b.x);
}
