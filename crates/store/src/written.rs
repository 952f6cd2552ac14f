//! What is written and counts once it is published: segments in the object store, and what goes with them to the
//! catalogue.

use std::sync::Arc;

use tidegauge_catalog::ingest_keys::IngestKey;
use tidegauge_catalog::segments::NewSegment;

use crate::intents::Intent;

/// Segments that are in the object store and count once they are published.
#[derive(Debug, Default)]
pub(crate) struct Written {
    pub(crate) segments: Vec<NewSegment>,
    /// Says so to the next process if this one ends. There is none without segments, or on a full disk.
    pub(crate) intent: Option<Arc<Intent>>,
}

impl Written {
    /// Called when it is decided what becomes of the segments, and done.
    pub(crate) fn settle(&self) {
        self.intent.iter().for_each(|intent| intent.settle());
    }
}

/// Events of the buffer that are written as segments, which count once they are published.
#[derive(Debug)]
pub(crate) struct PendingCommit {
    pub(crate) written: Written,
    /// The last sequence that is in them.
    pub(crate) flushed: u64,
    pub(crate) keys: Vec<IngestKey>,
    /// Bytes by day.
    pub(crate) usage: Vec<(String, u64)>,
}
