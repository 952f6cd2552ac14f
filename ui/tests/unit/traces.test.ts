// Traces: the tree of spans whatever was sent, the critical path, lengths of time, names of fields.

import { expect, describe as group, test } from "vitest";
import { idText } from "../../src/event/trace-fields.ts";
import { byService, criticalPath } from "../../src/screens/traces/critical-path.ts";
import { nanoseconds, readDuration, shortDuration, ticks } from "../../src/screens/traces/durations.ts";
import { momentOf } from "../../src/screens/traces/moment-of.ts";
import { ownTimes, serviceShares } from "../../src/screens/traces/service-shares.ts";
import { spanFieldsOf } from "../../src/screens/traces/span-fields.ts";
import { buildTree, childrenOf, openRows, type Span, type Tree } from "../../src/screens/traces/tree.ts";
import { parseTime } from "../../src/time/nanoseconds.ts";

const START = parseTime("2026-06-01T12:00:00.000000001Z")!;

function span(
  id: string,
  parent: string,
  at: number,
  duration: number | bigint | null,
  more: Partial<Span> = {},
): Span {
  return {
    dataset: "shop",
    cursor: `${id}-${at}-${more.service ?? ""}-${more.kind ?? ""}`,
    id,
    parent,
    service: "web",
    name: `do ${id}`,
    kind: "internal",
    start: START + BigInt(at),
    duration,
    isFailed: false,
    ...more,
  };
}

const drawn = (tree: Tree) => tree.nodes.map(({ id, depth }) => `${"·".repeat(depth)}${id}`).join(" ");
const oddities = (tree: Tree) =>
  Object.fromEntries(tree.nodes.filter((node) => node.oddities.length > 0).map((node) => [node.id, node.oddities]));

