//! The connection to SQLite or PostgreSQL and the two macros that run one body of SQL on either. All that differs
//! between the databases is here and in the migrations.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use sqlx::postgres::{PgConnectOptions, PgPool, PgPoolOptions};
use sqlx::sqlite::{
    SqliteConnectOptions, SqliteConnection, SqliteJournalMode, SqlitePool, SqlitePoolOptions,
    SqliteSynchronous,
};
use sqlx::{ConnectOptions, Connection};
use tidegauge_model::{ErrorKind, Timestamp};

use crate::context::{CatalogContext, Point};
use crate::lease::Claim;
use crate::{Error, Result, SealKey};

/// How long a statement waits for a free connection or for another's lock before the caller is told to try again. Who hangs
/// with the lock on the lease must not make all others hang, who would not even hear that they may try again.
const WAIT_MAX: Duration = Duration::from_secs(5);

/// SQLite reads in parallel with its one writer; more readers than cores only wait for each other.
const SQLITE_READERS: u32 = 4;

const SQLITE_SYNCHRONOUS_FULL: i64 = 2;

/// What a long transaction or a slow reader made SQLite's journal grow to is given back. It is as much as the journal
/// has between two checkpoints anyway; with less, every round would have to ask the disk for the same space again.
const SQLITE_JOURNAL_BYTES: u64 = 4 << 20;

const POSTGRES_CONNECTIONS_MAX: u32 = 16;

/// How long PostgreSQL lets a transaction stand still between two statements, of which ours are sent one after the
/// other. It ends well within a lease, so that a process that stands still holds the lease's row for no longer than it
/// has the lease.
const POSTGRES_IDLE_MAX: Duration = Duration::from_secs(10);

/// Values in one statement's list. The databases take 32,766 and 65,535.
pub(crate) const LIST_BATCH: usize = 1_000;

/// Where the catalogue is kept.
#[derive(Clone)]
pub enum Location {
    /// A file that this process opens.
    Sqlite(PathBuf),
    /// A server, by URL. The URL may hold a password, so it is never printed.
    Postgres(String),
}

impl fmt::Debug for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sqlite(path) => f.debug_tuple("Sqlite").field(path).finish(),
            Self::Postgres(_) => f.write_str("Postgres(…)"),
        }
    }
}

/// The open catalogue.
#[derive(Debug)]
pub struct Catalog {
    pub(crate) db: Db,
    pub(crate) key: SealKey,
    /// How many changes were committed.
    pub(crate) changes: AtomicU64,
    pub(crate) claim: Claim,
    /// Whether nothing that was forgotten is left in SQLite's journal.
    pub(crate) is_wiped: AtomicBool,
    /// Where it is asked whether a call gets through.
    pub(crate) context: Option<Arc<dyn CatalogContext>>,
}

#[derive(Debug)]
pub(crate) enum Db {
    Sqlite { read: SqlitePool, write: SqlitePool },
    Postgres(PgPool),
}

/// Runs a body with an executor for reading. The body is compiled once per database.
macro_rules! read {
    ($catalog:expr, $executor:ident => $body:expr) => {{
        $catalog.pass($crate::context::Point::Read, file!()).await?;
        match &$catalog.db {
            $crate::db::Db::Sqlite { read, .. } => {
                let $executor = read;
                $body
            }
            $crate::db::Db::Postgres(pool) => {
                let $executor = pool;
                $body
            }
        }
    }};
}

/// Runs a body in one write transaction and commits it. Leaving the body early (by `?` or `return`) rolls back.
macro_rules! write {
    ($catalog:expr, $connection:ident => $body:expr) => {
        $crate::db::committed!($catalog, 1, $connection => $body)
    };
}

/// The same for what is only counted or noted, such as use and refusals: nothing of what was read before is out of date
/// after it. Jobs do that all the time, and each change makes every request look its token up again.
macro_rules! write_stats {
    ($catalog:expr, $connection:ident => $body:expr) => {
        $crate::db::committed!($catalog, 0, $connection => $body)
    };
}

