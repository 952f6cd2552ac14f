//! The memory of a list of events: what is found and what is read of it counts as the query's, for as long as it runs.

use std::sync::Arc;

use arrow_array::ArrayRef;
use arrow_array::cast::AsArray;
use datafusion_execution::memory_pool::{MemoryConsumer, MemoryLimit, MemoryPool, MemoryReservation};
use tidegauge_exec::expr::Allowance;

use crate::Result;
use crate::stretches::allowance;

/// What a list of events has taken of its query's memory.
#[derive(Debug)]
pub(crate) struct Memory {
    taken: MemoryReservation,
    pool: Arc<dyn MemoryPool>,
}

impl Memory {
    pub(crate) fn new(pool: &Arc<dyn MemoryPool>) -> Self {
        Self { taken: MemoryConsumer::new("events").register(pool), pool: Arc::clone(pool) }
    }

    /// Takes so many bytes more, or fails where the query may not have them.
    pub(crate) fn take(&self, bytes: usize) -> Result<()> {
        Ok(self.taken.try_grow(bytes)?)
    }

    pub(crate) fn give_back(&self, bytes: usize) {
        self.taken.shrink(bytes.min(self.taken.size()));
    }

    /// For expressions over so many rows.
    pub(super) fn allowance(&self, rows: usize) -> Allowance {
        allowance(&self.pool, rows)
    }

    /// How many bytes the query may have in all.
    pub(crate) fn max(&self) -> usize {
        match self.pool.memory_limit() {
            MemoryLimit::Finite(bytes) => bytes,
            MemoryLimit::Infinite | MemoryLimit::Unknown => usize::MAX,
        }
    }

    /// How many of those nobody has taken.
    pub(crate) fn left(&self) -> usize {
        self.max().saturating_sub(self.pool.reserved())
    }
}

/// Rows without what texts of other rows take: views of few would keep the texts of whole blocks in memory.
pub(super) fn alone(array: ArrayRef) -> ArrayRef {
    /// Less than this is not worth a copy.
    const BYTES_MIN: usize = 64 << 10;
    match array.as_string_view_opt() {
        Some(texts) => {
            let held: usize = texts.data_buffers().iter().map(|buffer| buffer.capacity()).sum();
            let is_much = held > BYTES_MIN && held / 2 > texts.total_buffer_bytes_used();
            if is_much { Arc::new(texts.gc()) } else { array }
        }
        None => array,
    }
}

/// About what values take in an answer.
pub(super) fn text_bytes(array: &ArrayRef, rows: usize) -> usize {
    match array.as_string_view_opt() {
        Some(texts) => texts.iter().map(|text| text.map_or(4, |text| text.len() + 4)).sum(),
        None => rows * 12,
    }
}
