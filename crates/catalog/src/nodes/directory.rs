//! What readers ask: segments, logs and marks as of one commit, what has changed since an earlier one, and the counter that
//! is looked at last. A reader begins anew if the counter is another one than in its directory, or if that is too old.

use std::time::Duration;

use tidegauge_model::{DatasetId, SegmentId, Timestamp};

use crate::counts::{from_stored, to_stored};
use crate::db::read;
use crate::nodes::Log;
use crate::segments::{SELECT_ADDED, SELECT_ALL_LIVE, SELECT_REMOVED_SINCE, Segment, SegmentRow};
use crate::snapshot::snapshot;
use crate::{Catalog, Result};

/// Before the first commit.
const NEVER: i64 = -1;

/// What the last look at the catalogue tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look {
    /// Rises with every epoch that is raised and every log that is adopted.
    pub counter: u64,
    /// Not before the counter was read, by the database's clock.
    pub at: Timestamp,
}

/// A log that may have events that are in no segment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenLog {
    pub log: Log,
    /// Where its node is asked; without one, no process has the log, and it is read from its objects.
    pub address: Option<String>,
}

/// Up to where the events of a dataset in a log are in segments. Where there is none, nothing is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    pub dataset: DatasetId,
    pub log: Log,
    pub sequence: u64,
}

/// The logs as of one commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenLogs {
    /// Not after it was read, by the database's clock.
    pub at: Timestamp,
    pub counter: u64,
    /// The newest commit.
    pub commit: u64,
    /// Another one where datasets or columns are others.
    pub schema_version: u64,
    pub logs: Vec<OpenLog>,
    /// In the order of datasets.
    pub marks: Vec<Mark>,
}

/// All that is in segments, and the logs beside them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Directory {
    pub open: OpenLogs,
    pub segments: Vec<Segment>,
}

/// What makes an earlier directory into this one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Changes {
    /// All logs, and the marks that have moved.
    pub open: OpenLogs,
    pub added: Vec<Segment>,
    /// Those that the earlier one has.
    pub removed: Vec<SegmentId>,
}

impl Look {
    /// Whether what was read with a directory counts, if objects stay for so long after they are covered.
    pub fn confirms(self, open: &OpenLogs, grace: Duration) -> bool {
        self.counter == open.counter && self.at <= open.at.plus(grace)
    }
}

const COUNTER: &str = "SELECT counter FROM node_counter";

const NUMBERS: &str = "SELECT s.value, s.schema_version, c.counter, c.forgotten \
    FROM commit_sequence s CROSS JOIN node_counter c";

const PRESENT: &str = "SELECT number, epoch, address, adopter FROM node ORDER BY number";

const RAISED: &str = "SELECT node, epoch FROM node_log WHERE adopted_at IS NULL ORDER BY node, epoch";

const MARKS: &str = "SELECT m.dataset_id, m.node, m.epoch, m.sequence FROM node_mark m WHERE m.moved > $1 \
    AND NOT EXISTS (SELECT 1 FROM node_log l \
    WHERE l.node = m.node AND l.epoch = m.epoch AND l.adopted_at IS NOT NULL) \
    ORDER BY m.dataset_id, m.node, m.epoch";

/// A later commit has segments of higher numbers than those that were given until this one.
const NEXT_FILE: &str = "SELECT next_file FROM commit_log WHERE sequence = $1";

/// The logs as they are stored.
struct Stored {
    /// The newest commit, the version of the schema, the counter, and up to where removals are forgotten.
    numbers: (i64, i64, i64, i64),
    present: Vec<(i64, i64, String, Option<i64>)>,
    raised: Vec<(i64, i64)>,
    marks: Vec<(String, i64, i64, i64)>,
}

/// Reads the logs inside a snapshot, and the marks that have moved since a commit.
macro_rules! stored_logs {
    ($connection:expr, $since:expr) => {
        Stored {
            numbers: sqlx::query_as(NUMBERS).fetch_one(&mut *$connection).await?,
            present: sqlx::query_as(PRESENT).fetch_all(&mut *$connection).await?,
            raised: sqlx::query_as(RAISED).fetch_all(&mut *$connection).await?,
            marks: sqlx::query_as(MARKS).bind($since).fetch_all(&mut *$connection).await?,
        }
    };
}

impl Stored {
    fn read(self, at: Timestamp) -> Result<OpenLogs> {
        let (commit, schema_version, counter, _) = self.numbers;
        let mut logs = Vec::with_capacity(self.present.len() + self.raised.len());
        for (node, epoch, address, adopter) in self.present {
            let address = adopter.is_none().then_some(address);
            logs.push(OpenLog { log: Log::read((node, epoch))?, address });
        }
        for log in self.raised {
            logs.push(OpenLog { log: Log::read(log)?, address: None });
        }
        let mark = |(dataset, node, epoch, sequence): (String, i64, i64, i64)| {
            let sequence = from_stored("the mark of a log", sequence)?;
            Ok(Mark { dataset: dataset.into(), log: Log::read((node, epoch))?, sequence })
        };
        Ok(OpenLogs {
            at,
            counter: from_stored("the counter of epochs", counter)?,
            commit: from_stored("the commit", commit)?,
            schema_version: from_stored("the version of the schema", schema_version)?,
            logs,
            marks: self.marks.into_iter().map(mark).collect::<Result<_>>()?,
        })
    }
}

impl Catalog {
    /// The last look of a reader, after it has read everything.
    pub async fn look(&self) -> Result<Look> {
        let counter: i64 = read!(self, executor => sqlx::query_scalar(COUNTER).fetch_one(executor).await?);
        Ok(Look { counter: from_stored("the counter of epochs", counter)?, at: self.database_time().await? })
    }

    /// Segments, logs and marks as of the newest commit.
    pub async fn directory(&self) -> Result<Directory> {
        let at = self.database_time().await?;
        let (stored, segments) = snapshot!(self, connection => {
            let stored = stored_logs!(connection, NEVER);
            let segments: Vec<SegmentRow> =
                sqlx::query_as(SELECT_ALL_LIVE).fetch_all(&mut *connection).await?;
            (stored, segments)
        });
        let segments = segments.into_iter().map(SegmentRow::read).collect::<Result<_>>()?;
        Ok(Directory { open: stored.read(at)?, segments })
    }

    /// What has changed since a commit. `None` if nobody can tell any more: then all is read anew.
    pub async fn changes_since(&self, commit: u64) -> Result<Option<Changes>> {
        let since = to_stored(commit)?;
        let at = self.database_time().await?;
        let (stored, added, removed) = snapshot!(self, connection => {
            let stored = stored_logs!(connection, since);
            let next_file: Option<i64> =
                sqlx::query_scalar(NEXT_FILE).bind(since).fetch_optional(&mut *connection).await?;
            let (.., forgotten) = stored.numbers;
            let Some(next_file) = next_file.filter(|_| forgotten <= since) else {
                return Ok(None);
            };
            // That number is the last segment's and the commit's together, and one.
            let last_segment = next_file - since - 1;
            let added: Vec<SegmentRow> =
                sqlx::query_as(SELECT_ADDED).bind(last_segment).fetch_all(&mut *connection).await?;
            let removed: Vec<String> =
                sqlx::query_scalar(SELECT_REMOVED_SINCE).bind(since).fetch_all(&mut *connection).await?;
            (stored, added, removed)
        });
        Ok(Some(Changes {
            open: stored.read(at)?,
            added: added.into_iter().map(SegmentRow::read).collect::<Result<_>>()?,
            removed: removed.into_iter().map(SegmentId::from).collect(),
        }))
    }
}
