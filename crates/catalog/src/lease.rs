//! The lease on writing: of all processes on one catalogue, one may publish segments. Taking it makes its epoch larger,
//! and every transaction that changes segments, columns or marks checks the epoch first, so that a process that has lost
//! the lease changes nothing. Times are those of the database, which all processes share; only how long a lease lasts
//! depends on them, never what is published.

mod claim;

use std::collections::HashMap;
use std::sync::atomic::Ordering;
use std::time::Duration;

use tidegauge_model::{DatasetId, ErrorKind, Timestamp};

use crate::counts::from_stored;
use crate::db::{read, write};
use crate::{Catalog, Error, Result};

use claim::LeaseRow;

pub(crate) use claim::Claim;
pub use claim::Holder;

/// How far apart the sequences of two nodes are: more than a node can give away while it has the lease.
const SEQUENCES_APART: i64 = 1 << 40;

/// Who takes the lease.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Writer {
    /// Names the write log: the same after a restart, another one in another data folder.
    pub node: String,
    pub host: String,
    pub process: u32,
    /// Where it is reached.
    pub address: String,
    /// Whether its write log has been written to before.
    pub has_log: bool,
}

/// What who has taken the lease must know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Taken {
    /// Every new sequence of the write log must be above it. Those below are of an earlier time: [`Catalog::flush_marks`]
    /// says which of them are in segments.
    pub sequence_floor: u64,
}

macro_rules! columns {
    () => {
        "node_id, epoch, host, process, address, taken_at, ends_at, sequence_floor"
    };
}

pub(crate) const SELECT: &str = concat!("SELECT ", columns!(), " FROM writer_lease");

/// Reads the lease and keeps others from taking it until the transaction ends.
const LOCK: &str = concat!("UPDATE writer_lease SET epoch = epoch RETURNING ", columns!());

/// Keeps others from taking the lease until the transaction ends, if it is had, or if it was given back and who asks
/// never had it.
pub(crate) const KEEP: &str =
    "UPDATE writer_lease SET epoch = epoch WHERE epoch = $1 OR ($1 < 0 AND ends_at = 0) RETURNING epoch";

const TAKE: &str = "UPDATE writer_lease SET node_id = $1, epoch = $2, host = $3, process = $4, address = $5, \
    taken_at = $6, ends_at = $7, sequence_floor = $8";

/// Of two renewals at once, the one that asked for the time first may come last: it takes nothing back.
const RENEW: &str = "UPDATE writer_lease SET ends_at = $1 WHERE ends_at < $1";

/// The marks of the node that had the lease before. A dataset whose mark is not above the floor was not flushed by it,
/// and the mark that it had before still counts.
const KEEP_MARKS: &str = "INSERT INTO flush_mark (node_id, dataset_id, sequence) \
    SELECT $1, id, flushed FROM dataset WHERE flushed > $2 \
    ON CONFLICT (node_id, dataset_id) DO UPDATE SET sequence = excluded.sequence";

/// A node that nobody has seen may be the one that wrote before there were leases.
const COPY_MARKS: &str = "INSERT INTO flush_mark (node_id, dataset_id, sequence) \
    SELECT $1, dataset_id, sequence FROM flush_mark WHERE node_id = '' ON CONFLICT DO NOTHING";

/// Inside a transaction that has locked the lease: gives it to a writer, in the name of a node.
macro_rules! take {
    ($connection:expr, $node:expr, $epoch:expr, $writer:expr, $now:expr, $length:expr, $floor:expr) => {
        sqlx::query(TAKE)
            .bind($node)
            .bind($epoch)
            .bind(&$writer.host)
            .bind(i64::from($writer.process))
            .bind(&$writer.address)
            .bind($now.as_micros())
            .bind($now.plus($length).as_micros())
            .bind($floor)
            .execute(&mut *$connection)
            .await?;
    };
}

/// Inside a transaction and before it locks anything else: leaves it unless this process may still publish.
macro_rules! fence {
    ($catalog:expr, $connection:expr) => {
        let kept: Option<i64> = sqlx::query_scalar($crate::lease::KEEP)
            .bind($catalog.claim.epoch())
            .fetch_optional(&mut *$connection)
            .await?;
        if kept.is_none() {
            let row = sqlx::query_as($crate::lease::SELECT).fetch_one(&mut *$connection).await?;
            return Err($catalog.claim.refuse(row));
        }
    };
}

pub(crate) use fence;

