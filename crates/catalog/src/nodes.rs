//! The nodes that take events together, each with a number and an epoch. Starting raises a node's epoch, and so does a node
//! that is to adopt the log of a silent one; whoever has lost its epoch publishes nothing. Decision 0037 says why each step
//! is as it is. What nodes publish is in `publish`, what readers ask in `directory`. All but signs of life and claims lock
//! the row of the lease first: no two wait for each other, and none is done while one process has the lease for itself.

pub mod claims;
pub mod directory;
pub mod publish;

use std::time::Duration;

use sqlx::FromRow;
use tidegauge_model::{ErrorKind, Timestamp};

use crate::counts::{from_stored, to_stored};
use crate::db::{read, write, write_stats};
use crate::lease::fence;
use crate::{Catalog, Error, Result};

/// The highest number of a node. Sequences begin with it, in 16 bits of which the first is a sign.
const NUMBER_MAX: i64 = 32_767;

const FIRST_EPOCH: i64 = 1;

/// The log of one node in one epoch. It has one writer for ever.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Log {
    pub node: u16,
    pub epoch: u64,
}

impl Log {
    fn read((node, epoch): (i64, i64)) -> Result<Self> {
        Ok(Self { node: from_stored("the number of a node", node)?, epoch: from_stored("an epoch", epoch)? })
    }
}

/// A process that starts as a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeStart {
    /// By which the node is known again.
    pub name: String,
    /// Where other nodes reach it.
    pub address: String,
    /// Which build it is: only equal ones work together.
    pub build: String,
}

/// A node as others see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    pub number: u16,
    pub name: String,
    pub address: String,
    pub build: String,
    pub epoch: u64,
    /// When it was last heard of, by the database's clock.
    pub seen_at: Timestamp,
    /// Whether that is longer ago than asked for.
    pub is_silent: bool,
    /// The node that has raised its epoch since its last start. Until it starts again, the epoch is nobody's.
    pub adopter: Option<u16>,
}

/// What became of raising an epoch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Raise {
    /// The epoch has ended, whoever has raised it: the objects of its log can be listed now.
    Ended,
    /// The node was heard of, or its epoch is nobody's: there is nothing to adopt.
    NotNeeded,
    /// The one who asked has lost its own epoch.
    Fenced,
}

#[derive(FromRow)]
struct NodeRow {
    number: i64,
    name: String,
    address: String,
    build: String,
    epoch: i64,
    seen_at: i64,
    adopter: Option<i64>,
}

impl NodeRow {
    fn read(self, silent_since: Timestamp) -> Result<Node> {
        let Log { node, epoch } = Log::read((self.number, self.epoch))?;
        let seen_at = Timestamp::from_micros(self.seen_at);
        Ok(Node {
            number: node,
            name: self.name,
            address: self.address,
            build: self.build,
            epoch,
            seen_at,
            is_silent: seen_at <= silent_since,
            adopter: self.adopter.map(|number| from_stored("the number of a node", number)).transpose()?,
        })
    }
}

const SELECT: &str = "SELECT number, name, address, build, epoch, seen_at, adopter FROM node ORDER BY number";

const START_AGAIN: &str = "UPDATE node SET epoch = epoch + 1, address = $2, build = $3, seen_at = $4, adopter = NULL \
    WHERE name = $1 RETURNING number, epoch";

const NEXT_NUMBER: &str =
    "UPDATE node_counter SET last_node = last_node + 1 WHERE last_node < $1 RETURNING last_node";

const INSERT: &str = "INSERT INTO node (number, name, address, build, epoch, seen_at, adopter) \
    VALUES ($1, $2, $3, $4, $5, $6, NULL)";

const INSERT_LOG: &str =
    "INSERT INTO node_log (node, epoch, raised_at, adopted_at) VALUES ($1, $2, $3, NULL)";

/// Two signs of life may come in the wrong order.
const SEE: &str = "UPDATE node SET seen_at = CASE WHEN seen_at < $3 THEN $3 ELSE seen_at END \
    WHERE number = $1 AND epoch = $2 AND adopter IS NULL RETURNING epoch";

/// Keeps others from raising an epoch until the transaction ends, if somebody has it.
pub(crate) const HOLD: &str = "UPDATE node SET epoch = epoch \
    WHERE number = $1 AND epoch = $2 AND adopter IS NULL RETURNING epoch";