group("the tree of spans", () => {
  test("has parents before children, siblings by their starts", () => {
    const tree = buildTree([
      span("c", "a", 50, 10),
      span("d", "b", 20, 5),
      span("b", "a", 10, 30),
      span("a", "", 0, 100),
    ]);
    expect(drawn(tree)).toBe("a ·b ··d ·c");
    expect(tree.nodes.map(({ below }) => below)).toEqual([3, 1, 0, 0]);
    expect([tree.start, tree.length, tree.roots]).toEqual([START, 100, 1]);
    expect(oddities(tree)).toEqual({});
  });

  test("of no spans is empty", () => {
    const tree = buildTree([]);
    expect([tree.nodes, tree.length, tree.roots]).toEqual([[], 0, 0]);
    expect(criticalPath(tree.nodes).size).toBe(0);
  });

  test("keeps nanoseconds where milliseconds would be one", () => {
    const tree = buildTree([span("a", "", 0, 3), span("b", "a", 2, 1), span("c", "a", 1, 1)]);
    expect(drawn(tree)).toBe("a ·c ·b");
    expect(tree.nodes.map(({ at }) => at)).toEqual([0, 1, 2]);
  });

  test("shows several roots, and parents that are not here", () => {
    const tree = buildTree([
      span("a", "", 0, 10),
      span("b", "", 5, 10),
      span("c", "gone", 7, 1),
      span("d", "lost", 8, 1),
      span("e", "lost", 9, 1),
    ]);
    expect(drawn(tree)).toBe("a b c lost ·d ·e");
    expect(tree.missing).toBe(2);
    expect(tree.nodes[3]).toMatchObject({ span: null, from: 8, to: 10, key: "missing/lost" });
    expect(oddities(tree)).toEqual({ c: ["no-parent"], d: ["no-parent"], e: ["no-parent"] });
  });

  test("opens circles at their earliest span", () => {
    const tree = buildTree([
      span("a", "c", 3, 1),
      span("b", "a", 1, 1),
      span("c", "b", 2, 1),
      span("d", "a", 4, 1),
      span("self", "self", 9, 1),
    ]);
    expect(drawn(tree)).toBe("b ·c ··a ···d self");
    expect(tree.cycles).toBe(2);
    expect(oddities(tree)).toMatchObject({ b: ["cycle"], self: ["cycle"] });
  });

  test("shows a span that came twice once, and says so", () => {
    const tree = buildTree([span("a", "", 0, 10), span("b", "a", 1, 1), span("b", "a", 1, 1), span("b", "a", 1, 1)]);
    expect(drawn(tree)).toBe("a ·b");
    expect([tree.copies, tree.nodes[1]!.copies]).toEqual([2, 3]);
  });

  test("keeps different spans of one id, the called side below the caller's", () => {
    const tree = buildTree([
      span("a", "", 0, 100),
      span("x", "a", 12, 50, { kind: "server", service: "cart" }),
      span("x", "a", 10, 60, { kind: "client" }),
      span("y", "x", 20, 10, { service: "cart" }),
    ]);
    expect(drawn(tree)).toBe("a ·x ··x ···y");
    expect(tree.nodes[2]!.oddities).toEqual(["shared-id"]);
  });

  test("says that clocks differ, and moves nothing", () => {
    const tree = buildTree([span("a", "", 100, 50), span("b", "a", 0, 10, { service: "cart" })]);
    expect(drawn(tree)).toBe("a ·b");
    expect(tree.start).toBe(START);
    expect(tree.nodes[1]).toMatchObject({ at: 0, early: 100, oddities: ["early"] });
    expect(tree.nodes[0]).toMatchObject({ at: 100, from: 0, to: 150 });
  });

  test("takes durations that are none, below zero or beyond a float", () => {
    const tree = buildTree([
      span("a", "", 0, null),
      span("b", "", 1, -5),
      span("c", "", 2, 18_446_744_073_709_551_615n),
      span("", "", 3, 1),
      span("", "", 3, 1),
    ]);
    expect(tree.nodes).toHaveLength(5);
    expect(oddities(tree)).toEqual({ a: ["no-duration"], b: ["negative"] });
    expect(tree.nodes[1]).toMatchObject({ at: 1, end: 1 });
    expect(Number.isFinite(tree.length)).toBe(true);
  });

  test("of 50,000 spans below each other is built without a deep stack", () => {
    const chain = Array.from({ length: 50_000 }, (_, place) =>
      span(`s${place}`, place === 0 ? "" : `s${place - 1}`, place, 100_000 - 2 * place),
    );
    const tree = buildTree(chain.toReversed());
    expect(tree.nodes.at(-1)).toMatchObject({ id: "s49999", depth: 49_999 });
    expect(openRows(tree.nodes, new Set([tree.nodes[1]!.key]))).toEqual([0, 1]);
    expect(criticalPath(tree.nodes).size).toBe(50_000);
  });

  test("of 50,000 spans of one id, each its own parent, ends", () => {
    const tree = buildTree(
      Array.from({ length: 50_000 }, (_, place) =>
        span("x", "x", place, 1, { kind: place % 2 === 0 ? "server" : "client" }),
      ),
    );
    expect(tree.nodes).toHaveLength(50_000);
    expect(new Set(tree.nodes.map(({ key }) => key)).size).toBe(50_000);
  });

  test("of chance holds every span once, below its parent or said to be odd", () => {
    let state = 7;
    const random = (most: number) => {
      state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
      return state % most;
    };
    for (let round = 0; round < 200; round++) {
      const spans = Array.from({ length: 1 + random(40) }, (_, place) =>
        span(`i${random(30)}`, random(5) === 0 ? "" : `i${random(34)}`, random(1000), random(500), {
          cursor: `c${place}`,
        }),
      );
      const tree = buildTree(spans);
      const real = tree.nodes.filter((node) => node.span !== null);
      expect(real.reduce((sum, { copies }) => sum + copies, 0)).toBe(spans.length);
      for (const [place, node] of tree.nodes.entries()) {
        expect(node.parent).toBeLessThan(place);
        const above = tree.nodes[node.parent];
        if (above) expect(childrenOf(tree.nodes, node.parent)).toContain(place);
        if (node.span && node.span.parent === "") expect(node.parent).toBe(-1);
        if (above?.span && node.span?.kind === "internal") expect(above.id).toBe(node.span.parent);
      }
      for (const [place, stretches] of criticalPath(tree.nodes)) {
        for (const { from, to } of stretches) expect(tree.nodes[place] && from < to && to <= tree.length).toBe(true);
      }
    }
  });
});

