//! One query from its tree to its answer: settle what it is made of, run, and tell what it took.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use datafusion_execution::TaskContext;
use datafusion_execution::memory_pool::MemoryReservation;
use hashbrown::HashSet;
use tidegauge_lang::tree::{Query, TimeRange};
use tidegauge_store::Store;
use tokio::time::Instant;

use crate::answer::{Figures, Message};
use crate::bind::{Lookup, Missing, Scope, Surroundings};
use crate::events::Memory;
use crate::explain::explained;
use crate::forget::Columns;
use crate::memory::QueryMemory;
use crate::partials::PartialCache;
use crate::pipeline::External;
use crate::scan::Counters;
use crate::{Answer, Error, Question, Result};

/// A query with all it needs.
pub(crate) struct Run {
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

impl Drop for Run {
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

impl Run {
    pub(crate) async fn answer(mut self) -> Result<Answer> {
        let seconds = self.question.options.time_max.as_secs();
        let question = Arc::clone(&self.question);
        let work = async {
            let mut query = question.query.clone();
            let around = self.surroundings(&mut query)?;
            self.fill_tables(&mut query, &around).await?;
            let segment = self.segment(&query, &around).await?;
            Ok::<_, Error>((segment, around))
        };
        // The timeout looks at the work before it looks at the clock.
        if Instant::now() >= self.deadline() {
            return Err(Error::Time { seconds });
        }
        let segment = tokio::time::timeout_at(self.deadline(), work).await;
        let (segment, around) = segment.map_err(|_| Error::Time { seconds })??;
        let mut answer = self.finish(segment).await?;
        if around.lookup.is_lacking() {
            self.tell(Message::NoPlaces);
        }
        around.notices.take().into_iter().for_each(|message| self.tell(message));
        let ended = Instant::now();
        let figures = self.figures(&answer.figures);
        answer.figures = Figures { elapsed: ended - self.began, ..figures };
        answer.messages = std::mem::take(&mut self.work().messages);
        if self.question.options.is_explained {
            let work = self.work();
            answer.explanation = Some(explained(&self.question.query, &work, &answer));
        }
        self.is_answered = true;
        Ok(answer)
    }

    /// When the time of the query is over.
    pub(crate) fn deadline(&self) -> Instant {
        self.began + self.question.options.time_max
    }

    pub(crate) fn work(&self) -> MutexGuard<'_, Work> {
        self.work.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What all expressions can use: the moment, values with names, and the length of buckets.
    fn surroundings(&self, query: &mut Query) -> Result<Surroundings> {
        let options = &self.question.options;
        let mut named = HashSet::new();
        crate::pipeline::add_names(query, &mut named);
        let mut around = Surroundings {
            now: options.now,
            named: Arc::new(named),
            lookup: Lookup::new(options.places.clone()),
            is_strict: self.question.is_strict,
            ..Surroundings::default()
        };
        for (name, expr) in &self.question.constants {
            // A name may be defined anew, by what it was before.
            let value = Scope::without_dataset(around.clone()).bind(expr)?;
            Arc::make_mut(&mut around.constants).insert(name.clone(), value);
        }
        around.auto_step = crate::pipeline::auto_step(query, &self.question, &around);
        Ok(around)
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
    fn figures(&self, own: &Figures) -> Figures {
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
