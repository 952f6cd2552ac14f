//! Segments: publishing what was flushed, replacing some by others, and reading those of a commit. Each change is
//! one transaction that either does all or nothing. A removed segment stays until its file has been deleted, which `gc`
//! sees to.

mod gc;

use std::collections::HashSet;
use std::ops::RangeInclusive;

use sqlx::FromRow;
use tidegauge_model::{DatasetId, ErrorKind, SegmentId, Timestamp};

use crate::commits::next_commit;
use crate::counts::{from_stored, to_stored};
use crate::db::{read, write};
use crate::frozen_answers::forget_answers;
use crate::ingest_keys::{IF_LATER, IngestKey, insert_keys, last_uses};
use crate::lease::fence;
use crate::usage::add_usage;
use crate::{Catalog, Error, Result};

/// A segment as it is handed in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewSegment {
    pub id: SegmentId,
    /// The place of the file, from the root of the object store.
    pub path: String,
    pub rows: u64,
    pub bytes: u64,
    /// The bytes of the request bodies that its events came in.
    pub raw_bytes: u64,
    pub footer_bytes: u64,
    /// The earliest and the latest event, in nanoseconds since 1970.
    pub min_time: i64,
    pub max_time: i64,
    pub min_sequence: u64,
    pub max_sequence: u64,
    pub level: u32,
    pub checksum: String,
    /// Read on demand by [`Catalog::segment_stats`].
    pub stats: Vec<u8>,
    /// The place of the text index.
    pub sidecar: Option<String>,
}

/// What was written from a write log.
#[derive(Clone, Copy, Debug)]
pub struct Flushed<'a> {
    /// Whose log it was; empty for that of who has the lease.
    pub node: &'a str,
    pub segments: &'a [NewSegment],
    /// The last sequence that is in them.
    pub flushed: u64,
    pub keys: &'a [IngestKey],
    /// Bytes that came in, by day.
    pub usage: &'a [(String, u64)],
}

/// A segment of the catalogue, without its statistics.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    pub id: SegmentId,
    pub dataset: DatasetId,
    pub path: String,
    pub rows: u64,
    pub bytes: u64,
    pub raw_bytes: u64,
    pub footer_bytes: u64,
    pub min_time: i64,
    pub max_time: i64,
    pub min_sequence: u64,
    pub max_sequence: u64,
    pub level: u32,
    pub checksum: String,
    pub sidecar: Option<String>,
    /// The commit that added it.
    pub added: u64,
    /// The commit that removed it.
    pub removed: Option<u64>,
}

#[derive(FromRow)]
pub(crate) struct SegmentRow {
    id: String,
    dataset_id: String,
    path: String,
    rows: i64,
    bytes: i64,
    raw_bytes: i64,
    footer_bytes: i64,
    min_time: i64,
    max_time: i64,
    min_sequence: i64,
    max_sequence: i64,
    level: i64,
    checksum: String,
    sidecar: Option<String>,
    added: i64,
    removed: Option<i64>,
}

impl SegmentRow {
    pub(crate) fn read(self) -> Result<Segment> {
        Ok(Segment {
            rows: from_stored("the rows of a segment", self.rows)?,
            bytes: from_stored("the bytes of a segment", self.bytes)?,
            raw_bytes: from_stored("the raw bytes of a segment", self.raw_bytes)?,
            footer_bytes: from_stored("the footer of a segment", self.footer_bytes)?,
            min_sequence: from_stored("the sequence of a segment", self.min_sequence)?,
            max_sequence: from_stored("the sequence of a segment", self.max_sequence)?,
            level: from_stored("the level of a segment", self.level)?,
            added: from_stored("the commit of a segment", self.added)?,
            removed: self.removed.map(|commit| from_stored("the commit of a segment", commit)).transpose()?,
            id: self.id.into(),
            dataset: self.dataset_id.into(),
            path: self.path,
            min_time: self.min_time,
            max_time: self.max_time,
            checksum: self.checksum,
            sidecar: self.sidecar,
        })
    }
}

