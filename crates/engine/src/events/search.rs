//! What a search for events may cost, and what it finds.

use std::sync::Arc;

use tidegauge_model::RowId;
use tokio::time::Instant;

use super::memory::Memory;

/// A found row: its id, the place of its block in the scan and its number there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) id: RowId,
    pub(super) block: u32,
    pub(super) row: u32,
}

/// What a search found, in the order of the answer.
#[derive(Debug, Default)]
pub(super) struct Finds {
    pub(super) rows: Vec<Found>,
    /// Where the search was cut because its time was over: everything before is in `rows`.
    pub(super) cut_at: Option<RowId>,
}

/// What a search may cost.
#[derive(Clone, Debug)]
pub(crate) struct Budget {
    pub(crate) threads: usize,
    pub(crate) deadline: Instant,
    pub(crate) seconds: u64,
    /// How many bytes the events may have; none where all of them are needed.
    pub(crate) answer_bytes_max: Option<usize>,
    /// What is found and read is taken from here.
    pub(crate) memory: Arc<Memory>,
}
