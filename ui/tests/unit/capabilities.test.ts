// Capabilities as a matrix: the table is the service's own, nobody gives more than they hold, and the words are right.

// @ts-expect-error: the test runs in Node, of whose types the interface has no need.
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { Dataset, Figures } from "../../src/api/datasets.ts";
import { type Capabilities, maySome } from "../../src/api/people.ts";
import { ACTIONS, ANY, AREAS } from "../../src/capabilities/areas.ts";
import {
  contains,
  everything,
  holds,
  inWords,
  isEmpty,
  NOTHING,
  PRESETS,
  preset,
  set,
  within,
} from "../../src/capabilities/matrix.ts";
import { SCREENS } from "../../src/frame/screens.ts";
import { catalogue } from "../../src/session/catalogue.svelte.ts";

const sender: Capabilities = { ...NOTHING, datasets: { web: { ingest: ["create"] } } };

test("the areas and their actions are those of the service", () => {
  const source = String(readFileSync("../crates/model/src/capability.rs"));
  const enums = { org: "OrgArea", datasets: "DatasetArea", views: "ViewArea" } as const;
  for (const [scope, name] of Object.entries(enums)) {
    const block = new RegExp(`\\n    ${name} \\{\\n([\\s\\S]*?)\\n    \\}`).exec(source)?.[1] ?? "";
    const areas = [...block.matchAll(/\w+ = "(\w+)": (EVERY|&\[([^\]]*)\])/g)].map(([, id, all, some]) => ({
      id,
      actions:
        all === "EVERY"
          ? ACTIONS
          : String(some)
              .split(",")
              .map((action) => action.trim().toLowerCase()),
    }));
    expect(areas.length).toBeGreaterThan(1);
    expect(AREAS[scope as keyof typeof enums].map(({ id, actions }) => ({ id, actions }))).toEqual(areas);
  }
});

describe("what is held", () => {
  test("all datasets hold each of them, one holds itself alone", () => {
    const all: Capabilities = { ...NOTHING, datasets: { [ANY]: { query: ["read"] } } };
    expect(holds(all, "datasets", "web", "query", "read")).toBe(true);
    expect(holds(sender, "datasets", "web", "ingest", "create")).toBe(true);
    expect(holds(sender, "datasets", "app", "ingest", "create")).toBe(false);
    expect(holds(sender, "datasets", ANY, "ingest", "create")).toBe(false);
    expect(holds(all, "org", "", "query", "read")).toBe(false);
  });

  test("contains is the rule that nobody gives more than they hold", () => {
    expect(contains(everything(), sender)).toBe(true);
    expect(contains(sender, everything())).toBe(false);
    expect(contains(sender, NOTHING)).toBe(true);
    expect(contains(null, NOTHING)).toBe(false);
    const wider: Capabilities = { ...NOTHING, datasets: { [ANY]: { ingest: ["create"] } } };
    expect(contains(wider, sender)).toBe(true);
    expect(contains(sender, wider)).toBe(false);
  });

  test("what is set and taken away again leaves nothing behind", () => {
    const ticked = set(set(NOTHING, "org", "", "users", "read", true), "datasets", "web", "query", "read", true);
    expect(ticked).toEqual({ org: { users: ["read"] }, datasets: { web: { query: ["read"] } }, views: {} });
    const cleared = set(set(ticked, "org", "", "users", "read", false), "datasets", "web", "query", "read", false);
    expect(cleared).toEqual(NOTHING);
    expect(isEmpty(cleared)).toBe(true);
    expect(isEmpty({ ...NOTHING, org: { users: [] } })).toBe(true);
    expect(set(set(NOTHING, "org", "", "users", "delete", true), "org", "", "users", "create", true).org.users).toEqual(
      ["create", "delete"],
    );
  });
});

describe("presets", () => {
  test("give no more than is held", () => {
    const reader: Capabilities = {
      org: { monitors: ["read", "update"] },
      datasets: { web: { query: ["read"], trim: ["update"] } },
      views: {},
    };
    for (const { id } of PRESETS) expect(contains(reader, preset(reader, id))).toBe(true);
    expect(preset(reader, "read")).toEqual({
      org: { monitors: ["read"] },
      datasets: { web: { query: ["read"] } },
      views: {},
    });
    expect(preset(reader, "everything")).toEqual(reader);
    expect(isEmpty(preset(reader, "ingest"))).toBe(true);
    expect(preset(sender, "ingest", "web")).toEqual(sender);
    expect(isEmpty(preset(sender, "ingest"))).toBe(true);
    expect(within(sender, everything())).toEqual(NOTHING);
  });
});

