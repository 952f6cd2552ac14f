// What the palette finds: by all words of a name, those first that begin with what was typed, and each of those with one name.

import { expect, test } from "vitest";
import { type Entry, matching } from "../../src/frame/matching.ts";

const entry = (id: string, title: string, hint: string, name = title): Entry => ({
  id,
  title,
  hint,
  name,
  run: () => undefined,
});
const entries = [
  entry("screen", "Monitors", "g m", "Go to Monitors"),
  entry("explore web", "web", "dataset", "Explore web"),
  entry("dashboard 1", "Shop: services", "dashboard"),
  entry("monitor 1", "Web fails", "monitor"),
  entry("monitor 2", "Web fails", "monitor"),
];
const found = (typed: string, most = 12) => matching(entries, typed, most).map(({ id }) => id);

test("all words of a name have to be there, in any order, whatever the case", () => {
  expect(found("SERVICES shop")).toEqual(["dashboard 1"]);
  expect(found("services web")).toEqual([]);
  expect(found("dashboard")).toEqual(["dashboard 1"]);
});

test("names that begin with what was typed come first, and two of one name are two", () => {
  expect(found("web")).toEqual(["explore web", "monitor 1", "monitor 2"]);
  expect(found("monitor")).toEqual(["screen", "monitor 1", "monitor 2"]);
  expect(found("web f")).toEqual(["monitor 1", "monitor 2"]);
});

test("without letters all are there as they stand, and never more than are wanted", () => {
  expect(found("")).toHaveLength(5);
  expect(found("", 2)).toEqual(["screen", "explore web"]);
});
