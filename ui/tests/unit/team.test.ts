// Usage, the audit trail, the ends of tokens and who may change whom, without a browser.

import { describe, expect, test } from "vitest";
import type { AuditEntry } from "../../src/api/audit.ts";
import type { Group, Member, Role } from "../../src/api/members.ts";
import type { DayOfDataset } from "../../src/api/organisation.ts";
import { everything, NOTHING, preset } from "../../src/capabilities/matrix.ts";
import { isLastOwner, mayChange, mayGive, rolesOf } from "../../src/screens/people/rights.ts";
import { actorName, fits, isBehind, told, type Wanted } from "../../src/screens/settings/trail.ts";
import { barsOf, daysBetween, forecast, gbHours, REST } from "../../src/screens/settings/usage.ts";
import { ending, endOf } from "../../src/screens/tokens/ends.ts";

const used = (day: string, dataset: string | null, ingestedBytes: number, queryCost = 0): DayOfDataset => ({
  day,
  dataset,
  ingestedBytes,
  queryCost,
});

describe("usage", () => {
  test("days have no holes, over months and leap days", () => {
    expect(daysBetween("2028-02-27", "2028-03-01")).toEqual(["2028-02-27", "2028-02-28", "2028-02-29", "2028-03-01"]);
    expect(daysBetween("2026-10-24", "2026-10-27")).toHaveLength(4);
  });

  test("bars add up to what was used, whatever is shown by name", () => {
    const rows = ["a", "b", "c", "d"].flatMap((name, index) => [
      used("2026-11-01", name, 10 ** index),
      used("2026-11-03", name, 1),
    ]);
    rows.push(used("2026-11-03", null, 7));
    const { days, series, most } = barsOf(rows, "2026-11-01", "2026-11-03", "ingestedBytes", 2);
    expect(days).toHaveLength(3);
    expect(series.map(({ name }) => name)).toEqual(["d", "c", REST]);
    expect(series.map(({ values }) => values)).toEqual([
      [1000, 0, 1],
      [100, 0, 1],
      [11, 0, 9],
    ]);
    expect(most).toBe(1111);
    expect(barsOf(rows, "2026-11-01", "2026-11-03", "queryCost").series).toEqual([]);
  });

  test("a forecast is made of whole days, and only of enough of them", () => {
    const now = Date.parse("2026-11-16T12:00:00Z");
    const resets = Date.parse("2026-12-01T00:00:00Z");
    const measure = { used: 1000, limit: 1500, remaining: 500 };
    const rows = [14, 15, 16].map((day) => used(`2026-11-${day}`, "a", 100));
    expect(forecast(rows, "ingestedBytes", measure, now, resets)).toBeNull();
    rows.push(used("2026-11-13", "a", 10), used("2026-11-13", "b", 30));
    const found = forecast(rows, "ingestedBytes", measure, now, resets);
    // Today is not over, so it does not count: 40, 100 and 100 on three whole days, and 14.5 days are left.
    expect(found).toEqual({
      mean: 1000 + 80 * 14.5,
      least: 1000 + 40 * 14.5,
      most: 1000 + 100 * 14.5,
      days: 3,
      reached: "2026-11-22",
    });
    expect(forecast(rows, "ingestedBytes", { ...measure, limit: 1e9 }, now, resets)?.reached).toBeNull();
    expect(forecast([], "ingestedBytes", measure, now, resets)).toBeNull();
    // A day on which nothing came in between is a day with nothing.
    const holes = [used("2026-11-10", "a", 120), used("2026-11-15", "a", 120)];
    expect(forecast(holes, "ingestedBytes", measure, now, resets)).toMatchObject({
      days: 6,
      mean: 1000 + 40 * 14.5,
      least: 1000,
    });
  });

  test("costs are told in the unit of the licence, small ones in that of queries", () => {
    expect(gbHours(7_200_000)).toBe("2 GB·h");
    expect(gbHours(1234)).toBe("1.23 k GB·ms");
  });
});

