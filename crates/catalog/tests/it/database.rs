//! A database of its own for every trial: a SQLite file in a temporary folder, or a new database in the
//! PostgreSQL server that the environment names. Beside the catalogue it can be reached with plain SQL, to look
//! behind the public functions or to damage a row.

#[path = "../shared/migrations.rs"]
mod migrations;
#[path = "../shared/postgres_copy.rs"]
mod postgres_copy;
#[path = "../shared/sqlite_copy.rs"]
mod sqlite_copy;
#[path = "../shared/waiting.rs"]
mod waiting;

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::ops::Deref;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use sqlx::postgres::{PgConnectOptions, PgPool};
use sqlx::sqlite::{SqliteConnectOptions, SqlitePool};
use sqlx::{AssertSqlSafe, ConnectOptions, Connection};
use tempfile::TempDir;
use tidegauge_catalog::{Catalog, Error, Location, SealKey};
use tidegauge_model::StarredQueryId;

use self::waiting::WAIT_MAX;
use crate::schema;

const POSTGRES_VARIABLE: &str = "TIDEGAUGE_TEST_POSTGRES";

/// Every byte of the key that the suite seals with.
pub(crate) const KEY_BYTE: u8 = 7;

#[derive(Clone, Copy, Debug)]
pub(crate) enum Backend {
    Sqlite,
    Postgres,
}

/// What a trial begins with.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Beginning {
    /// Nothing, so that the migrations run.
    Empty,
    /// A catalogue in which they have run, and nothing else was done.
    Migrated,
}

/// A database in which nothing was done yet.
pub(crate) struct Database {
    pub(crate) location: Location,
    pub(crate) plain: Plain,
    /// The folder of the SQLite file, which goes away with it.
    folder: TempDir,
}

/// The database without the catalogue in between.
pub(crate) enum Plain {
    Sqlite(SqlitePool),
    Postgres(PgPool),
}

/// Runs a body with a pool for plain SQL. The body is compiled once per database.
macro_rules! plain {
    ($database:expr, $pool:ident => $body:expr) => {
        match &$database.plain {
            $crate::database::Plain::Sqlite($pool) => $body,
            $crate::database::Plain::Postgres($pool) => $body,
        }
    };
}

pub(crate) use plain;

#[expect(clippy::disallowed_methods, reason = "a test binary has no settings but this one")]
pub(crate) fn postgres_url() -> Option<String> {
    std::env::var(POSTGRES_VARIABLE).ok().filter(|url| !url.is_empty())
}

#[expect(clippy::print_stderr, reason = "whoever runs the suite must see that half of it was left out")]
pub(crate) fn report_postgres_is_not_run() {
    eprintln!("catalogue suite: PostgreSQL not run ({POSTGRES_VARIABLE} is not set)");
}

fn postgres_server_url() -> String {
    let Some(url) = postgres_url() else {
        panic!("{POSTGRES_VARIABLE} is not set: run the suite through scripts/with-postgres.sh");
    };
    url
}

fn postgres_server() -> PgConnectOptions {
    postgres_server_url().parse().unwrap()
}

async fn run_on_postgres_server(statement: String) {
    let mut connection = postgres_server().connect().await.unwrap();
    sqlx::query(AssertSqlSafe(statement)).execute(&mut connection).await.unwrap();
    connection.close().await.unwrap();
}

impl Database {
    pub(crate) async fn create(backend: Backend, beginning: Beginning) -> Self {
        let folder = TempDir::new().unwrap();
        match backend {
            Backend::Sqlite => {
                let path = folder.path().join("catalog.db");
                if let Beginning::Migrated = beginning {
                    sqlite_copy::put(&path, KEY_BYTE);
                }
                let options = SqliteConnectOptions::new().filename(&path).create_if_missing(true);
                let plain = Plain::Sqlite(SqlitePool::connect_lazy_with(options));
                Self { location: Location::Sqlite(path), plain, folder }
            }
            Backend::Postgres => {
                let name = format!("tidegauge_test_{:016x}", RandomState::new().build_hasher().finish());
                match beginning {
                    // The other template may be in use, and PostgreSQL copies none that is.
                    Beginning::Empty => {
                        let create = format!("CREATE DATABASE {name} TEMPLATE template0 ENCODING 'UTF8'");
                        run_on_postgres_server(create).await;
                    }
                    Beginning::Migrated => postgres_copy::create(&postgres_server_url(), &name),
                }
                let options = postgres_server().database(&name);
                let location = Location::Postgres(options.to_url_lossy().to_string());
                Self { location, plain: Plain::Postgres(PgPool::connect_lazy_with(options)), folder }
            }
        }
    }

