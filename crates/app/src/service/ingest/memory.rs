//! The part of the shared memory that one request takes while its events are read, until they are stored.

use std::time::Duration;

use tidegauge_model::ErrorKind;
use tokio::sync::{Semaphore, SemaphorePermit};

use super::desk::PIECE_BYTES;
use crate::service::{Error, Result};

/// How long a body waits for memory before its sender is told to come back.
const MEMORY_WAIT: Duration = Duration::from_secs(5);

/// How much a request may take beyond its part before it has to wait, because it cannot wait in the middle of a piece.
/// One that has more already may take as much again: lists grow to twice their size.
const OVERDRAFT_BYTES: u64 = 1 << 20;

/// What one request has taken.
pub(super) struct Memory<'a> {
    shared: &'a Semaphore,
    taken: Option<SemaphorePermit<'a>>,
    /// The first piece is free, so that small requests do not wait for large ones.
    bytes: u64,
}

impl<'a> Memory<'a> {
    pub(super) fn of(shared: &'a Semaphore) -> Self {
        Self { shared, taken: None, bytes: PIECE_BYTES as u64 }
    }

    /// Takes what a request has come to need, if it is there; `false` if the request may not go on without it.
    pub(super) fn try_take(&mut self, needed: u64) -> bool {
        let pieces = self.missing(needed);
        if pieces == 0 {
            return true;
        }
        match self.shared.try_acquire_many(pieces) {
            Ok(permit) => self.keep(permit, pieces),
            Err(_) => return needed <= self.bytes + self.bytes.max(OVERDRAFT_BYTES),
        }
        true
    }

    /// Takes what a request has come to need, and waits for it.
    pub(super) async fn take(&mut self, needed: u64) -> Result<()> {
        let pieces = self.missing(needed);
        if pieces == 0 {
            return Ok(());
        }
        let wanted = tokio::time::timeout(MEMORY_WAIT, self.shared.acquire_many(pieces));
        let permit = wanted.await.map_err(|_| busy())?.map_err(|_| busy())?;
        self.keep(permit, pieces);
        Ok(())
    }

    fn missing(&self, needed: u64) -> u32 {
        let pieces = needed.saturating_sub(self.bytes).div_ceil(PIECE_BYTES as u64);
        u32::try_from(pieces).unwrap_or(u32::MAX)
    }

    fn keep(&mut self, permit: SemaphorePermit<'a>, pieces: u32) {
        self.bytes += u64::from(pieces) * PIECE_BYTES as u64;
        match &mut self.taken {
            Some(taken) => taken.merge(permit),
            None => self.taken = Some(permit),
        }
    }
}

pub(super) fn busy() -> Error {
    Error::new(ErrorKind::Unavailable, "more events come in than can be read at once: try again")
        .hint("nothing of this request was stored")
}
