//! The part of the shared memory that one request takes while its events are read, until they are stored, and how long
//! the request waits for that and for room in the buffer.

use std::time::Duration;

use tidegauge_model::ErrorKind;
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::Instant;

use super::state::PIECE_BYTES;
use crate::service::{Error, Result};

/// How long a body waits for memory before its sender is told to come back.
const MEMORY_WAIT: Duration = Duration::from_secs(5);

/// How long a hurried request waits altogether. Some senders have ten seconds for all their attempts: one that is soon
/// told to come back does so several times, and one that is kept waiting drops what it has.
const HURRIED_WAIT: Duration = Duration::from_secs(2);

/// How long a request waits for room, where events come in faster than they can be stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Patience {
    /// As long as the service lets it: its sender waits, or would not hear of a refusal.
    #[default]
    Patient,
    /// So briefly that its sender has time to come back.
    Hurried,
}

impl Patience {
    fn wait_max(self) -> Duration {
        match self {
            Self::Patient => Duration::MAX,
            Self::Hurried => HURRIED_WAIT,
        }
    }
}

/// How much a request may take beyond its part before it has to wait, because it cannot wait in the middle of a piece.
/// One that has more already may take as much again: lists grow to twice their size.
const OVERDRAFT_BYTES: u64 = 1 << 20;

/// What one request has taken.
pub(super) struct Memory<'a> {
    shared: &'a Semaphore,
    taken: Option<SemaphorePermit<'a>>,
    /// The first piece is free, so that small requests do not wait for large ones.
    bytes: u64,
    wait_left: Duration,
}

impl<'a> Memory<'a> {
    pub(super) fn of(shared: &'a Semaphore, patience: Patience) -> Self {
        Self { shared, taken: None, bytes: PIECE_BYTES as u64, wait_left: patience.wait_max() }
    }

    /// How long the request may still wait, for this and for other room.
    pub(super) fn wait_left(&self) -> Duration {
        self.wait_left
    }

    /// Notes that the request has waited for so long.
    pub(super) fn note_wait(&mut self, waited: Duration) {
        self.wait_left = self.wait_left.saturating_sub(waited);
    }

    /// Takes what a request has come to need, if it is there; `false` if the request may not go on without it.
    pub(super) fn try_take(&mut self, needed: u64) -> bool {
        self.try_take_within(needed, self.bytes)
    }

    /// The same for a body that is there already and unfolds: it may take `overdraft` more than there is and no more,
    /// however much it had until then. A few bytes can stand for any number of events.
    pub(super) fn try_take_within(&mut self, needed: u64, overdraft: u64) -> bool {
        let pieces = self.missing(needed);
        if pieces == 0 {
            return true;
        }
        match self.shared.try_acquire_many(pieces) {
            Ok(permit) => self.keep(permit, pieces),
            Err(_) => return needed <= self.bytes + overdraft.max(OVERDRAFT_BYTES),
        }
        true
    }

    /// Takes what a request has come to need, and waits for it.
    pub(super) async fn take(&mut self, needed: u64) -> Result<()> {
        let pieces = self.missing(needed);
        if pieces == 0 {
            return Ok(());
        }
        let begun = Instant::now();
        let wait = MEMORY_WAIT.min(self.wait_left);
        let wanted = tokio::time::timeout(wait, self.shared.acquire_many(pieces));
        let permit = wanted.await.map_err(|_| busy())?.map_err(|_| busy())?;
        self.note_wait(begun.elapsed());
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

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_a_hurried_request_has_waited_counts_for_all_of_its_waits() {
        let shared = Semaphore::new(1);
        let held = shared.try_acquire();
        let mut memory = Memory::of(&shared, Patience::Hurried);
        memory.note_wait(HURRIED_WAIT);
        assert_eq!(memory.wait_left(), Duration::ZERO);
        let needed = 2 * PIECE_BYTES as u64;
        assert!(memory.take(needed).await.is_err());
        drop(held);
        assert!(memory.take(needed).await.is_ok());
    }

    #[test]
    fn a_body_takes_as_much_again_and_no_more_where_there_is_no_memory() {
        let (shared, body, own) = (Semaphore::new(0), 4 * OVERDRAFT_BYTES, PIECE_BYTES as u64);
        let mut memory = Memory::of(&shared, Patience::Patient);
        assert!(memory.try_take_within(own + body, body));
        assert!(!memory.try_take_within(own + body + 1, body));
        assert!(memory.try_take_within(own + OVERDRAFT_BYTES, 0), "so much is for every request");
        assert!(!memory.try_take_within(own + OVERDRAFT_BYTES + 1, 0));
    }

    #[test]
    fn what_was_there_does_not_add_to_what_may_be_taken_beyond_it() {
        let pieces = 4 * OVERDRAFT_BYTES / PIECE_BYTES as u64;
        let shared = Semaphore::new(pieces as usize);
        let mut memory = Memory::of(&shared, Patience::Patient);
        let all = (pieces + 1) * PIECE_BYTES as u64;
        assert!(memory.try_take_within(all, 0));
        assert!(memory.try_take_within(all + OVERDRAFT_BYTES, 0));
        assert!(!memory.try_take_within(all + OVERDRAFT_BYTES + 1, 0));
    }
}
