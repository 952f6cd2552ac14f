// Files that are taken away, opened by what people open them with: DuckDB, jq, LibreOffice. What is not on this machine is
// told as not run.
//
//   TIDEGAUGE_TEST_DUCKDB   a Python that has DuckDB (scripts/ducklake.sh names one)

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { copyFile, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const PYTHON = process.env.TIDEGAUGE_TEST_DUCKDB;
const ROW = ["=1+1", "-5", "9007199254740993", "-9223372036854775808"];

/** What a program writes, or null where there is none. */
async function told(command, options) {
  try {
    return (await run(command, options, { maxBuffer: 1e8, timeout: 120_000 })).stdout;
  } catch (error) {
    if (error.code !== "ENOENT") throw error;
    console.log(`    not run: there is no ${command}`);
    return null;
  }
}

/** The rows of a statement as texts, or null without DuckDB. */
async function ask(statement) {
  if (!PYTHON) {
    console.log("    not run: there is no DuckDB (TIDEGAUGE_TEST_DUCKDB)");
    return null;
  }
  const program =
    "import duckdb, json, sys; print(json.dumps([[None if v is None else str(v) for v in row] for row in duckdb.sql(sys.argv[1]).fetchall()]))";
  return JSON.parse(await told(PYTHON, ["-c", program, statement]));
}

const explore = (service, parameters) =>
  `${service.address}/explore?${new URLSearchParams({ from: "now-7h", to: "now", ...parameters })}`;

/** Takes the answer on the screen away as a file of a kind, with the ending that programs know it by. */
async function take(page, kind, folder) {
  await page.getByRole("button", { name: "Export" }).click();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: new RegExp(`^${kind}`) }).click(),
  ]);
  const path = join(folder, `answer.${kind.toLowerCase()}`);
  await copyFile(await download.path(), path);
  return path;
}

