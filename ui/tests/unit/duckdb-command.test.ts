// The command for DuckDB names what to put in, and the settings that have it.

import { expect, test } from "vitest";
import { duckDbCommand } from "../../src/screens/datasets/duckdb-command.ts";

const ORG = "org_1";

test("in the data folder it is whole, and says which setting names the folder", () => {
  const { text, holes } = duckDbCommand({ catalogue: "sqlite", events: "folder" }, ORG, 'a "b"');
  expect(text.split("\n")).toEqual([
    "INSTALL ducklake; INSTALL sqlite;",
    "ATTACH 'ducklake:sqlite:data/catalog.sqlite' AS lake (READ_ONLY);",
    'SELECT count(*) FROM lake."org_1"."a ""b""" WHERE _time > now() - INTERVAL 1 HOUR;',
  ]);
  expect(text).not.toContain("<");
  expect(holes.map((hole) => hole.text)).toEqual(["data"]);
  expect(holes[0]!.is).toContain("setting data");
});

test("of PostgreSQL and a bucket every hole in it is explained", () => {
  const { text, holes } = duckDbCommand({ catalogue: "postgres", events: "bucket" }, ORG, "web");
  expect(text).toContain("INSTALL postgres; INSTALL httpfs;");
  expect(text).toContain("ATTACH 'ducklake:postgres:host=<HOST> dbname=<DATABASE> user=<READER>' AS lake (READ_ONLY);");
  const open = text.match(/<[A-Z_]+>/g) ?? [];
  expect(open).toHaveLength(6);
  const told = holes.map((hole) => hole.text).join(" ");
  for (const hole of open) expect(told).toContain(hole);
  const settings = holes.map(({ is }) => is).join(" ");
  for (const setting of ["catalog", "objects", "objects_region", "objects_endpoint"])
    expect(settings).toContain(setting);
});
