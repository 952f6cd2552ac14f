// The first dashboard of a dataset asks only for fields that it has, and its panels lie beside each other.

import { expect, test } from "vitest";
import type { FieldMeta } from "../../src/api/query.ts";
import { queryOf } from "../../src/screens/dashboards/document.ts";
import { exampleOf } from "../../src/screens/dashboards/example.ts";

const field = (name: string, type: string): FieldMeta => ({ name, type, unit: "", hidden: false, description: "" });
const WEB = [
  field("_time", "datetime"),
  field("duration_ms", "float"),
  field("level", "string"),
  field("message", "string"),
  field("path", "string"),
  field("service", "string"),
  field("status", "integer"),
  field("trace_id", "string"),
];

test("a web log has failures, durations, levels and its greatest services", () => {
  const document = exampleOf("my web", WEB);
  const queries = document.charts.map(queryOf);
  expect(queries.every((apl) => apl.startsWith("['my web']\n"))).toBe(true);
  expect(queries.some((apl) => apl.includes("countif(status >= 500)"))).toBe(true);
  expect(queries.some((apl) => apl.includes("percentile(duration_ms, 99)"))).toBe(true);
  expect(queries.some((apl) => apl.includes("by bin_auto(_time), level"))).toBe(true);
  const greatest = document.charts.filter(({ type }) => type === "TopK").map(({ name }) => name);
  expect(greatest).toEqual(["Most frequent service", "Most frequent path"]);
});

test("events with nothing but a time and a number still have a dashboard", () => {
  const document = exampleOf("m", [field("_time", "datetime"), field("value", "float"), field("status", "string")]);
  expect(document.charts.map(({ type }) => type)).toEqual(["Statistic", "TimeSeries", "TopK", "LogStream"]);
  expect(document.charts.map(queryOf).join("\n")).not.toMatch(/countif|percentile|value/);
});

test("no two panels lie on each other, and none sticks out", () => {
  for (const fields of [WEB, [], [field("a", "string"), field("b", "string"), field("c", "string")]]) {
    const taken = new Set<string>();
    const { layout, charts } = exampleOf("d", fields);
    expect(layout.map(({ i }) => i)).toEqual(charts.map(({ id }) => id));
    for (const { x, y, w, h } of layout) {
      expect(x + w).toBeLessThanOrEqual(12);
      expect(y).not.toBeNull();
      const top = y ?? 0;
      for (let column = x; column < x + w; column++)
        for (let row = top; row < top + h; row++) {
          expect(taken.has(`${column} ${row}`)).toBe(false);
          taken.add(`${column} ${row}`);
        }
    }
  }
});
