//! Who has the lease, and what this process knows of having it. Taking it and giving it back is left to the module above.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use sqlx::FromRow;
use tidegauge_model::{ErrorKind, Timestamp};

use crate::counts::from_stored;
use crate::{Error, Result};

/// Who has the lease, or had it last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holder {
    pub node: String,
    pub host: String,
    pub process: u32,
    pub address: String,
    pub taken_at: Timestamp,
    pub ends_at: Timestamp,
}

impl Holder {
    /// Whether it stopped in good order, so that nobody has the lease.
    pub fn has_given_back(&self) -> bool {
        self.ends_at == Timestamp::from_micros(0)
    }
}

impl fmt::Display for Holder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let address = if self.address.is_empty() { "an unknown address" } else { &self.address };
        let (host, process, node, since) = (&self.host, self.process, &self.node, self.taken_at);
        write!(f, "the tidegauge at {address} (host {host}, process {process}, node {node}, since {since})")
    }
}

/// What this catalogue has of the lease.
#[derive(Debug, Default)]
pub(crate) struct Claim {
    held: Mutex<Option<(String, i64)>>,
    pub(super) is_lost: AtomicBool,
}

impl Claim {
    /// The epoch that must still be there; below zero if the lease was never taken here, and nobody may have it then.
    pub(crate) fn epoch(&self) -> i64 {
        self.held.lock().unwrap_or_else(PoisonError::into_inner).as_ref().map_or(-1, |(_, epoch)| *epoch)
    }

    /// That no other write log of this process uses the catalogue.
    pub(super) fn check(&self, node: &str) -> Result<()> {
        let held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        match &*held {
            Some((other, _)) if !other.is_empty() && other != node => {
                let message = "this process writes to the catalogue from another data folder: open it anew";
                Err(Error::new(ErrorKind::Conflict, message))
            }
            _ => Ok(()),
        }
    }

    pub(super) fn set(&self, node: &str, epoch: i64) {
        *self.held.lock().unwrap_or_else(PoisonError::into_inner) = Some((node.to_owned(), epoch));
        self.is_lost.store(false, Ordering::Release);
    }

    /// Why nothing is published.
    pub(crate) fn refuse(&self, row: LeaseRow) -> Error {
        let is_taken = self.epoch() >= 0;
        self.is_lost.store(is_taken, Ordering::Release);
        match row.read() {
            // Who it is, callers need not know: that is the cause, for the log.
            Ok(holder) if is_taken => {
                let message = "another process has taken the catalogue over: send it to that one";
                Error::caused(ErrorKind::Unavailable, message, lost(&holder))
            }
            Ok(holder) => {
                let message = format!("the catalogue is written to by {holder}: stop that one first");
                Error::new(ErrorKind::Conflict, message)
            }
            Err(error) => error,
        }
    }
}

fn lost(holder: &Holder) -> String {
    format!(
        "this process may not write any more, because it was silent for too long and {holder} has taken the catalogue \
         over: stop both and start one"
    )
}

#[derive(Debug, FromRow)]
pub(crate) struct LeaseRow {
    pub(super) node_id: String,
    pub(super) epoch: i64,
    host: String,
    process: i64,
    address: String,
    taken_at: i64,
    pub(super) ends_at: i64,
    pub(super) sequence_floor: i64,
}

impl LeaseRow {
    pub(super) fn read(self) -> Result<Holder> {
        Ok(Holder {
            process: from_stored("the process of the lease", self.process)?,
            node: self.node_id,
            host: self.host,
            address: self.address,
            taken_at: Timestamp::from_micros(self.taken_at),
            ends_at: Timestamp::from_micros(self.ends_at),
        })
    }
}
