// What a backtest looks like, what a definition becomes, and what channels keep.

import { describe, expect, test } from "vitest";
import type { Replayed } from "../../src/api/backtest.ts";
import { ApiError } from "../../src/api/errors.ts";
import {
  copyOf,
  definitionOf,
  doesTheSame,
  fieldProblem,
  minutes,
  newDefinition,
  watched,
  withKind,
} from "../../src/screens/monitors/definition.ts";
import {
  difference,
  groupName,
  linePath,
  marksIn,
  place,
  rowsOf,
  seconds,
  step,
  timeTicks,
  valueAt,
  valueEnds,
} from "../../src/screens/monitors/drawing.ts";
import { stateOf, urgency } from "../../src/screens/monitors/state.ts";
import {
  CHANNELS,
  channelOf,
  fieldProblem as channelProblem,
  headersOf,
  propertiesOf,
  typedOf,
} from "../../src/screens/notifiers/channels.ts";
import { attemptsText, countedIn } from "../../src/screens/notifiers/words.ts";
import { rounded, ticks } from "../../src/values/marks.ts";

const found = (more: Partial<Replayed>): Replayed => ({
  runs: 3,
  opened: 0,
  notifications: 0,
  alerts: [],
  values: [],
  cost: 1,
  isJoined: true,
  ...more,
});
const alert = (openedAt: string, closedAt: string | undefined, group = {}) => ({
  openedAt,
  closedAt,
  group,
  value: 3,
  reason: "above",
});

describe("the drawing of a backtest", () => {
  test("the scale holds all values, the threshold and room above", () => {
    expect(valueEnds([3, null, 8], 20)).toEqual({ from: 0, to: 22 });
    expect(valueEnds([], 0)).toEqual({ from: 0, to: 1.1 });
    expect(valueEnds([-10, 0], 0)).toEqual({ from: -11, to: 1 });
    const close = valueEnds([20, 25], null);
    expect(close.from).toBeGreaterThan(10);
  });

  test("a hand means whole numbers among whole values, and round ones else", () => {
    expect(step({ from: 0, to: 25 }, true)).toBe(1);
    expect(step({ from: 0, to: 25 }, false)).toBe(0.2);
    expect(step({ from: 0, to: 90_000 }, true)).toBe(500);
    expect(valueAt(115, { from: 0, to: 25 }, 230, true)).toBe(13);
    expect(rounded(0.30000000000000004, 0.1)).toBe(0.3);
  });

  test("marked moments have their names where there is room before the next one", () => {
    const note = (id: string, minute: string, title: string) => ({
      id,
      datasets: [],
      type: "release",
      time: `2026-01-01T00:${minute}:00Z`,
      endTime: null,
      title,
      description: "",
    });
    const list = [
      note("c", "50", "third"),
      note("a", "10", "the first of them"),
      note("b", "11", "close"),
      note("d", "70", "x"),
    ];
    const ends = { from: Date.UTC(2026, 0, 1) / 1000, to: Date.UTC(2026, 0, 1, 1) / 1000 };
    const marks = marksIn(list, ends, 600).map(({ id, x, text }) => [id, Math.round(x), text]);
    expect(marks).toEqual([
      ["a", 100, ""],
      ["b", 110, "close"],
      ["c", 500, "third"],
    ]);
    expect(marksIn([list[1]!], ends, 160)[0]!.text).toBe("the first of them");
    expect(marksIn([list[1]!], ends, 100)[0]!.text).toBe("the first o…");
  });

  test("ticks are round and few", () => {
    expect(ticks({ from: 0, to: 22 })).toEqual([0, 5, 10, 15, 20]);
    expect(ticks({ from: 0, to: 0.03 }).length).toBeLessThanOrEqual(7);
    const day = { from: seconds("2026-06-01T00:00:00Z"), to: seconds("2026-06-02T00:00:00Z") };
    expect(timeTicks(day, 700).every((tick) => tick % 3600 === 0)).toBe(true);
  });

  test("a run without a value is a gap", () => {
    const at = (minute: number, value: number | null) => ({
      timestamp: `2026-06-01T00:0${minute}:00Z`,
      value,
      state: "closed" as const,
    });
    const time = { from: seconds("2026-06-01T00:00:00Z"), to: seconds("2026-06-01T00:10:00Z") };
    const path = linePath(
      found({ values: [at(0, 1), at(1, null), at(2, 2), at(3, 2)] }),
      time,
      { from: 0, to: 2 },
      100,
      50,
    );
    expect(path.match(/M/g)).toHaveLength(2);
    expect(place(5, { from: 0, to: 10 }, 100)).toBe(50);
  });

  test("each group has a row; those with the most alerts come first and the rest is counted", () => {
    const time = { from: 0, to: seconds("2026-06-02T00:00:00Z") };
    const alerts = Array.from({ length: 15 }, (_, n) =>
      alert("2026-06-01T00:00:00Z", "2026-06-01T01:00:00Z", { host: `h${n}` }),
    );
    alerts.push(alert("2026-06-01T03:00:00Z", undefined, { host: "h7" }));
    const { rows, leftOut } = rowsOf(found({ alerts }), time);
    expect(rows).toHaveLength(12);
    expect(leftOut).toBe(3);
    expect(rows[0]?.name).toBe("h7");
    expect(rows[0]?.bands[1]).toMatchObject({ isOpen: true, to: time.to });
    expect(groupName({ a: "x", b: "" })).toBe("x · empty");
  });

  test("two versions differ in alerts and messages", () => {
    const saved = found({ opened: 4, notifications: 7 });
    expect(difference(found({ opened: 2, notifications: 8 }), saved)).toBe("−2 alerts · +1 message");
    expect(difference(saved, saved)).toBe("same alerts · same messages");
  });
});