test("closed nodes hide what is below them", () => {
  const tree = buildTree([span("a", "", 0, 100), span("b", "a", 1, 10), span("c", "b", 2, 5), span("d", "a", 20, 10)]);
  const key = (id: string) => tree.nodes.find((node) => node.id === id)!.key;
  expect(openRows(tree.nodes, new Set([key("b")]))).toEqual([0, 1, 3]);
  expect(openRows(tree.nodes, new Set([key("a"), key("b")]))).toEqual([0]);
});

group("the critical path", () => {
  const pathOf = (spans: Span[]) => {
    const tree = buildTree(spans);
    return Object.fromEntries(
      [...criticalPath(tree.nodes)].map(([place, stretches]) => [
        tree.nodes[place]!.id,
        stretches.map(({ from, to }) => [from, to]),
      ]),
    );
  };

  test("goes through the child that ended last, and back from its start", () => {
    expect(
      pathOf([span("a", "", 0, 100), span("b", "a", 10, 30), span("c", "a", 20, 60), span("d", "c", 30, 20)]),
    ).toEqual({
      a: [
        [80, 100],
        [0, 20],
      ],
      c: [
        [50, 80],
        [20, 30],
      ],
      d: [[30, 50]],
    });
  });
  test("passes over what ran beside, and over what outlives its parent", () => {
    expect(
      pathOf([span("a", "", 0, 100), span("b", "a", 10, 50), span("c", "a", 70, 500), span("late", "a", 200, 10)]),
    ).toEqual({
      a: [
        [60, 70],
        [0, 10],
      ],
      b: [[10, 60]],
      c: [[70, 100]],
    });
  });
  test("covers the whole of a root, whatever is below it", () => {
    const tree = buildTree([
      span("a", "", 0, 1000),
      ...Array.from({ length: 200 }, (_, place) =>
        span(`s${place}`, place % 3 === 0 ? "a" : `s${place - 1}`, (place * 37) % 900, (place * 91) % 400, {
          service: `v${place % 5}`,
        }),
      ),
    ]);
    const path = criticalPath(tree.nodes);
    const sum = [...byService(path, tree.nodes).values()].reduce((all, length) => all + length, 0);
    expect(sum).toBe(1000);
  });
});

test("own time is what nothing right below covers", () => {
  const tree = buildTree([
    span("a", "", 0, 100),
    span("b", "a", 10, 30, { service: "db" }),
    span("c", "a", 20, 40, { service: "db", isFailed: true }),
    span("d", "a", 90, 50),
  ]);
  expect([...ownTimes(tree.nodes)]).toEqual([40, 30, 40, 50]);
  expect(
    serviceShares(tree.nodes, criticalPath(tree.nodes)).map(({ service, spans, failed }) => [service, spans, failed]),
  ).toEqual([
    ["web", 2, 0],
    ["db", 2, 1],
  ]);
});

