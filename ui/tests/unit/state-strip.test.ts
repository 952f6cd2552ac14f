// How a monitor went over a stretch of time.

import { expect, test } from "vitest";
import { openIn, piecesOf } from "../../src/screens/dashboards/state-strip.ts";

const then = (minute: number, state: "open" | "closed") => ({
  state,
  timestamp: `2026-01-01T00:${String(minute).padStart(2, "0")}:00Z`,
});
const start = Date.UTC(2026, 0, 1) / 1000;

test("runs of one state are one piece, each until the next, and before the first nothing is known", () => {
  const states = [then(40, "closed"), then(30, "open"), then(25, "open"), then(20, "closed"), then(10, "closed")];
  const pieces = piecesOf(states, start, start + 2400);
  expect(pieces).toEqual([
    { from: 0.25, to: 0.625, state: "closed" },
    { from: 0.625, to: 1, state: "open" },
    { from: 1, to: 1, state: "closed" },
  ]);
  expect(openIn(pieces)).toEqual({ times: 1, share: 0.5 });
});

test("the newest state lasts until the end, and without runs there is nothing", () => {
  expect(piecesOf([then(20, "open")], start, start + 2400)).toEqual([{ from: 0.5, to: 1, state: "open" }]);
  expect(openIn(piecesOf([], start, start + 60))).toEqual({ times: 0, share: 0 });
});
