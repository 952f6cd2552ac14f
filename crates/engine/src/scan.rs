//! The scan: which rows of which blocks a query reads. Blocks are claimed one by one by the threads of a query; each is
//! left out by what is known of it, cut to the time range, and filtered column by column, cheapest test first, before
//! any other column is read. What becomes of the rows is left to `events` and `groups`.

mod after;
mod load;
mod templates;
mod texts;
mod weight;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use arrow_buffer::BooleanBuffer;
use tidegauge_cache::Columns;
use tidegauge_cache::templates::Searches;
use tidegauge_exec::InputColumn;
use tidegauge_exec::expr::{Input, Picked, Typed};
use tidegauge_lang::tree::TimeRange;
use tidegauge_store::Block;
use tokio::sync::Mutex;
use tokio::time::Instant;

pub(crate) use after::After;

use crate::Result;
use crate::arrived::Arrived;
use crate::counters::Counters;
use crate::prune::Prune;
use crate::stretches::{Pace, Stretches};
use crate::turns;

/// What one query reads, shared by its threads.
#[derive(Debug)]
pub(crate) struct Scan {
    /// In the order in which they are read.
    pub(crate) blocks: Vec<Block>,
    pub(crate) range: TimeRange,
    /// Where the wanted rows begin, in the order of time.
    pub(crate) after: Option<After>,
    /// The requests that the wanted rows came with; all where nothing is said.
    pub(crate) arrived: Option<Arrived>,
    /// Whether blocks are only looked at: what would be read of them is counted, and no row passes.
    pub(crate) is_dry: bool,
    pub(crate) inputs: Vec<InputColumn>,
    /// Conditions that must all be true, cheapest first.
    pub(crate) conditions: Vec<Typed>,
    pub(crate) prune: Prune,
    pub(crate) cache: Option<Columns>,
    /// For how many rows expressions are computed at once.
    pub(crate) pace: Arc<Pace>,
    /// What answers tests of texts by their templates.
    searches: Searches,
    pub(crate) counters: Arc<Counters>,
    /// The places of the inputs that are read of rows that passed, as far as it is known before.
    pub(crate) read: Vec<usize>,
    /// Into how many parts each block is cut for the threads; one where there are blocks enough for all.
    parts: usize,
    /// Held while a column of a block is read that more than one thread needs, one for each block.
    reading: Vec<Mutex<()>>,
    next: AtomicUsize,
}

/// A block, or a part of it, that one thread reads.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Claim {
    pub(crate) place: usize,
    pub(crate) part: usize,
}

/// The rows of a block that passed.
#[derive(Debug)]
pub(crate) struct Selected {
    /// The place of the block in the scan.
    pub(crate) place: usize,
    pub(crate) picked: Picked,
}

impl Scan {
    pub(crate) fn new(
        blocks: Vec<Block>,
        range: TimeRange,
        inputs: Vec<InputColumn>,
        mut conditions: Vec<Typed>,
        prune: Prune,
        cache: Option<Columns>,
        pace: Pace,
    ) -> Self {
        conditions.sort_by_key(Typed::cost);
        Self {
            blocks,
            range,
            after: None,
            arrived: None,
            is_dry: false,
            inputs,
            conditions,
            prune,
            cache,
            pace: Arc::new(pace),
            searches: Searches::default(),
            counters: Arc::default(),
            read: Vec::new(),
            parts: 1,
            reading: Vec::new(),
            next: AtomicUsize::new(0),
        }
    }

    /// Cuts blocks into parts when there are so few that threads would have nothing to do, or so many columns that those
    /// of a block would not fit.
    pub(crate) fn split_for(&mut self, threads: usize, read: Vec<usize>) {
        /// Enough for the last thread not to be waited for long.
        const PARTS_FOR_EACH: usize = 4;
        /// Smaller parts would cost more than they bring.
        const PARTS_MAX: usize = 8;
        let wanted = threads.saturating_mul(PARTS_FOR_EACH);
        self.read = read;
        let by_columns = self.parts_by_columns();
        if threads > 1 && !self.blocks.is_empty() && self.blocks.len() < wanted {
            self.parts = wanted.div_ceil(self.blocks.len()).min(PARTS_MAX);
        }
        self.parts = self.parts.max(by_columns);
        if self.parts > 1 {
            self.reading = self.blocks.iter().map(|_| Mutex::default()).collect();
        }
    }

