//! Stock DuckDB attaches the catalogue and counts the rows that are in it. It runs in the Python that
//! `TIDEGAUGE_TEST_DUCKDB` names, which `scripts/ducklake.sh` makes and prints; without it these trials are ignored.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::Value;
use tidegauge_catalog::segments::NewSegment;
use tidegauge_catalog::{Catalog, Location};
use tidegauge_model::{DatasetId, FieldKind};

use crate::database::{Database, Plain, TestCatalog};
use crate::event_samples::{field, insert, segment};
use crate::samples::{self, at};

pub(crate) const DUCKDB_VARIABLE: &str = "TIDEGAUGE_TEST_DUCKDB";

/// 2026-01-01T00:00:00Z in nanoseconds.
const NEW_YEAR: i64 = 1_767_225_600_000_000_000;
const HOUR: i64 = 3_600_000_000_000;

#[expect(clippy::disallowed_methods, reason = "a test binary has no settings but these")]
pub(crate) fn python() -> Option<String> {
    std::env::var(DUCKDB_VARIABLE).ok().filter(|path| !path.is_empty())
}

/// A DuckDB with the catalogue attached as `lake`. Ends when it is dropped.
struct DuckDb {
    process: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl DuckDb {
    fn attach(database: &Database) -> Self {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scripts/ducklake.py");
        let mut process = Command::new(python().unwrap())
            .arg(script)
            .arg(place(database))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (input, output) = (process.stdin.take().unwrap(), process.stdout.take().unwrap());
        Self { process, input, output: BufReader::new(output) }
    }

    fn run(&mut self, statement: &str) -> Value {
        writeln!(self.input, "{statement}").unwrap();
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|_| panic!("DuckDB has ended at {statement}"))
    }

    /// The rows of an answer, the values of a row joined by a space.
    fn rows(&mut self, statement: &str) -> Vec<String> {
        let answer = self.run(statement);
        let Some(rows) = answer["rows"].as_array() else {
            panic!("{statement}: {answer}");
        };
        let text = |value: &Value| value.as_str().unwrap_or("NULL").to_owned();
        rows.iter()
            .map(|row| row.as_array().unwrap().iter().map(text).collect::<Vec<_>>().join(" "))
            .collect()
    }

    fn row(&mut self, statement: &str) -> String {
        self.rows(statement).join("\n")
    }

    fn error(&mut self, statement: &str) -> String {
        let answer = self.run(statement);
        answer["error"].as_str().unwrap_or_else(|| panic!("{statement}: {answer}")).to_owned()
    }
}

