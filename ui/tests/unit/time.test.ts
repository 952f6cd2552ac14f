// Times keep their nanoseconds, and ranges mean what they say.

import { expect, describe as group, test } from "vitest";
import { readTyped, shownTime } from "../../src/frame/typed-time.ts";
import { parseTime, writeTime } from "../../src/time/nanoseconds.ts";
import { describe, fixed, resolveRange, resolveTime, step, zoomOut } from "../../src/time/range.ts";
import { timeOfRow } from "../../src/time/row-id.ts";
import { ago, clockTime, fullTime } from "../../src/time/write.ts";

const NOW = Date.UTC(2026, 5, 1, 12);

group("nanoseconds", () => {
  test("are read and written exactly", () => {
    for (const text of [
      "2026-06-01T12:00:00Z",
      "2026-06-01T12:00:00.000000001Z",
      "1969-12-31T23:59:59.999999999Z",
      "2026-06-01T12:00:00.5Z",
    ]) {
      expect(writeTime(parseTime(text)!)).toBe(text);
    }
  });
  test("two events a nanosecond apart are two times", () => {
    expect(parseTime("2026-06-01T12:00:00.000000002Z")! - parseTime("2026-06-01T12:00:00.000000001Z")!).toBe(1n);
  });
  test("offsets count", () => {
    expect(parseTime("2026-06-01T14:00:00+02:00")).toBe(parseTime("2026-06-01T12:00:00Z"));
  });
  test("the row id holds the time", () => {
    expect(writeTime(timeOfRow("0dmy1oj900us0-0000000000000034-00000e52")!)).toBe("2026-11-18T04:16:57.91053Z");
    expect(timeOfRow("nonsense")).toBeNull();
  });
});

group("ranges", () => {
  test("relative times", () => {
    expect(writeTime(resolveTime("now-1d12h", NOW)!)).toBe("2026-05-31T00:00:00Z");
    expect(resolveTime("now-1x", NOW)).toBeNull();
  });
  test("an end before the start is no range", () => {
    expect(resolveRange({ start: "now", end: "now-1h" }, NOW)).toBeNull();
  });
  test("a step goes by half and fixes the range", () => {
    expect(step({ start: "now-1h", end: "now" }, -1, NOW)).toEqual({
      start: "2026-06-01T10:30:00Z",
      end: "2026-06-01T11:30:00Z",
    });
  });
  test("zooming out of a range that ends now goes on ending now", () => {
    expect(zoomOut({ start: "now-1h", end: "now" }, NOW)).toEqual({ start: "now-7200s", end: "now" });
  });
  test("words", () => {
    expect(describe({ start: "now-1h", end: "now" }, "utc", NOW)).toBe("Last 1 hour");
    expect(describe({ start: "now-90m", end: "now" }, "utc", NOW)).toBe("Last 1.5 h");
    expect(
      describe(
        fixed({ start: parseTime("2026-06-01T10:00:00Z")!, end: parseTime("2026-06-01T11:00:00Z")! }),
        "utc",
        NOW,
      ),
    ).toContain("10:00 – ");
  });
});

group("typed times", () => {
  test("are in the zone of the screen", () => {
    expect(readTyped("2026-06-01 12:00", "utc")).toBe("2026-06-01T12:00:00Z");
    expect(readTyped("2026-06-01 14:00:00.000000001 +02:00", "utc")).toBe("2026-06-01T12:00:00.000000001Z");
    expect(readTyped("now-2h", "utc")).toBe("now-2h");
    for (const wrong of ["yesterday", "2026-13-01", "now+", "2026-06-01 25:00"])
      expect(readTyped(wrong, "utc")).toBeNull();
  });
  test("come back as they were shown", () => {
    const text = "2026-06-01T12:00:00.123456789Z";
    expect(readTyped(shownTime(text, "utc"), "utc")).toBe(text);
  });
});

test("what people read", () => {
  const ns = parseTime("2026-06-01T12:00:01.123456789Z")!;
  expect(clockTime(ns, "utc")).toBe("12:00:01.123");
  expect(fullTime(ns, "utc")).toBe("2026-06-01T12:00:01.123456789Z");
  expect(ago(ns, NOW + 61_123)).toBe("1 min ago");
  expect(ago(ns, NOW + 140_123)).toBe("2 min ago");
  expect(ago(ns, NOW + 3_599_000)).toBe("60 min ago");
  expect(ago(ns, NOW + 5_401_123)).toBe("1.5 h ago");
});
