import { describe, expect, it } from "vitest";
import type { Chart } from "../../src/api/dashboards.ts";
import type { QueryAnswer, Table } from "../../src/api/query.ts";
import { rangesOverTime } from "../../src/charts/ranges.ts";
import { quantile, rate, readMetrics, total } from "../../src/screens/dashboards/health/prometheus.ts";
import { blocks, inlines } from "../../src/screens/dashboards/markdown.ts";
import * as tables from "../../src/screens/dashboards/tables.ts";
import { levelOf, limitsOf, writerOf } from "../../src/screens/dashboards/units.ts";

const chart = (id: string, more: Partial<Chart> = {}): Chart => ({
  id,
  type: "TimeSeries",
  name: id,
  query: { apl: "x" },
  ...more,
});

describe("notes", () => {
  it("are nodes, and tags in them are text", () => {
    expect(blocks("# Hi <b>x</b>\n\n- one\n- **two**\n\n1. a\n\n> q\n\n```\n<script>\n```\n---\ntext")).toEqual([
      { kind: "heading", level: 1, parts: [{ kind: "text", text: "Hi <b>x</b>" }] },
      { kind: "list", isOrdered: false, items: [[{ kind: "text", text: "one" }], [{ kind: "strong", text: "two" }]] },
      { kind: "list", isOrdered: true, items: [[{ kind: "text", text: "a" }]] },
      { kind: "quote", lines: [[{ kind: "text", text: "q" }]] },
      { kind: "code", text: "<script>" },
      { kind: "rule" },
      { kind: "paragraph", lines: [[{ kind: "text", text: "text" }]] },
    ]);
  });

  it("link to the web alone", () => {
    expect(inlines("[a](https://x.example/y) and [b](javascript:alert(1)) `**c**` snake_case_name _em_")).toEqual([
      { kind: "link", text: "a", href: "https://x.example/y" },
      { kind: "text", text: " and [b](javascript:alert(1)) " },
      { kind: "code", text: "**c**" },
      { kind: "text", text: " snake_case_name " },
      { kind: "em", text: "em" },
    ]);
    expect(inlines("[b](data:text/html,x)")).toEqual([{ kind: "text", text: "[b](data:text/html,x)" }]);
  });

  it("are read in time, whatever they hold", () => {
    const began = performance.now();
    for (const part of ["*", "[", "_a", "`", "**", "[a](", "> ", "- "]) blocks(part.repeat(30_000));
    expect(performance.now() - began).toBeLessThan(3000);
  });
});

describe("numbers", () => {
  it("are written with the unit of their chart", () => {
    const write = (more: Partial<Chart>, value: number, tight = false) => writerOf(chart("a", more), tight)(value);
    expect(write({}, 12_345.5)).toBe("12,345.5");
    expect(write({}, 12_345, true)).toBe("12.3 k");
    expect(write({ unit: "TimeMS" }, 1500)).toBe("1.50 s");
    expect(write({ unit: "Byte" }, 1500)).toBe("1.5 kB");
    expect(write({ unit: "Percent", decimals: 1 }, 41.96)).toBe("42 %");
    expect(write({ unit: "Percent100" }, 0.42)).toBe("42 %");
    expect(write({ unit: "Custom", customUnits: "req/s" }, 3)).toBe("3 req/s");
    expect(write({ unit: "CurrencyUSD" }, 3)).toBe("3 CurrencyUSD");
  });

  it("reach their limits", () => {
    const limits = limitsOf(
      chart("a", {
        warningThreshold: "Above",
        warningThresholdValue: "5",
        errorThreshold: "AboveOrEqual",
        errorThresholdValue: 10,
      }),
    );
    expect([levelOf(5, limits), levelOf(6, limits), levelOf(10, limits), levelOf(null, limits)]).toEqual([
      null,
      "warning",
      "error",
      null,
    ]);
    expect(limitsOf(chart("a", { errorThreshold: "Off", errorThresholdValue: "3" }))).toEqual([]);
    expect(levelOf(1, limitsOf(chart("a", { errorThreshold: "Below", errorThresholdValue: "2" })))).toBe("error");
  });
});