/// Keeps a node as it is until the transaction ends.
const LOCK: &str = "UPDATE node SET epoch = epoch WHERE number = $1 RETURNING epoch, seen_at, adopter";

const RAISE: &str = "UPDATE node SET epoch = epoch + 1, adopter = $2 WHERE number = $1";

/// Readers look at it last, and begin anew if it is another one than before.
pub(crate) const COUNT_UP: &str = "UPDATE node_counter SET counter = counter + 1";

/// What is not over for long enough to forget a node.
const COUNT_NEEDED: &str =
    "SELECT COUNT(*) FROM node_log WHERE node = $1 AND (adopted_at IS NULL OR adopted_at > $2)";

const FORGET_NODE: [&str; 4] = [
    "DELETE FROM ingest_claim WHERE node = $1",
    "DELETE FROM node_mark WHERE node = $1",
    "DELETE FROM node_log WHERE node = $1",
    "DELETE FROM node WHERE number = $1",
];

const FORGET_MARKS: &str = "DELETE FROM node_mark WHERE EXISTS (SELECT 1 FROM node_log l \
    WHERE l.node = node_mark.node AND l.epoch = node_mark.epoch AND l.adopted_at <= $1)";

const FORGET_LOGS: &str = "DELETE FROM node_log WHERE adopted_at <= $1";

/// Inside a transaction that has passed the lease: leaves it with what it is handed for that, unless a log is still that of
/// its node.
macro_rules! hold_epoch {
    ($connection:expr, $log:expr, $fenced:expr) => {
        let held: Option<i64> = sqlx::query_scalar($crate::nodes::HOLD)
            .bind(i64::from($log.node))
            .bind($crate::counts::to_stored($log.epoch)?)
            .fetch_optional(&mut *$connection)
            .await?;
        if held.is_none() {
            return Ok($fenced);
        }
    };
}

pub(crate) use hold_epoch;

impl Catalog {
    /// Starts as a node of a name, with an epoch that nobody has had, and gives the log of that. A node that was never
    /// there gets a number; of one that was there, the log of before waits to be adopted. If the answer is lost, this is
    /// asked again, and another epoch taken: one that is found raised afterwards may be somebody else's.
    pub async fn join_node(&self, start: &NodeStart) -> Result<Log> {
        let now = self.database_time().await?.as_micros();
        let joined = write!(self, connection => {
            fence!(self, connection);
            let known: Option<(i64, i64)> = sqlx::query_as(START_AGAIN)
                .bind(&start.name)
                .bind(&start.address)
                .bind(&start.build)
                .bind(now)
                .fetch_optional(&mut *connection)
                .await?;
            sqlx::query(COUNT_UP).execute(&mut *connection).await?;
            if let Some((number, epoch)) = known {
                sqlx::query(INSERT_LOG)
                    .bind(number)
                    .bind(epoch - 1)
                    .bind(now)
                    .execute(&mut *connection)
                    .await?;
                (number, epoch)
            } else {
                let number: Option<i64> =
                    sqlx::query_scalar(NEXT_NUMBER).bind(NUMBER_MAX).fetch_optional(&mut *connection).await?;
                let Some(number) = number else {
                    return Err(used_up());
                };
                sqlx::query(INSERT)
                    .bind(number)
                    .bind(&start.name)
                    .bind(&start.address)
                    .bind(&start.build)
                    .bind(FIRST_EPOCH)
                    .bind(now)
                    .execute(&mut *connection)
                    .await?;
                (number, FIRST_EPOCH)
            }
        });
        Log::read(joined)
    }

    /// Notes that a node is alive. `false` if its epoch is not its own any more: then its process ends.
    pub async fn note_node_alive(&self, log: Log) -> Result<bool> {
        let now = self.database_time().await?.as_micros();
        let epoch = to_stored(log.epoch)?;
        let seen: Option<i64> = write_stats!(self, connection => {
            sqlx::query_scalar(SEE)
                .bind(i64::from(log.node))
                .bind(epoch)
                .bind(now)
                .fetch_optional(&mut *connection)
                .await?
        });
        Ok(seen.is_some())
    }

    /// Every node by its number. Those are silent of which nothing was heard for so long.
    pub async fn nodes(&self, silence: Duration) -> Result<Vec<Node>> {
        let silent_since = self.database_time().await?.minus(silence);
        let rows: Vec<NodeRow> = read!(self, executor => sqlx::query_as(SELECT).fetch_all(executor).await?);
        rows.into_iter().map(|row| row.read(silent_since)).collect()
    }

