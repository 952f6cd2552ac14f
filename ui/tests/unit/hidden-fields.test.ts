// Fields that people hid are left out of lists, unless somebody wants to see them or a query names what it keeps.

import { afterEach, expect, test } from "vitest";
import { namesItsFields } from "../../src/apl/stages.ts";
import { catalogue } from "../../src/session/catalogue.svelte.ts";
import { hiddenOf, leftOut } from "../../src/session/hidden-fields.ts";
import { preferences } from "../../src/session/preferences.svelte.ts";
import { defaultColumns } from "../../src/table/columns.ts";

const field = (name: string, hidden = false) => ({ name, type: "string", unit: "", hidden, description: "" });

afterEach(() => {
  catalogue.fields = new Map();
  preferences.set("hiddenFields", false);
});

test("those of the dataset are left out, until somebody wants to see them", () => {
  catalogue.fields = new Map([["web", [field("path"), field("noise", true)]]]);
  expect([...leftOut("web")]).toEqual(["noise"]);
  expect([...leftOut("other")]).toEqual([]);
  expect([...leftOut(null)]).toEqual([]);
  preferences.set("hiddenFields", true);
  expect([...leftOut("web")]).toEqual([]);
  expect([...hiddenOf("web")]).toEqual(["noise"]);
});

test("the usual columns have none of them", () => {
  const fields = [field("_time"), field("level"), field("message"), field("body")];
  const columns = (out: string[]) => defaultColumns(fields, true, new Set(out)).map((column) => column.field);
  expect(columns([])).toEqual(["_time", "level", "message", "*"]);
  expect(columns(["level", "message"])).toEqual(["_time", "body", "*"]);
});

test("a query that names its fields means all of them", () => {
  expect(namesItsFields("web | where a > 1 | project a, noise")).toBe(true);
  expect(namesItsFields("web | project-keep n*")).toBe(true);
  expect(namesItsFields("web | project-away a | where project == 1")).toBe(false);
});
