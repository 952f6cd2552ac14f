//! Puts the sample rows of an earlier schema into an empty database, as if that version had run there.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};
use sqlx::AssertSqlSafe;
use sqlx::migrate::Migrator;

use crate::database::{Database, Plain, plain};
use crate::schema;

type Row = Map<String, Value>;

/// The file with the sample rows of a schema version.
pub(crate) fn sample(version: usize) -> PathBuf {
    let formats = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/formats");
    formats.join(format!("v{version}")).join("catalog.json")
}

/// Brings the schema up to a version and inserts the sample of that version, which must fill every column.
pub(crate) async fn restore(database: &Database, version: usize) {
    let text = std::fs::read_to_string(sample(version)).unwrap();
    let tables: Map<String, Value> = serde_json::from_str(&text).unwrap();
    migrate(database, version).await;
    let mut columns = Vec::new();
    for (table, rows) in &tables {
        let rows: Vec<Row> = serde_json::from_value(rows.clone()).unwrap();
        clear(database, table).await;
        for row in &rows {
            insert(database, table, row).await;
            columns.extend(row.keys().map(|column| format!("{table}.{column}")));
        }
    }
    columns.sort();
    columns.dedup();
    assert_eq!(columns, schema::columns(database).await);
}

async fn migrate(database: &Database, version: usize) {
    let folder = match &database.plain {
        Plain::Sqlite(_) => "sqlite",
        Plain::Postgres(_) => "postgres",
    };
    let migrator = Migrator::new(schema::migrations_folder(folder)).await.unwrap();
    let target = i64::try_from(version).unwrap();
    plain!(database, pool => migrator.run_to(target, pool).await.unwrap());
}

/// Some tables have a row from the start, which the sample has too.
async fn clear(database: &Database, table: &str) {
    let statement = format!("DELETE FROM {table}");
    plain!(database, pool => {
        sqlx::query(AssertSqlSafe(statement)).execute(pool).await.unwrap();
    });
}

async fn insert(database: &Database, table: &str, row: &Row) {
    let statement = insert_statement(database, table, row);
    plain!(database, pool => {
        let mut query = sqlx::query(AssertSqlSafe(statement));
        for value in row.values() {
            query = match value {
                Value::Null => query,
                Value::String(text) => query.bind(text),
                Value::Bool(flag) => query.bind(*flag),
                // A number with a point goes into a column of such numbers.
                Value::Number(number) if number.is_f64() => query.bind(number.as_f64()),
                Value::Number(number) => query.bind(number.as_i64().unwrap()),
                bytes => query.bind(read_hex(bytes["hex"].as_str().unwrap())),
            };
        }
        query.execute(pool).await.unwrap();
    });
}

/// Each value is a parameter, but for nulls: a parameter has a type, and only the column knows which.
fn insert_statement(database: &Database, table: &str, row: &Row) -> String {
    let columns: Vec<&str> = row.keys().map(String::as_str).collect();
    let mut parameters = 0;
    let values: Vec<String> = row
        .values()
        .map(|value| match value {
            Value::Null => "NULL".to_owned(),
            _ => {
                parameters += 1;
                format!("${parameters}")
            }
        })
        .collect();
    // PostgreSQL numbers the audit entries itself unless it is told not to.
    let numbering = match &database.plain {
        Plain::Sqlite(_) => "",
        Plain::Postgres(_) => "OVERRIDING SYSTEM VALUE",
    };
    format!("INSERT INTO {table} ({}) {numbering} VALUES ({})", columns.join(", "), values.join(", "))
}

fn read_hex(text: &str) -> Vec<u8> {
    let digits: Vec<char> = text.chars().collect();
    let byte = |pair: &[char]| u8::from_str_radix(&String::from_iter(pair), 16).unwrap();
    digits.chunks(2).map(byte).collect()
}
