//! What a node publishes: a flush of its log, the adoption of another log, a merge. Each is one transaction, which first
//! sees to it that the node still has its epoch. If its answer is lost, the mark tells whether it was done.

use tidegauge_model::{DatasetId, ErrorKind, SegmentId, Timestamp};

use crate::commits::{Commit, next_commit};
use crate::counts::{count, from_stored, to_stored};
use crate::db::write;
use crate::ingest_keys::{IN_ANY_CASE, IngestKey, insert_keys, last_uses};
use crate::lease::fence;
use crate::nodes::claims::{FREE, settle_claims};
use crate::nodes::{COUNT_UP, Log, hold_epoch};
use crate::segments::{NewSegment, each_once, insert_segments, swap_segments};
use crate::usage::add_usage;
use crate::{Catalog, Error, Result};

/// What of a log goes into the segments of a dataset.
#[derive(Clone, Copy, Debug)]
pub struct LogFlush<'a> {
    pub dataset: &'a DatasetId,
    pub segments: &'a [NewSegment],
    /// Where the mark is: the last sequence that was in segments before.
    pub from: u64,
    /// Where it shall be: the last sequence that is in these.
    pub upto: u64,
    pub keys: &'a [IngestKey],
    /// Bytes that came in, by day.
    pub usage: &'a [(String, u64)],
}

/// What became of publishing. Nothing has changed unless it was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Published {
    /// By this commit.
    Done(u64),
    /// The node has lost its epoch: its process ends.
    Fenced,
    /// Something else was published before: a mark is elsewhere, the log was adopted, a segment is gone.
    Conflict,
}

/// Who ends a log, and when.
#[derive(Clone, Copy)]
struct Adoption {
    adopter: Log,
    at: Timestamp,
}

/// The organisation and the name of a dataset, for which its usage is counted.
type Account = (String, String);

/// Keeps others from changing a dataset until the transaction ends.
const LOCK: &str = "UPDATE dataset SET flushed = flushed WHERE id = $1 RETURNING org_id, name";

const MARK: &str = "SELECT sequence FROM node_mark WHERE dataset_id = $1 AND node = $2 AND epoch = $3";

const MOVE: &str = "INSERT INTO node_mark (dataset_id, node, epoch, sequence, moved) VALUES ($1, $2, $3, $4, $5) \
    ON CONFLICT (dataset_id, node, epoch) DO UPDATE SET sequence = excluded.sequence, moved = excluded.moved";

const ADOPT: &str =
    "UPDATE node_log SET adopted_at = $3 WHERE node = $1 AND epoch = $2 AND adopted_at IS NULL";

/// Keeps others from changing the datasets of parts until the transaction ends, and gives the parts whose datasets are
/// there, each with its account. Leaves it if one is gone, unless that is left out.
macro_rules! lock_datasets {
    ($connection:expr, $parts:expr, $leaves_out:expr) => {{
        let mut there = Vec::with_capacity($parts.len());
        for part in $parts {
            let dataset = part.dataset.as_str();
            let locked: Option<Account> =
                sqlx::query_as(LOCK).bind(dataset).fetch_optional(&mut *$connection).await?;
            if let Some(account) = locked {
                there.push((account, part));
            } else if !$leaves_out {
                return Err(Error::gone());
            }
        }
        there
    }};
}

/// Publishes a part under a commit inside a transaction; leaves it if the mark is not where the part begins.
macro_rules! publish_part {
    ($connection:expr, $log:expr, $part:expr, $commit:expr) => {
        let (node, epoch) = $log;
        let mark: Option<i64> = sqlx::query_scalar(MARK)
            .bind($part.dataset.as_str())
            .bind(node)
            .bind(epoch)
            .fetch_optional(&mut *$connection)
            .await?;
        if mark.unwrap_or(0) != to_stored($part.from)? {
            return Ok(Published::Conflict);
        }
        let keys = last_uses($part.keys);
        insert_keys!($connection, $part.dataset, keys, IN_ANY_CASE);
        settle_claims!($connection, $part.dataset, keys);
        insert_segments!($connection, $part.dataset, $part.segments, $commit);
        sqlx::query(MOVE)
            .bind($part.dataset.as_str())
            .bind(node)
            .bind(epoch)
            .bind(to_stored($part.upto)?)
            .bind($commit.value)
            .execute(&mut *$connection)
            .await?;
    };
}

