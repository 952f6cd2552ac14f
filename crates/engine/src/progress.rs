//! How far a query is, for who watches it while it runs. The scans count anyway; this only lets others read the counters.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::counters::Counters;

/// A window into a query that runs: whoever holds it sees how far the query is.
#[derive(Clone, Debug, Default)]
pub struct Progress(Arc<Mutex<Vec<Watched>>>);

/// What a query has done up to a moment. Later scans of the same query can still raise the totals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SoFar {
    pub rows_examined: u64,
    pub rows_matched: u64,
    /// Blocks that were read or left out.
    pub blocks_done: u64,
    pub blocks_total: u64,
    pub bytes_read: u64,
}

/// A scan of the query.
#[derive(Debug)]
struct Watched {
    counters: Arc<Counters>,
    blocks: u64,
}

impl Progress {
    pub fn so_far(&self) -> SoFar {
        let mut sum = SoFar::default();
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        for Watched { counters, blocks } in self.0.lock().unwrap_or_else(PoisonError::into_inner).iter() {
            sum.rows_examined += read(&counters.rows_examined);
            sum.rows_matched += read(&counters.rows_matched);
            sum.blocks_done += read(&counters.blocks_examined) + read(&counters.blocks_skipped);
            sum.blocks_total += blocks;
            sum.bytes_read += read(&counters.bytes_read);
        }
        sum
    }

    pub(crate) fn watch(&self, counters: &Arc<Counters>, blocks: usize) {
        let watched = Watched { counters: Arc::clone(counters), blocks: blocks as u64 };
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(watched);
    }
}
