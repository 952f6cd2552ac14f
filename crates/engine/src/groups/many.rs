//! Very many groups: rows are parted by a hash of their key, so that the table of a part stays near the processor, and
//! each part is grouped by one thread and cut to the first groups that are wanted. Rows that do not fit into memory wait
//! for their part's turn on the disk. Where even the groups of a part do not fit, nothing is done here, and DataFusion
//! groups and spills.

mod first;
mod keys;
mod part;
mod part_groups;
mod parted;
mod spilled;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use arrow_array::RecordBatch;
use arrow_schema::DataType;
use datafusion_execution::memory_pool::{MemoryConsumer, MemoryLimit, MemoryReservation};
use datafusion_physical_plan::aggregates::AggregateMode;
use tidegauge_exec::expr::Typed;
use tidegauge_exec::types::arrow_type;
use tidegauge_store::Block;
use tokio::task::JoinSet;

use self::first::First;
use self::keys::Form;
use self::part::{PartedBlock, Parts};
use self::part_groups::{PartGroups, Wanted};
use self::parted::Parted;
use self::spilled::Spilled;
use super::accumulators::places;
use super::error::stopped;
use super::{GroupedRows, Grouping, Totals};
use crate::leaf::{evaluated, loaded};
use crate::scan::{Scan, Selected};
use crate::turns::{self, in_turns};
use crate::{Error, Result};

/// Where all groups are wanted, rows that take more than this part of what a query may have make room for them.
const ROOM_PART: usize = 4;

/// What the threads share while rows are parted.
struct Parting {
    scan: Scan,
    /// The keys, then what aggregates read.
    columns: Vec<Typed>,
    parts: Parts,
    /// Whether memory was not enough.
    is_given_up: AtomicBool,
}

impl Grouping<'_> {
    /// The first groups over all time; none where they have to be found in another way.
    pub(super) async fn many_totals(&self, rows: &GroupedRows, threads: usize) -> Result<Option<Totals>> {
        let GroupedRows::Scan(scan) = rows else { return Ok(None) };
        if !self.is_dense() || self.has_bucket || self.plan.keys.is_empty() || self.has_many_columns() {
            return Ok(None);
        }
        let form = Arc::new(Form::new(self.plan.keys.iter().map(|(_, key)| arrow_type(key.kind)).collect()));
        let parting = Arc::new(Parting {
            scan: scan.again(None),
            columns: self.columns.clone(),
            parts: Parts::of(scan.blocks.iter().map(Block::rows).sum()),
            is_given_up: AtomicBool::new(false),
        });
        let mut running = JoinSet::new();
        let count = threads as u32;
        for thread in 0..count {
            let parting = Arc::clone(&parting);
            let parted = Parted::new(thread, count, &form, parting.parts, &self.context);
            running.spawn(in_turns(async move { parting.work(parted).await }));
        }
        let mut parted = Vec::with_capacity(threads);
        while let Some(done) = running.join_next().await {
            parted.push(done.map_err(stopped)??);
        }
        if parting.is_given_up.load(Ordering::Relaxed) {
            return Ok(None);
        }
        if parted.iter().any(Parted::has_spilled) || self.needs_room_of(&parted) {
            // The groups of the parts need the memory.
            parted.iter_mut().try_for_each(Parted::spill)?;
        }
        parted.sort_by_key(|parted| parted.thread);
        let merging = self.merging(parted.into_iter(), parting.parts, form)?;
        let totals = match self.merged_parts(&Arc::new(merging), threads).await {
            Err(Error::Memory { .. }) => return Ok(None),
            totals => totals?,
        };
        // Counted only now, because the rows are read again if this does not do.
        scan.counters.add(&parting.scan.counters);
        Ok(Some(totals))
    }

    /// Whether rows in memory take the room of all groups that are wanted.
    fn needs_room_of(&self, parted: &[Parted]) -> bool {
        let MemoryLimit::Finite(bytes_max) = self.context.memory_pool().memory_limit() else { return false };
        self.fetched().is_none() && parted.iter().map(Parted::held).sum::<usize>() > bytes_max / ROOM_PART
    }

    fn merging(
        &self,
        threads: impl Iterator<Item = Parted>,
        parts: Parts,
        form: Arc<Form>,
    ) -> Result<Merging> {
        let (mut blocks, mut spilled, mut held) = (Vec::new(), Vec::new(), Vec::new());
        for thread in threads {
            blocks.extend(thread.blocks);
            spilled.extend(thread.spilled);
            held.push(thread.memory);
        }
        let schema = self.schema_of(AggregateMode::Single, 0)?;
        let is_float = self.plan.keys.iter().any(|(_, key)| arrow_type(key.kind) == DataType::Float64);
        Ok(Merging {
            blocks,
            spilled,
            next: AtomicUsize::new(0),
            parts,
            wanted: Wanted {
                first: First {
                    order: self.order(&schema),
                    keys: form.columns(),
                    plain: self.plan.order.first().filter(|(place, _)| !self.plan.is_json(*place)).copied(),
                    has_keys_next: form.columns() == 1
                        && matches!(self.plan.order.as_slice(), [_] | [_, (0, false)])
                        && !self.plan.is_json(0)
                        && !is_float,
                    fetch: self.fetched(),
                    context: Arc::clone(&self.context),
                },
                form,
                aggregates: self.aggregates.clone(),
                arguments: self.aggregates.iter().map(|aggregate| places(aggregate)).collect(),
                schema,
            },
            _held: held,
        })
    }

    /// Groups all parts, and sorts out the first of all.
    async fn merged_parts(&self, merging: &Arc<Merging>, threads: usize) -> Result<Totals> {
        let mut running = JoinSet::new();
        for _ in 0..threads {
            let merging = Arc::clone(merging);
            let memory = MemoryConsumer::new("groups").register(self.context.memory_pool());
            running.spawn(in_turns(async move { merging.work(memory).await }));
        }
        let (mut batches, mut groups) = (Vec::new(), 0);
        while let Some(done) = running.join_next().await {
            let (found, count) = done.map_err(stopped)??;
            batches.extend(found);
            groups += count;
        }
        let batch = merging.wanted.first.of(batches, &merging.wanted.schema).await?;
        let kept = batch.num_rows().min(self.plan.limit);
        Ok(Totals { batch: batch.slice(0, kept), groups })
    }
}