impl Drop for DuckDb {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn place(database: &Database) -> String {
    match (&database.location, &database.plain) {
        (_, Plain::Postgres(pool)) => {
            let options = pool.connect_options();
            let (host, port, user) = (options.get_host(), options.get_port(), options.get_username());
            format!("postgres:dbname={} host={host} port={port} user={user}", options.get_database().unwrap())
        }
        (Location::Sqlite(path), _) => format!("sqlite:{}", path.display()),
        (Location::Postgres(_), Plain::Sqlite(_)) => unreachable!("a database is one or the other"),
    }
}

/// Lets DuckDB write a file as the store does: with the numbers of the columns as field ids, whatever their names.
/// `columns` are such as `range AS a` with their numbers. The rows are a microsecond apart.
fn write_file(
    duckdb: &mut DuckDb,
    root: &Path,
    id: &str,
    start: i64,
    rows: u64,
    columns: &[(&str, u32)],
) -> NewSegment {
    let mut segment = NewSegment {
        rows,
        min_time: start,
        max_time: start + i64::try_from(rows - 1).unwrap() * 1_000,
        path: format!("datasets/{id}/part.parquet"),
        ..segment(id)
    };
    let path = root.join(&segment.path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let mut values =
        format!("make_timestamptz({} + range) AS t, make_timestamptz({}) AS s", start / 1_000, start / 1_000);
    values.push_str(", 7::BIGINT AS q, range::INTEGER AS i");
    let mut ids = "t: 1, s: 2, q: 3, i: 4".to_owned();
    for (position, (column, number)) in columns.iter().enumerate() {
        values.push_str(&format!(", {column} AS c{position}"));
        ids.push_str(&format!(", c{position}: {number}"));
    }
    duckdb.rows(&format!(
        "COPY (SELECT {values} FROM range({rows})) TO '{}' (FORMAT parquet, FIELD_IDS {{{ids}}})",
        path.display()
    ));
    let bytes = std::fs::read(&path).unwrap();
    let footer = bytes[bytes.len() - 8..bytes.len() - 4].try_into().unwrap();
    segment.bytes = bytes.len() as u64;
    segment.footer_bytes = u64::from(u32::from_le_bytes(footer));
    segment
}

/// Two organisations with a dataset of the same name each; in ours are three columns and two files.
async fn with_files(test: &TestCatalog<'_>) -> (DatasetId, DuckDb, PathBuf) {
    let (ours, theirs) = samples::two_orgs(test).await;
    let root = test.database.folder().join("objects");
    test.set_data_path(root.to_str().unwrap()).await.unwrap();
    let logs = insert(test, &ours, "logs").await.id;
    insert(test, &theirs, "logs").await;
    let mut duckdb = DuckDb::attach(test.database);
    let wanted =
        [field("a", FieldKind::Integer), field("a", FieldKind::String), field("ok", FieldKind::Boolean)];
    test.ensure_columns(&logs, &wanted).await.unwrap();
    let numbers = [("range::BIGINT", 16), ("range % 2 = 0", 18)];
    let first = write_file(&mut duckdb, &root, "segment_1", NEW_YEAR, 1_000, &numbers);
    let texts = [("'it is ' || range", 17), ("'{}'", 5)];
    let second = write_file(&mut duckdb, &root, "segment_2", NEW_YEAR + HOUR, 500, &texts);
    publish(test, &logs, first, 1).await;
    publish(test, &logs, second, 2).await;
    (logs, duckdb, root)
}

async fn publish(catalog: &Catalog, dataset: &DatasetId, segment: NewSegment, flushed: u64) {
    catalog.publish_flush(dataset, &[segment], flushed, &[], &[], at(70)).await.unwrap();
}

pub(crate) async fn reads_files_with_different_columns(test: &TestCatalog<'_>) {
    let (_, mut duckdb, _) = with_files(test).await;
    let described = duckdb.rows("SELECT column_name, column_type FROM (DESCRIBE lake.org_ours.logs)");
    let time = "TIMESTAMP WITH TIME ZONE";
    let wanted = [
        &format!("_time {time}"),
        &format!("_sysTime {time}"),
        "_sequence BIGINT",
        "_index INTEGER",
        "_rest VARCHAR",
        "a BIGINT",
        "a:string VARCHAR",
        "ok BOOLEAN",
    ];
    assert_eq!(described, wanted);
    // Not the first question: on PostgreSQL, DuckDB 1.5.5 answers that one with an empty list now and then, for a
    // DuckLake that it has made itself too (7 of 16 times).
    let tables =
        duckdb.rows("SELECT schema, name FROM (SHOW ALL TABLES) WHERE database = 'lake' ORDER BY ALL");
    assert_eq!(tables, ["org_ours logs", "org_theirs logs"]);
    let counted = duckdb.row(
        "SELECT count(*), count(a), sum(a), count(\"a:string\"), count(ok), count(_rest), \
        sum(_sequence), max(_index), max(\"a:string\") FROM lake.org_ours.logs",
    );
    assert_eq!(counted, "1500 1000 499500 500 1000 500 10500 999 it is 99");
    assert_eq!(duckdb.row("SELECT count(*) FROM lake.org_theirs.logs"), "0");
}

pub(crate) async fn passes_over_files_of_other_times(test: &TestCatalog<'_>) {
    let (_, mut duckdb, _) = with_files(test).await;
    for zone in ["UTC", "America/New_York", "Asia/Tokyo"] {
        duckdb.rows(&format!("SET TimeZone = '{zone}'"));
        for (condition, rows, files) in [
            ("_time >= '2026-01-01T01:00:00Z'::TIMESTAMPTZ", 500, 1),
            ("_time < '2026-01-01T01:00:00Z'::TIMESTAMPTZ", 1_000, 1),
            ("_time <= '2026-01-01T01:00:00Z'::TIMESTAMPTZ", 1_001, 2),
            ("_time = '2026-01-01T00:00:00.000999Z'::TIMESTAMPTZ", 1, 1),
            ("_time > '2026-01-01T00:00:00.000998Z'::TIMESTAMPTZ", 501, 2),
        ] {
            let counted = duckdb.row(&format!("SELECT count(*) FROM lake.org_ours.logs WHERE {condition}"));
            assert_eq!(counted, rows.to_string(), "{zone}: {condition}");
            let explain =
                format!("EXPLAIN ANALYZE SELECT count(_index) FROM lake.org_ours.logs WHERE {condition}");
            let explained = duckdb.row(&explain);
            assert!(explained.contains(&format!("Total Files Read: {files}")), "{condition}: {explained}");
        }
    }
}

pub(crate) async fn follows_commits_while_it_is_attached(test: &TestCatalog<'_>) {
    let (logs, mut duckdb, root) = with_files(test).await;
    let count = "SELECT count(*) FROM lake.org_ours.logs";
    assert_eq!(duckdb.row(count), "1500");
    let pinned = test.commit_sequence().await.unwrap();

    let third = write_file(&mut duckdb, &root, "segment_3", NEW_YEAR + 2 * HOUR, 20, &[]);
    publish(test, &logs, third, 3).await;
    assert_eq!(duckdb.row(count), "1520");
    let merged = write_file(&mut duckdb, &root, "segment_4", NEW_YEAR, 1_000, &[("range::BIGINT", 16)]);
    test.replace_segments(&logs, &["segment_1".into()], &[merged], at(80)).await.unwrap();
    assert_eq!(duckdb.row(count), "1520");
    test.replace_segments(&logs, &["segment_2".into()], &[], at(81)).await.unwrap();
    assert_eq!(duckdb.row(count), "1020");
    assert_eq!(duckdb.row("SELECT min(_time) = max(_time) FROM lake.org_ours.logs"), "False");
    assert_eq!(duckdb.row(&format!("{count} AT (VERSION => {pinned})")), "1500");

    test.ensure_columns(&logs, &[field("late", FieldKind::Float)]).await.unwrap();
    let late = write_file(&mut duckdb, &root, "segment_5", NEW_YEAR, 4, &[("0.5::DOUBLE", 19)]);
    publish(test, &logs, late, 4).await;
    assert_eq!(duckdb.row("SELECT sum(late), count(*) FROM lake.org_ours.logs"), "2.0 1024");

    let ours = "org_ours".into();
    insert(test, &ours, "new").await;
    assert_eq!(duckdb.row("SELECT count(*) FROM lake.org_ours.new"), "0");
    test.delete_dataset(&ours, "logs", at(90), &samples::change(&ours)).await.unwrap().unwrap();
    assert!(duckdb.error(count).contains("does not exist"));
    assert_eq!(duckdb.row("SELECT count(*) FROM lake.org_theirs.logs"), "0");
}

pub(crate) async fn may_not_write(test: &TestCatalog<'_>) {
    let (_, mut duckdb, _) = with_files(test).await;
    for statement in [
        "INSERT INTO lake.org_ours.logs (a) VALUES (1)",
        "DELETE FROM lake.org_ours.logs",
        "UPDATE lake.org_ours.logs SET a = 1",
        "DROP TABLE lake.org_ours.logs",
        "CREATE TABLE lake.main.mine (a INTEGER)",
    ] {
        assert!(duckdb.error(statement).contains("read-only"), "{statement}");
    }
    assert_eq!(duckdb.row("SELECT count(*) FROM lake.org_ours.logs"), "1500");
}

pub(crate) async fn reads_a_dataset_with_thousands_of_columns(test: &TestCatalog<'_>) {
    let (logs, mut duckdb, _) = with_files(test).await;
    let wanted: Vec<_> =
        (0..3_000).map(|number| field(&format!("wide.{number}"), FieldKind::Float)).collect();
    test.ensure_columns(&logs, &wanted).await.unwrap();
    assert_eq!(duckdb.rows("DESCRIBE lake.org_ours.logs").len(), 3_008);
    assert_eq!(duckdb.row("SELECT count(*), count(\"wide.2999\") FROM lake.org_ours.logs"), "1500 0");
}
