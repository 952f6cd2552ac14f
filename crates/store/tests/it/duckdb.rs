//! Stock DuckDB attaches the catalogue of a store and counts what is in its segments. It runs in the Python that
//! `TIDEGAUGE_TEST_DUCKDB` names, which `scripts/ducklake.sh` makes and prints; without it nothing is tested here.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use tidegauge_catalog::Location;
use tidegauge_store::{StoredRow, StoredValue};

use crate::deletion::chosen;
use crate::events::{Event, SECOND, columns_of};
use crate::house::{House, START, sqlite};

#[expect(clippy::disallowed_methods, reason = "a test binary has no settings but these")]
pub(crate) fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

#[expect(clippy::print_stderr, reason = "what is not tested is said")]
fn python() -> Option<String> {
    let python = variable("TIDEGAUGE_TEST_DUCKDB");
    if python.is_none() {
        eprintln!("DuckDB: not run (TIDEGAUGE_TEST_DUCKDB=$(scripts/ducklake.sh) names one)");
    }
    python
}

/// Runs statements in a DuckDB with the catalogue attached, each with one row as its answer.
fn ask(python: &str, catalogue: &str, statements: &[String]) -> Vec<Vec<Option<String>>> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../scripts/ducklake.py");
    let mut process = Command::new(python)
        .arg(script)
        .arg(catalogue)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = process.stdin.take().unwrap();
    let mut output = BufReader::new(process.stdout.take().unwrap());
    let mut answers = Vec::new();
    for statement in statements {
        writeln!(input, "{statement}").unwrap();
        let mut line = String::new();
        output.read_line(&mut line).unwrap();
        let answer: serde_json::Value = serde_json::from_str(&line).unwrap();
        assert_eq!(answer.get("error"), None, "{statement}");
        answers.push(
            serde_json::from_value::<Vec<Vec<Option<String>>>>(answer["rows"].clone()).unwrap().remove(0),
        );
    }
    drop(input);
    assert!(process.wait().unwrap().success());
    answers
}

/// Events whose fields differ from part to part, so that no two segments have the same columns.
fn part(number: i64, rows: i64) -> Vec<Event> {
    let event = |row: i64| {
        let own = (format!("only {number}"), StoredValue::Integer(row));
        let mixed = match (row + number) % 3 {
            0 => StoredValue::Integer(row - 50),
            1 => StoredValue::Float(row as f64 / 4.0),
            _ => StoredValue::String(format!("text {row}")),
        };
        let sometimes =
            (row % 4 == 0).then(|| ("Ä \"quoted\"".to_owned(), StoredValue::Boolean(row % 8 == 0)));
        let fields = [own, ("mixed".to_owned(), mixed)].into_iter().chain(sometimes);
        Event::new(START * 1000 + number * 600 * SECOND + row * SECOND, fields)
    };
    (0..rows).map(event).collect()
}

/// Events with more fields than a segment has columns.
fn wide() -> Vec<Event> {
    let field = |field: i64| (format!("wide {field}"), StoredValue::Integer(field));
    let event = |row: i64| Event::new(START * 1000 + row, (0..200).map(|at| field(row * 200 + at)));
    (0..4).map(event).collect()
}

/// The number of values of a field in a kind, and the sum of those that are numbers.
fn counted(rows: &[StoredRow], field: &str, is_of: fn(&StoredValue) -> Option<f64>) -> (usize, f64) {
    let fields = rows.iter().flat_map(|row| &row.fields);
    let values: Vec<f64> =
        fields.filter(|(own, _)| **own == *field).filter_map(|(_, value)| is_of(value)).collect();
    (values.len(), values.iter().sum())
}

fn integer(value: &StoredValue) -> Option<f64> {
    if let StoredValue::Integer(value) = value { Some(*value as f64) } else { None }
}

fn float(value: &StoredValue) -> Option<f64> {
    if let StoredValue::Float(value) = value { Some(*value) } else { None }
}

fn boolean(value: &StoredValue) -> Option<f64> {
    if let StoredValue::Boolean(value) = value { Some(f64::from(*value)) } else { None }
}

fn assert_answer(answer: &[Option<String>], expected: &[(usize, f64)], when: &str) {
    let numbers: Vec<f64> =
        answer.iter().map(|value| value.as_deref().unwrap_or("0").parse().unwrap()).collect();
    let expected: Vec<f64> = expected.iter().flat_map(|(count, sum)| [*count as f64, *sum]).collect();
    assert_eq!(numbers, expected, "{when}");
}