impl Parting {
    async fn work(&self, mut parted: Parted) -> Result<Parted> {
        while !self.is_given_up.load(Ordering::Relaxed)
            && let Some(claim) = self.scan.claim()
        {
            if let Some(selected) = self.scan.select(claim).await? {
                self.part_block(&mut parted, &selected).await?;
            }
            // Other queries have a turn between blocks.
            turns::pause().await;
        }
        Ok(parted)
    }

    /// Parts the rows of a block as they are computed: texts that a function made of all of them could be many times what
    /// the block is.
    async fn part_block(&self, parted: &mut Parted, selected: &Selected) -> Result<()> {
        let mut stretches = loaded(&self.scan, &self.columns, selected).await?;
        while let Some(columns) = stretches.next(&self.scan.pace, |rows, _| evaluated(&self.columns, rows))? {
            if !parted.add(&columns)? {
                self.is_given_up.store(true, Ordering::Relaxed);
                break;
            }
            turns::pause().await;
        }
        Ok(())
    }
}

/// What the threads share while parts are grouped.
struct Merging {
    blocks: Vec<PartedBlock>,
    spilled: Vec<Spilled>,
    next: AtomicUsize,
    parts: Parts,
    wanted: Wanted,
    /// What was counted for the parted rows, until they are gone.
    _held: Vec<MemoryReservation>,
}

impl Merging {
    /// The first groups of the parts that this thread has got, and how many groups there were.
    async fn work(&self, memory: MemoryReservation) -> Result<(Vec<RecordBatch>, u64)> {
        let (mut found, mut groups) = (Vec::new(), 0);
        loop {
            let part = self.next.fetch_add(1, Ordering::Relaxed);
            if part >= self.parts.count() {
                break;
            }
            let (batch, count) = self.grouped(part, &memory)?;
            groups += count;
            found.push(batch);
            let Wanted { first, schema, .. } = &self.wanted;
            if first.fetch.is_some() {
                found = vec![first.of(std::mem::take(&mut found), schema).await?];
            } else {
                memory.try_grow(found.last().map_or(0, RecordBatch::get_array_memory_size))?;
            }
            turns::pause().await;
        }
        Ok((found, groups))
    }

    /// The groups of one part that may be among the first, and how many there are.
    fn grouped(&self, part: usize, memory: &MemoryReservation) -> Result<(RecordBatch, u64)> {
        let mut groups = PartGroups::new(&self.wanted)?;
        let mut held = 0;
        let mut count = |groups: &PartGroups<'_>| {
            let bytes = groups.bytes();
            memory.try_grow(bytes.saturating_sub(held))?;
            held = held.max(bytes);
            Ok::<_, Error>(())
        };
        for block in &self.blocks {
            groups.add(&block.part(part))?;
            count(&groups)?;
        }
        for spilled in &self.spilled {
            for piece in spilled.pieces(part) {
                groups.add(&piece.read()?)?;
                count(&groups)?;
            }
        }
        let found = groups.first();
        memory.shrink(held);
        found
    }
}