/// What came in, in the order in which costs of queries are added to the same rows, so that the two do not wait for each
/// other.
fn in_order<'a>(parts: &'a [(Account, &'a LogFlush<'a>)]) -> Vec<(&'a DatasetId, &'a (String, u64))> {
    let mut usage = Vec::new();
    for ((org, name), part) in parts {
        usage.extend(part.usage.iter().map(|used| ((org, &used.0, name), (part.dataset, used))));
    }
    usage.sort_by_key(|(place, _)| *place);
    usage.into_iter().map(|(_, used)| used).collect()
}

impl Catalog {
    /// Publishes what a node has flushed of its log, and moves the mark of the dataset. Not found if the dataset is gone.
    pub async fn publish_log(&self, log: Log, flush: LogFlush<'_>, now: Timestamp) -> Result<Published> {
        self.publish_parts(log, None, &[flush], now).await
    }

    /// Publishes what a log has beyond its marks, of every dataset, and ends it, with the claims that are left. Its epoch was
    /// raised before its objects were listed. What is for a dataset that is gone is left out.
    pub async fn adopt_log(
        &self,
        adopter: Log,
        log: Log,
        parts: &[LogFlush<'_>],
        now: Timestamp,
    ) -> Result<Published> {
        let adoption = Adoption { adopter, at: self.database_time().await? };
        self.publish_parts(log, Some(adoption), parts, now).await
    }

    async fn publish_parts(
        &self,
        log: Log,
        adoption: Option<Adoption>,
        parts: &[LogFlush<'_>],
        now: Timestamp,
    ) -> Result<Published> {
        if parts.iter().any(|part| part.upto <= part.from) {
            return Err(Error::new(ErrorKind::Invalid, "a flush must end behind where it begins"));
        }
        let maker = adoption.map_or(log, |adoption| adoption.adopter);
        let is_adoption = adoption.is_some();
        let stored = (i64::from(log.node), to_stored(log.epoch)?);
        let commit = write!(self, connection => {
            fence!(self, connection);
            hold_epoch!(connection, maker, Published::Fenced);
            if let Some(Adoption { at, .. }) = adoption {
                let ended = sqlx::query(ADOPT)
                    .bind(stored.0)
                    .bind(stored.1)
                    .bind(at.as_micros())
                    .execute(&mut *connection)
                    .await?;
                if ended.rows_affected() == 0 {
                    return Ok(Published::Conflict);
                }
            }
            let there = lock_datasets!(connection, parts, is_adoption);
            let segments = count(there.iter().map(|(_, part)| part.segments.len()).sum());
            let commit = next_commit!(connection, Some(now), schema: false, datasets: 0_i64, segments: segments);
            let mut last_segment = commit.last_segment - segments;
            for (_, part) in &there {
                last_segment += count(part.segments.len());
                let numbered = Commit { last_segment, ..commit };
                publish_part!(connection, stored, part, numbered);
            }
            for (dataset, used) in in_order(&there) {
                add_usage!(connection, dataset, std::slice::from_ref(used));
            }
            if is_adoption {
                sqlx::query(FREE).bind(stored.0).bind(stored.1).execute(&mut *connection).await?;
                sqlx::query(COUNT_UP).execute(&mut *connection).await?;
            }
            commit.value
        });
        Ok(Published::Done(from_stored("the commit", commit)?))
    }

    /// Puts segments in the place of others, as a merge does. A conflict if one of those is not live any more; not found if
    /// the dataset is gone.
    pub async fn replace_by_node(
        &self,
        log: Log,
        dataset: &DatasetId,
        removed: &[SegmentId],
        added: &[NewSegment],
        now: Timestamp,
    ) -> Result<Published> {
        let removed = each_once(removed);
        let commit = write!(self, connection => {
            fence!(self, connection);
            hold_epoch!(connection, log, Published::Fenced);
            swap_segments!(connection, dataset, removed, added, now, Ok(Published::Conflict))
        });
        Ok(Published::Done(from_stored("the commit", commit)?))
    }
}
