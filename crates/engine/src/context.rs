//! What all that works for one query shares: what was asked, what it may use, what was done for it so far, and what a
//! person should know. Which stages there are is left to `pipeline`, and their order to `run`.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use datafusion_execution::TaskContext;
use datafusion_execution::memory_pool::MemoryReservation;
use tidegauge_bind::{Missing, Scope};
use tidegauge_cache::Columns;
use tidegauge_cache::partials::PartialCache;
use tidegauge_exec::Message;
use tidegauge_lang::tree::TimeRange;
use tidegauge_store::Store;
use tokio::time::Instant;

use crate::answer::Figures;
use crate::counters::Counters;
use crate::events::Memory;
use crate::external::External;
use crate::memory::QueryMemory;
use crate::question::Question;

/// A query with all it needs.
pub(crate) struct QueryContext {
    pub(crate) store: Arc<Store>,
    pub(crate) cache: Option<Columns>,
    pub(crate) partials: Option<Arc<PartialCache>>,
    pub(crate) context: Arc<TaskContext>,
    pub(crate) threads: usize,
    pub(crate) memory: Arc<QueryMemory>,
    pub(crate) question: Arc<Question>,
    pub(crate) began: Instant,
    pub(crate) work: Mutex<Work>,
    /// Whether there is an answer, which tells by itself what it took.
    pub(crate) is_answered: bool,
}

impl Drop for QueryContext {
    fn drop(&mut self) {
        if let Some(unanswered) = self.question.options.unanswered.as_ref().filter(|_| !self.is_answered) {
            let figures = self.figures(&Figures::default());
            unanswered.ended(&Figures { elapsed: self.began.elapsed(), ..figures });
        }
    }
}

/// What was done for a query so far.
#[derive(Debug, Default)]
pub(crate) struct Work {
    pub(crate) scans: Vec<Scanned>,
    pub(crate) messages: Vec<Message>,
    pub(crate) groups: u64,
    pub(crate) is_estimate: bool,
    /// Memory of rows that are kept until the query is over.
    pub(crate) held: Option<MemoryReservation>,
    /// The same of lists of events.
    pub(crate) lists: Vec<Arc<Memory>>,
    pub(crate) planning: Duration,
    pub(crate) finding: Duration,
    pub(crate) external: External,
}

/// One scan of a dataset.
#[derive(Debug)]
pub(crate) struct Scanned {
    pub(crate) dataset: String,
    /// The columns that it reads, in words.
    pub(crate) columns: String,
    pub(crate) range: TimeRange,
    pub(crate) counters: Arc<Counters>,
    /// Blocks that lie outside of the range.
    pub(crate) skipped: u64,
    pub(crate) segment_bytes: u64,
    pub(crate) has_unflushed: bool,
    pub(crate) times: Option<(i64, i64)>,
}

impl QueryContext {
    /// When the time of the query is over.
    pub(crate) fn deadline(&self) -> Instant {
        self.began + self.question.options.time_max
    }

    pub(crate) fn work(&self) -> MutexGuard<'_, Work> {
        self.work.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps what a scope noticed, for the person who asked.
    pub(crate) fn note(&self, scope: &Scope) {
        let missing = scope.missing().iter().cloned();
        let missing = missing.map(|Missing { name, near }| Message::MissingField { name, near });
        let failed = scope.failed().iter().cloned().map(Message::FailedField);
        for message in missing.chain(failed) {
            self.tell(message);
        }
    }

    pub(crate) fn tell(&self, message: Message) {
        let is_told = |known: &Message| match (known, &message) {
            // Of several tables each may have another field that could be meant.
            (Message::MissingField { name: known, .. }, Message::MissingField { name, .. }) => known == name,
            (known, message) => known == message,
        };
        let mut work = self.work();
        if !work.messages.iter().any(is_told) {
            work.messages.push(message);
        }
    }

    /// What all scans together did, beside what an answer says of itself.
    pub(crate) fn figures(&self, own: &Figures) -> Figures {
        let work = self.work();
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let mut figures = Figures {
            groups: work.groups,
            is_estimate: work.is_estimate || own.is_estimate,
            row_ids: own.row_ids,
            memory_peak: self.memory.peak() as u64,
            ..Figures::default()
        };
        for scan in &work.scans {
            let counters = &scan.counters;
            figures.rows_examined += read(&counters.rows_examined);
            figures.rows_matched += read(&counters.rows_matched);
            let examined = read(&counters.blocks_examined);
            let blocks_read =
                counters.blocks_read.lock().unwrap_or_else(PoisonError::into_inner).len() as u64;
            figures.blocks_examined += examined;
            figures.blocks_cached += examined.saturating_sub(blocks_read);
            figures.blocks_kept += read(&counters.blocks_kept);
            figures.blocks_skipped += read(&counters.blocks_skipped) + scan.skipped;
            figures.bytes_read += read(&counters.bytes_read);
            figures.bytes_decoded += read(&counters.bytes_decoded);
            figures.bytes_total += scan.segment_bytes;
            figures.has_unflushed |= scan.has_unflushed;
            figures.block_times = match (figures.block_times, scan.times) {
                (Some((first, last)), Some((from, to))) => Some((first.min(from), last.max(to))),
                (known, None) => known,
                (None, times) => times,
            };
        }
        figures
    }
}
