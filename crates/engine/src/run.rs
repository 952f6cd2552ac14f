//! One query from its tree to its answer: plan, find the blocks, run, and tell what it took.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError};

use datafusion_execution::TaskContext;
use tidegauge_lang::tree::TimeRange;
use tidegauge_store::{Block, Blocks, Store};
use tokio::time::Instant;

use crate::answer::Message;
use crate::cache::ColumnCache;
use crate::events::{self, Budget};
use crate::explain::{Spans, explained};
use crate::memory::QueryMemory;
use crate::plan::{EventOrder, GroupsPlan, Plan, Then};
use crate::scan::Scan;
use crate::{Answer, Error, Question, Result, groups};

/// A query with all it needs.
pub(crate) struct Run {
    pub(crate) store: Arc<Store>,
    pub(crate) cache: Option<Arc<ColumnCache>>,
    pub(crate) context: Arc<TaskContext>,
    pub(crate) threads: usize,
    pub(crate) memory: Arc<QueryMemory>,
    pub(crate) question: Question,
}

impl Run {
    pub(crate) async fn answer(self) -> Result<Answer> {
        let began = Instant::now();
        let plan = Plan::new(&self.question)?;
        let planned = Instant::now();
        let snapshot = self.question.dataset.snapshot();
        let Blocks { mut blocks, segment_bytes, skipped } =
            self.store.blocks(&snapshot, plan.range.start, plan.range.end).await?;
        let is_ascending = match &plan.then {
            Then::Events(events) => matches!(events.order, EventOrder::Time { is_descending: false }),
            Then::Groups(groups) => groups.is_ordered(),
        };
        if is_ascending {
            blocks.sort_by_key(Block::min_time);
        }
        let found = Instant::now();
        let has_unflushed = blocks.iter().any(Block::is_buffered);
        let times = blocks.iter().map(Block::min_time).min().zip(blocks.iter().map(Block::max_time).max());
        let mut scan = Scan::new(
            blocks,
            plan.range,
            plan.scope.inputs().to_vec(),
            plan.conditions.clone(),
            plan.prune.clone(),
            self.cache.clone(),
        );
        match &plan.then {
            Then::Events(events) => scan.rows = events::rows_after(events),
            Then::Groups(groups) => scan.split_for(self.threads_for(groups)),
        }
        let scan = Arc::new(scan);
        let mut answer = self.compute(&plan, &scan, began, times).await?;
        let ended = Instant::now();
        self.fill_figures(&mut answer, &scan, skipped);
        answer.figures.elapsed = ended - began;
        answer.figures.bytes_total = segment_bytes;
        answer.figures.has_unflushed = has_unflushed;
        answer.figures.block_times = times;
        answer.messages = plan.scope.missing().iter().cloned().map(Message::MissingField).collect();
        for table in &mut answer.tables {
            table.range = Some(plan.range);
        }
        if self.question.options.is_explained {
            let spans = Spans { planning: planned - began, finding: found - planned, running: ended - found };
            answer.explanation = Some(explained(&self.question.query, &plan, &scan, &answer, spans));
        }
        Ok(answer)
    }

    /// Lists are in the order of time only if one thread reads the rows.
    fn threads_for(&self, groups: &GroupsPlan) -> usize {
        if groups.is_ordered() { 1 } else { self.threads }
    }

    async fn compute(
        &self,
        plan: &Plan,
        scan: &Arc<Scan>,
        began: Instant,
        times: Option<(i64, i64)>,
    ) -> Result<Answer> {
        let options = &self.question.options;
        let deadline = began + options.time_max;
        let seconds = options.time_max.as_secs();
        match &plan.then {
            Then::Events(events) => {
                let budget = Budget {
                    threads: self.threads,
                    deadline,
                    seconds,
                    answer_bytes_max: options.answer_bytes_max,
                };
                events::run(events, scan, budget).await
            }
            Then::Groups(groups) => {
                // The timeout looks at the work before it looks at the clock.
                if Instant::now() >= deadline {
                    return Err(Error::Time { seconds });
                }
                let range_seconds = seconds_of(plan.range, times);
                let threads = self.threads_for(groups);
                let run = groups::run(groups, scan, Arc::clone(&self.context), threads, range_seconds);
                tokio::time::timeout_at(deadline, run).await.map_err(|_| Error::Time { seconds })?
            }
        }
    }

    fn fill_figures(&self, answer: &mut Answer, scan: &Scan, skipped: u64) {
        let counters = &scan.counters;
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let figures = &mut answer.figures;
        figures.rows_examined = read(&counters.rows_examined);
        figures.rows_matched = read(&counters.rows_matched);
        figures.blocks_examined = read(&counters.blocks_examined);
        figures.blocks_skipped = read(&counters.blocks_skipped) + skipped;
        let blocks_read = counters.blocks_read.lock().unwrap_or_else(PoisonError::into_inner).len() as u64;
        figures.blocks_cached = figures.blocks_examined.saturating_sub(blocks_read);
        figures.bytes_read = read(&counters.bytes_read);
        figures.memory_peak = self.memory.peak() as u64;
    }
}

/// How long the range is; an open one is as long as the events in it.
fn seconds_of(range: TimeRange, times: Option<(i64, i64)>) -> f64 {
    let (first, last) = times.unwrap_or((0, 0));
    let start = if range.start == i64::MIN { first } else { range.start };
    let end = if range.end == i64::MAX { last } else { range.end };
    ((end as f64 - start as f64) / 1e9).max(1e-9)
}
