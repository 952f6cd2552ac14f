// How a monitor went over a stretch of time, as pieces of a strip: from run to run, those of one state together.

import type { StateThen } from "../../api/monitors.ts";
import { parseTime, toSeconds } from "../../time/nanoseconds.ts";

export interface Piece {
  /** Shares of the whole, from 0 to 1. */
  from: number;
  to: number;
  state: "open" | "closed";
}

/** What was before the first run is not known, so the strip is empty there. */
export function piecesOf(states: StateThen[], from: number, to: number): Piece[] {
  const known = states
    .flatMap(({ state, timestamp }) => {
      const ns = parseTime(timestamp);
      return ns === null ? [] : [{ state, at: toSeconds(ns) }];
    })
    .sort((a, b) => a.at - b.at);
  const share = (seconds: number) => Math.min(1, Math.max(0, (seconds - from) / (to - from)));
  const pieces: Piece[] = [];
  known.forEach(({ state, at }, place) => {
    const next = known[place + 1]?.at ?? to;
    const last = pieces.at(-1);
    if (last?.state === state) last.to = share(next);
    else pieces.push({ from: share(at), to: share(next), state });
  });
  return pieces;
}

/** How often it was open, and for which share of the time that is known. */
export function openIn(pieces: Piece[]): { times: number; share: number } {
  const length = (list: Piece[]) => list.reduce((sum, { from, to }) => sum + to - from, 0);
  const open = pieces.filter(({ state }) => state === "open");
  return { times: open.length, share: length(open) / (length(pieces) || 1) };
}
