// A link to a dashboard as it was names its answers, and what is kept is what is shown.

import { expect, test } from "vitest";
import type { Document } from "../../src/api/dashboards.ts";
import { panelsToKeep, parametersToKeep } from "../../src/screens/dashboards/kept/keep.ts";
import { readKept, writeKept } from "../../src/screens/dashboards/kept/link.ts";
import { parseTime } from "../../src/time/nanoseconds.ts";

test("a link has the answers of its charts, and what is odd in one is left out", () => {
  const charts = [
    { place: 0, answer: "h7TqVx20KcWm94ZpLd", earlier: null },
    { place: 12, answer: "a-b_c", earlier: "d" },
  ];
  expect(writeKept(charts)).toBe("0.h7TqVx20KcWm94ZpLd,12.a-b_c.d");
  expect(readKept(writeKept(charts))).toEqual(charts);
  expect(readKept("x.y,,1,-1.a,1000.a,2.a/b,3.ok")).toEqual([{ place: 3, answer: "ok", earlier: null }]);
});

const moments = { start: parseTime("2026-01-01T01:00:00Z")!, end: parseTime("2026-01-01T02:00:00Z")! };
const document = {
  charts: [
    { id: "note", type: "Note", text: "x" },
    { id: "a", type: "Table", name: "Errors" },
    { id: "b", type: "Statistic" },
  ],
} as unknown as Document;
const shared = {
  document,
  version: 4,
  against: "",
  questions: [],
  values: new Map<string, string>(),
  moments,
  momentsOf: () => moments,
};

test("each panel is kept over what it shows, with its filters written in and its earlier period", () => {
  const questions = [
    { id: "b", apl: "web | where service == wanted | count", range: null, against: 3600 },
    { id: "a", apl: "web | count", range: null, against: 0 },
    { id: "gone", apl: "web", range: null, against: 0 },
  ];
  const values = new Map([["wanted", "checkout"]]);
  const [first, second, ...more] = panelsToKeep({ ...shared, questions, values });
  expect(more).toEqual([]);
  expect(first).toMatchObject({ place: 2, name: "Number", start: "2026-01-01T01:00:00Z", end: "2026-01-01T02:00:00Z" });
  expect(first!.apl).toMatch(/^let wanted = "checkout";\nweb/);
  expect(first!.before).toEqual({ start: "2026-01-01T00:00:00Z", end: "2026-01-01T01:00:00Z" });
  expect(second).toMatchObject({ place: 1, name: "Errors", apl: "web | count", before: null });
  expect(panelsToKeep({ ...shared, questions, values, momentsOf: () => null })).toEqual([]);
});

test("the link names the version, and filters that nobody touched", () => {
  const values = new Map([
    ["wanted", "checkout"],
    ["path", ""],
  ]);
  expect(parametersToKeep({ ...shared, values })).toEqual({
    version: "4",
    against: "off",
    "v.wanted": "checkout",
    "v.path": " ",
  });
});