/// What a [`SegmentRow`] is read from.
macro_rules! columns {
    () => {
        "id, dataset_id, path, rows, bytes, raw_bytes, footer_bytes, min_time, max_time, min_sequence, \
         max_sequence, level, checksum, sidecar, added, removed"
    };
}

const SELECT_LIVE: &str =
    concat!("SELECT ", columns!(), " FROM segment WHERE dataset_id = $1 AND removed IS NULL ORDER BY number");

pub(crate) const SELECT_ALL_LIVE: &str =
    concat!("SELECT ", columns!(), " FROM segment WHERE removed IS NULL ORDER BY dataset_id, number");

const SELECT_AT: &str = concat!(
    "SELECT ",
    columns!(),
    " FROM segment WHERE dataset_id = $1 AND added <= $2 AND (removed IS NULL OR removed > $2) ORDER BY number"
);

/// Those that were removed before a time, the earliest first.
pub(crate) const SELECT_REMOVED: &str = concat!(
    "SELECT ",
    columns!(),
    " FROM segment WHERE removed_at < $1 ORDER BY removed_at, number LIMIT $2"
);

/// Those that were added since a commit, of which the last number is known, and are still live.
pub(crate) const SELECT_ADDED: &str =
    concat!("SELECT ", columns!(), " FROM segment WHERE number > $1 AND removed IS NULL ORDER BY number");

/// Those that a commit knew and that were removed since.
pub(crate) const SELECT_REMOVED_SINCE: &str =
    "SELECT id FROM segment WHERE removed_at IS NOT NULL AND removed > $1 AND added <= $1 ORDER BY number";

pub(crate) const INSERT: &str = "INSERT INTO segment (id, number, dataset_id, path, rows, bytes, raw_bytes, \
    footer_bytes, min_time, max_time, min_sequence, max_sequence, level, checksum, sidecar, added, min_text, \
    max_text) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)";

pub(crate) const INSERT_STATS: &str = "INSERT INTO segment_stats (segment_id, stats) VALUES ($1, $2)";

/// Keeps others from changing a dataset until the transaction ends.
pub(crate) const LOCK_DATASET: &str = "UPDATE dataset SET flushed = flushed WHERE id = $1";

/// Moves the mark of a dataset: of who has the lease, or of a node that had it before. Changes nothing if it is there or
/// beyond already, or if there is no such dataset.
const ADVANCE: &str = "UPDATE dataset SET flushed = $2 WHERE id = $1 AND flushed < $2 AND $3 = ''";
const ADVANCE_LEFT: &str = "INSERT INTO flush_mark (node_id, dataset_id, sequence) \
    SELECT $3, id, $2 FROM dataset WHERE id = $1 \
    ON CONFLICT (node_id, dataset_id) DO UPDATE SET sequence = excluded.sequence \
    WHERE flush_mark.sequence < excluded.sequence";

/// Inserts segments inside a transaction that has taken as many numbers for them.
macro_rules! insert_segments {
    ($connection:expr, $dataset:expr, $segments:expr, $commit:expr) => {
        for (segment, back) in $segments.iter().zip((0..$segments.len()).rev()) {
            let (min_text, max_text) = $crate::lake::bounds(segment.min_time, segment.max_time);
            sqlx::query($crate::segments::INSERT)
                .bind(segment.id.as_str())
                .bind($commit.last_segment - $crate::counts::count(back))
                .bind($dataset.as_str())
                .bind(&segment.path)
                .bind(to_stored(segment.rows)?)
                .bind(to_stored(segment.bytes)?)
                .bind(to_stored(segment.raw_bytes)?)
                .bind(to_stored(segment.footer_bytes)?)
                .bind(segment.min_time)
                .bind(segment.max_time)
                .bind(to_stored(segment.min_sequence)?)
                .bind(to_stored(segment.max_sequence)?)
                .bind(i64::from(segment.level))
                .bind(&segment.checksum)
                .bind(segment.sidecar.as_deref())
                .bind($commit.value)
                .bind(min_text)
                .bind(max_text)
                .execute(&mut *$connection)
                .await?;
            sqlx::query($crate::segments::INSERT_STATS)
                .bind(segment.id.as_str())
                .bind(&segment.stats)
                .execute(&mut *$connection)
                .await?;
        }
    };
}