impl Catalog {
    /// Takes the lease for so long. The node that had it last gets it back at once, because its data folder has a lock
    /// of its own; any other is refused until the lease was given back or has run out.
    pub async fn take_lease(&self, writer: &Writer, length: Duration) -> Result<Taken> {
        self.claim.check(&writer.node)?;
        let now = self.database_time().await?;
        let (epoch, floor) = write!(self, connection => {
            let row: LeaseRow = sqlx::query_as(LOCK).fetch_one(&mut *connection).await?;
            let is_other = row.node_id != writer.node;
            if is_other && row.ends_at > now.as_micros() {
                return Err(in_use(row));
            }
            let mut floor = row.sequence_floor;
            if is_other {
                sqlx::query(KEEP_MARKS).bind(&row.node_id).bind(floor).execute(&mut *connection).await?;
                sqlx::query(COPY_MARKS).bind(&writer.node).execute(&mut *connection).await?;
                let flushed: i64 = sqlx::query_scalar("SELECT COALESCE(MAX(flushed), 0) FROM dataset")
                    .fetch_one(&mut *connection)
                    .await?;
                // The first to take the lease goes on with the log from before, if it has one or there was none.
                let is_first = row.node_id.is_empty() && (writer.has_log || flushed == 0);
                if !is_first {
                    floor = flushed.max(floor).checked_add(SEQUENCES_APART).ok_or_else(used_up)?;
                }
            }
            let epoch = row.epoch + 1;
            take!(connection, &writer.node, epoch, writer, now, length, floor);
            (epoch, floor)
        });
        self.claim.set(&writer.node, epoch);
        Ok(Taken { sequence_floor: from_stored("the floor of sequences", floor)? })
    }

    /// Takes the lease for work without a write log, in the name of the node that had it last: marks that are made
    /// meanwhile are marks of that node. Refused until the lease was given back or has run out.
    pub async fn borrow_lease(&self, writer: &Writer, length: Duration) -> Result<()> {
        const NOBODY: &str = "";
        self.claim.check(NOBODY)?;
        let now = self.database_time().await?;
        let epoch = write!(self, connection => {
            let row: LeaseRow = sqlx::query_as(LOCK).fetch_one(&mut *connection).await?;
            if row.ends_at > now.as_micros() {
                return Err(in_use(row));
            }
            let epoch = row.epoch + 1;
            take!(connection, &row.node_id, epoch, writer, now, length, row.sequence_floor);
            epoch
        });
        self.claim.set(NOBODY, epoch);
        Ok(())
    }

    /// Makes the lease last for so long from now. An error of its own kind if somebody else has it; one that has run
    /// out and that nobody took is had again.
    pub async fn renew_lease(&self, length: Duration) -> Result<()> {
        let ends_at = self.database_time().await?.plus(length);
        write!(self, connection => {
            fence!(self, connection);
            sqlx::query(RENEW).bind(ends_at.as_micros()).execute(&mut *connection).await?;
        });
        Ok(())
    }

    /// Gives the lease back: the next who asks gets it at once. Nothing can be published with it any more.
    pub async fn release_lease(&self) -> Result<()> {
        write!(self, connection => {
            sqlx::query("UPDATE writer_lease SET ends_at = 0, epoch = epoch + 1 WHERE epoch = $1")
                .bind(self.claim.epoch())
                .execute(&mut *connection)
                .await?;
        });
        Ok(())
    }

    /// Whether it is known that somebody else has taken the lease that was had here.
    pub fn is_lease_lost(&self) -> bool {
        self.claim.is_lost.load(Ordering::Acquire)
    }

    /// Who has the lease, or had it last; `None` if it was never taken.
    pub async fn lease_holder(&self) -> Result<Option<Holder>> {
        let row: LeaseRow = read!(self, executor => sqlx::query_as(SELECT).fetch_one(executor).await?);
        if row.node_id.is_empty() {
            return Ok(None);
        }
        row.read().map(Some)
    }

    /// Up to which sequence the events are in segments that a node logged before another one had the lease.
    pub async fn flush_marks(&self, node: &str) -> Result<HashMap<DatasetId, u64>> {
        let rows: Vec<(String, i64)> = read!(self, executor => {
            sqlx::query_as("SELECT dataset_id, sequence FROM flush_mark WHERE node_id = $1")
                .bind(node)
                .fetch_all(executor)
                .await?
        });
        let read = |(dataset, sequence): (String, i64)| {
            Ok((dataset.into(), from_stored("the mark of a node", sequence)?))
        };
        rows.into_iter().map(read).collect()
    }
}

fn in_use(row: LeaseRow) -> Error {
    let ends_at = Timestamp::from_micros(row.ends_at);
    match row.read() {
        Ok(holder) => {
            let message = format!(
                "the catalogue is in use by {holder}, and two services on one catalogue would lose events: stop that \
                 one, or give this one a catalogue of its own; if that one is gone without a clean stop, its lease \
                 ends at {ends_at}: start again then"
            );
            Error::new(ErrorKind::Conflict, message)
        }
        Err(error) => error,
    }
}

fn used_up() -> Error {
    Error::new(ErrorKind::Internal, "the sequences of the write log are used up")
}
