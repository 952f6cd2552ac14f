//! What the buffer holds of a request until its events are in segments.

use crate::wal_batch::WalBatch;

/// The events of one request with their sequence.
#[derive(Clone, Debug)]
pub(crate) struct BufferedBatch {
    pub(crate) sequence: u64,
    pub(crate) payload: WalBatch,
}
