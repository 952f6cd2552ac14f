// Reading charts by keys: what each key does, which stretch is chosen, what is said.

import { flushSync, mount, unmount } from "svelte";
import { expect, test } from "vitest";
import { between } from "../../src/charts/buckets.ts";
import { NOTHING_READ, type Reading, stepBy, stretchOf } from "../../src/charts/by-keys.ts";
import Histogram from "../../src/charts/Histogram.svelte";
import { spoken } from "../../src/charts/spoken.ts";

const COUNT = 5;
const plain = (key: string) => ({ key, shiftKey: false });
const shift = (key: string) => ({ key, shiftKey: true });

/** Where a row of keys leads. */
function after(...keys: { key: string; shiftKey: boolean }[]): Reading {
  let reading = NOTHING_READ;
  for (const key of keys) {
    const step = stepBy(key, reading, COUNT, reading.anchor !== null);
    if (step?.does === "read" || step?.does === "choose") reading = { cursor: step.cursor, anchor: step.anchor };
  }
  return reading;
}

test("arrows begin at either end and stay within", () => {
  expect(after(plain("ArrowRight")).cursor).toBe(0);
  expect(after(plain("ArrowLeft")).cursor).toBe(4);
  expect(after(plain("ArrowLeft"), plain("ArrowRight")).cursor).toBe(4);
  expect(after(plain("End"), plain("ArrowLeft"), plain("ArrowLeft")).cursor).toBe(2);
  expect(after(plain("ArrowLeft"), plain("Home"), plain("ArrowLeft")).cursor).toBe(0);
});

test("Shift chooses from where it began, to both sides", () => {
  const chosen = after(plain("Home"), plain("ArrowRight"), shift("ArrowRight"), shift("ArrowRight"));
  expect(stretchOf(chosen)).toEqual({ first: 1, last: 3 });
  const back = after(plain("Home"), plain("ArrowRight"), plain("ArrowRight"), shift("ArrowRight"), shift("Home"));
  expect(stretchOf(back)).toEqual({ first: 0, last: 2 });
  // The first key only goes there.
  expect(after(shift("ArrowLeft"))).toEqual({ cursor: 4, anchor: null });
});

test("Enter takes, Esc lets go of the stretch first, then of the bucket, then is for others", () => {
  expect(stepBy(plain("Enter"), NOTHING_READ, COUNT, false)).toBeNull();
  expect(stepBy(plain("Enter"), { cursor: 1, anchor: null }, COUNT, false)).toEqual({ does: "take" });
  expect(stepBy(plain("Escape"), { cursor: 1, anchor: 3 }, COUNT, true)).toEqual({ does: "drop" });
  expect(stepBy(plain("Escape"), { cursor: 1, anchor: null }, COUNT, false)).toEqual({ does: "leave" });
  expect(stepBy(plain("Escape"), NOTHING_READ, COUNT, false)).toBeNull();
  expect(stepBy(plain("ArrowLeft"), NOTHING_READ, 0, false)).toBeNull();
  expect(stepBy(plain("j"), NOTHING_READ, COUNT, false)).toBeNull();
});

test("a stretch ends with its last bucket, whose length may have to be found", () => {
  expect(between([0, 60, 120], 60, { first: 1, last: 2 })).toEqual({ from: 60, to: 180 });
  expect(between([0, 10, 30], null, { first: 0, last: 1 })).toEqual({ from: 0, to: 30 });
  expect(between([0, 10, 30], null, { first: 2, last: 2 })).toEqual({ from: 30, to: 50 });
  expect(between([5], null, { first: 0, last: 0 })).toBeNull();
});

test("time and values are said, what is not there too, and no more than anybody listens to", () => {
  expect(
    spoken("12:00", [
      { name: "web", value: "12" },
      { name: "api", value: null },
    ]),
  ).toBe("12:00: web 12; 1 without a value");
  expect(spoken("12:00", [{ name: "web", value: null }])).toBe("12:00: no value");
  const many = Array.from({ length: 13 }, (_, place) => ({ name: `s${place}`, value: "1" }));
  expect(spoken("12:00", many)).toMatch(/s9 1 and 3 more$/);
});

test("the bars of events are read, chosen and entered by keys", () => {
  const minute = 60_000_000_000n;
  const bar = (place: number, errors: number) => ({
    start: BigInt(place) * minute,
    counts: new Map([
      ["error", errors],
      ["info", 1],
    ]),
    total: errors + 1,
  });
  const selected: unknown[] = [];
  const entered: unknown[] = [];
  const props = $state({
    buckets: [bar(0, 4), bar(1, 5), bar(2, 6)],
    size: minute,
    start: 0n,
    end: 3n * minute,
    groups: ["error", "info"],
    selected: null as { start: bigint; end: bigint } | null,
    onselect: (chosen: { start: bigint; end: bigint } | null) => {
      selected.push(chosen);
      props.selected = chosen;
    },
    onenter: (start: bigint, end: bigint) => entered.push([start, end]),
  });
  const chart = mount(Histogram, { target: document.body, props });
  const host = document.querySelector(".histogram")!;
  const press = (key: string, shiftKey = false) => {
    host.dispatchEvent(new KeyboardEvent("keydown", { key, shiftKey, bubbles: true, cancelable: true }));
    flushSync();
  };
  const said = () => document.querySelector("[aria-live]")?.textContent;
  flushSync();
  expect(said()).toBe("");
  press("End");
  expect(said()).toBe("1 Jan 1970 00:02: events 7, error 6, info 1");
  press("ArrowLeft", true);
  expect(selected).toEqual([{ start: minute, end: 3n * minute }]);
  expect(said()).toBe("chosen from 1 Jan 1970 00:01 to 1 Jan 1970 00:03; 1 Jan 1970 00:01: events 6, error 5, info 1");
  press("Enter");
  press("Escape");
  press("Enter");
  expect(entered).toEqual([
    [minute, 3n * minute],
    [minute, 2n * minute],
  ]);
  press("Escape");
  expect(said()).toBe("");
  unmount(chart);
});