/// What both do, with how much it adds to the count of changes.
macro_rules! committed {
    ($catalog:expr, $changes:literal, $connection:ident => $body:expr) => {{
        $catalog.pass($crate::context::Point::Begin, file!()).await?;
        let value = match &$catalog.db {
            // Takes the write lock at once: a transaction that began by reading could not wait for it.
            $crate::db::Db::Sqlite { write, .. } => {
                let mut transaction = write.begin_with("BEGIN IMMEDIATE").await?;
                let $connection = &mut *transaction;
                let value = $body;
                $catalog.pass($crate::context::Point::Commit, file!()).await?;
                transaction.commit().await?;
                $catalog.changes.fetch_add($changes, std::sync::atomic::Ordering::AcqRel);
                value
            }
            $crate::db::Db::Postgres(pool) => {
                let mut transaction = pool.begin().await?;
                let $connection = &mut *transaction;
                let value = $body;
                $catalog.pass($crate::context::Point::Commit, file!()).await?;
                transaction.commit().await?;
                $catalog.changes.fetch_add($changes, std::sync::atomic::Ordering::AcqRel);
                value
            }
        };
        $catalog.pass($crate::context::Point::Committed, file!()).await?;
        value
    }};
}

/// Repeats a deletion, which drops some rows at once so that changes do not have to wait for all of them, until there
/// is nothing left to drop. Gives how many were dropped.
macro_rules! drop_in_batches {
    ($catalog:expr, $statement:expr) => {{
        let mut dropped = 0;
        loop {
            let batch = $crate::db::write!($catalog, connection => {
                $statement.execute(&mut *connection).await?.rows_affected()
            });
            dropped += batch;
            if batch == 0 {
                return Ok(dropped);
            }
        }
    }};
}

/// Adds a condition to a statement: that the column has one of the values.
macro_rules! push_list {
    ($statement:expr, $column:literal, $values:expr) => {
        $statement.push(concat!($column, " IN ("));
        let mut list = $statement.separated(", ");
        for value in $values {
            list.push_bind(value);
        }
        $statement.push(")");
    };
}

pub(crate) use {committed, drop_in_batches, push_list, read, write, write_stats};

impl Catalog {
    /// Opens the catalogue, creating it or bringing its schema up to date, and proves that the key is the one that
    /// its secrets were sealed with.
    pub async fn open(location: &Location, key: SealKey) -> Result<Self> {
        Self::open_waiting(location, key, WAIT_MAX).await
    }

    /// The same with another limit to how long a statement waits. Tests wait for longer than a machine stands still.
    pub async fn open_waiting(location: &Location, key: SealKey, wait_max: Duration) -> Result<Self> {
        let db = match location {
            Location::Sqlite(path) => open_sqlite(path, wait_max).await?,
            Location::Postgres(url) => open_postgres(url, wait_max).await?,
        };
        // What an earlier process forgot last may be left.
        let is_wiped = AtomicBool::new(false);
        let (changes, claim, context) = (AtomicU64::new(0), Claim::default(), None);
        let catalog = Self { db, key, changes, claim, is_wiped, context };
        catalog.prove_key().await?;
        Ok(catalog)
    }

    /// Has every call from now on depend on what goes on around the process, which a test decides.
    pub fn set_context(&mut self, context: Arc<dyn CatalogContext>) {
        self.context = Some(context);
    }

    /// Whether a call gets through at a point. In the service it does.
    pub(crate) async fn pass(&self, point: Point, place: &'static str) -> Result<()> {
        match &self.context {
            None => Ok(()),
            Some(context) if context.pass(point, place).await => Ok(()),
            Some(_) => Err(sqlx::Error::PoolTimedOut.into()),
        }
    }

    /// Grows with every change that this process commits: what was read before may be out of date then. What is only
    /// counted or noted is no change.
    pub fn changes(&self) -> u64 {
        self.changes.load(Ordering::Acquire)
    }

    /// Asks the database for a sign of life: for something that is stored and often changed, because SQLite would answer
    /// anything else without a look at its file.
    pub async fn ping(&self) -> Result<()> {
        read!(self, executor => {
            sqlx::query("SELECT epoch FROM writer_lease").execute(executor).await?;
        });
        Ok(())
    }

    /// What time it is for the database, which is the same for every process that uses it.
    pub(crate) async fn database_time(&self) -> Result<Timestamp> {
        self.pass(Point::Read, file!()).await?;
        if let Some(context) = &self.context {
            return Ok(context.now());
        }
        let micros: i64 = match &self.db {
            Db::Sqlite { read, .. } => {
                let now = "SELECT CAST(unixepoch('now', 'subsec') * 1000000 AS INTEGER)";
                sqlx::query_scalar(now).fetch_one(read).await?
            }
            Db::Postgres(pool) => {
                let now = "SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000000 AS BIGINT)";
                sqlx::query_scalar(now).fetch_one(pool).await?
            }
        };
        Ok(Timestamp::from_micros(micros))
    }