    pub(crate) async fn open(&self, key_byte: u8) -> Result<Catalog, Error> {
        let key = SealKey::new(&[key_byte; SealKey::LENGTH]);
        Catalog::open_waiting(&self.location, key, WAIT_MAX).await
    }

    /// Runs one statement without parameters.
    pub(crate) async fn execute(&self, statement: &'static str) {
        plain!(self, pool => {
            sqlx::query(statement).execute(pool).await.unwrap();
        });
    }

    /// How many rows a table has.
    pub(crate) async fn count(&self, table: &str) -> i64 {
        let statement = format!("SELECT COUNT(*) FROM {table}");
        plain!(self, pool => sqlx::query_scalar(AssertSqlSafe(statement)).fetch_one(pool).await.unwrap())
    }

    /// Copies a row of a table in one statement. Each copy has its number behind what must be unique: with the id
    /// `star`, they are `star_1` and so on.
    pub(crate) async fn copy_row(&self, table: &str, id: &str, copies: i64) {
        let columns = schema::columns(self).await;
        let columns: Vec<&str> =
            columns.iter().filter_map(|column| column.strip_prefix(table)?.strip_prefix('.')).collect();
        let value = |column: &&str| match *column {
            "id" | "uid" | "digest" => format!("{column} || '_' || n"),
            "name" if matches!(table, "virtual_field" | "saved_view") => "name || '_' || n".to_owned(),
            column => column.to_owned(),
        };
        let values: Vec<String> = columns.iter().map(value).collect();
        let statement = format!(
            "WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < $1) \
             INSERT INTO {table} ({}) SELECT {} FROM {table} CROSS JOIN number WHERE id = $2",
            columns.join(", "),
            values.join(", "),
        );
        let copied = plain!(self, pool => {
            let query = sqlx::query(AssertSqlSafe(statement)).bind(copies).bind(id);
            query.execute(pool).await.unwrap().rows_affected()
        });
        assert_eq!(i64::try_from(copied).unwrap(), copies);
    }

    /// What a search looks in for a starred query, which the catalogue never answers with.
    pub(crate) async fn searched(&self, id: &StarredQueryId) -> String {
        plain!(self, pool => {
            let query = sqlx::query_scalar("SELECT searched FROM starred_query WHERE id = $1");
            query.bind(id.as_str()).fetch_one(pool).await.unwrap()
        })
    }

    /// The folder of the SQLite file.
    pub(crate) fn folder(&self) -> PathBuf {
        self.folder.path().to_owned()
    }

    pub(crate) async fn remove(self) {
        match self.plain {
            Plain::Sqlite(pool) => pool.close().await,
            Plain::Postgres(pool) => {
                let name = pool.connect_options().get_database().unwrap().to_owned();
                pool.close().await;
                // A case that failed has left its connections open.
                run_on_postgres_server(format!("DROP DATABASE {name} WITH (FORCE)")).await;
            }
        }
    }
}

/// An open catalogue on a database of its own.
pub(crate) struct TestCatalog<'a> {
    pub(crate) database: &'a Database,
    catalog: Arc<Catalog>,
    /// The newest audit entry that a case has looked at.
    audit_seen: AtomicI64,
}

impl<'a> TestCatalog<'a> {
    pub(crate) async fn open(database: &'a Database) -> Self {
        let catalog = Arc::new(database.open(KEY_BYTE).await.unwrap());
        Self { database, catalog, audit_seen: AtomicI64::new(0) }
    }

    /// The catalogue for a task that runs beside the case.
    pub(crate) fn shared(&self) -> Arc<Catalog> {
        Arc::clone(&self.catalog)
    }

    /// What was added to the audit trail of any organisation since this was last asked, as "action resource".
    pub(crate) async fn new_audit(&self) -> Vec<String> {
        let seen = self.audit_seen.load(Ordering::SeqCst);
        let entries: Vec<(i64, String, String)> = plain!(self.database, pool => {
            sqlx::query_as("SELECT seq, action, resource FROM audit WHERE seq > $1 ORDER BY seq")
                .bind(seen)
                .fetch_all(pool)
                .await
                .unwrap()
        });
        let newest = entries.last().map_or(seen, |(seq, ..)| *seq);
        self.audit_seen.store(newest, Ordering::SeqCst);
        entries.into_iter().map(|(_, action, resource)| format!("{action} {resource}")).collect()
    }
}

impl Deref for TestCatalog<'_> {
    type Target = Catalog;

    fn deref(&self) -> &Catalog {
        &self.catalog
    }
}