    /// The same blocks with other columns, for reading rows that were found.
    pub(crate) fn with_inputs(&self, inputs: Vec<InputColumn>) -> Self {
        Self {
            blocks: self.blocks.clone(),
            range: self.range,
            after: None,
            arrived: None,
            is_dry: self.is_dry,
            inputs,
            conditions: Vec::new(),
            prune: Prune::Any,
            cache: self.cache.clone(),
            pace: Arc::clone(&self.pace),
            searches: Searches::default(),
            counters: Arc::clone(&self.counters),
            read: Vec::new(),
            parts: 1,
            reading: Vec::new(),
            next: AtomicUsize::new(0),
        }
    }

    /// The same scan from its beginning, with one more condition. What it does is not counted again.
    pub(crate) fn again(&self, condition: Option<Typed>) -> Self {
        Self {
            conditions: self.conditions.iter().cloned().chain(condition).collect(),
            prune: self.prune.clone(),
            after: self.after,
            arrived: self.arrived,
            searches: Searches::default(),
            counters: Arc::default(),
            read: self.read.clone(),
            parts: self.parts,
            reading: self.reading.iter().map(|_| Mutex::default()).collect(),
            ..self.with_inputs(self.inputs.clone())
        }
    }

    /// The same scan with blocks that are not cut into parts.
    pub(crate) fn uncut(self) -> Self {
        Self { parts: 1, reading: Vec::new(), ..self }
    }

    /// The same scan over some of its blocks.
    pub(crate) fn of_blocks(&self, blocks: Vec<Block>) -> Self {
        let conditions = self.conditions.clone();
        let (prune, after, arrived) = (self.prune.clone(), self.after, self.arrived);
        Self { blocks, conditions, prune, after, arrived, ..self.with_inputs(self.inputs.clone()) }
    }

    /// Whether all rows of a block lie in the range, so that what becomes of them does not depend on it.
    pub(crate) fn has_whole(&self, block: &Block) -> bool {
        let is_all = self.after.is_none() && self.arrived.is_none();
        is_all && self.range.start <= block.min_time() && self.range.contains(block.max_time())
    }

