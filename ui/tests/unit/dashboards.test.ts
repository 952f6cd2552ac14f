import { describe, expect, it } from "vitest";
import type { Chart, Document } from "../../src/api/dashboards.ts";
import * as documents from "../../src/screens/dashboards/document.ts";
import { optionLines, readOptionLines } from "../../src/screens/dashboards/edit/option-lines.ts";
import * as layout from "../../src/screens/dashboards/layout.ts";
import * as period from "../../src/screens/dashboards/period.ts";
import { isStale, nextRefresh } from "../../src/screens/dashboards/refresh.ts";
import * as variables from "../../src/screens/dashboards/variables.ts";
import type { Value } from "../../src/values/value.ts";

const chart = (id: string, more: Partial<Chart> = {}): Chart => ({
  id,
  type: "TimeSeries",
  name: id,
  query: { apl: "x" },
  ...more,
});

function document(places: [string, number, number | null, number, number][]): Document {
  return {
    ...documents.emptyDocument("Tides", ""),
    charts: places.map(([id]) => chart(id)),
    layout: places.map(([i, x, y, w, h]) => ({ i, x, y, w, h })),
  };
}

const shape = (cells: layout.Cell[]) => Object.fromEntries(cells.map(({ i, x, y, w, h }) => [i, [x, y, w, h]]));

describe("the layout", () => {
  const doc = document([
    ["a", 0, 0, 6, 4],
    ["b", 6, 0, 6, 4],
    ["c", 0, 4, 12, 2],
  ]);
  const cells = layout.arranged(doc);

  it("stands as it is written, and gives room to what has none", () => {
    expect(shape(cells)).toEqual({ a: [0, 0, 6, 4], b: [6, 0, 6, 4], c: [0, 4, 12, 2] });
    const loose = layout.arranged({
      charts: [...doc.charts, chart("d")],
      layout: [...doc.layout.slice(0, 2), { i: "c", x: 3, y: null, w: 99, h: 2 }],
    });
    expect(shape(loose)).toEqual({ a: [0, 0, 6, 4], b: [6, 0, 6, 4], c: [0, 4, 12, 2], d: [0, 6, 6, 4] });
  });

  it("lets others make room for one that moves", () => {
    expect(shape(layout.moved(cells, "a", { x: 6 }))).toEqual({ a: [6, 0, 6, 4], b: [6, 4, 6, 4], c: [0, 8, 12, 2] });
    expect(shape(layout.placedAt(cells, "c", { x: 0, y: 0 }))).toEqual({
      c: [0, 0, 12, 2],
      a: [0, 2, 6, 4],
      b: [6, 2, 6, 4],
    });
  });

  it("goes up and down by whole neighbours, and there and back", () => {
    const down = layout.steppedDown(cells, "a");
    expect(shape(down).a![1]).toBeGreaterThan(shape(down).c![1]!);
    expect(shape(layout.steppedUp(down, "a")).a).toEqual([0, 0, 6, 4]);
    expect(layout.steppedUp(cells, "a")).toBe(cells);
    expect(layout.steppedDown(cells, "c")).toBe(cells);
  });

  it("sizes within the twelve columns", () => {
    expect(shape(layout.sized(cells, "b", { w: 5 })).b).toEqual([6, 0, 6, 4]);
    expect(shape(layout.sized(cells, "a", { w: -9, h: 2 })).a).toEqual([0, 0, 1, 6]);
    expect(shape(layout.sized(cells, "a", { w: 1 }))).toEqual({ a: [0, 0, 7, 4], b: [6, 4, 6, 4], c: [0, 8, 12, 2] });
  });

  it("never lets two lie on each other, whatever is done", () => {
    let state = 7;
    const next = (most: number) => {
      state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
      return state % most;
    };
    let now = layout.arranged(
      document([
        ["a", 0, 0, 6, 4],
        ["b", 3, 1, 6, 4],
        ["c", 2, 9, 12, 2],
        ["d", 4, null, 3, 3],
        ["e", 0, 2, 2, 9],
      ]),
    );
    for (let turn = 0; turn < 2000; turn++) {
      const id = "abcde"[next(5)]!;
      const acts = [
        () => layout.moved(now, id, { x: next(5) - 2, y: next(9) - 4 }),
        () => layout.steppedDown(now, id),
        () => layout.steppedUp(now, id),
        () => layout.sized(now, id, { w: next(5) - 2, h: next(5) - 2 }),
      ];
      now = acts[next(4)]!();
      expect(now.length).toBe(5);
      for (const one of now) {
        expect(one.x >= 0 && one.y >= 0 && one.w >= 1 && one.h >= 1 && one.x + one.w <= 12).toBe(true);
        expect(now.some((other) => layout.overlap(one, other))).toBe(false);
      }
    }
  });

  it("changes in the document only what has moved, and keeps keys that it does not know", () => {
    const odd = { ...doc, layout: [...doc.layout, { i: "gone", x: 0, y: 9, w: 1, h: 1 }] };
    odd.layout[0] = { ...odd.layout[0]!, minW: 2, resizeHandles: ["se"] };
    const next = layout.written(odd, layout.sized(layout.arranged(odd), "c", { h: 1 }));
    expect(next.layout[0]).toBe(odd.layout[0]);
    expect(next.layout.find(({ i }) => i === "c")).toEqual({ i: "c", x: 0, y: 4, w: 12, h: 3 });
    expect(next.layout.find(({ i }) => i === "gone")).toBe(odd.layout[3]);
  });
});

