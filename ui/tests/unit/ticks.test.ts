// Marks of an axis stand at round times, also where clocks are put back.

import { expect, test } from "vitest";
import { parseTime } from "../../src/time/nanoseconds.ts";
import { ticks } from "../../src/time/ticks.ts";
import { fullTime } from "../../src/time/write.ts";

const at = (text: string) => parseTime(text)!;
const written = (start: string, end: string, most: number) =>
  ticks(at(start), at(end), most, "utc").map((moment) => fullTime(moment, "utc"));

test("marks stand at round times", () => {
  expect(written("2026-06-01T11:58:31Z", "2026-06-01T12:58:31Z", 8)).toEqual([
    "2026-06-01T12:00:00Z",
    "2026-06-01T12:10:00Z",
    "2026-06-01T12:20:00Z",
    "2026-06-01T12:30:00Z",
    "2026-06-01T12:40:00Z",
    "2026-06-01T12:50:00Z",
  ]);
  expect(written("2026-06-01T11:58:31Z", "2026-06-05T12:00:00Z", 6)).toEqual([
    "2026-06-02T00:00:00Z",
    "2026-06-03T00:00:00Z",
    "2026-06-04T00:00:00Z",
    "2026-06-05T00:00:00Z",
  ]);
});

test("less than a second has even marks, and nothing has none", () => {
  expect(written("2026-06-01T12:00:00Z", "2026-06-01T12:00:00.000000008Z", 4)).toHaveLength(5);
  expect(ticks(5n, 5n, 8, "utc")).toEqual([]);
});

const local = (start: string, end: string, most: number) =>
  ticks(at(start), at(end), most, "local").map((moment) => fullTime(moment, "local"));

test("the tests are in a zone that changes its clock", () => {
  expect(Intl.DateTimeFormat().resolvedOptions().timeZone).toBe("Europe/Vienna");
});

test("in the local zone marks are at its hours, where the clock is put back too", () => {
  expect(local("2026-10-24T12:00:00Z", "2026-10-26T12:00:00Z", 8)).toEqual([
    "2026-10-24T18:00:00+02:00",
    "2026-10-25T00:00:00+02:00",
    "2026-10-25T06:00:00+01:00",
    "2026-10-25T12:00:00+01:00",
    "2026-10-25T18:00:00+01:00",
    "2026-10-26T00:00:00+01:00",
    "2026-10-26T06:00:00+01:00",
    "2026-10-26T12:00:00+01:00",
  ]);
  expect(local("2026-10-22T12:00:00Z", "2026-10-28T12:00:00Z", 8)).toEqual(
    [23, 24, 25]
      .map((day) => `2026-10-${day}T00:00:00+02:00`)
      .concat([26, 27, 28].map((day) => `2026-10-${day}T00:00:00+01:00`)),
  );
});

test("the hour that comes twice has two marks, the one that is left out has none", () => {
  expect(local("2026-10-24T23:00:00Z", "2026-10-25T03:00:00Z", 6)).toEqual([
    "2026-10-25T01:00:00+02:00",
    "2026-10-25T02:00:00+02:00",
    "2026-10-25T02:00:00+01:00",
    "2026-10-25T03:00:00+01:00",
    "2026-10-25T04:00:00+01:00",
  ]);
  expect(local("2026-03-28T23:30:00Z", "2026-03-29T02:30:00Z", 4)).toEqual([
    "2026-03-29T01:00:00+01:00",
    "2026-03-29T03:00:00+02:00",
    "2026-03-29T04:00:00+02:00",
  ]);
});
