//! The engine: what all queries share. Threads, memory, the cache of columns and the places to run in.

use std::path::PathBuf;
use std::sync::Arc;

use tidegauge_store::Store;

use crate::{Answer, Question, Result};

/// What all queries together may use.
#[derive(Clone, Debug)]
pub struct EngineSettings {
    /// How many threads compute answers, apart from those that serve requests.
    pub threads: usize,
    /// Memory for all queries, in bytes, and the share that one of them may have.
    pub memory_bytes: usize,
    pub query_memory_bytes: usize,
    /// Memory for columns that are kept in decoded form.
    pub cache_bytes: usize,
    /// Where queries put what does not fit their memory. Emptied at start.
    pub spill_folder: PathBuf,
    /// How many queries of one lane run at once, and how many may wait.
    pub running_max: usize,
    pub waiting_max: usize,
}

/// Runs queries over a store.
#[derive(Debug)]
pub struct Engine {
    store: Arc<Store>,
    settings: EngineSettings,
}

impl Engine {
    pub fn new(store: Arc<Store>, settings: EngineSettings) -> Result<Self> {
        Ok(Self { store, settings })
    }

    /// Answers a question. Dropping the future stops the work.
    pub async fn run(&self, question: Question) -> Result<Answer> {
        let _ = (&self.store, &self.settings, question);
        Ok(Answer::default())
    }
}
