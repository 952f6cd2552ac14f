// Which marked moments a drawing shows.

import { expect, test } from "vitest";
import type { Annotation } from "../../src/api/annotations.ts";
import { markedOn } from "../../src/charts/marked.svelte.ts";

const note = (id: string, ...datasets: string[]): Annotation => ({
  id,
  datasets,
  type: "release",
  time: "2026-01-01T00:00:00Z",
  endTime: null,
  title: id,
  description: "",
});

test("those of a dataset that is drawn, whatever else they are about", () => {
  const list = [note("a", "web"), note("b", "api", "web"), note("c", "api")];
  expect(markedOn(list, ["web"]).map(({ id }) => id)).toEqual(["a", "b"]);
  expect(markedOn(list, new Set(["web", "api"])).map(({ id }) => id)).toEqual(["a", "b", "c"]);
  expect(markedOn(list, [])).toEqual([]);
});