describe("the document", () => {
  const doc: Document = {
    ...document([["a", 0, 0, 6, 4]]),
    overrides: { x: 1 },
    datasets: ["web"],
    sections: [{ id: "s" }],
  };

  it("keeps what it does not know through every change", () => {
    const odd = {
      ...doc,
      charts: [
        chart("a", {
          metadata: { deep: [1, { z: null }] },
          tableSettings: "{}",
          query: { apl: "x", queryOptions: { aggChartOpts: "{}" }, libraries: null },
        }),
      ],
    };
    let next = documents.changeChart(
      odd,
      documents.withQueryOption(documents.withQuery(odd.charts[0]!, "y"), "scale", "log"),
    );
    next = documents.addChart(next, chart("b"), { w: 3, h: 2 });
    next = documents.duplicateChart(next, "a", "c");
    next = documents.removeChart(next, "b");
    expect(next.overrides).toBe(doc.overrides);
    expect(next.sections).toBe(doc.sections);
    const kept = {
      metadata: { deep: [1, { z: null }] },
      tableSettings: "{}",
      query: { apl: "y", libraries: null, queryOptions: { aggChartOpts: "{}", scale: "log" } },
    };
    expect(next.charts.map(({ id }) => id)).toEqual(["a", "c"]);
    for (const entry of next.charts) expect(entry).toMatchObject(kept);
  });

  it("takes an option away where it was, and keeps what another kind needs", () => {
    const logged = documents.withQueryOption(chart("a"), "scale", "log");
    expect(documents.withQueryOption(logged, "scale", "").query).toEqual({ apl: "x", queryOptions: {} });
    const note = documents.asKind(chart("a"), "Note");
    expect(note).toMatchObject({ type: "Note", text: "", query: { apl: "x" } });
    expect(documents.asKind(note, "TimeSeries").query).toEqual({ apl: "x" });
  });

  it("is read from a file as the document, the resource or the answer to a write", () => {
    expect(documents.imported(doc as never)).toBe(doc);
    expect(documents.imported({ uid: "x", dashboard: doc } as never)).toBe(doc);
    expect(documents.imported({ status: "created", dashboard: { uid: "x", dashboard: doc } } as never)).toBe(doc);
    for (const wrong of [null, [], {}, { name: "x" }, { name: "x", charts: {}, layout: [] }]) {
      expect(typeof documents.imported(wrong as never)).toBe("string");
    }
    expect(documents.copied({ ...doc, uid: "x", version: 3, createdBy: "u" }, "n", "")).toEqual({
      ...doc,
      name: "n",
      owner: "",
    });
  });

  it("tells what is different", () => {
    const next = { ...documents.addChart(doc, chart("b"), { w: 3, h: 2 }), refreshTime: 15 };
    expect(documents.differences(doc, next)).toEqual([
      { name: "b", what: "added" },
      { name: "where charts stand", what: "changed" },
      { name: "how often it asks anew", what: "changed" },
    ]);
    expect(documents.differences(next, doc)[0]).toEqual({ name: "b", what: "removed" });
    expect(documents.differences(doc, structuredClone(doc))).toEqual([]);
  });
});

