//! What is asked of the engine: a tree, the events it is asked of, and what the work may cost.

use std::sync::Arc;
use std::time::Duration;

use tidegauge_lang::tree::Query;
use tidegauge_store::DatasetState;

/// A query with all that running it needs.
#[derive(Clone, Debug)]
pub struct Question {
    pub query: Query,
    pub dataset: Arc<DatasetState>,
    pub options: Options,
}

/// How a query is run.
#[derive(Clone, Debug)]
pub struct Options {
    /// The moment that `now()` is, in nanoseconds since 1970.
    pub now: i64,
    pub lane: Lane,
    /// How long it may take. An answer that can be given in part is cut there.
    pub time_max: Duration,
    /// Reads everything anew and keeps nothing for others.
    pub bypasses_cache: bool,
    /// Tells what was planned and done.
    pub is_explained: bool,
    /// How many bytes the rows of the answer may have, about; the answer is cut there.
    pub answer_bytes_max: usize,
}

/// Who waits for an answer. Each lane has its own places, so that none keeps the others from running.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lane {
    Interactive,
    Monitor,
    Export,
}
