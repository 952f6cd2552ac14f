//! What is on its way into the dataset of the audit trail: entries that are written in the transaction of what they tell
//! of, through the macro here, and taken out in batches. A batch is fixed once and has a key of its own; its entries go
//! when the catalogue has that key, which comes with the segment that holds them. How they look as events is left to `app`.

mod deliveries;
mod entry;
mod runs;

use sqlx::FromRow;
use tidegauge_model::{DatasetId, OrgId, Timestamp};

pub(crate) use deliveries::{Sending, of_attempt, of_expiry};
pub(crate) use entry::{INSERT, NewEntry, feed, reads_audit};
pub(crate) use runs::of_run;

use crate::db::{read, write_stats};
use crate::lease::fence;
use crate::{Catalog, Result};

/// Entries that are dropped in one transaction.
const PRUNE_BATCH: i64 = 2_000;

/// What an entry is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryKind {
    /// A change that was made.
    Audit,
    /// Calls that were refused.
    Refusal,
    /// An attempt to send a message to a notifier, or its end.
    Delivery,
    /// A run of a monitor that was more than quiet.
    MonitorRun,
}

impl EntryKind {
    pub fn name(self) -> &'static str {
        match self {
            Self::Audit => "audit",
            Self::Refusal => "refusal",
            Self::Delivery => "delivery",
            Self::MonitorRun => "monitor_run",
        }
    }
}

/// An entry as it was written.
#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct FeedEntry {
    pub seq: i64,
    pub kind: String,
    /// In microseconds since 1970.
    pub at: i64,
    pub actor: String,
    pub action: String,
    pub target: String,
    pub outcome: String,
    pub detail: String,
    pub request_id: String,
    /// How many equal calls it stands for.
    pub times: i64,
    /// A JSON object.
    pub details: String,
}

/// Entries that are handed on together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FeedBatch {
    /// The idempotency key that they are handed on with.
    pub key: String,
    /// When the batch was made.
    pub at: Timestamp,
}

/// How much waits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FeedSize {
    /// Entries that are in no batch.
    pub waiting: u64,
    /// Since when the oldest of them waits.
    pub oldest: Option<Timestamp>,
}

const TAKE: &str = "UPDATE event_feed SET batch = $2, batched = $3 WHERE batch = '' AND seq IN \
    (SELECT seq FROM event_feed WHERE org_id = $1 AND batch = '' ORDER BY seq LIMIT $4)";

/// Batches whose key the catalogue has: the segment that came with it holds their events.
const DROP_KEPT: &str = "DELETE FROM event_feed WHERE org_id = $1 AND batch IN \
    (SELECT key FROM ingest_key WHERE dataset_id = $2)";

const IS_ANY_KEPT: &str = "SELECT seq FROM event_feed WHERE org_id = $1 AND batch IN \
    (SELECT key FROM ingest_key WHERE dataset_id = $2) LIMIT 1";

impl Catalog {
    /// The organisations that have entries, in a batch or not.
    pub async fn orgs_with_feed(&self) -> Result<Vec<OrgId>> {
        let orgs: Vec<String> = read!(self, executor => {
            sqlx::query_scalar("SELECT DISTINCT org_id FROM event_feed").fetch_all(executor).await?
        });
        Ok(orgs.into_iter().map(OrgId::from).collect())
    }

    /// The organisations that have entries in no batch.
    pub async fn orgs_with_new_feed(&self) -> Result<Vec<OrgId>> {
        let orgs: Vec<String> = read!(self, executor => {
            sqlx::query_scalar("SELECT DISTINCT org_id FROM event_feed WHERE batch = ''").fetch_all(executor).await?
        });
        Ok(orgs.into_iter().map(OrgId::from).collect())
    }

    /// Makes a batch of the oldest entries that are in none, and tells how many those are. Only with the lease on writing,
    /// so that of two processes one does it.
    pub async fn take_feed_batch(&self, org: &OrgId, batch: &FeedBatch, limit: i64) -> Result<u64> {
        // Looking is cheap; a transaction that changes nothing would still cost a sync of the disk.
        let any: Option<i64> = read!(self, executor => {
            sqlx::query_scalar("SELECT seq FROM event_feed WHERE org_id = $1 AND batch = '' LIMIT 1")
                .bind(org.as_str())
                .fetch_optional(executor)
                .await?
        });
        if any.is_none() {
            return Ok(0);
        }
        let taken = write_stats!(self, connection => {
            fence!(self, connection);
            sqlx::query(TAKE)
                .bind(org.as_str())
                .bind(&batch.key)
                .bind(batch.at.as_micros())
                .bind(limit)
                .execute(&mut *connection)
                .await?
                .rows_affected()
        });
        Ok(taken)
    }

