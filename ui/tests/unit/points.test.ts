// Which columns of an answer become points, and between which ends.

import { expect, test } from "vitest";
import type { Table } from "../../src/api/query.ts";
import { pointsOf } from "../../src/charts/points.ts";

const table = (more: Partial<Table>): Table => ({
  name: "0",
  sources: [],
  fields: [],
  order: [],
  groups: [],
  range: { field: "_time", start: "", end: "" },
  columns: [],
  ...more,
});
const time = { name: "_time", type: "datetime" };
const counted = { name: "count_", type: "integer", agg: { name: "count" } };
const mean = { name: "avg_", type: "float", agg: { name: "avg" } };
const times = ["2026-01-01T00:00:00Z", "2026-01-01T00:01:00Z"];
const first = Date.UTC(2026, 0, 1) / 1000;

test("one number over time has time across, not the number of its row", () => {
  const points = pointsOf(
    table({
      fields: [time, { name: "host", type: "string" }, counted],
      groups: [{ name: "_time" }, { name: "host" }],
      buckets: { field: "_time", size: 60e9 },
      columns: [times, ["a", null], [4, 9]],
    }),
  )!;
  expect(points.across).toEqual({ name: "_time", isTime: true, from: first, to: first + 60 });
  expect(points.up).toEqual({ name: "count_", isTime: false, from: 0, to: 9 });
  expect(points.list).toEqual([
    { x: first, y: 4, of: "a" },
    { x: first + 60, y: 9, of: "none" },
  ]);
});

test("two numbers are drawn against each other, one over the number that it is grouped by", () => {
  const two = pointsOf(
    table({ fields: [time, counted, mean], groups: [{ name: "_time" }], columns: [times, [1, 2], [-3, 7]] }),
  )!;
  expect([two.across.name, two.up.name, two.up.from, two.up.to]).toEqual(["count_", "avg_", -3, 7]);
  const alone = pointsOf(
    table({ fields: [time, counted, mean], groups: [{ name: "_time" }], columns: [times, [1, 2], [-3, 7]] }),
    "avg_",
  )!;
  expect([alone.across.name, alone.up.name]).toEqual(["_time", "avg_"]);
  const status = { name: "status", type: "integer" };
  const one = pointsOf(
    table({
      fields: [status, counted],
      groups: [{ name: "status" }],
      columns: [
        [200, 500],
        [90, 3],
      ],
    }),
  )!;
  expect([one.across.name, one.up.name]).toEqual(["status", "count_"]);
  const groups = pointsOf(
    table({
      fields: [{ name: "host", type: "string" }, counted],
      groups: [{ name: "host" }],
      columns: [
        ["a", "b"],
        [1, 2],
      ],
    }),
  )!;
  expect([groups.across.name, groups.list.map(({ x }) => x)]).toEqual(["row", [0, 1]]);
  expect(pointsOf(table({ fields: [time], columns: [times] }))).toBeNull();
});

test("more points than are drawn are from everywhere, and counted", () => {
  const many = Array.from({ length: 25 }, (_, place) => place);
  const points = pointsOf(table({ fields: [counted], columns: [many] }), null, 10)!;
  expect(points.total).toBe(25);
  expect(points.list.map(({ x }) => x)).toEqual([0, 2, 5, 7, 10, 12, 15, 17, 20, 22]);
});

test("a single moment stands in the middle, and what is no time is left out", () => {
  const points = pointsOf(
    table({
      fields: [time, counted],
      columns: [
        [times[0]!, null],
        [5, 6],
      ],
    }),
  )!;
  expect(points.list).toHaveLength(1);
  expect([points.across.from, points.across.to]).toEqual([first - 30, first + 30]);
});