test("capabilities in words", () => {
  expect(inWords(NOTHING)).toBe("nothing");
  expect(inWords(everything())).toBe("everything");
  expect(inWords(preset(everything(), "read"))).toBe("read everything");
  expect(inWords(sender)).toBe("send events on web");
  expect(inWords({ ...NOTHING, datasets: { [ANY]: { query: ["read"] } } })).toBe("query on all datasets");
  expect(inWords({ ...NOTHING, org: { users: ["read", "update"], monitors: ACTIONS } })).toBe(
    "read, update members · all of monitors",
  );
  const many = { ...NOTHING, org: { users: ["read"], views: ["read"], monitors: ["read"], rbac: ["read"] } };
  expect(inWords(many)).toMatch(/ · 1 more$/);
});

test("a screen is for who holds what it needs: of the organisation, or of any dataset", () => {
  const one: Capabilities = { ...NOTHING, datasets: { web: { query: ["read"] } } };
  expect(maySome(one, "query", "read")).toBe(true);
  expect(maySome(one, "ingest", "create")).toBe(false);
  expect(maySome(null, "query", "read")).toBe(false);
  expect(maySome({ ...NOTHING, datasets: { [ANY]: { query: ["read"] } } }, "query", "read")).toBe(true);

  catalogue.held = { ...one, org: { dashboards: ["read"] } };
  const seen = SCREENS.filter(({ needs }) => catalogue.maySee(needs)).map(({ path }) => path);
  expect(seen).toEqual([
    "/explore",
    "/stream",
    "/dashboards",
    "/traces",
    "/datasets",
    "/queries",
    "/start",
    "/settings",
  ]);
  catalogue.held = NOTHING;
  expect(SCREENS.filter(({ needs }) => catalogue.maySee(needs)).map(({ path }) => path)).not.toContain("/stream");
});

test("choosers offer what a query may read, and begin with the newest of it that people send to", () => {
  const dataset = (name: string, kind = "") => ({ name, kind }) as Dataset;
  const figures = (name: string, maxTime: string) => [name, { name, maxTime } as Figures] as const;
  catalogue.datasets = [dataset("app"), dataset("old"), dataset("secret"), dataset("trail", "tidegauge:audit:v1")];
  catalogue.figures = new Map([
    figures("app", "2026-01-02T00:00:00Z"),
    figures("old", "2026-01-01T00:00:00Z"),
    figures("secret", "2026-01-09T00:00:00Z"),
    figures("trail", "2026-01-09T00:00:00Z"),
  ]);
  catalogue.held = null;
  expect(catalogue.queryable).toBeNull();
  const query = { query: ["read"] };
  catalogue.held = { ...NOTHING, datasets: { app: query, old: query, trail: query, secret: { ingest: ["create"] } } };
  expect(catalogue.queryable?.map(({ name }) => name)).toEqual(["app", "old", "trail"]);
  expect(catalogue.newest).toBe("app");
  catalogue.held = NOTHING;
  expect(catalogue.newest).toBeNull();
  expect(["app", "trail", "none"].map((name) => catalogue.isAuditTrail(name))).toEqual([false, true, false]);
});

test("fields and figures are for who may query a dataset or read its description, traces for who may query it", () => {
  catalogue.fields = new Map([
    ["app", []],
    ["secret", []],
  ]);
  catalogue.held = { ...NOTHING, datasets: { app: { query: ["read"] }, secret: { ingest: ["create"] } } };
  expect([catalogue.mayKnow("app"), catalogue.mayKnow("secret")]).toEqual([true, false]);
  catalogue.held = { ...catalogue.held, org: { datasets: ["read"] } };
  expect(catalogue.mayKnow("secret")).toBe(true);
  expect([...catalogue.queryableFields.keys()]).toEqual(["app"]);
});
