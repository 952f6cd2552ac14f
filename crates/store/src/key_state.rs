//! What is known of an idempotency key of a dataset whose request is on its way, or whose events are in the buffer.

use tidegauge_model::Timestamp;
use tokio::sync::watch;

use crate::wal_batch::IdempotencyKey;

/// What is known of a key.
#[derive(Debug)]
pub(crate) enum KeyState {
    /// The first request is on its way. The channel closes when its holder has ended, well or not.
    InFlight(watch::Receiver<()>),
    Done {
        fingerprint: u64,
        answer: String,
        sequence: u64,
        at: Timestamp,
    },
}

impl KeyState {
    pub(crate) fn done(key: &IdempotencyKey, sequence: u64, at: Timestamp) -> Self {
        Self::Done { fingerprint: key.fingerprint, answer: key.answer.clone(), sequence, at }
    }

    pub(crate) fn is_done_by(&self, flushed: u64) -> bool {
        matches!(self, Self::Done { sequence, .. } if *sequence <= flushed)
    }
}
