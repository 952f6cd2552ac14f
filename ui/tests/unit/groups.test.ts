// The groups of an answer by one of its numbers, as Explore draws them.

import { expect, test } from "vitest";
import type { Table } from "../../src/api/query.ts";
import { chartOf } from "../../src/charts/series.ts";
import { groupRows, measuresOf } from "../../src/screens/explore/groups.ts";

const answer: Table = {
  name: "0",
  sources: [],
  order: [],
  range: { field: "_time", start: "", end: "" },
  groups: [{ name: "status" }, { name: "host" }],
  fields: [
    { name: "status", type: "integer" },
    { name: "host", type: "string" },
    { name: "count_", type: "integer", agg: { name: "count" } },
    { name: "slowest", type: "float", agg: { name: "max" } },
  ],
  columns: [
    [200, 500],
    ["a", null],
    [9, 2],
    [1.5, 8],
  ],
};

test("groups are no numbers to draw, even where they are numbers", () => {
  expect(measuresOf(answer)).toEqual(["count_", "slowest"]);
});

test("each number ranks the groups by itself", () => {
  const ranked = (measure: string) => groupRows(answer, measure).map(({ name, exact }) => [name, exact]);
  expect(ranked("count_")).toEqual([
    ["200 · a", "9"],
    ["500 · none", "2"],
  ]);
  expect(ranked("slowest")).toEqual([
    ["500 · none", "8"],
    ["200 · a", "1.5"],
  ]);
});

test("over time, one number alone has all the room that there is for series", () => {
  const many = Array.from({ length: 60 }, (_, place) => place);
  const over: Table = {
    ...answer,
    groups: [{ name: "_time" }, { name: "host" }],
    fields: [{ name: "_time", type: "datetime" }, ...answer.fields.slice(1)],
    columns: [many.map(() => "2026-01-01T00:00:00Z"), many.map((place) => `h${place}`), many, many.map(() => 1e6)],
  };
  const [all, one] = [chartOf(over)!, chartOf(over, "count_")!];
  expect([all.series.length, all.leftOut, all.measures]).toEqual([50, 70, ["count_", "slowest"]]);
  expect([one.series.length, one.leftOut, one.measures]).toEqual([50, 10, ["count_", "slowest"]]);
  expect(one.series[0]!.name).toBe("h59 · count_");
});