describe("the audit trail", () => {
  const entry: AuditEntry = {
    id: 7,
    time: "2026-11-16T12:00:00.5Z",
    actor: "user_018bcfe5 (token_00ff)",
    action: "notifier.create",
    resource: "notify_1",
    outcome: "done",
    detail: '"On call": webhook',
    requestId: "r-1",
    count: 1,
  };
  const names = new Map([
    ["user_018bcfe5", "Ada"],
    ["token_00ff", "shipper"],
  ]);
  const any: Wanted = { who: "", what: "", outcome: "", from: null, to: null };

  test("is searched by name, by words and by time", () => {
    expect(actorName(entry.actor, names)).toBe("Ada (shipper)");
    expect(fits(entry, any, names)).toBe(true);
    for (const who of ["ada", "SHIPPER", "user_018b"]) expect(fits(entry, { ...any, who }, names)).toBe(true);
    expect(fits(entry, { ...any, who: "bob" }, names)).toBe(false);
    for (const what of ["notifier on", "r-1", "WEBHOOK create"])
      expect(fits(entry, { ...any, what }, names)).toBe(true);
    expect(fits(entry, { ...any, what: "notifier delete" }, names)).toBe(false);
    expect(fits(entry, { ...any, outcome: "refused" }, names)).toBe(false);
    const at = Date.parse("2026-11-16T12:00:00Z");
    expect(fits(entry, { ...any, from: at, to: at + 1000 }, names)).toBe(true);
    expect(fits(entry, { ...any, to: at }, names)).toBe(false);
    expect(isBehind(entry, { ...any, from: at + 1000 })).toBe(true);
    expect(isBehind(entry, { ...any, from: at })).toBe(false);
  });

  test("a line says what it was about, with names for ids", () => {
    expect(told(entry, names)).toBe('"On call": webhook');
    expect(told({ ...entry, detail: "" }, names)).toBe("notify_1");
    expect(told({ ...entry, resource: "web", detail: "events are kept for ever" }, names)).toBe(
      "web: events are kept for ever",
    );
    expect(told({ ...entry, detail: '"Night": 1 member (user_018bcfe5)' }, names)).toBe('"Night": 1 member (Ada)');
    expect(told({ ...entry, resource: "/v2/x", outcome: "refused", detail: "no token" }, names)).toBe("no token");
  });
});

describe("the ends of tokens", () => {
  const now = Date.parse("2026-11-16T12:00:00Z");
  test("are said, and sent as times", () => {
    expect(endOf("never", now)).toBeNull();
    expect(endOf("7", now)).toBe("2026-11-23T12:00:00.000Z");
    expect(ending(null, now)).toEqual({ text: "never", kind: "" });
    expect(ending("2026-11-18T12:00:00Z", now)).toEqual({ text: "in 2 d", kind: "warn" });
    expect(ending("2026-12-18T12:00:00Z", now).kind).toBe("");
    expect(ending("2026-11-16T11:00:00Z", now)).toEqual({ text: "ended 1 h ago", kind: "bad" });
  });
});

describe("who may change whom", () => {
  const all = everything();
  const roles: Role[] = [
    { id: "owner", name: "Owner", description: "", members: [], may: all },
    {
      id: "admin",
      name: "Admin",
      description: "",
      members: [],
      may: { ...all, org: { ...all.org, billing: ["read"] } },
    },
    { id: "read-only", name: "Read-only", description: "", members: [], may: preset(all, "read") },
    { id: "none", name: "None", description: "", members: [], may: NOTHING },
    {
      id: "role_1",
      name: "Bills",
      description: "",
      members: ["user_b"],
      may: { ...NOTHING, org: { billing: ["update"] } },
    },
  ];
  const groups: Group[] = [{ id: "group_1", name: "G", description: "", members: ["user_c"], roles: ["role_1"] }];
  const member = (id: string, role: string): Member => ({
    id,
    name: id,
    email: "",
    role: { id: role, name: role },
    accepted: true,
  });
  const admin = { role: "admin", held: roles[1]?.may ?? null };

  test("roles are given by who holds all of them, owners by owners", () => {
    expect(mayGive(admin, "read-only", roles)).toBe(true);
    expect(mayGive(admin, "owner", roles)).toBe(false);
    expect(mayGive({ role: "owner", held: all }, "owner", roles)).toBe(true);
    expect(mayGive(admin, "role_1", roles)).toBe(false);
    expect(mayGive(admin, "role_unknown", roles)).toBe(false);
  });

  test("further roles and those by groups count", () => {
    expect(rolesOf(member("user_c", "none"), roles, groups)).toEqual(["none", "role_1"]);
    expect(mayChange(admin, member("user_a", "read-only"), roles, groups)).toBe(true);
    expect(mayChange(admin, member("user_b", "read-only"), roles, groups)).toBe(false);
    expect(mayChange(admin, member("user_c", "read-only"), roles, groups)).toBe(false);
  });

  test("an organisation is not left without an owner", () => {
    const owner = member("user_a", "owner");
    const waiting = { ...member("user_b", "owner"), accepted: false };
    expect(isLastOwner(owner, [owner, waiting])).toBe(true);
    expect(isLastOwner(owner, [owner, member("user_c", "owner")])).toBe(false);
    expect(isLastOwner(waiting, [owner, waiting])).toBe(false);
  });
});