describe("a definition", () => {
  test("of single events counts them, but for one that tells of events", () => {
    expect(watched("['web'] | where a == 1", "Threshold")).toMatch(/\n\| summarize count\(\)$/);
    expect(watched("['web'] | where a == 1", "AnomalyDetection")).toMatch(/by bin\(_time, 1m\)$/);
    expect(watched("['web'] | where a == 1", "MatchEvent")).toBe("['web'] | where a == 1");
    expect(watched("['web'] | summarize count()", "Threshold")).toBe("['web'] | summarize count()");
  });

  test("of another kind has an operator of that kind", () => {
    const one = newDefinition("['web']", "n");
    expect(withKind({ ...one, operator: "BelowOrEqual" }, "AnomalyDetection").operator).toBe("Above");
    expect(withKind({ ...one, operator: "Below" }, "AnomalyDetection").operator).toBe("Below");
    expect(withKind(one, "MatchEvent").operator).toBeUndefined();
    expect(withKind(one, "MatchEvent").aplQuery).toBe("['web']");
    expect(withKind(withKind(one, "MatchEvent"), "Threshold").aplQuery).toBe(one.aplQuery);
  });

  test("names, notifiers and rest do not change what is found", () => {
    const one = newDefinition("['web']", "n");
    expect(doesTheSame(one, { ...one, name: "other", notifierIds: ["x"], disabled: true })).toBe(true);
    expect(doesTheSame(one, { ...one, threshold: 1 })).toBe(false);
    const monitor = { ...one, id: "m", createdAt: "", createdBy: "", updatedAt: "" };
    expect(definitionOf(monitor)).toEqual(one);
    const muted = { ...monitor, name: "n".repeat(256), disabledUntil: "2031-01-01T00:00:00Z" };
    const copy = copyOf(muted);
    expect([copy.name.length, copy.name.slice(-8), copy.disabledUntil]).toEqual([256, "n (copy)", null]);
    expect(doesTheSame(copy, one)).toBe(true);
    expect("id" in copy).toBe(false);
  });

  test("a refusal is about the field that it names", () => {
    const of = (message: string) => fieldProblem(new ApiError(422, { message }));
    expect(of("intervalMinutes in body should be greater than or equal to 1")).toEqual({
      field: "intervalMinutes",
      says: "should be greater than or equal to 1",
    });
    expect(of("notifierIds.0 in body is wrong")?.field).toBe("notifierIds");
    expect(of("line 2, column 3: unknown stage")).toBeNull();
    expect(minutes(60)).toBe("1 h");
    expect(minutes(90)).toBe("90 min");
  });

  test("what needs a person is said before what rests", () => {
    const monitor = { ...newDefinition("", "n"), id: "m", createdAt: "", createdBy: "", updatedAt: "" };
    const standing = { id: "m", state: "open" as const, open: 2, groups: [], disabled: false, failures: 0 };
    expect(stateOf(monitor, standing).word).toBe("2 alerting");
    expect(stateOf({ ...monitor, disabled: true }, standing).id).toBe("disabled");
    expect(stateOf(monitor, undefined).word).toBe("new");
    expect([urgency("open"), urgency("failing"), urgency("closed")]).toEqual([0, 1, 2]);
    const lastRun = { timestamp: "", finishedAt: "", outcome: "failed" as const, value: null, reason: "gone" };
    expect(stateOf(monitor, { ...standing, state: "closed", lastRun })).toMatchObject({ id: "failing", title: "gone" });
  });
});

