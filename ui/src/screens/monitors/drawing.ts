// Where things of a backtest lie in its drawing: scales, the line of values, bands of alerts for each group, and what is
// different between two versions.

import type { Annotation } from "../../api/annotations.ts";
import type { Alert, Replayed } from "../../api/backtest.ts";
import { parseTime, toSeconds } from "../../time/nanoseconds.ts";
import { bothZones } from "../../time/write.ts";
import { visible } from "../../values/hostile.ts";
import { rounded } from "../../values/marks.ts";

/** Two ends of a scale, in seconds or in values. */
export interface Ends {
  from: number;
  to: number;
}

export interface Band {
  from: number;
  to: number;
  /** Whether the alert was still open at the end. */
  isOpen: boolean;
  alert: Alert;
}

export interface GroupRow {
  name: string;
  bands: Band[];
}

/** Rows of bands that are drawn. Those with the most alerts come first. */
export const ROWS_MAX = 12;

export function seconds(text: string): number {
  const ns = parseTime(text);
  return ns === null ? Number.NaN : toSeconds(ns);
}

/** Ends that hold all values and the threshold, with room above. Where nothing is compared with one number, values that
 * lie close together far from 0 are not pressed flat. */
export function valueEnds(values: (number | null)[], threshold: number | null): Ends {
  let from = Math.min(0, threshold ?? 0);
  let to = Math.max(0, threshold ?? 0);
  for (const value of values) {
    if (value === null || !Number.isFinite(value)) continue;
    from = Math.min(from, value);
    to = Math.max(to, value);
  }
  const low = values.reduce<number>((least, value) => Math.min(least, value ?? least), Number.POSITIVE_INFINITY);
  if (threshold === null && low > 0 && Number.isFinite(low) && to - low < to / 2) from = low - (to - low) * 0.2;
  if (from === to) to = from + 1;
  const room = (to - from) * 0.1;
  return { from: from < 0 ? from - room : from, to: to + room };
}

export function place(value: number, { from, to }: Ends, length: number): number {
  return ((value - from) / (to - from)) * length;
}

/** The value at a place, rounded to what a hand can mean there. */
export function valueAt(at: number, ends: Ends, length: number, isWhole: boolean): number {
  return rounded(ends.from + (at / length) * (ends.to - ends.from), step(ends, isWhole));
}

/** A step of the threshold that is seen: a hundredth of the scale, as 1, 2 or 5 of a power of ten; a whole one among
 * whole values. */
export function step({ from, to }: Ends, isWhole: boolean): number {
  const size = 10 ** Math.floor(Math.log10((to - from) / 100));
  const parts = (to - from) / 100 / size;
  const found = size * (parts >= 5 ? 5 : parts >= 2 ? 2 : 1);
  return isWhole ? Math.max(1, found) : found;
}

/** The steps of time that an axis names: about one for each 110 pixels, at round times of UTC. */
export function timeTicks({ from, to }: Ends, width: number): number[] {
  const steps = [60, 300, 600, 1800, 3600, 10_800, 21_600, 43_200, 86_400, 172_800, 604_800, 1_209_600, 2_592_000];
  const most = Math.max(2, Math.floor(width / 110));
  const by = steps.find((wanted) => (to - from) / wanted <= most) ?? 7_776_000;
  const found: number[] = [];
  for (let tick = Math.ceil(from / by) * by; tick <= to; tick += by) found.push(tick);
  return found;
}

/** The path of a line of steps: a value counts until the run behind it. Runs without one are gaps. */
export function linePath(found: Replayed, time: Ends, value: Ends, width: number, height: number): string {
  let path = "";
  let isDown = false;
  for (const { timestamp, value: read } of found.values) {
    if (read === null || !Number.isFinite(read)) {
      isDown = false;
      continue;
    }
    const x = place(seconds(timestamp), time, width).toFixed(1);
    const y = (height - place(read, value, height)).toFixed(1);
    path += isDown ? `H${x}V${y}` : `M${x} ${y}`;
    isDown = true;
  }
  return path;
}

export interface Mark {
  id: string;
  x: number;
  /** As much of its name as there is room for. */
  text: string;
  /** All that is told of it, with its time. */
  words: string;
}

/** Pixels of one letter, about. */
const LETTER = 6;

/** The moments that somebody marked in this time, from left to right. */
export function marksIn(annotations: Annotation[], time: Ends, width: number): Mark[] {
  const inside = annotations
    .map((note) => ({ note, at: seconds(note.time) }))
    .filter(({ at }) => at >= time.from && at <= time.to)
    .sort((a, b) => a.at - b.at)
    .map(({ note, at }) => ({ note, x: place(at, time, width) }));
  return inside.map(({ note, x }, index) => {
    const name = visible(note.title || note.type);
    const letters = Math.floor(((inside[index + 1]?.x ?? width) - x - 8) / LETTER);
    const text = name.length <= letters ? name : letters > 2 ? `${name.slice(0, letters - 1)}…` : "";
    return { id: note.id, x, text, words: `${bothZones(note.time)}\n${name}` };
  });
}

/** The bands of alerts, one row for each group. */
export function rowsOf(found: Replayed, time: Ends): { rows: GroupRow[]; leftOut: number } {
  const byName = new Map<string, Band[]>();
  for (const alert of found.alerts) {
    const name = groupName(alert.group);
    const to = alert.closedAt === undefined ? time.to : seconds(alert.closedAt);
    const bands = byName.get(name) ?? [];
    bands.push({ from: seconds(alert.openedAt), to, isOpen: alert.closedAt === undefined, alert });
    byName.set(name, bands);
  }
  const rows = [...byName].map(([name, bands]) => ({ name, bands }));
  rows.sort((a, b) => b.bands.length - a.bands.length || a.name.localeCompare(b.name));
  return { rows: rows.slice(0, ROWS_MAX), leftOut: Math.max(0, rows.length - ROWS_MAX) };
}

export function groupName(group: Record<string, string> | undefined): string {
  const values = Object.values(group ?? {});
  return values.length === 0 ? "all" : values.map((value) => value || "empty").join(" · ");
}

/** `+2 alerts · −3 messages`, of a new version against the saved one. */
export function difference(now: Replayed, saved: Replayed): string {
  const part = (count: number, one: string) => {
    if (count === 0) return `same ${one}s`;
    return `${count > 0 ? "+" : "−"}${Math.abs(count)} ${one}${Math.abs(count) === 1 ? "" : "s"}`;
  };
  return `${part(now.opened - saved.opened, "alert")} · ${part(now.notifications - saved.notifications, "message")}`;
}
