// Which columns the rows of a panel have, as its chart says.

import { expect, test } from "vitest";
import type { Chart } from "../../src/api/dashboards.ts";
import { columnsOf, namedIn, tasteOf, withColumns, withTaste } from "../../src/screens/dashboards/table-settings.ts";

const chart = (tableSettings: unknown) => ({ id: "a", type: "Table", tableSettings }) as Chart;
const fields = [
  { name: "_time", type: "datetime" },
  { name: "level", type: "string" },
  { name: "message", type: "string" },
  { name: "path", type: "string" },
];
const shown = (settings: unknown, isEvents: boolean) =>
  columnsOf(chart(settings), fields, isEvents).map(({ field, width }) => `${field} ${width}`);

test("named columns stand first, as wide as they say; the others that the query asked for follow", () => {
  const columns = [
    { name: "path", width: 300 },
    { name: "gone", width: 100 },
    { name: "level", width: 12.5 },
    "message",
  ];
  expect(shown({ columns }, false)).toEqual(["path 300", "level 48", "message 520", "_time 156"]);
  expect(shown(JSON.stringify({ columns }), false)).toEqual(shown({ columns }, false));
});

test("of events, everything else is one column, unless the chart says otherwise", () => {
  const columns = [{ name: "path", width: 300 }];
  expect(shown({ columns }, true)).toEqual(["_time 156", "path 300", "* 640"]);
  expect(shown({ columns, settings: { showTimestamp: false, showEvent: false } }, true)).toEqual(["path 300"]);
});

test("what cannot be read is as if it were not there", () => {
  const plain = shown(undefined, true);
  expect(plain).toEqual(["_time 156", "level 76", "message 520", "* 640"]);
  for (const odd of ["{", "[]", null, 7, { columns: "path" }, { columns: [null, { name: 3 }, { name: "gone" }] }])
    expect(shown(odd, true)).toEqual(plain);
  expect(
    columnsOf(chart({ columns: [{ name: "path", width: "wide" }, { name: "path" }] }), fields, false),
  ).toHaveLength(4);
});

test("taste: lines that wrap, the size of the text, levels with a colour", () => {
  expect(tasteOf(chart(null))).toMatchObject({
    wrap: false,
    text: "normal",
    marksLevels: true,
    hasTime: true,
    hasRest: true,
  });
  const settings = { wrapLines: true, fontSize: "11px", highlightSeverity: false };
  expect(tasteOf(chart({ settings }))).toMatchObject({ wrap: true, text: "small", marksLevels: false });
  expect(tasteOf(chart({ settings: { fontSize: 16 } })).text).toBe("large");
});

test("what is changed is written in the form that is there, and what else a client wrote stays", () => {
  const settings = {
    columns: [{ name: "path", width: 300, colour: "red" }, "level"],
    settings: { wrapLines: true, theirs: 1 },
    theirs: 9007199254740993n,
  };
  const turned = withColumns(chart(settings), [
    { name: "level", width: 90 },
    { name: "path", width: null },
  ]);
  expect(turned.tableSettings).toEqual({
    columns: [
      { name: "level", width: 90 },
      { name: "path", colour: "red" },
    ],
    settings: { wrapLines: true, theirs: 1 },
    theirs: 9007199254740993n,
  });
  expect(namedIn(turned)).toEqual([
    { name: "level", width: 90 },
    { name: "path", width: null },
  ]);
  const text = chart('{"theirs":9007199254740993,"settings":{"wrapLines":true}}');
  expect(withTaste(text, "wrapLines", null).tableSettings).toBe('{"theirs":9007199254740993}');
  expect(withTaste(text, "fontSize", "11px").tableSettings).toBe(
    '{"theirs":9007199254740993,"settings":{"wrapLines":true,"fontSize":"11px"}}',
  );
});

test("a chart that says nothing of its rows any more has no settings", () => {
  const one = withColumns(chart(undefined), [{ name: "path", width: null }]);
  expect(one.tableSettings).toEqual({ columns: [{ name: "path" }] });
  expect("tableSettings" in withColumns(one, [])).toBe(false);
});