    /// Whether an acknowledged change survives a power cut, by the database's own settings. A PostgreSQL server may
    /// have been told not to wait for its disk, which only its operator can know to be right.
    pub async fn is_durable(&self) -> Result<bool> {
        match &self.db {
            Db::Sqlite { write, .. } => {
                let journal: String = sqlx::query_scalar("PRAGMA journal_mode").fetch_one(write).await?;
                let synchronous: i64 = sqlx::query_scalar("PRAGMA synchronous").fetch_one(write).await?;
                Ok(journal == "wal" && synchronous >= SQLITE_SYNCHRONOUS_FULL)
            }
            Db::Postgres(pool) => {
                let fsync: String = sqlx::query_scalar("SHOW fsync").fetch_one(pool).await?;
                let commit: String = sqlx::query_scalar("SHOW synchronous_commit").fetch_one(pool).await?;
                Ok(fsync == "on" && commit != "off")
            }
        }
    }

    pub async fn close(&self) {
        match &self.db {
            Db::Sqlite { read, write } => {
                read.close().await;
                write.close().await;
            }
            Db::Postgres(pool) => pool.close().await,
        }
    }

    /// The first start leaves a sealed word behind; every later one must be able to open it.
    async fn prove_key(&self) -> Result<()> {
        const NAME: &str = "seal-proof";
        let fresh = self.key.seal(NAME, NAME)?;
        let stored: Vec<u8> = write!(self, connection => {
            sqlx::query("INSERT INTO installation (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING")
                .bind(NAME)
                .bind(&fresh)
                .execute(&mut *connection)
                .await?;
            sqlx::query_scalar("SELECT value FROM installation WHERE name = $1")
                .bind(NAME)
                .fetch_one(&mut *connection)
                .await?
        });
        if self.key.open(NAME, &stored).is_err() {
            let message =
                "the secret key is not the one that this catalogue was made with: restore the key file";
            return Err(Error::new(ErrorKind::Corrupt, message));
        }
        Ok(())
    }
}

async fn open_sqlite(path: &std::path::Path, wait_max: Duration) -> Result<Db> {
    make_private(path)?;
    // Full synchronisation costs a disk sync per commit and is the promise: an acknowledged change survives a
    // power cut, which SQLite's usual setting for this journal does not give.
    let options = SqliteConnectOptions::new()
        .filename(path)
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full)
        .foreign_keys(true)
        .busy_timeout(wait_max)
        .pragma("cache_size", "-65536")
        // What is known of a segment has the least and the greatest of its values: they go with the row.
        .pragma("secure_delete", "on")
        .pragma("journal_size_limit", SQLITE_JOURNAL_BYTES.to_string());
    let write = lasting(wait_max)
        .max_connections(1)
        .after_release(|connection, _| Box::pin(is_fit_for_use(connection)))
        .connect_with(options.clone())
        .await?;
    // Under the write lock: a command that opens the file while the service starts must wait for the schema.
    let mut transaction = write.begin_with("BEGIN IMMEDIATE").await?;
    sqlx::migrate!("migrations/sqlite").run(&mut *transaction).await?;
    transaction.commit().await?;
    let read = lasting(wait_max)
        .min_connections(SQLITE_READERS)
        .max_connections(SQLITE_READERS)
        // A connection to a file does not go away by itself, and asking whether it has costs as much as a question.
        .test_before_acquire(false)
        .connect_with(options.pragma("query_only", "on"))
        .await?;
    Ok(Db::Sqlite { read, write })
}

/// Connections that last. Each has a thread, which has the priority of whoever opens it: those of the start have that of
/// requests, while one that a job opens later would give way to all queries, and requests that ask it with it.
fn lasting(wait_max: Duration) -> SqlitePoolOptions {
    SqlitePoolOptions::new().acquire_timeout(wait_max).idle_timeout(None).max_lifetime(None)
}

