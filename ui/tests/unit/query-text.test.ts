// Clicks become stages, stages can be taken away, and no name or value can become a part of the query itself.

import { describe, expect, test } from "vitest";
import { readRow, writeRow, writtenValue } from "../../src/apl/builder.ts";
import { condition, filters, spanCondition, withFilter } from "../../src/apl/filters.ts";
import { fieldName, literal, quoted, tableName } from "../../src/apl/names.ts";
import {
  baseOf,
  datasetOf,
  listsEvents,
  takeApart,
  withoutStage,
  withStage,
  withStageReplaced,
} from "../../src/apl/stages.ts";

describe("stages", () => {
  test("bars in strings, brackets and comments are no stages", () => {
    const text =
      "let x = 1;\n['a|b'] | where m == \"x | y\" // no | stage\n| where n in (print 1 | project a)\n| take 5";
    const query = takeApart(text);
    expect(query.source).toBe("['a|b']");
    expect(query.stages.map(({ word }) => word)).toEqual(["where", "where", "take"]);
    expect(datasetOf(text)).toBe("a|b");
  });
  test("what is taken out leaves the rest as it was", () => {
    const text = "web | where a == 1 | where b == 2 | take 5";
    expect(withoutStage(text, 1)).toBe("web | where a == 1 | take 5");
    expect(withoutStage(withStage(text, "where c == 3", 2), 2)).toBe(text);
  });
  test("a stage is not swallowed by a comment before it", () => {
    expect(withStage("web // all of it", "take 5")).toBe("web // all of it\n| take 5");
  });
  test("replacing", () => {
    expect(withStageReplaced("web | take 5 | count", 0, "take 9")).toBe("web | take 9 | count");
  });
  test("the base ends where events end", () => {
    expect(baseOf("web | where a == 1 | extend b = 2 | summarize count()")).toBe("web | where a == 1 | extend b = 2");
    expect(listsEvents("web | where a == 1 | project a | sort by a")).toBe(true);
    expect(listsEvents("web | count")).toBe(false);
  });
});

describe("filters", () => {
  test("are written once and take the place of their opposite", () => {
    const once = withFilter("web", 'level == "error"');
    expect(once).toBe('web | where level == "error"');
    expect(withFilter(once, 'level == "error"')).toBe(once);
    expect(withFilter(once, 'level != "error"')).toBe('web | where level != "error"');
  });
  test("go before what groups", () => {
    expect(withFilter("web | summarize count() by a", "b == 1")).toBe("web | where b == 1 | summarize count() by a");
  });
  test("are shown as chips by their stage", () => {
    expect(filters('web | extend x = 1 | where a == "b|c" | take 5')).toEqual([{ index: 1, text: 'a == "b|c"' }]);
  });
  test("hostile names and values stay names and values", () => {
    const name = "a'] | take 1 //";
    const wanted = condition(name, '"; drop | where true\n', "string", true)!;
    const query = takeApart(`web | where ${wanted}`);
    expect(query.stages).toHaveLength(1);
    expect(wanted).toBe("['a\\'] | take 1 //'] == \"\\\"; drop | where true\\n\"");
  });
  test("exact integers", () => {
    expect(condition("id", 9007199254740993n, "integer", true)).toBe("id == 9007199254740993");
    expect(condition("n", -9223372036854775808n, "integer", false)).toBe("n != -9223372036854775808");
  });
  test("stretches of numbers", () => {
    expect(spanCondition("took", "12.5 .. 40", "float", true)).toBe("took between (12.5 .. 40)");
    expect(spanCondition("took", "12.5 .. 40", "string", true)).toBeNull();
    expect(spanCondition("took", "1 .. 2) | take 0", "float", true)).toBeNull();
  });
  test("what is not there", () => {
    expect(condition("a", null, "", true)).toBe("isnull(a)");
    expect(withFilter("web | where isnull(a)", "isnotnull(a)")).toBe("web | where isnotnull(a)");
  });
});

test("names", () => {
  expect(fieldName("geo.city")).toBe("geo.city");
  expect(fieldName("user agent")).toBe("['user agent']");
  expect(fieldName("by")).toBe("['by']");
  expect(tableName("my-logs")).toBe("['my-logs']");
  expect(quoted('a"b\\c')).toBe('"a\\"b\\\\c"');
  expect(literal("2026-06-01T12:00:00.000000001Z", "datetime")).toBe("datetime(2026-06-01T12:00:00.000000001Z)");
});

describe("the builder", () => {
  const round = (stage: string) => writeRow(readRow(takeApart(`web | ${stage}`).stages[0]!));
  test("gives every stage back as it was", () => {
    for (const stage of [
      "where status >= 500",
      'where path contains "x"',
      "where isnotnull(a)",
      "summarize count(), avg(took) by bin_auto(_time), path",
      "sort by _time desc",
      "take 5",
      "where a == 1 and b == 2",
      "summarize n = count() by x = tostring(a)",
      "extend a = b | x",
      "parse m with 'a' b",
    ]) {
      expect(round(stage)).toBe(takeApart(`web | ${stage}`).stages[0]!.text);
    }
  });
  test("values are written as their field wants them", () => {
    expect(writtenValue("500", "integer")).toBe("500");
    expect(writtenValue("500", "string")).toBe('"500"');
    expect(writtenValue('he said "x"', "string")).toBe('"he said \\"x\\""');
  });
});
