//! The two schemas have the same shape: the same migrations, tables, views, columns and indexes.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use libtest_mimic::Trial;
use tokio::runtime::Runtime;

use crate::database::{Backend, Beginning, Database, KEY_BYTE, Plain};

/// How many relations DuckLake 1.0 has.
const DUCKLAKE_RELATIONS: usize = 28;

pub(crate) fn trials(has_postgres: bool) -> Vec<Trial> {
    let migrations = Trial::test("schema::both_databases_have_the_same_migrations", || {
        assert_eq!(migration_names("sqlite"), migration_names("postgres"));
        Ok(())
    });
    let shapes = Trial::test("schema::both_databases_have_the_same_shape", || {
        let runtime = Runtime::new().unwrap();
        let sqlite = runtime.block_on(shape(Backend::Sqlite));
        let postgres = runtime.block_on(shape(Backend::Postgres));
        assert!(sqlite.0.contains(&"notifier.properties".to_owned()), "{sqlite:?}");
        for index in ["token_by_org", "audit_by_time", "segment_live"] {
            assert!(sqlite.1.contains(&index.to_owned()), "{sqlite:?}");
        }
        assert!(sqlite.2.contains(&"ducklake_table.7 path_is_relative".to_owned()), "{sqlite:?}");
        let views: BTreeSet<&str> = sqlite.2.iter().filter_map(|column| column.split('.').next()).collect();
        assert_eq!(views.len(), DUCKLAKE_RELATIONS);
        assert_eq!(sqlite, postgres);
        Ok(())
    });
    vec![migrations, shapes.with_ignored_flag(!has_postgres)]
}

pub(crate) fn migrations_folder(database: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("migrations").join(database)
}

/// The files of the migrations in order; the last is the newest.
pub(crate) fn migration_names(database: &str) -> Vec<String> {
    let folder = std::fs::read_dir(migrations_folder(database)).unwrap();
    let mut names: Vec<String> =
        folder.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// The columns, the indexes and the views of a catalogue that was just created.
async fn shape(backend: Backend) -> (Vec<String>, Vec<String>, Vec<String>) {
    let database = Database::create(backend, Beginning::Empty).await;
    database.open(KEY_BYTE).await.unwrap().close().await;
    let shape = (columns(&database).await, indexes(&database).await, views(&database).await);
    database.remove().await;
    shape
}

/// Every column as `table.column`, in order.
pub(crate) async fn columns(database: &Database) -> Vec<String> {
    let mut names: Vec<String> = match &database.plain {
        Plain::Sqlite(pool) => sqlx::query_scalar(
            "SELECT t.name || '.' || c.name FROM sqlite_schema t JOIN pragma_table_info(t.name) c \
             WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite%' AND t.name <> '_sqlx_migrations'",
        )
        .fetch_all(pool)
        .await
        .unwrap(),
        Plain::Postgres(pool) => sqlx::query_scalar(
            "SELECT table_name || '.' || column_name FROM information_schema.columns \
             WHERE table_schema = 'public' AND table_name <> '_sqlx_migrations' AND table_name NOT IN \
             (SELECT table_name FROM information_schema.views WHERE table_schema = 'public')",
        )
        .fetch_all(pool)
        .await
        .unwrap(),
    };
    names.sort();
    names
}

/// Every column of a view as `view.position column`, in order: outside readers go by the position.
async fn views(database: &Database) -> Vec<String> {
    let mut names: Vec<String> = match &database.plain {
        Plain::Sqlite(pool) => sqlx::query_scalar(
            "SELECT t.name || '.' || c.cid || ' ' || c.name FROM sqlite_schema t \
             JOIN pragma_table_info(t.name) c WHERE t.type = 'view'",
        )
        .fetch_all(pool)
        .await
        .unwrap(),
        Plain::Postgres(pool) => sqlx::query_scalar(
            "SELECT c.table_name || '.' || (c.ordinal_position - 1) || ' ' || c.column_name \
             FROM information_schema.columns c JOIN information_schema.views v USING (table_schema, table_name) \
             WHERE c.table_schema = 'public'",
        )
        .fetch_all(pool)
        .await
        .unwrap(),
    };
    names.sort();
    names
}

/// Every index that a migration names, in order. Those behind a constraint are named by the database.
async fn indexes(database: &Database) -> Vec<String> {
    let mut names: Vec<String> = match &database.plain {
        Plain::Sqlite(pool) => {
            sqlx::query_scalar("SELECT name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL")
                .fetch_all(pool)
                .await
                .unwrap()
        }
        Plain::Postgres(pool) => sqlx::query_scalar(
            "SELECT indexname::text FROM pg_indexes WHERE schemaname = 'public' \
             AND indexname NOT IN (SELECT conname FROM pg_constraint)",
        )
        .fetch_all(pool)
        .await
        .unwrap(),
    };
    names.sort();
    names
}