group("lengths of time", () => {
  test("are read from numbers, Go's form and clocks", () => {
    expect(nanoseconds(1500, 1)).toBe(1500);
    expect(nanoseconds(1.5, 1_000_000)).toBe(1_500_000);
    expect(nanoseconds(9_007_199_254_740_993n, 1)).toBe(9_007_199_254_740_993n);
    expect(nanoseconds("1h2m3.5s", 1)).toBe(3_723_500_000_000);
    expect(nanoseconds("84.1µs", 1)).toBe(84_100);
    expect(nanoseconds("1.02:03:04.000000005", 1)).toBe(93_784_000_000_005);
    for (const wrong of ["", "fast", "12", "1.5", "-", "3 s", "1ms,", null, true])
      expect(nanoseconds(wrong, 1)).toBeNull();
    expect(readDuration(" 250ms ")).toBe(250_000_000);
  });
  test("are written short", () => {
    const texts = [
      0, 1, 999, 1000, 84_100, 999_499, 999_600, 12_345_678, 1.25e9, 59.9e9, 60e9, 125e9, 3600e9, 11_040e9, 176_400e9,
    ].map(shortDuration);
    expect(texts).toEqual([
      "0 ns",
      "1 ns",
      "999 ns",
      "1 µs",
      "84.1 µs",
      "999 µs",
      "1 ms",
      "12.3 ms",
      "1.25 s",
      "59.9 s",
      "1 min",
      "2 min 5 s",
      "1 h",
      "3 h 4 min",
      "2 d 1 h",
    ]);
    expect(shortDuration(-5e6)).toBe("−5 ms");
  });
  test("an axis has round steps, and never too many", () => {
    expect(ticks(0, 4e9, 8)).toEqual([0, 0.5e9, 1e9, 1.5e9, 2e9, 2.5e9, 3e9, 3.5e9, 4e9]);
    expect(ticks(90, 310, 4)).toEqual([100, 200, 300]);
    for (const length of [1, 17, 1e6, 7e9, 400e9, 1e14, 1.8e19])
      expect(ticks(0, length, 8).length).toBeLessThanOrEqual(10);
    expect(ticks(5, 5, 8)).toEqual([]);
  });
});

test("the fields of spans are found by the names of several senders", () => {
  const field = (name: string, type = "string", unit = "") => ({ name, type, unit, hidden: false, description: "" });
  const otlp = ["trace_id", "span_id", "parent_span_id", "name", "kind", "service.name", "status.code"].map((name) =>
    field(name),
  );
  expect(spanFieldsOf([...otlp, field("duration", "integer"), field("error", "boolean")])).toMatchObject({
    trace: "trace_id",
    parent: "parent_span_id",
    service: "service.name",
    unit: 1,
    isText: false,
    isErrorBoolean: true,
  });
  // A dataset of roots alone has no field of parents yet.
  expect(
    spanFieldsOf([...otlp.filter(({ name }) => name !== "parent_span_id"), field("duration", "integer")]),
  ).toMatchObject({ parent: null });
  expect(spanFieldsOf([...otlp, field("duration", "float", "ms")])).toMatchObject({ unit: 1_000_000 });
  expect(spanFieldsOf([...otlp, field("duration", "string")])).toMatchObject({ isText: true });
  expect(
    spanFieldsOf([field("traceId"), field("spanId"), field("parentSpanId"), field("durationMs", "float")]),
  ).toMatchObject({ unit: 1_000_000, name: null });
  // Logs that name a span and tell how long something took are no spans.
  expect(
    spanFieldsOf([field("trace_id"), field("span_id"), field("duration_ms", "integer"), field("message")]),
  ).toBeNull();
  expect(spanFieldsOf(otlp)).toBeNull();
});

test("ids are texts, and zeros are none", () => {
  expect(["0000000000000000", "", null, undefined, "00af", 12n, {}, ["x"]].map(idText)).toEqual([
    "",
    "",
    "",
    "",
    "00af",
    "12",
    "",
    "",
  ]);
});

test("moments of events in spans are exact", () => {
  expect(momentOf(1_780_315_200_123_456_789n)).toBe(1_780_315_200_123_456_789n);
  expect(momentOf("1780315200123456789")).toBe(1_780_315_200_123_456_789n);
  expect(momentOf("2026-06-01T12:00:00.000000001Z")).toBe(START);
  for (const wrong of [null, "yesterday", -1, 1.5, {}]) expect(momentOf(wrong)).toBeNull();
});
