//! The order of commits. A transaction that changes the segments or the columns of any dataset takes the next
//! number under the lock of one row, so that the numbers are in the order in which readers see the changes.

use sqlx::FromRow;
use tidegauge_model::Timestamp;

use crate::counts::from_stored;
use crate::db::{drop_in_batches, read};
use crate::{Catalog, Result};

/// What a commit has taken from the counters.
#[derive(Clone, Copy, Debug, FromRow)]
pub(crate) struct Commit {
    pub(crate) value: i64,
    /// The number of the newest dataset of all.
    pub(crate) last_dataset: i64,
    /// The number of the newest segment of all: a commit with three has this one and the two before.
    pub(crate) last_segment: i64,
}

/// Counts up. Outside readers keep what they know of the tables until the version of the schema is another one.
pub(crate) const NEXT: &str = "UPDATE commit_sequence SET value = value + 1, \
    schema_version = schema_version + $1, last_dataset = last_dataset + $2, last_segment = last_segment + $3 \
    RETURNING value, last_dataset, last_segment";

/// Outside readers keep what they know of a table's files until the number of the next file is another one, and a
/// commit may also only remove some: so that number grows with every commit.
pub(crate) const LOG: &str = "INSERT INTO commit_log \
    (sequence, made, made_text, schema_version, next_dataset, next_file) \
    SELECT value, $1, $2, schema_version, last_dataset + 1, last_segment + value + 1 FROM commit_sequence";

/// The same for a commit of which no time is known: that of the commit before stands for it.
pub(crate) const LOG_AGAIN: &str = "INSERT INTO commit_log \
    (sequence, made, made_text, schema_version, next_dataset, next_file) \
    SELECT s.value, l.made, l.made_text, s.schema_version, s.last_dataset + 1, s.last_segment + s.value + 1 \
    FROM commit_sequence s CROSS JOIN (SELECT made, made_text FROM commit_log ORDER BY sequence DESC LIMIT 1) l";

/// Takes the next number inside a transaction, for so many new datasets and segments. Whoever locks a dataset's row
/// does it before this, so that no two transactions wait for each other.
macro_rules! next_commit {
    ($connection:expr, $now:expr, schema: $schema:expr, datasets: $datasets:expr, segments: $segments:expr) => {{
        let commit: $crate::commits::Commit = sqlx::query_as($crate::commits::NEXT)
            .bind(i64::from($schema))
            .bind($datasets)
            .bind($segments)
            .fetch_one(&mut *$connection)
            .await?;
        let time: Option<tidegauge_model::Timestamp> = $now;
        let log = match time {
            Some(time) => sqlx::query($crate::commits::LOG).bind(time.as_micros()).bind(time.to_string()),
            None => sqlx::query($crate::commits::LOG_AGAIN),
        };
        log.execute(&mut *$connection).await?;
        commit
    }};
}

pub(crate) use next_commit;

impl Catalog {
    /// The number of the newest commit.
    pub async fn commit_sequence(&self) -> Result<u64> {
        let value: i64 = read!(self, executor => {
            sqlx::query_scalar("SELECT value FROM commit_sequence").fetch_one(executor).await?
        });
        from_stored("the commit", value)
    }

    /// When the newest commit was made; `None` before the first.
    pub async fn newest_commit_time(&self) -> Result<Option<Timestamp>> {
        let made: Option<i64> = read!(self, executor => {
            sqlx::query_scalar("SELECT made FROM commit_log ORDER BY sequence DESC LIMIT 1")
                .fetch_optional(executor)
                .await?
        });
        Ok(made.map(Timestamp::from_micros))
    }

    /// Forgets the commits made before a time, but never the newest: outside readers cannot look back beyond.
    pub async fn prune_commits(&self, before: Timestamp) -> Result<u64> {
        drop_in_batches!(
            self,
            sqlx::query(
                "DELETE FROM commit_log WHERE sequence IN (SELECT sequence FROM commit_log \
                     WHERE made < $1 AND sequence < (SELECT value FROM commit_sequence) \
                     ORDER BY made LIMIT 2000)",
            )
            .bind(before.as_micros())
        )
    }
}