describe("the channels of notifiers", () => {
  test("each keeps its fields through the form, in the spelling that it came in", () => {
    for (const channel of CHANNELS) {
      for (const spelling of [0, 1] as const) {
        const typed = Object.fromEntries(
          channel.fields.map(({ names, kind }) => [
            names[0],
            kind === "flag" ? true : kind === "headers" ? "A: b" : kind === "emails" ? "a@example.com" : "text",
          ]),
        );
        const properties = propertiesOf(channel, typed, spelling);
        const again = channelOf({ properties });
        expect(again?.channel).toBe(channel);
        expect(typedOf(again!)).toEqual(typed);
        expect(propertiesOf(channel, typedOf(again!), again!.spelling)).toEqual(properties);
      }
    }
  });

  test("lists and headers are read as people write them", () => {
    const email = CHANNELS.find(({ keys }) => keys[0] === "email")!;
    expect(propertiesOf(email, { emails: "a@x.test, b@x.test\n\nc@x.test" })).toEqual({
      email: { emails: ["a@x.test", "b@x.test", "c@x.test"] },
    });
    expect(headersOf("Authorization: Bearer a:b\nnothing\nX-Team:  payments ")).toEqual({
      Authorization: "Bearer a:b",
      "X-Team": "payments",
    });
  });

  test("a refusal is about the field of the channel that it names", () => {
    expect(channelProblem("properties.slack.slackUrl in body must begin with https://")).toEqual({
      field: "chatBUrl",
      says: "must begin with https://",
    });
    expect(channelProblem("name in body is required")?.field).toBe("name");
  });

  test("attempts are told in a few words", () => {
    const attempt = { time: "", latencyMs: 41, status: 503, error: "the server answers 503" };
    const delivery = { id: "", state: "dead", action: "open", monitorId: "", title: "", test: false } as const;
    const times = { createdAt: "", nextAttemptAt: null, finishedAt: null };
    expect(attemptsText({ ...delivery, ...times, attempts: [attempt, attempt] })).toBe("2 attempts, last 503 · 41 ms");
    expect(attemptsText({ ...delivery, ...times, attempts: [] })).toBe("not tried yet");
  });

  test("counts say what they are of, unless they are of all", () => {
    expect(countedIn(12, true)).toBe("");
    expect(countedIn(1000, false)).toBe("Counted in the newest 1,000 messages; there may be older ones.");
  });
});
