//! Who asks, and what waits for the answer: by these, places, threads and memory are shared out.

use std::sync::Arc;

/// Who asks. Organisations have the same right to places, threads and memory, and so have the callers of each.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Asker {
    pub org: Arc<str>,
    /// A token or a person, or what the organisation lets run by itself.
    pub caller: Arc<str>,
}

impl Asker {
    pub fn new(org: &str, caller: &str) -> Self {
        Self { org: Arc::from(org), caller: Arc::from(caller) }
    }
}

/// What waits for an answer. Each lane has its own places, so that none keeps the others from running.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Lane {
    #[default]
    Interactive,
    Monitor,
    Export,
}
