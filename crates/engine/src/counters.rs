//! What the threads of a query did, as far as it is counted while they work.

use std::sync::PoisonError;
use std::sync::atomic::{AtomicU64, Ordering};

use hashbrown::HashSet;
use tidegauge_store::BlockId;

/// What the threads did, together.
#[derive(Debug, Default)]
pub(crate) struct Counters {
    pub(crate) rows_examined: AtomicU64,
    pub(crate) rows_matched: AtomicU64,
    pub(crate) blocks_examined: AtomicU64,
    pub(crate) blocks_skipped: AtomicU64,
    /// Blocks whose groups were kept from an earlier query.
    pub(crate) blocks_kept: AtomicU64,
    /// Blocks of which something was read from the disk.
    pub(crate) blocks_read: std::sync::Mutex<HashSet<BlockId>>,
    pub(crate) bytes_read: AtomicU64,
    /// About the bytes that columns would take, of a scan that only looks.
    pub(crate) bytes_decoded: AtomicU64,
    /// Time that the threads together spent on leaving blocks out, on reading columns and on the filter.
    pub(crate) nanos_skipping: AtomicU64,
    pub(crate) nanos_reading: AtomicU64,
    pub(crate) nanos_filtering: AtomicU64,
}

impl Counters {
    /// Counts what others did instead of what was done so far.
    pub(crate) fn set(&self, others: &Self) {
        let counts = [
            &self.rows_examined,
            &self.rows_matched,
            &self.blocks_examined,
            &self.blocks_skipped,
            &self.blocks_kept,
            &self.bytes_read,
            &self.nanos_skipping,
            &self.nanos_reading,
            &self.nanos_filtering,
        ];
        counts.into_iter().for_each(|count| count.store(0, Ordering::Relaxed));
        self.add(others);
    }

    /// Adds what others did to these.
    pub(crate) fn add(&self, others: &Self) {
        let add = |to: &AtomicU64, from: &AtomicU64| {
            to.fetch_add(from.load(Ordering::Relaxed), Ordering::Relaxed);
        };
        add(&self.rows_examined, &others.rows_examined);
        add(&self.rows_matched, &others.rows_matched);
        add(&self.blocks_examined, &others.blocks_examined);
        add(&self.blocks_skipped, &others.blocks_skipped);
        add(&self.blocks_kept, &others.blocks_kept);
        add(&self.bytes_read, &others.bytes_read);
        add(&self.nanos_skipping, &others.nanos_skipping);
        add(&self.nanos_reading, &others.nanos_reading);
        add(&self.nanos_filtering, &others.nanos_filtering);
        let read = others.blocks_read.lock().unwrap_or_else(PoisonError::into_inner).clone();
        self.blocks_read.lock().unwrap_or_else(PoisonError::into_inner).extend(read);
    }
}