pub(crate) use insert_segments;

/// Puts segments in the place of others inside a transaction, and gives the commit; leaves it if the dataset is gone, or,
/// with what it is handed for that, if one of the others is not live any more.
macro_rules! swap_segments {
    ($connection:expr, $dataset:expr, $removed:expr, $added:expr, $now:expr, $not_live:expr) => {{
        let locked = sqlx::query($crate::segments::LOCK_DATASET)
            .bind($dataset.as_str())
            .execute(&mut *$connection)
            .await?;
        if locked.rows_affected() == 0 {
            return Err($crate::Error::gone());
        }
        let count = $crate::counts::count($added.len());
        let commit = $crate::commits::next_commit!(
            $connection, Some($now), schema: false, datasets: 0_i64, segments: count
        );
        for batch in $removed.chunks($crate::db::LIST_BATCH) {
            let mut update = sqlx::QueryBuilder::new("UPDATE segment SET removed = ");
            update.push_bind(commit.value).push(", removed_at = ").push_bind($now.as_micros());
            update.push(" WHERE removed IS NULL AND ");
            $crate::db::push_list!(update, "id", batch);
            // Looked at here, not in the condition: SQLite would walk through the whole dataset for each batch.
            update.push(" RETURNING dataset_id");
            let marked: Vec<String> = update.build_query_scalar().fetch_all(&mut *$connection).await?;
            if marked.len() != batch.len() || marked.iter().any(|of| of != $dataset.as_str()) {
                return $not_live;
            }
        }
        $crate::segments::insert_segments!($connection, $dataset, $added, commit);
        commit.value
    }};
}

pub(crate) use swap_segments;

/// The ids without those that come again.
pub(crate) fn each_once(ids: &[SegmentId]) -> Vec<&str> {
    let ids: HashSet<&str> = ids.iter().map(SegmentId::as_str).collect();
    ids.into_iter().collect()
}

fn not_live() -> Error {
    Error::new(ErrorKind::Conflict, "a segment to be replaced is not there any more")
}

impl Catalog {
    /// Publishes the segments that hold a dataset's events up to a sequence of the write log, with the keys of their
    /// requests and the bytes that came in with them by day. Not found if the dataset is gone; a conflict if that
    /// sequence was published before.
    pub async fn publish_flush(
        &self,
        dataset: &DatasetId,
        segments: &[NewSegment],
        flushed: u64,
        keys: &[IngestKey],
        usage: &[(String, u64)],
        now: Timestamp,
    ) -> Result<u64> {
        let node = "";
        self.publish_left(dataset, Flushed { node, segments, flushed, keys, usage }, now).await
    }