describe("answers", () => {
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
  const answer = (...list: Table[]): QueryAnswer => ({
    format: "tabular",
    status: { cacheStatus: 3 } as never,
    tables: list,
    datasetNames: [],
    fieldsMetaMap: {},
  });
  const times = ["2026-01-01T00:00:00Z", "2026-01-01T00:01:00Z"];
  const counted = { name: "count_", type: "integer", agg: { name: "count" } };
  const time = { name: "_time", type: "datetime" };

  it("are ranked by their totals, and by the counts of topk", () => {
    const binned = answer(
      table({
        fields: [time, { name: "s", type: "string" }, counted],
        groups: [{ name: "_time" }, { name: "s" }],
        columns: [
          [...times, ...times],
          ["a", "a", "b", "b"],
          [1, 2, 5, 5],
        ],
        buckets: { field: "_time", size: 60e9 },
      }),
      table({
        name: "_totals",
        fields: [{ name: "s", type: "string" }, counted],
        groups: [{ name: "s" }],
        columns: [
          ["a", "b"],
          [3, 10],
        ],
      }),
    );
    expect(tables.ranked(binned, 10).map(({ name, exact }) => [name, exact])).toEqual([
      ["b", "10"],
      ["a", "3"],
    ]);
    expect(tables.ranked(binned, 1).length).toBe(1);
    const top = answer(
      table({
        fields: [{ name: "t", type: "array", agg: { name: "topk", fields: ["path"] } }],
        columns: [[[{ key: "/", count: 7, error: 0 }]]],
      }),
    );
    expect(tables.ranked(top, 10)).toEqual([
      { name: "/", keys: [{ field: "path", value: "/" }], value: 7, exact: "7" },
    ]);
    expect(tables.usedKept(binned)).toBe(true);
  });

  it("are one number, with its curve where there is time", () => {
    const binned = table({
      fields: [time, counted],
      groups: [{ name: "_time" }],
      columns: [times, [1, 2]],
      buckets: { field: "_time", size: 60e9 },
    });
    expect(tables.oneNumber(answer(binned, table({ name: "_totals", fields: [counted], columns: [[3]] })))).toEqual({
      value: 3,
      name: "count_",
      curve: [1, 2],
    });
    expect(tables.oneNumber(answer(binned)).value).toBe(2);
    expect(tables.oneNumber(answer(table({ fields: [counted], columns: [[9]] })))).toEqual({
      value: 9,
      name: "count_",
      curve: [],
    });
  });

  it("of an earlier period stand where they would be now", () => {
    const drawing = (from: number, values: number[]) => ({
      times: values.map((_, place) => from + place * 60),
      bucket: 60,
      groups: [],
      measures: ["n"],
      leftOut: 0,
      series: [{ name: "n", keys: [], measure: "n", values, total: 0 }],
    });
    const moved = tables.movedForward(drawing(86_400, [1, 2, 3]), drawing(12, [7, 8]), 86_400);
    expect(moved[0]!.values).toEqual([7, 8, null]);
  });

  it("of histograms are spread over the same ranges at all times", () => {
    const cell = (from: number, to: number, count: number) => [{ from, to, count }];
    const found = rangesOverTime(
      table({
        fields: [time, { name: "h", type: "array", agg: { name: "histogram" } }],
        groups: [{ name: "_time" }],
        columns: [times, [cell(0, 10, 4), cell(90, 100, 6)]],
      }),
      10,
    )!;
    expect(found.series.map(({ values }) => values)).toEqual([
      [null, 6],
      ...Array.from({ length: 8 }, () => [null, null]),
      [4, null],
    ]);
    expect(rangesOverTime(table({ fields: [counted], columns: [[1]] }))).toBeNull();
  });

  it("of histograms by groups are drawn together, and times without events are gaps", () => {
    const cell = (count: number) => [{ from: 0, to: 10, count }];
    const minute = (at: number) => `2026-06-01T00:0${at}:00Z`;
    const found = rangesOverTime(
      table({
        fields: [time, { name: "k", type: "string" }, { name: "h", type: "array", agg: { name: "histogram" } }],
        groups: [{ name: "_time" }, { name: "k" }],
        buckets: { field: "_time", size: 60e9 },
        columns: [
          [minute(0), minute(0), minute(2)],
          ["a", "b", "a"],
          [cell(1), cell(2), cell(5)],
        ],
      }),
      1,
    )!;
    expect(found.times).toHaveLength(3);
    expect(found.series.map(({ values, total }) => [values, total])).toEqual([[[3, null, 5], 8]]);
  });

  it("have names of their own, however near to each other they lie", () => {
    const of = (from: number, to: number) =>
      rangesOverTime(
        table({
          fields: [time, { name: "h", type: "array", agg: { name: "histogram" } }],
          groups: [{ name: "_time" }],
          columns: [[times[0]!], [[{ from, to, count: 1 }]]],
        }),
      )!.series.map(({ name }) => name);
    const near = of(1_000_000, 1_000_020);
    expect(new Set(near).size).toBe(20);
    expect(near.at(-1)).toBe("1000000 – 1000001");
    expect(of(7, 7)).toHaveLength(1);
  });
});

describe("the service's figures", () => {
  const text = (events: number, fast: number, all: number) =>
    `# HELP x\ntg_events_total ${events}\ntg_q_bucket{le="0.1",route="/a\\"b"} ${fast}\ntg_q_bucket{le="+Inf",route="/a\\"b"} ${all}\n`;
  it("are read, and two readings tell what happened between", () => {
    const [before, after] = [readMetrics(text(10, 1, 1), 0), readMetrics(text(60, 9, 11), 5000)];
    expect(rate(before, after, "tg_events_total")).toBe(10);
    expect(rate(after, before, "tg_none")).toBeNull();
    expect(rate(after, readMetrics(text(5, 0, 0), 10_000), "tg_events_total")).toBe(1);
    expect(total(after, "tg_q_bucket", ({ route }) => route === '/a"b')).toBe(20);
    expect(quantile(before, after, "tg_q", 0.5)).toBeCloseTo(0.0625);
    expect(quantile(before, after, "tg_q", 0.99)).toBe(0.1);
    expect(quantile(after, after, "tg_q", 0.5)).toBeNull();
  });
});
