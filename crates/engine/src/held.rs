//! What a query has after it has run: its place, until the answer is written, and the memory of the answer, until it is
//! sent. Writing and sending are left to the server.

use std::sync::Arc;

use datafusion_execution::memory_pool::{MemoryConsumer, MemoryPool, MemoryReservation};

use crate::error::Result;
use crate::lanes::Place;
use crate::memory::QueryMemory;

/// Given back when the last of its copies is dropped. Of a query that nobody writes the answer of, it is nothing.
#[derive(Clone, Debug, Default)]
pub struct Held {
    #[expect(dead_code, reason = "it is there to be dropped")]
    place: Option<Arc<Place>>,
    memory: Option<Arc<AnswerMemory>>,
}

#[derive(Debug)]
struct AnswerMemory {
    taken: MemoryReservation,
    query: Arc<QueryMemory>,
}

impl Held {
    /// For an answer of so many bytes. No more is counted than the query ever had: columns may share their memory.
    pub(crate) fn new(place: Place, query: Arc<QueryMemory>, bytes: usize) -> Self {
        let pool: Arc<dyn MemoryPool> = Arc::clone(&query) as _;
        let taken = MemoryConsumer::new("answer").register(&pool);
        taken.grow(bytes.min(query.peak()));
        Self { place: Some(Arc::new(place)), memory: Some(Arc::new(AnswerMemory { taken, query })) }
    }

    /// Takes so many bytes more, or fails where the query may not have them.
    pub fn take(&self, bytes: usize) -> Result<()> {
        let Some(memory) = &self.memory else { return Ok(()) };
        memory.taken.try_grow(bytes).map_err(|_| memory.query.refusal())
    }

    /// What is left when the answer is dropped and so many bytes were made of it: their memory, and no place.
    pub fn written(&self, bytes: usize) -> Self {
        if let Some(memory) = &self.memory {
            memory.taken.resize(bytes.min(memory.taken.size()));
        }
        Self { place: None, memory: self.memory.clone() }
    }

    /// Gives so many bytes back, which were sent.
    pub fn sent(&self, bytes: usize) {
        if let Some(memory) = &self.memory {
            memory.taken.shrink(bytes.min(memory.taken.size()));
        }
    }
}
