//! What requests with events share: readers that know the fields of their dataset, and the memory that bodies may
//! take while they are read.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use tidegauge_admission::config::IngestLimits;
use tidegauge_ingest::{Limits, Reader};
use tidegauge_model::DatasetId;
use tidegauge_store::DatasetState;
use tokio::sync::Semaphore;

use super::gate::NewFields;
use super::usage::UsageCache;

/// A reader in the hands of a request.
pub(super) struct Lent {
    pub(super) reader: Box<Reader>,
    /// Of which generation of the dataset's fields it knows.
    generation: u64,
}

/// Memory is handed out in pieces of this size.
pub(super) const PIECE_BYTES: usize = 64 << 10;

/// A reader that keeps more than this is not worth keeping.
const READER_BYTES_MAX: usize = 12 << 20;

/// How many readers are kept.
const READERS_MAX: usize = 8;

/// Readers and memory for ingest.
pub struct IngestState {
    pub limits: IngestLimits,
    pub(super) memory: Semaphore,
    pub(super) usage: UsageCache,
    pub(super) new_fields: NewFields,
    readers: Mutex<HashMap<DatasetId, Pool>>,
}

#[derive(Default)]
struct Pool {
    /// Of which generation of the dataset's fields the readers know.
    generation: u64,
    #[expect(clippy::vec_box, reason = "a reader is large and goes from hand to hand")]
    idle: Vec<Box<Reader>>,
}

impl IngestState {
    pub fn new(limits: IngestLimits) -> Self {
        Self {
            memory: Semaphore::new(limits.memory_bytes / PIECE_BYTES),
            limits,
            usage: UsageCache::default(),
            new_fields: NewFields::default(),
            readers: Mutex::default(),
        }
    }

    /// How much of their memory bodies have taken that are being read.
    pub fn memory_held(&self) -> usize {
        let pieces = self.limits.memory_bytes / PIECE_BYTES;
        pieces.saturating_sub(self.memory.available_permits()) * PIECE_BYTES
    }

    /// A reader for a dataset, best one that has seen its events before.
    pub(super) fn reader(&self, dataset: Option<&Arc<DatasetState>>) -> Lent {
        // The generation that datasets begin with: the reader may become one of a dataset that is made meanwhile.
        let generation = dataset.map_or(0, |dataset| dataset.generation());
        let known = dataset.and_then(|dataset| self.take_idle(dataset, generation));
        let reader = known.unwrap_or_else(|| {
            Box::new(Reader::new(Limits {
                event_bytes_max: self.limits.max_event_bytes,
                columns_bytes_max: self.limits.memory_bytes,
                ..Limits::default()
            }))
        });
        Lent { reader, generation }
    }

    fn take_idle(&self, dataset: &DatasetState, generation: u64) -> Option<Box<Reader>> {
        let mut pools = self.readers.lock().unwrap_or_else(PoisonError::into_inner);
        pools.get_mut(dataset.id()).filter(|pool| pool.generation == generation)?.idle.pop()
    }

    pub(super) fn give_back(&self, dataset: &Arc<DatasetState>, Lent { reader, generation }: Lent) {
        // One that knows fields which were forgotten meanwhile would let them in without asking.
        if reader.retained_bytes() > READER_BYTES_MAX || generation != dataset.generation() {
            return;
        }
        let mut pools = self.readers.lock().unwrap_or_else(PoisonError::into_inner);
        let kept: usize = pools.values().map(|pool| pool.idle.len()).sum();
        if kept >= READERS_MAX && !pools.contains_key(dataset.id()) {
            // Others have not come back for theirs: make room for those who send now.
            pools.clear();
        }
        let pool = pools.entry(dataset.id().clone()).or_default();
        if pool.generation != generation {
            *pool = Pool { generation, idle: Vec::new() };
        }
        if pool.idle.len() < READERS_MAX {
            pool.idle.push(reader);
        }
    }
}

impl std::fmt::Debug for IngestState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("IngestDesk").field("limits", &self.limits).finish_non_exhaustive()
    }
}
