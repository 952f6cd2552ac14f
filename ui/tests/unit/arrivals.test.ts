// What came while somebody reads: looked for as often as would have been asked, behind the range that was asked, and
// forgotten with the next question.

import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { address } from "../../src/address/address.svelte.ts";
import { way } from "../../src/api/silence.ts";
import { Arrivals } from "../../src/screens/explore/arrivals.svelte.ts";
import type { Asked, Exploration } from "../../src/screens/explore/exploration.svelte.ts";

const asked = {
  base: "web",
  endTime: "2026-06-01T12:00:00Z",
  moments: { start: 0n, end: 1_780_315_200_000_000_000n },
  isEvents: true,
} as Asked;
const exploration = (of: Partial<Exploration>) =>
  ({ asked, isRead: true, frozen: null, run: { isRunning: false }, ...of }) as Exploration;

let bodies: { apl: string; startTime: string }[] = [];

beforeEach(() => {
  vi.useFakeTimers({ now: Date.parse("2026-06-01T12:00:00Z") });
  bodies = [];
  // Plainly, so that an answer is one piece.
  way.remember();
  vi.stubGlobal("fetch", async (_: string, { body }: RequestInit) => {
    bodies.push(JSON.parse(String(body)));
    const answer = { tables: [{ columns: [[bodies.length * 3]] }] };
    return new Response(JSON.stringify(answer), { headers: { "content-type": "application/json" } });
  });
  history.replaceState(null, "", "/explore?from=now-1h&to=now&refresh=15");
  address.begin();
});

afterEach(() => {
  way.forget();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

test("new events are counted again and again, until somebody ends to read", async () => {
  const arrivals = new Arrivals();
  const end = arrivals.follow(exploration({}));
  await vi.advanceTimersByTimeAsync(14_000);
  expect(bodies).toEqual([]);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(bodies).toMatchObject([{ apl: "web\n| count", startTime: "2026-06-01T12:00:00Z" }]);
  expect(arrivals.count).toBe(3);
  await vi.advanceTimersByTimeAsync(16_000);
  expect(arrivals.count).toBe(6);
  end?.();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(bodies).toHaveLength(2);
  // The next answer has them.
  arrivals.follow(exploration({ asked: { ...asked } }))?.();
  expect(arrivals.count).toBe(0);
});

test("where the clock was put back nothing is asked", async () => {
  const arrivals = new Arrivals();
  const end = arrivals.follow(exploration({}));
  vi.setSystemTime(Date.parse("2026-06-01T11:00:00Z"));
  await vi.advanceTimersByTimeAsync(40_000);
  expect(bodies).toEqual([]);
  end?.();
});

test("nothing is counted where nothing is held", () => {
  const arrivals = new Arrivals();
  expect(arrivals.follow(exploration({ isRead: false }))).toBeUndefined();
  expect(arrivals.follow(exploration({ asked: { ...asked, isEvents: false } }))).toBeUndefined();
  history.replaceState(null, "", "/explore?from=now-1h&to=now");
  address.begin();
  expect(arrivals.follow(exploration({}))).toBeUndefined();
});