export function fileTests(watched) {
  watched("28: CSV, NDJSON and Parquet are read back exactly, and nothing in them is a formula", async (at) => {
    const { page, service } = at;
    const folder = await mkdtemp(join(tmpdir(), "tidegauge-files-"));
    await service.call(
      "/v1/datasets/exact/ingest",
      '[{"f":"=1+1","n":-5,"big":9007199254740993,"low":-9223372036854775808}]',
    );
    await page.goto(explore(service, { q: "exact | project f, n, big, low" }));
    await page.locator(".row .cell").first().waitFor();
    const [csv, ndjson, parquet] = [
      await take(page, "CSV", folder),
      await take(page, "NDJSON", folder),
      await take(page, "Parquet", folder),
    ];
    // A text that a spreadsheet would compute begins with a quotation mark, a number does not.
    assert.match(await readFile(csv, "utf8"), /'=1\+1,-5,9007199254740993,-9223372036854775808/);
    assert.deepEqual((await ask(`SELECT * FROM read_csv('${csv}')`)) ?? [[`'${ROW[0]}`, ...ROW.slice(1)]], [
      [`'${ROW[0]}`, ...ROW.slice(1)],
    ]);
    const types = "typeof(f), typeof(n), typeof(big), typeof(low)";
    const expected = [[...ROW, "VARCHAR", "BIGINT", "BIGINT", "BIGINT"]];
    assert.deepEqual((await ask(`SELECT *, ${types} FROM '${parquet}'`)) ?? expected, expected);
    assert.deepEqual((await ask(`SELECT * FROM read_json('${ndjson}', format = 'newline_delimited')`)) ?? [ROW], [ROW]);
    const text = await told("jq", ["-r", ".f, (.n | tostring)", ndjson]);
    assert.equal(text ?? "=1+1\n-5\n", "=1+1\n-5\n");
    const office = await told("soffice", [
      "--headless",
      "--convert-to",
      "csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,true",
      "--outdir",
      join(folder, "office"),
      csv,
    ]);
    if (office !== null) {
      // Computed, the first would be 2.
      const [, line] = (await readFile(join(folder, "office", "answer.csv"), "utf8")).split("\n");
      assert.match(line, /^'?=1\+1,-5,/);
    }
    await rm(folder, { recursive: true });
  });

  watched("28: files have more rows than one answer, and the sums of the text query", async ({ page, service }) => {
    const folder = await mkdtemp(join(tmpdir(), "tidegauge-files-"));
    await page.goto(explore(service, { q: "gen | project _time, status, message" }));
    await page.locator(".row .cell").first().waitFor();
    const { tables } = await service.call("/v1/query/_apl?format=tabular", {
      apl: "gen | summarize rows = count(), sum = sum(status), different = dcount(_time)",
      startTime: "now-7h",
      endTime: "now",
    });
    const value = (name) => tables[0].columns[tables[0].fields.findIndex((field) => field.name === name)][0];
    assert.equal(value("rows"), 60_000);
    const expected = [[String(value("rows")), String(value("sum"))]];
    const csv = await take(page, "CSV", folder);
    assert.equal((await readFile(csv, "utf8")).split("\r\n")[0], "_time,status,message");
    const ndjson = await take(page, "NDJSON", folder);
    const parquet = await take(page, "Parquet", folder);
    assert.equal((await readFile(ndjson, "utf8")).trim().split("\n").length, 60_000);
    assert.equal((await readFile(parquet)).subarray(0, 4).toString(), "PAR1");
    const sums = "SELECT count(*), sum(status)";
    for (const from of [`read_csv('${csv}')`, `read_json('${ndjson}', format = 'newline_delimited')`, `'${parquet}'`])
      assert.deepEqual((await ask(`${sums} FROM ${from}`)) ?? expected, expected, from);
    const [[type]] = (await ask(`SELECT typeof(_time) FROM '${parquet}' LIMIT 1`)) ?? [["TIMESTAMP"]];
    assert.match(type, /TIMESTAMP/);
    await rm(folder, { recursive: true });
  });

  watched(
    "the page of a dataset has a command with which DuckDB reads its events in place",
    async ({ page, service }) => {
      await page.goto(`${service.address}/datasets/gen?view=send`);
      await page.getByRole("button", { name: "Copy the DuckDB command" }).click();
      const command = await page.evaluate(() => navigator.clipboard.readText());
      assert.match(command, /^INSTALL ducklake; INSTALL sqlite;\nATTACH 'ducklake:sqlite:data\/catalog\.sqlite'/);
      // Another place has another command, which says what to put in.
      const section = page.locator("section", { hasText: "Read it with DuckDB" });
      await section.getByLabel("Catalogue").selectOption("postgres");
      await section.getByText(/ducklake:postgres:host=<HOST>/).waitFor();
      await section.getByLabel("Events").selectOption("bucket");
      await section.getByText(/CREATE SECRET \(TYPE s3/).waitFor();
      await section.getByText("the setting objects_region").waitFor();
      if (!PYTHON) return console.log("    not run: there is no DuckDB (TIDEGAUGE_TEST_DUCKDB)");
      // As it stands, in the folder that it names; only the extensions are here already, and all of the time is asked for.
      const program = `
import duckdb, pathlib, sys
import duckdb_extension_ducklake, duckdb_extension_sqlite_scanner
connection = duckdb.connect()
for package in (duckdb_extension_sqlite_scanner, duckdb_extension_ducklake):
    connection.execute(f"LOAD '{next(pathlib.Path(package.__file__).parent.rglob('*.duckdb_extension'))}'")
for statement in sys.argv[1].split(";"):
    if statement.strip() and "INSTALL" not in statement:
        answer = connection.execute(statement).fetchall()
print(answer[0][0])`;
      const { stdout } = await run(PYTHON, ["-c", program, command.replace(/INTERVAL 1 HOUR/, "INTERVAL 1 DAY")], {
        cwd: service.folder,
        timeout: 60_000,
      });
      // Those of the last moments may not be in files yet.
      const found = Number(stdout);
      console.log(`    DuckDB finds ${found} of 60,000 events in place`);
      assert.ok(found >= 0 && found <= 60_000, stdout);
    },
  );
}