    /// The epoch that a process of a node has; `None` if it was raised for an adoption, or there is no such node. Whoever is
    /// about to answer reads it after its object is there, and answers if it is still its own.
    pub async fn node_epoch(&self, number: u16) -> Result<Option<u64>> {
        let epoch: Option<i64> = read!(self, executor => {
            sqlx::query_scalar("SELECT epoch FROM node WHERE number = $1 AND adopter IS NULL")
                .bind(i64::from(number))
                .fetch_optional(executor)
                .await?
        });
        epoch.map(|epoch| from_stored("an epoch", epoch)).transpose()
    }

    /// Ends the epoch of a node of which nothing was heard for so long, so that its log can be adopted: whoever still has it
    /// answers and publishes nothing from now on. Only then are objects listed and marks read.
    pub async fn raise_epoch(&self, adopter: Log, silent: Log, silence: Duration) -> Result<Raise> {
        let now = self.database_time().await?;
        let epoch = to_stored(silent.epoch)?;
        write!(self, connection => {
            fence!(self, connection);
            hold_epoch!(connection, adopter, Raise::Fenced);
            let found: Option<(i64, i64, Option<i64>)> = sqlx::query_as(LOCK)
                .bind(i64::from(silent.node))
                .fetch_optional(&mut *connection)
                .await?;
            let Some((present, seen_at, taken)) = found.filter(|(present, ..)| *present >= epoch) else {
                return Err(Error::new(ErrorKind::NotFound, "there is no such log: read the nodes again"));
            };
            if present > epoch {
                return Ok(Raise::Ended);
            }
            if taken.is_some() || seen_at > now.minus(silence).as_micros() {
                return Ok(Raise::NotNeeded);
            }
            sqlx::query(RAISE)
                .bind(i64::from(silent.node))
                .bind(i64::from(adopter.node))
                .execute(&mut *connection)
                .await?;
            sqlx::query(INSERT_LOG)
                .bind(i64::from(silent.node))
                .bind(epoch)
                .bind(now.as_micros())
                .execute(&mut *connection)
                .await?;
            sqlx::query(COUNT_UP).execute(&mut *connection).await?;
        });
        Ok(Raise::Ended)
    }

    /// Forgets a node that is not coming back, with its logs and marks; its number is not given again. `false` if there is no
    /// such node. A conflict unless another node has raised its epoch, and all of its logs were adopted for so long that
    /// nobody reads their objects any more.
    pub async fn forget_node(&self, number: u16, kept: Duration) -> Result<bool> {
        let before = self.database_time().await?.minus(kept).as_micros();
        let number = i64::from(number);
        write!(self, connection => {
            fence!(self, connection);
            let found: Option<(i64, i64, Option<i64>)> =
                sqlx::query_as(LOCK).bind(number).fetch_optional(&mut *connection).await?;
            let Some((_, _, adopter)) = found else {
                return Ok(false);
            };
            if adopter.is_none() {
                let message = "the node may be running: stop it, and wait until another one has adopted its log";
                return Err(Error::new(ErrorKind::Conflict, message));
            }
            let needed: i64 = sqlx::query_scalar(COUNT_NEEDED)
                .bind(number)
                .bind(before)
                .fetch_one(&mut *connection)
                .await?;
            if needed > 0 {
                let message = "logs of the node are not adopted, or not for long enough: try again later";
                return Err(Error::new(ErrorKind::Conflict, message));
            }
            for statement in FORGET_NODE {
                sqlx::query(statement).bind(number).execute(&mut *connection).await?;
            }
            sqlx::query(COUNT_UP).execute(&mut *connection).await?;
        });
        Ok(true)
    }

    /// Forgets logs that were adopted for so long that nobody reads their objects any more, with their marks, and says how
    /// many. An epoch that is neither the present one of its node nor open is over.
    pub async fn forget_node_logs(&self, kept: Duration) -> Result<u64> {
        let before = self.database_time().await?.minus(kept).as_micros();
        let forgotten = write!(self, connection => {
            fence!(self, connection);
            sqlx::query(FORGET_MARKS).bind(before).execute(&mut *connection).await?;
            sqlx::query(FORGET_LOGS).bind(before).execute(&mut *connection).await?.rows_affected()
        });
        Ok(forgotten)
    }
}

fn used_up() -> Error {
    let message = "the numbers of nodes are used up: start nodes under names that they had before";
    Error::new(ErrorKind::LimitReached, message)
}