    /// Claims the next block, or part of one, for the calling thread.
    pub(crate) fn claim(&self) -> Option<Claim> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let claim = Claim { place: number / self.parts, part: number % self.parts };
        (claim.place < self.blocks.len()).then_some(claim)
    }

    /// The rows of a block that pass; none where the block can be left out.
    pub(crate) async fn select(&self, Claim { place, part }: Claim) -> Result<Option<Selected>> {
        let block = &self.blocks[place];
        let began = Instant::now();
        let may_pass = self.prune.may_pass(block).await?;
        add_since(&self.counters.nanos_skipping, began);
        // A block counts once, however many parts it is cut into.
        let one = u64::from(part == 0);
        if !may_pass {
            self.counters.blocks_skipped.fetch_add(one, Ordering::Relaxed);
            return Ok(None);
        }
        if self.is_dry {
            self.look_at(place, one);
            return Ok(None);
        }
        let mut picked = self.in_range(block).await?;
        if let Some(arrived) = self.arrived {
            picked = arrived.keep(block, picked).await?;
        }
        if self.parts > 1 {
            let (count, parts) = (picked.count() as u128, self.parts as u128);
            let at = |part: usize| (count * part as u128 / parts) as usize;
            picked = picked.slice(at(part)..at(part + 1));
        }
        self.counters.blocks_examined.fetch_add(one, Ordering::Relaxed);
        self.counters.rows_examined.fetch_add(picked.count() as u64, Ordering::Relaxed);
        for condition in &self.conditions {
            if picked.count() == 0 {
                break;
            }
            picked = match self.decided(place, condition, &picked).await? {
                Some(decided) => self.kept_of_open(place, condition, picked, decided).await?,
                None => {
                    let passes = self.passes(place, condition, &picked).await?;
                    picked.keep(&passes)
                }
            };
        }
        self.counters.rows_matched.fetch_add(picked.count() as u64, Ordering::Relaxed);
        Ok((picked.count() > 0).then_some(Selected { place, picked }))
    }

    /// Which of the picked rows of a block a condition is true for.
    async fn passes(&self, place: usize, condition: &Typed, picked: &Picked) -> Result<BooleanBuffer> {
        if let Some(passes) = self.having_only_text(place, condition, picked) {
            return Ok(passes);
        }
        let places = condition.inputs();
        if self.are_too_many(place, &places) {
            let parts = condition.disjuncts();
            if parts.len() > 1 {
                return self.any_passes(place, &parts, picked).await;
            }
        }
        let portions = self.portions(place, &places, picked);
        let mut passed: Vec<BooleanBuffer> = Vec::with_capacity(portions.len());
        for portion in portions {
            let inputs = self.load(place, &places, &portion).await?;
            let mut stretches = Stretches::new(inputs, portion.count());
            loop {
                let began = Instant::now();
                let passes = stretches.next(&self.pace, |rows, _| Ok(condition.is_true(rows)?))?;
                add_since(&self.counters.nanos_filtering, began);
                let Some(passes) = passes else { break };
                passed.push(passes);
                turns::pause().await;
            }
        }
        Ok(match passed.as_slice() {
            [only] => only.clone(),
            parts => parts.iter().flat_map(BooleanBuffer::iter).collect(),
        })
    }

    /// Which of the picked rows of a block one of many conditions is true for: their columns are read one after the other,
    /// because all of them would not fit.
    async fn any_passes(&self, place: usize, parts: &[Typed], picked: &Picked) -> Result<BooleanBuffer> {
        let places = Typed::inputs_of(parts);
        let _held = self.held_rest(&self.blocks[place], &places, picked.count()).await?;
        let mut passed = BooleanBuffer::new_unset(picked.count());
        for part in parts {
            let passes = Box::pin(self.passes(place, part, picked)).await?;
            passed = &passed | &passes;
        }
        Ok(passed)
    }

    /// The inputs at these places for the picked rows of a block; the others are absent.
    pub(crate) async fn load(&self, block: usize, places: &[usize], picked: &Picked) -> Result<Vec<Input>> {
        let began = Instant::now();
        if self.are_read_alone(block, places, picked.count()) {
            // Boxed: it is rare, and would make every caller's future larger.
            let inputs = Box::pin(self.load_alone(block, places, picked)).await?;
            add_since(&self.counters.nanos_reading, began);
            return Ok(inputs);
        }
        let _turn = match self.reading.get(block) {
            Some(reading) => Some(reading.lock().await),
            None => None,
        };
        let block = &self.blocks[block];
        let _held = self.held_rest(block, places, picked.count()).await?;
        let mut inputs = self.absent_inputs();
        for place in places {
            inputs[*place] = self.input(block, &self.inputs[*place], picked).await?;
            // A column of many rows takes some milliseconds, and a list of events shows all that there are.
            turns::pause().await;
        }
        add_since(&self.counters.nanos_reading, began);
        Ok(inputs)
    }

    /// The rows of a block in the time range and after the cursor. Rows are in the order of time.
    async fn in_range(&self, block: &Block) -> Result<Picked> {
        let (min_time, max_time) = (block.min_time(), block.max_time());
        if self.after.is_some_and(|after| after.is_behind_all(min_time, max_time)) {
            return Ok(Picked::Range(0..0));
        }
        let is_in_range = self.range.start <= min_time && self.range.contains(max_time);
        if is_in_range && self.after.is_none_or(|after| after.is_before_all(min_time, max_time)) {
            return Ok(Picked::Range(0..block.rows()));
        }
        let times = self.times(block).await?;
        let from = times.partition_point(|time| *time < self.range.start);
        let to = times.partition_point(|time| self.range.contains(*time) || *time < self.range.start);
        match self.after {
            Some(after) => after.cut(block, &times, from, to).await,
            None => Ok(Picked::Range(from..to.max(from))),
        }
    }
}

fn add_since(count: &AtomicU64, began: Instant) {
    let nanos = u64::try_from(began.elapsed().as_nanos()).unwrap_or(u64::MAX);
    count.fetch_add(nanos, Ordering::Relaxed);
}