/// Whether a connection can be used again. After an error of its disk SQLite ends a transaction by itself, which the
/// library does not notice: it takes the connection for one in a transaction ever after, and begins no other.
async fn is_fit_for_use(connection: &mut SqliteConnection) -> sqlx::Result<bool> {
    if connection.is_in_transaction() {
        // One that was dropped may be about to end, which is done when this is answered.
        connection.ping().await?;
    }
    Ok(!connection.is_in_transaction())
}

/// Makes the file for this user alone, if there is none; what SQLite makes beside it is as open as it is. The folder may
/// be one that others can enter.
fn make_private(path: &std::path::Path) -> Result<()> {
    use std::os::unix::fs::OpenOptionsExt;
    let made = std::fs::OpenOptions::new().append(true).create(true).mode(0o600).open(path);
    made.map(drop).map_err(|source| {
        let message = format!("the catalogue {} cannot be opened", path.display());
        Error::caused(ErrorKind::Unavailable, message, source)
    })
}

async fn open_postgres(url: &str, wait_max: Duration) -> Result<Db> {
    let options: PgConnectOptions = url.parse().map_err(|_| {
        let message =
            "the catalogue's address is not of the form postgres://user:password@host:port/database";
        Error::new(ErrorKind::Invalid, message)
    })?;
    let options = options.application_name("tidegauge");
    let milliseconds = |time: Duration| time.as_millis().to_string();
    let waits = [
        ("lock_timeout", milliseconds(wait_max)),
        // Who may wait for longer may also stand still for longer.
        ("idle_in_transaction_session_timeout", milliseconds(POSTGRES_IDLE_MAX.max(wait_max))),
    ];
    let pool = PgPoolOptions::new()
        .max_connections(POSTGRES_CONNECTIONS_MAX)
        .acquire_timeout(wait_max)
        .connect_with(options.clone().options(waits))
        .await?;
    // Without the limits: who starts while another one brings the schema up to date waits until that is done.
    let mut connection = options.connect().await?;
    sqlx::migrate!("migrations/postgres").run(&mut connection).await?;
    connection.close().await?;
    Ok(Db::Postgres(pool))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::UNREADABLE;

    /// Adds a value of so many bytes, on a disk that has no room for another page if it is full, and commits it or not.
    async fn add(catalog: &Catalog, name: &str, is_full: bool, commits: bool) -> Result<()> {
        write!(catalog, connection => {
            if is_full {
                sqlx::query("PRAGMA max_page_count = 1").execute(&mut *connection).await?;
            }
            let added = sqlx::query("INSERT INTO installation (name, value) VALUES ($1, $2)")
                .bind(name)
                .bind(vec![1_u8; 1 << 16])
                .execute(&mut *connection)
                .await;
            if !commits {
                added?;
            }
        });
        Ok(())
    }

    #[tokio::test]
    async fn a_transaction_that_the_database_ends_by_itself_does_not_stop_the_next() {
        let folder = tempfile::tempdir().unwrap();
        let location = Location::Sqlite(folder.path().join("catalog.sqlite"));
        let catalog = Catalog::open(&location, SealKey::new(&[7; SealKey::LENGTH])).await.unwrap();
        let full = add(&catalog, "left", true, false).await.unwrap_err();
        assert_eq!(full.to_string(), "the disk of the catalogue is full: free space or add some");
        assert_eq!(full.kind(), ErrorKind::Unavailable);
        add(&catalog, "left", false, false).await.unwrap();
        add(&catalog, "committed", true, true).await.unwrap_err();
        add(&catalog, "committed", false, false).await.unwrap();
    }

    #[tokio::test]
    async fn a_file_that_cannot_be_read_is_told_as_that() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("catalog.sqlite");
        let location = Location::Sqlite(path.clone());
        let catalog = Catalog::open(&location, SealKey::new(&[7; SealKey::LENGTH])).await.unwrap();
        catalog.ping().await.unwrap();
        // From now on everything is in the file, and what connections remember of it does not count.
        assert!(catalog.wipe_forgotten().await.unwrap());
        let mut bytes = std::fs::read(&path).unwrap();
        // All but the first page, in which the database would see that it is none.
        bytes[4096..].fill(0xff);
        std::fs::write(&path, bytes).unwrap();
        let error = catalog.ping().await.unwrap_err();
        assert_eq!((error.kind(), error.to_string().as_str()), (ErrorKind::Unavailable, UNREADABLE));
        let cause = std::error::Error::source(&error).map(ToString::to_string).unwrap_or_default();
        assert!(cause.contains("malformed"), "{cause}");
    }
}
