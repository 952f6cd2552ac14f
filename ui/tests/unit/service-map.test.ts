// The service map: layers, circles, places; colours that stay; queries that no name can change.

import { expect, describe as group, test } from "vitest";
import { takeApart } from "../../src/apl/stages.ts";
import { ServiceColours } from "../../src/screens/traces/colours.ts";
import { layoutOf, lineOf } from "../../src/screens/traces/map-layout.ts";
import {
  calls,
  contentsOf,
  eventsOf,
  latencies,
  rootsOf,
  services,
  spansOf,
  spansWith,
  tracesOf,
} from "../../src/screens/traces/queries.ts";
import type { SpanFields } from "../../src/screens/traces/span-fields.ts";

const arrows = (text: string) =>
  text.split(" ").map((pair) => ({ from: pair.split(">")[0]!, to: pair.split(">")[1]! }));

group("the layout", () => {
  test("puts who is called behind who calls", () => {
    const { spots } = layoutOf(["db", "web", "cart", "mail"], arrows("web>cart cart>db web>db"));
    expect(["web", "cart", "db", "mail"].map((name) => spots.get(name)!.layer)).toEqual([0, 1, 2, 0]);
  });
  test("opens circles, and draws a call back around", () => {
    const { spots } = layoutOf(["a", "b", "c"], arrows("a>b b>c c>a b>b"));
    expect(["a", "b", "c"].map((name) => spots.get(name)!.layer)).toEqual([0, 1, 2]);
    expect(lineOf(spots.get("c")!, spots.get("a")!).path).not.toBe(lineOf(spots.get("a")!, spots.get("c")!).path);
  });
  test("has no two services on one place, and all of them inside", () => {
    const names = Array.from({ length: 60 }, (_, place) => `s${place}`);
    const wanted = names.flatMap((from, place) =>
      [1, 7, 23].map((by) => ({ from, to: names[(place * by + 1) % 60]! })),
    );
    const { spots, width, height } = layoutOf(names, wanted);
    expect(spots.size).toBe(60);
    expect(new Set([...spots.values()].map(({ x, y }) => `${x}/${y}`)).size).toBe(60);
    for (const { x, y } of spots.values()) expect(x >= 0 && y >= 0 && x < width && y < height).toBe(true);
  });
  test("crosses no lines that need not cross", () => {
    const { spots } = layoutOf(["a", "b", "x", "y"], arrows("a>y b>x"));
    expect(spots.get("a")!.y < spots.get("b")!.y).toBe(spots.get("y")!.y < spots.get("x")!.y);
  });
  test("of names from strangers, and of calls to services that are not drawn", () => {
    const { spots } = layoutOf(["__proto__", "constructor", ""], arrows("__proto__>constructor nobody>constructor"));
    expect([...spots.keys()].sort()).toEqual(["", "__proto__", "constructor"]);
    expect(spots.get("constructor")!.layer).toBe(1);
  });
});

group("colours of services", () => {
  test("stay, whatever comes later and in whatever order", () => {
    const one = new ServiceColours();
    const other = new ServiceColours();
    one.take(["web", "cart", "db"]);
    other.take(["db", "web", "cart"]);
    const before = ["web", "cart", "db"].map((name) => one.of(name));
    one.take(Array.from({ length: 30 }, (_, place) => `s${place}`));
    expect(["web", "cart", "db"].map((name) => one.of(name))).toEqual(before);
    expect(["web", "cart", "db"].map((name) => other.of(name))).toEqual(before);
  });
  test("are the same after a reload, whatever is looked at first then", () => {
    const stored = new Map<string, string>();
    const shelf = {
      getItem: (key: string) => stored.get(key) ?? null,
      setItem: (key: string, text: string) => void stored.set(key, text),
    };
    const names = Array.from({ length: 20 }, (_, place) => `s${place}`);
    const before = new ServiceColours(shelf);
    before.take(names);
    const after = new ServiceColours(shelf);
    after.take(["another", "s7"]);
    expect(names.map((name) => after.of(name))).toEqual(names.map((name) => before.of(name)));
    for (const broken of ["{", "7", '[["a", 99], ["b", "c"], 5, null]']) {
      stored.clear();
      expect(new ServiceColours({ ...shelf, getItem: () => broken }).of("a")).toEqual(new ServiceColours().of("a"));
    }
  });
  test("tell 24 services apart", () => {
    const colours = new ServiceColours();
    const names = Array.from({ length: 24 }, (_, place) => `service ${place}`);
    colours.take(names);
    expect(new Set(names.map((name) => JSON.stringify(colours.of(name)))).size).toBe(24);
  });
});

test("no name and no value becomes a part of a query", () => {
  const evil = `x'] | take 0 // "`;
  const fields: SpanFields = {
    trace: evil,
    span: evil,
    duration: evil,
    unit: 1,
    isText: false,
    parent: evil,
    service: evil,
    name: evil,
    kind: evil,
    error: evil,
    isErrorBoolean: false,
    status: evil,
    statusMessage: evil,
  };
  const source = { dataset: evil, fields };
  const plain = {
    dataset: "a",
    fields: Object.fromEntries(
      Object.entries(fields).map(([name, value]) => [name, value === evil ? "a" : value]),
    ) as unknown as SpanFields,
  };
  const filters = { service: evil, operation: evil, least: 1, failed: true, anySpan: false };
  const names = { trace: evil, span: evil, service: evil, level: evil, message: evil };
  const made = [
    spansOf(source, evil),
    spansWith(source, evil, evil),
    tracesOf(source, filters, "time"),
    tracesOf(source, { ...filters, anySpan: true }, "time"),
    rootsOf(source, [evil]),
    contentsOf(source, [evil]),
    latencies(source),
    services(source),
    calls(source, 3),
    eventsOf(evil, evil, names, fields, 5),
  ];
  const harmless = [
    spansOf(plain, "a"),
    spansWith(plain, "a", "a"),
    tracesOf(plain, { ...filters, service: "a", operation: "a" }, "time"),
    tracesOf(plain, { ...filters, service: "a", operation: "a", anySpan: true }, "time"),
    rootsOf(plain, ["a"]),
    contentsOf(plain, ["a"]),
    latencies(plain),
    services(plain),
    calls(plain, 3),
    eventsOf("a", "a", { trace: "a", span: "a", service: "a", level: "a", message: "a" }, plain.fields, 5),
  ];
  const words = (text: string) => takeApart(text).stages.map(({ word }) => word);
  expect(made.map(words)).toEqual(harmless.map(words));
});