    /// The same for what a node had logged before another one had the lease.
    pub async fn publish_left(
        &self,
        dataset: &DatasetId,
        Flushed { node, segments, flushed, keys, usage }: Flushed<'_>,
        now: Timestamp,
    ) -> Result<u64> {
        let advance = if node.is_empty() { ADVANCE } else { ADVANCE_LEFT };
        let flushed = to_stored(flushed)?;
        let keys = last_uses(keys);
        let commit = write!(self, connection => {
            fence!(self, connection);
            let advanced = sqlx::query(advance)
                .bind(dataset.as_str())
                .bind(flushed)
                .bind(node)
                .execute(&mut *connection)
                .await?;
            if advanced.rows_affected() == 0 {
                let known: Option<i64> = sqlx::query_scalar("SELECT number FROM dataset WHERE id = $1")
                    .bind(dataset.as_str())
                    .fetch_optional(&mut *connection)
                    .await?;
                let message = format!("the events up to {flushed} are in segments already");
                return Err(known.map_or_else(Error::gone, |_| Error::new(ErrorKind::Conflict, message)));
            }
            insert_keys!(connection, dataset, keys, IF_LATER);
            add_usage!(connection, dataset, usage);
            let count = crate::counts::count(segments.len());
            let commit = next_commit!(connection, Some(now), schema: false, datasets: 0_i64, segments: count);
            insert_segments!(connection, dataset, segments, commit);
            commit.value
        });
        from_stored("the commit", commit)
    }

    /// Puts segments in the place of others. A conflict, and nothing changes, if one of those is not live any more;
    /// not found if the dataset is gone.
    pub async fn replace_segments(
        &self,
        dataset: &DatasetId,
        removed: &[SegmentId],
        added: &[NewSegment],
        now: Timestamp,
    ) -> Result<u64> {
        let removed = each_once(removed);
        let commit = write!(self, connection => {
            fence!(self, connection);
            swap_segments!(connection, dataset, removed, added, now, Err(not_live()))
        });
        from_stored("the commit", commit)
    }

    /// The same where events go for good, all of them between two times in nanoseconds since 1970. The answers that were
    /// kept of them go in the same transaction.
    pub async fn erase_events(
        &self,
        dataset: &DatasetId,
        removed: &[SegmentId],
        added: &[NewSegment],
        times: &RangeInclusive<i64>,
        now: Timestamp,
    ) -> Result<u64> {
        let removed = each_once(removed);
        let commit = write!(self, connection => {
            fence!(self, connection);
            let commit = swap_segments!(connection, dataset, removed, added, now, Err(not_live()));
            self.note_forgotten();
            forget_answers!(connection, dataset, times);
            commit
        });
        from_stored("the commit", commit)
    }

    /// The segments of a dataset as of the newest commit, in the order of their publication.
    pub async fn live_segments(&self, dataset: &DatasetId) -> Result<Vec<Segment>> {
        let rows = read!(self, executor => {
            sqlx::query_as::<_, SegmentRow>(SELECT_LIVE).bind(dataset.as_str()).fetch_all(executor).await?
        });
        rows.into_iter().map(SegmentRow::read).collect()
    }

    /// The live segments of every dataset, for the start.
    pub async fn all_live_segments(&self) -> Result<Vec<Segment>> {
        let rows = read!(self, executor => {
            sqlx::query_as::<_, SegmentRow>(SELECT_ALL_LIVE).fetch_all(executor).await?
        });
        rows.into_iter().map(SegmentRow::read).collect()
    }

    /// The segments of a dataset as of a commit, as long as those removed since have not been forgotten.
    pub async fn segments_at(&self, dataset: &DatasetId, commit: u64) -> Result<Vec<Segment>> {
        let commit = to_stored(commit)?;
        let rows = read!(self, executor => {
            sqlx::query_as::<_, SegmentRow>(SELECT_AT)
                .bind(dataset.as_str())
                .bind(commit)
                .fetch_all(executor)
                .await?
        });
        rows.into_iter().map(SegmentRow::read).collect()
    }

    /// The statistics of a segment, live or removed; not found if it has been forgotten.
    pub async fn segment_stats(&self, id: &SegmentId) -> Result<Vec<u8>> {
        let stats: Option<Vec<u8>> = read!(self, executor => {
            sqlx::query_scalar("SELECT stats FROM segment_stats WHERE segment_id = $1")
                .bind(id.as_str())
                .fetch_optional(executor)
                .await?
        });
        stats.ok_or_else(|| Error::new(ErrorKind::NotFound, "there is no such segment"))
    }
}
