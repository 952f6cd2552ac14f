//! Claims: which log may store the request that came with a key. A key is claimed before its record is appended; the
//! transaction that publishes the record settles the claim, and one that is not settled stands until its log was adopted.
//! A process makes one attempt for a key at a time, because all of its attempts have the same claim.

use tidegauge_model::{DatasetId, Timestamp};

use crate::counts::to_stored;
use crate::db::write_stats;
use crate::ingest_keys::{FIND, IngestKey, KeyRow};
use crate::lease::fence;
use crate::nodes::Log;
use crate::{Catalog, Error, Result};

/// Who may store the request of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Claimed {
    /// The log that asked: its record can be appended.
    Mine,
    /// Another log, which may have a record: the request is sent again when that has flushed or was adopted.
    ByAnother,
    /// Nobody any more: this is what was stored and answered.
    Stored(IngestKey),
}

/// Whether the log of a claim may still have a record that will count. A claim that was waited for can be of a log that
/// has begun since, which a statement of PostgreSQL does not see, while it sees the claim: such a log is open too.
macro_rules! is_open {
    () => {
        "(EXISTS (SELECT 1 FROM node n WHERE n.number = ingest_claim.node AND n.epoch <= ingest_claim.epoch) \
         OR EXISTS (SELECT 1 FROM node_log l WHERE l.node = ingest_claim.node AND l.epoch = ingest_claim.epoch \
         AND l.adopted_at IS NULL) OR ingest_claim.node > (SELECT last_node FROM node_counter))"
    };
}

/// Changes nothing if another log has the claim, or if there is no such dataset.
const CLAIM: &str = concat!(
    "INSERT INTO ingest_claim (dataset_id, key, node, epoch) SELECT id, $2, $3, $4 FROM dataset WHERE id = $1 \
     ON CONFLICT (dataset_id, key) DO UPDATE SET node = excluded.node, epoch = excluded.epoch \
     WHERE (ingest_claim.node = excluded.node AND ingest_claim.epoch = excluded.epoch) OR NOT ",
    is_open!(),
    " RETURNING node"
);

/// The claims of a log that is being ended.
pub(crate) const FREE: &str = "DELETE FROM ingest_claim WHERE node = $1 AND epoch = $2";

/// Not what another log has claimed since it was selected: in PostgreSQL that is waited for, and would be deleted.
const FORGET: &str = concat!(
    "DELETE FROM ingest_claim WHERE (dataset_id, key, node, epoch) IN \
     (SELECT dataset_id, key, node, epoch FROM ingest_claim WHERE NOT ",
    is_open!(),
    " LIMIT 2000)"
);

/// Removes the claims of keys that are published by the same transaction.
macro_rules! settle_claims {
    ($connection:expr, $dataset:expr, $keys:expr) => {
        for batch in $keys.chunks($crate::db::LIST_BATCH) {
            let mut settle = sqlx::QueryBuilder::new("DELETE FROM ingest_claim WHERE dataset_id = ");
            settle.push_bind($dataset.as_str()).push(" AND ");
            $crate::db::push_list!(settle, "key", batch.iter().map(|key| key.key.as_str()));
            settle.build().execute(&mut *$connection).await?;
        }
    };
}

pub(crate) use settle_claims;

impl Catalog {
    /// Claims a key for a log, unless it was stored since a time. Not found if the dataset is gone.
    pub async fn claim_key(
        &self,
        log: Log,
        dataset: &DatasetId,
        key: &str,
        not_before: Timestamp,
    ) -> Result<Claimed> {
        let epoch = to_stored(log.epoch)?;
        write_stats!(self, connection => {
            let claimed: Option<i64> = sqlx::query_scalar(CLAIM)
                .bind(dataset.as_str())
                .bind(key)
                .bind(i64::from(log.node))
                .bind(epoch)
                .fetch_optional(&mut *connection)
                .await?;
            if claimed.is_none() {
                let known: Option<i64> = sqlx::query_scalar("SELECT number FROM dataset WHERE id = $1")
                    .bind(dataset.as_str())
                    .fetch_optional(&mut *connection)
                    .await?;
                return known.map(|_| Claimed::ByAnother).ok_or_else(Error::gone);
            }
            // Only now: whoever had the claim before and settled it has published what is found here.
            let stored: Option<KeyRow> = sqlx::query_as(FIND)
                .bind(dataset.as_str())
                .bind(key)
                .bind(not_before.as_micros())
                .fetch_optional(&mut *connection)
                .await?;
            if let Some(stored) = stored {
                return stored.read().map(Claimed::Stored);
            }
        });
        Ok(Claimed::Mine)
    }

    /// Forgets claims that were made for logs that were adopted by then, and says how many.
    pub async fn forget_claims(&self) -> Result<u64> {
        let mut forgotten = 0;
        loop {
            let batch = write_stats!(self, connection => {
                fence!(self, connection);
                sqlx::query(FORGET).execute(&mut *connection).await?.rows_affected()
            });
            forgotten += batch;
            if batch == 0 {
                return Ok(forgotten);
            }
        }
    }
}
