// What is shown and taken away: exact, harmless, and in the form that its reader expects.

import { describe, expect, test } from "vitest";
import { readEvents } from "../../src/api/event-stream.ts";
import { nest, unflatten } from "../../src/event/nest.ts";
import { csvCell, writeCsv } from "../../src/files/csv.ts";
import { defaultColumns, readColumns, writeColumns } from "../../src/table/columns.ts";
import { parts } from "../../src/table/found.ts";
import { Heights, Scale } from "../../src/table/heights.ts";
import { compare } from "../../src/table/whole-table.svelte.ts";
import { ansiRuns, ansiStart, withoutAnsi } from "../../src/values/ansi.ts";
import { linkOf, visible } from "../../src/values/hostile.ts";
import { bytes, grouped, share, short, tabular, took } from "../../src/values/show.ts";

describe("CSV", () => {
  test("texts that look like formulas are texts, numbers stay numbers", () => {
    expect(csvCell("=1+1")).toBe("'=1+1");
    expect(csvCell("-5")).toBe("'-5");
    expect(csvCell("\n=1")).toBe(`"'\n=1"`);
    expect(csvCell("\u200b\u00a0\uff1d1")).toBe("'\u200b\u00a0\uff1d1");
    expect(csvCell("a=1")).toBe("a=1");
    expect(csvCell(-5)).toBe("-5");
    expect(csvCell(-9223372036854775808n)).toBe("-9223372036854775808");
  });
  test("quotes, commas and line ends", () => {
    expect(
      writeCsv(
        ["a", "b"],
        [
          ['x"y', "1,2"],
          ["l\nm", null],
        ],
      ),
    ).toBe('a,b\r\n"x""y","l\nm"\r\n"1,2",\r\n');
  });
});

test("numbers", () => {
  expect(grouped(1234567)).toBe("1,234,567");
  expect(grouped(9007199254740993n)).toBe("9,007,199,254,740,993");
  expect(grouped(-1234.5678)).toBe("-1,234.5678");
  expect(short(1_234_000)).toBe("1.23 M");
  expect(bytes(222_054_365)).toBe("222 MB");
  expect(share(1, 3)).toBe("33 %");
  expect(share(1, 100_000)).toBe("< 0.1 %");
  expect(took(84_000)).toBe("84 ms");
  // What is rounded up to the next unit is written in it.
  expect([short(999_499), short(999_600), short(999_999_999), short(-999_600)]).toEqual([
    "999 k",
    "1 M",
    "1 B",
    "-1 M",
  ]);
  expect([bytes(999), bytes(1000), bytes(999_499), bytes(999_999_977_000_000)]).toEqual([
    "999 B",
    "1.0 kB",
    "999 kB",
    "1.0 PB",
  ]);
  expect([tabular(24_012), tabular(73.2346), tabular(1234.5678), tabular(0.00012345), tabular(0.12345678)]).toEqual([
    "24,012",
    "73.235",
    "1,234.57",
    "0.000123",
    "0.1235",
  ]);
});