describe("variables", () => {
  const bar = chart("f", {
    type: "SmartFilter",
    filters: [
      {
        id: "service_filter",
        name: "Service",
        type: "select",
        selectType: "apl",
        apl: { apl: "web | distinct service" },
        options: "",
      },
      {
        id: "path_filter",
        type: "select",
        apl: { apl: "web | where service == service_filter | distinct path" },
        options: [{ key: "All", value: "", default: true }],
      },
      { id: "text_filter", type: "search" },
      { id: "off", type: "search", active: false },
    ],
  });
  const filters = variables.filtersIn(bar);
  const option = (value: string) => ({ name: value, value, isDefault: false });

  it("are the filters of the document", () => {
    expect(filters.map(({ id, kind }) => [id, kind])).toEqual([
      ["service_filter", "select"],
      ["path_filter", "select"],
      ["text_filter", "search"],
    ]);
    expect(variables.dependents(filters, "service_filter")).toEqual(["path_filter"]);
    expect(variables.dependents(filters, "path_filter")).toEqual([]);
  });

  it("wait for those before them, and are known together", () => {
    const first = variables.known(filters, new Map(), new Map(), "r");
    expect(first.values).toBeNull();
    expect(first.missing.map(({ apl }) => apl)).toEqual(["web | distinct service"]);
    const loaded = new Map([[first.missing[0]!.key, [option("web"), option("db")]]]);
    const second = variables.known(filters, new Map(), loaded, "r");
    expect(second.values).toEqual(
      new Map([
        ["service_filter", "web"],
        ["path_filter", ""],
        ["text_filter", ""],
      ]),
    );
    expect(second.missing.map((entry) => entry.variables)).toEqual([{ service_filter: "web" }]);
    // Another value asks for other choices; another range for all of them.
    const third = variables.known(filters, new Map([["service_filter", "db"]]), loaded, "r");
    expect(third.missing[0]!.key).not.toBe(second.missing[0]!.key);
    expect(variables.known(filters, new Map(), loaded, "other").values).toBeNull();
  });

  it("go into those queries that name them", () => {
    const values = new Map([
      ["a", 'x"\\'],
      ["b", "y"],
    ]);
    expect(variables.variablesFor("web | where s == a and ab == 1", values)).toEqual({ a: 'x"\\' });
    expect(variables.variablesFor("web", values)).toBeUndefined();
    expect(variables.inlined("web | where s == a", values)).toBe('let a = "x\\"\\\\";\nweb | where s == a');
  });

  it("take choices from columns key and value, or the first one", () => {
    const fields = [{ name: "value" }, { name: "key" }];
    expect(
      variables.optionsFrom(fields, [
        ["v", "v", 1, null],
        ["Name", "x", "One", ""],
      ]),
    ).toEqual([
      { name: "Name", value: "v", isDefault: false },
      { name: "One", value: "1", isDefault: false },
    ]);
    expect(variables.optionsFrom([{ name: "service" }], [["web"]])).toEqual([option("web")]);
  });

  it("are written as lines, and keep keys that are not shown", () => {
    const options: Value[] = [
      { key: "All", value: "", default: true },
      { key: "web", value: "web", icon: 1 },
    ];
    expect(optionLines(options)).toBe("All = \nweb");
    expect(readOptionLines("web\nAll =\nDb = db", options)).toEqual([
      { key: "web", value: "web", icon: 1, default: true },
      { key: "All", value: "" },
      { key: "Db", value: "db" },
    ]);
  });
});

describe("ranges and refreshes", () => {
  it("are read from documents and written into them", () => {
    expect(period.rangeOf("qr-now-6h", "qr-now")).toEqual({ start: "now-6h", end: "now" });
    expect(period.rangeOf("1704067200000", "1704070800000")).toEqual({
      start: "2024-01-01T00:00:00Z",
      end: "2024-01-01T01:00:00Z",
    });
    expect(period.rangeOf("yesterday", "qr-now")).toBeNull();
    expect(period.documentTime("now-6h")).toBe("qr-now-6h");
    expect(period.documentTime("2024-01-01T00:00:00Z")).toBe("1704067200000");
    expect([period.secondsOf("-1d"), period.secondsOf("-90d"), period.secondsOf("soon")]).toEqual([
      86_400,
      7_776_000,
      null,
    ]);
  });

  it("wait from the last answer on, shaken, as long as the service asked, and never while hidden", () => {
    const usual = { every: 15, isHidden: false, isMoving: true, retryAfter: null, chance: 0 };
    expect(nextRefresh(usual)).toBe(15_000);
    expect(nextRefresh({ ...usual, chance: 1 })).toBe(16_500);
    expect(nextRefresh({ ...usual, retryAfter: 40 })).toBe(40_000);
    expect(nextRefresh({ ...usual, isHidden: true })).toBeNull();
    expect(nextRefresh({ ...usual, every: 0 })).toBeNull();
    expect(nextRefresh({ ...usual, every: 0, retryAfter: 5 })).toBe(5000);
    expect(nextRefresh({ ...usual, isMoving: false })).toBeNull();
    expect([isStale(50, 15), isStale(61, 15), isStale(61, 0), isStale(170, 60), isStale(181, 60)]).toEqual([
      false,
      true,
      false,
      false,
      true,
    ]);
  });
});
