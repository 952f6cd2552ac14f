//! The keys of idempotent ingest requests with their answers. They are published with the segments that hold the
//! events, so that a repeated request finds its answer after a restart too.

use std::collections::BTreeMap;

use sqlx::FromRow;
use tidegauge_model::{DatasetId, Timestamp};

use crate::counts::from_stored;
use crate::db::{LIST_BATCH, drop_in_batches, push_list, read};
use crate::{Catalog, Result};

/// Keys that are inserted with one statement, each with six values.
pub(crate) const INSERT_BATCH: usize = 500;

/// A request that came with a key, and what it was answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IngestKey {
    pub key: String,
    /// Tells another request with the same key apart.
    pub fingerprint: u64,
    /// The answer as JSON text.
    pub answer: String,
    /// Where the events stand in the write log.
    pub sequence: u64,
    pub at: Timestamp,
}

#[derive(FromRow)]
pub(crate) struct KeyRow {
    key: String,
    fingerprint: i64,
    answer: String,
    sequence: i64,
    at: i64,
}

impl KeyRow {
    pub(crate) fn read(self) -> Result<IngestKey> {
        Ok(IngestKey {
            sequence: from_stored("the sequence of an ingest key", self.sequence)?,
            key: self.key,
            fingerprint: self.fingerprint.cast_unsigned(),
            answer: self.answer,
            at: Timestamp::from_micros(self.at),
        })
    }
}

pub(crate) const FIND: &str = "SELECT key, fingerprint, answer, sequence, at FROM ingest_key \
    WHERE dataset_id = $1 AND key = $2 AND at >= $3";

/// Of two uses of a key in one log, the later one counts, in whatever order they come.
pub(crate) const IF_LATER: &str = " WHERE ingest_key.sequence < excluded.sequence";

/// Of two uses in different logs, the second was claimed after the time of the first; their sequences tell nothing.
pub(crate) const IN_ANY_CASE: &str = "";

/// Inserts keys inside a transaction, each at most once. A key that is used again after its time has its new meaning, in the
/// case that is named.
macro_rules! insert_keys {
    ($connection:expr, $dataset:expr, $keys:expr, $case:expr) => {
        for batch in $keys.chunks($crate::ingest_keys::INSERT_BATCH) {
            let mut rows = Vec::with_capacity(batch.len());
            for key in batch {
                rows.push((key, $crate::counts::to_stored(key.sequence)?));
            }
            let mut insert = sqlx::QueryBuilder::new(
                "INSERT INTO ingest_key (dataset_id, key, fingerprint, answer, sequence, at) ",
            );
            insert.push_values(rows, |mut row, (key, sequence)| {
                row.push_bind($dataset.as_str())
                    .push_bind(key.key.as_str())
                    .push_bind(key.fingerprint.cast_signed())
                    .push_bind(key.answer.as_str())
                    .push_bind(sequence)
                    .push_bind(key.at.as_micros());
            });
            insert.push(
                " ON CONFLICT (dataset_id, key) DO UPDATE SET fingerprint = excluded.fingerprint, \
                 answer = excluded.answer, sequence = excluded.sequence, at = excluded.at",
            );
            insert.push($case);
            insert.build().execute(&mut *$connection).await?;
        }
    };
}

pub(crate) use insert_keys;

/// Each key once, with its last use, in the order of the keys.
pub(crate) fn last_uses(keys: &[IngestKey]) -> Vec<&IngestKey> {
    let mut last: BTreeMap<&str, &IngestKey> = BTreeMap::new();
    for key in keys {
        let known = last.entry(key.key.as_str()).or_insert(key);
        if known.sequence < key.sequence {
            *known = key;
        }
    }
    last.into_values().collect()
}

impl Catalog {
    /// The request that came with a key, unless that was before a time.
    pub async fn find_ingest_key(
        &self,
        dataset: &DatasetId,
        key: &str,
        not_before: Timestamp,
    ) -> Result<Option<IngestKey>> {
        let row = read!(self, executor => {
            sqlx::query_as::<_, KeyRow>(FIND)
                .bind(dataset.as_str())
                .bind(key)
                .bind(not_before.as_micros())
                .fetch_optional(executor)
                .await?
        });
        row.map(KeyRow::read).transpose()
    }

    /// The requests that came with one of these keys, whenever that was.
    pub async fn find_ingest_keys(&self, dataset: &DatasetId, keys: &[&str]) -> Result<Vec<IngestKey>> {
        let mut found = Vec::new();
        for batch in keys.chunks(LIST_BATCH) {
            let rows: Vec<KeyRow> = read!(self, executor => {
                let mut select = sqlx::QueryBuilder::new(
                    "SELECT key, fingerprint, answer, sequence, at FROM ingest_key WHERE dataset_id = ",
                );
                select.push_bind(dataset.as_str()).push(" AND ");
                push_list!(select, "key", batch.iter().copied());
                select.build_query_as().fetch_all(executor).await?
            });
            for row in rows {
                found.push(row.read()?);
            }
        }
        Ok(found)
    }

    /// Drops the keys from before a time, some at once, so that changes do not have to wait for all of them. The key of a
    /// batch that is still on its way into a dataset stays however old it is: it says that the batch is there.
    pub async fn prune_ingest_keys(&self, before: Timestamp) -> Result<u64> {
        drop_in_batches!(
            self,
            sqlx::query(
                "DELETE FROM ingest_key WHERE (dataset_id, key) IN \
                     (SELECT dataset_id, key FROM ingest_key WHERE at < $1 AND key NOT IN \
                     (SELECT batch FROM event_feed) ORDER BY at LIMIT 2000) AND at < $1",
            )
            .bind(before.as_micros())
        )
    }
}