describe("hostile texts", () => {
  test("marks that turn writing around are shown as codes", () => {
    expect(visible("a\u202eb")).toBe("a⟨202E⟩b");
    expect(visible("plain")).toBe("plain");
  });
  test("only http and https are links", () => {
    expect(linkOf("javascript:alert(1)")).toBeNull();
    expect(linkOf("https://example.com/a?b=c")).toBe("https://example.com/a?b=c");
    expect(linkOf("data:text/html,x")).toBeNull();
  });
  test("codes of terminals become named colours", () => {
    expect(ansiRuns("a\u001b[31mred\u001b[0m b")).toEqual([
      { text: "a", colour: null, bold: false },
      { text: "red", colour: "danger", bold: false },
      { text: " b", colour: null, bold: false },
    ]);
    expect(withoutAnsi("\u001b]8;;http://evil\u0007x\u001b[2J")).toBe("x");
  });
  test("one of 256 colours is none of the eight, and a code that was cut off is nothing", () => {
    expect(ansiRuns("\u001b[1;38;5;31mx\u001b[48;2;31;32;33my\u001b[3")).toEqual([
      { text: "x", colour: null, bold: true },
      { text: "y", colour: null, bold: true },
    ]);
  });
  test("the beginning of a coloured text is counted in what is seen", () => {
    const text = "\u001b[31mabc\u001b[0mdef";
    expect(ansiStart(text, 4)).toEqual({
      runs: [
        { text: "abc", colour: "danger", bold: false },
        { text: "d", colour: null, bold: false },
      ],
      isCut: true,
    });
    expect(ansiStart(text, 6).isCut).toBe(false);
    expect(ansiStart(text, 3)).toMatchObject({ runs: [{ text: "abc" }], isCut: true });
    expect(ansiStart("\u001b[31m".repeat(100), 4)).toEqual({ runs: [], isCut: true });
  });
});

describe("rows of different heights", () => {
  test("places and heights agree", () => {
    const heights = new Heights(1_000_000, 28);
    heights.set(3, 200);
    heights.set(10, 100);
    expect(heights.total).toBe(28_000_300);
    expect(heights.top(4)).toBe(4 * 28 + 200);
    for (const index of [0, 3, 4, 9, 10, 11, 999_999]) {
      expect(heights.at(heights.top(index))).toBe(index);
      expect(heights.at(heights.top(index) + heights.height(index) - 1)).toBe(index);
    }
  });
  test("a scaled scroll bar reaches both ends", () => {
    const scale = new Scale(28_000_000, 600, 12_000_000);
    expect(scale.toReal(0)).toBe(0);
    expect(scale.toReal(scale.drawn - 600)).toBeCloseTo(28_000_000 - 600);
    expect(scale.toReal(scale.toScroll(1_234_567))).toBeCloseTo(1_234_567);
  });
});

test("columns come back from a link", () => {
  const columns = [
    { field: "a,b~c", width: 120, pinned: true },
    { field: "*", width: 640, pinned: false },
  ];
  expect(readColumns(writeColumns(columns), [])).toEqual(columns);
  expect(
    defaultColumns(
      [
        { name: "_time", type: "datetime" },
        { name: "level", type: "string" },
      ],
      true,
    ).map(({ field }) => field),
  ).toEqual(["_time", "level", "*"]);
});

test("words are found without regard to case", () => {
  expect(
    parts("An Error, error", "error")
      .filter(({ isFound }) => isFound)
      .map(({ text }) => text),
  ).toEqual(["Error", "error"]);
});

test("orders put exact integers beside floats", () => {
  const values = ["a", 2.5, 9007199254740993n, null, 9007199254740992n, 1];
  expect([...values].sort(compare)).toEqual([null, 1, 2.5, 9007199254740992n, 9007199254740993n, "a"]);
});

test("events are nested as they came", () => {
  expect(unflatten({ "geo.city": "Ulm", a: 1, "geo.at.x": 2 })).toEqual({ a: 1, geo: { city: "Ulm", at: { x: 2 } } });
  expect(nest({ "..": 1 })[0]?.field).toBe("..");
});

test("server-sent events in any pieces, with signs cut in two", async () => {
  const bytesOf = new TextEncoder().encode(
    'event: progress\ndata: {"a":"ö"}\n\n: comment\n\nevent: result\r\ndata: one\ndata: two\n\n',
  );
  for (const size of [1, 3, 7, 1000]) {
    const stream = new ReadableStream<Uint8Array>({
      start(controller) {
        for (let at = 0; at < bytesOf.length; at += size) controller.enqueue(bytesOf.slice(at, at + size));
        controller.close();
      },
    });
    const found = [];
    for await (const event of readEvents(stream)) found.push(event);
    expect(found).toEqual([
      { event: "progress", data: '{"a":"ö"}' },
      { event: "result", data: "one\ntwo" },
    ]);
  }
});