async fn check(house: &House, python: &str, catalogue: &str) {
    let dataset = house.dataset("logs").await;
    for number in 0..6 {
        house.append(&dataset, &columns_of(&part(number, 40 + number))).await;
        house.store.flush(&dataset).await.unwrap();
    }
    house.append(&dataset, &columns_of(&wide())).await;
    house.store.flush(&dataset).await.unwrap();
    compare(house, python, catalogue, "flushed").await;
    let before = dataset.info().segments;
    house.advance(Duration::from_secs(3 * 86_400));
    house.compact().await;
    assert!(dataset.info().segments < before);
    for number in 6..8 {
        house.append(&dataset, &columns_of(&part(number, 30))).await;
        house.store.flush(&dataset).await.unwrap();
    }
    compare(house, python, catalogue, "compacted and flushed again").await;
    let (doomed, left) = chosen(&house.rows(dataset.id()).await, |at| at % 5 == 2 || (40..120).contains(&at));
    let deleted = house.store.delete_rows(&dataset, doomed.clone()).await.unwrap();
    assert_eq!(deleted.rows, doomed.len() as u64);
    assert_eq!(house.rows(dataset.id()).await, left);
    compare(house, python, catalogue, "some were deleted").await;
    house.advance(Duration::from_secs(7200));
    house.store.collect_garbage().await.unwrap();
    compare(house, python, catalogue, "after the old segments were deleted").await;
}

async fn compare(house: &House, python: &str, catalogue: &str, when: &str) {
    let id = house.catalog.find_dataset(&house.org, "logs").await.unwrap().unwrap().id;
    let rows = house.rows(&id).await;
    let columns = house.catalog.dataset_columns(&id).await.unwrap();
    let name = |field: &str, kind: &str| {
        let column =
            columns.iter().find(|column| column.field == field && column.kind.as_str() == kind).unwrap();
        format!("\"{}\"", column.name.replace('"', "\"\""))
    };
    let both = |name: &str| format!("count({name}), sum({name})");
    let table = "lake.org_house.logs";
    let quoted = name("Ä \"quoted\"", "boolean");
    let statements = [
        format!("SELECT count(*), sum(_sequence), count(*), sum(_index) FROM {table}"),
        format!(
            "SELECT {}, {}, {} FROM {table}",
            both(&name("mixed", "integer")),
            both(&name("mixed", "float")),
            both(&name("only 3", "integer")),
        ),
        format!("SELECT count({quoted}), sum({quoted}::INTEGER) FROM {table}"),
        // A field is in a column of its own in some segments and in `_rest` in others.
        format!(
            "SELECT count(*), sum(v) FROM (SELECT COALESCE({}, (_rest->>'$.\"wide 799\"')::BIGINT) v FROM {table}) \
             WHERE v IS NOT NULL",
            name("wide 799", "integer")
        ),
        format!("SELECT epoch_ns(min(_time)) // 1000, epoch_ns(max(_time)) // 1000 FROM {table}"),
    ];
    let catalogue = catalogue.to_owned();
    let python = python.to_owned();
    let asked = tokio::task::spawn_blocking(move || ask(&python, &catalogue, &statements)).await;
    let answers = asked.unwrap();
    let sequences: u64 = rows.iter().map(|row| row.sequence).sum();
    let indexes: u32 = rows.iter().map(|row| row.index).sum();
    assert_answer(&answers[0], &[(rows.len(), sequences as f64), (rows.len(), f64::from(indexes))], when);
    let mixed = [counted(&rows, "mixed", integer), counted(&rows, "mixed", float)];
    assert_answer(&answers[1], &[mixed[0], mixed[1], counted(&rows, "only 3", integer)], when);
    assert_answer(&answers[2], &[counted(&rows, "Ä \"quoted\"", boolean)], when);
    assert_answer(&answers[3], &[counted(&rows, "wide 799", integer)], when);
    let times = (rows[0].time / 1000, rows[rows.len() - 1].time / 1000);
    assert_eq!(answers[4], [Some(times.0.to_string()), Some(times.1.to_string())], "{when}");
}

#[tokio::test]
async fn duckdb_counts_the_same_on_sqlite() {
    let Some(python) = python() else { return };
    let folder = tempfile::tempdir().unwrap();
    let catalogue = format!("sqlite:{}", folder.path().join("catalog.db").display());
    let location = sqlite(folder.path());
    let house = House::at(folder, &location, |_| ()).await;
    check(&house, &python, &catalogue).await;
}

#[tokio::test]
#[expect(clippy::print_stderr, reason = "what is not tested is said")]
async fn duckdb_counts_the_same_on_postgres() {
    let Some(python) = python() else { return };
    let Some(url) = variable("TIDEGAUGE_TEST_POSTGRES") else {
        eprintln!("DuckDB on PostgreSQL: not run (scripts/with-postgres.sh starts one)");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let name = folder.path().file_name().unwrap().to_string_lossy().replace('.', "store_").to_lowercase();
    psql(&url, &format!("CREATE DATABASE {name} TEMPLATE template0 ENCODING 'UTF8'"));
    let (address, _) = url.rsplit_once('/').unwrap();
    let own = format!("{address}/{name}");
    let house = House::at(folder, &Location::Postgres(own.clone()), |_| ()).await;
    check(&house, &python, &format!("postgres:{own}")).await;
    house.catalog.close().await;
    drop(house);
    psql(&url, &format!("DROP DATABASE {name} WITH (FORCE)"));
}

/// PostgreSQL's own client, because only the catalogue knows SQL.
pub(crate) fn psql(server: &str, statement: &str) {
    let output = Command::new("psql").args([server, "-qc", statement]).output().unwrap();
    assert!(output.status.success(), "psql: {}", String::from_utf8_lossy(&output.stderr));
}