    /// Drops the batches whose events are in segments of the dataset, and tells how many entries those were.
    pub async fn drop_kept_feed(&self, org: &OrgId, dataset: &DatasetId) -> Result<u64> {
        let any: Option<i64> = read!(self, executor => {
            sqlx::query_scalar(IS_ANY_KEPT)
                .bind(org.as_str())
                .bind(dataset.as_str())
                .fetch_optional(executor)
                .await?
        });
        if any.is_none() {
            return Ok(0);
        }
        let dropped = write_stats!(self, connection => {
            fence!(self, connection);
            sqlx::query(DROP_KEPT)
                .bind(org.as_str())
                .bind(dataset.as_str())
                .execute(&mut *connection)
                .await?
                .rows_affected()
        });
        Ok(dropped)
    }

    /// The batches of an organisation that are not known to be in segments, the oldest first.
    pub async fn feed_batches(&self, org: &OrgId) -> Result<Vec<FeedBatch>> {
        let rows: Vec<(String, i64)> = read!(self, executor => {
            sqlx::query_as(
                "SELECT batch, MIN(batched) FROM event_feed WHERE org_id = $1 AND batch <> '' \
                 GROUP BY batch ORDER BY MIN(seq)",
            )
            .bind(org.as_str())
            .fetch_all(executor)
            .await?
        });
        let batch = |(key, at)| FeedBatch { key, at: Timestamp::from_micros(at) };
        Ok(rows.into_iter().map(batch).collect())
    }

    /// The entries of a batch, always the same and in the same order.
    pub async fn feed_entries(&self, org: &OrgId, key: &str) -> Result<Vec<FeedEntry>> {
        let entries = read!(self, executor => {
            sqlx::query_as::<_, FeedEntry>(
                "SELECT seq, kind, at, actor, action, target, outcome, detail, request_id, times, details \
                 FROM event_feed WHERE org_id = $1 AND batch = $2 ORDER BY seq",
            )
            .bind(org.as_str())
            .bind(key)
            .fetch_all(executor)
            .await?
        });
        Ok(entries)
    }

    pub async fn feed_size(&self) -> Result<FeedSize> {
        let (waiting, oldest): (i64, Option<i64>) = read!(self, executor => {
            sqlx::query_as("SELECT COUNT(*), MIN(at) FROM event_feed WHERE batch = ''").fetch_one(executor).await?
        });
        Ok(FeedSize {
            waiting: u64::try_from(waiting).unwrap_or(0),
            oldest: oldest.map(Timestamp::from_micros),
        })
    }

    /// Drops entries of an organisation from before a time that nobody could hand on. Those of a batch stay: their events
    /// may be stored, and what is dropped of a batch would make another of it.
    pub async fn prune_feed(&self, org: &OrgId, before: Timestamp) -> Result<u64> {
        let mut dropped = 0;
        loop {
            let any: Option<i64> = read!(self, executor => {
                sqlx::query_scalar("SELECT seq FROM event_feed WHERE org_id = $1 AND batch = '' AND at < $2 LIMIT 1")
                    .bind(org.as_str())
                    .bind(before.as_micros())
                    .fetch_optional(executor)
                    .await?
            });
            if any.is_none() {
                return Ok(dropped);
            }
            dropped += write_stats!(self, connection => {
                sqlx::query(
                    "DELETE FROM event_feed WHERE seq IN (SELECT seq FROM event_feed \
                     WHERE org_id = $1 AND batch = '' AND at < $2 ORDER BY seq LIMIT $3) AND batch = ''",
                )
                .bind(org.as_str())
                .bind(before.as_micros())
                .bind(PRUNE_BATCH)
                .execute(&mut *connection)
                .await?
                .rows_affected()
            });
        }
    }
}
