//! Very many groups of one key: rows are parted by a hash of their key, so that the table of a part stays near the
//! processor, and each part is grouped by one thread and cut to the first groups that are wanted. Rows that do not fit
//! into memory wait for their part's turn on the disk. Where even the groups of a part do not fit, nothing is done here,
//! and DataFusion groups and spills.

mod first;
mod keys;
mod part;
mod parted;
mod spilled;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use arrow_array::{ArrayRef, Int64Array, RecordBatch};
use arrow_schema::SchemaRef;
use datafusion_common::DataFusionError;
use datafusion_execution::memory_pool::{MemoryConsumer, MemoryReservation};
use datafusion_expr::{EmitTo, GroupsAccumulator};
use datafusion_physical_expr::aggregate::AggregateFunctionExpr;
use datafusion_physical_plan::aggregates::AggregateMode;
use hashbrown::HashTable;
use tidegauge_exec::expr::Typed;
use tidegauge_exec::types::arrow_type;
use tidegauge_store::Block;
use tokio::task::JoinSet;

use self::first::First;
use self::keys::{AllBytes, Hashes, Key};
use self::part::{PartedBlock, Parts, Rows};
use self::parted::Parted;
use self::spilled::Spilled;
use super::accumulators::{accumulators, places};
use super::error::stopped;
use super::{GroupedRows, Grouping, Totals};
use crate::leaf::{evaluated, loaded};
use crate::scan::{Scan, Selected};
use crate::turns::{self, in_turns};
use crate::{Error, Result};

/// How many groups a part may have: their places have 32 bits.
const PLACES_MAX: usize = u32::MAX as usize;

/// What the threads share while rows are parted.
struct Parting {
    scan: Scan,
    /// The key, then what aggregates read.
    columns: Vec<Typed>,
    hashes: Hashes,
    parts: Parts,
    /// Whether memory was not enough.
    is_given_up: AtomicBool,
}

impl Grouping<'_> {
    /// The first groups over all time; none where they have to be found in another way.
    pub(super) async fn many_totals(&self, rows: &GroupedRows, threads: usize) -> Result<Option<Totals>> {
        let (GroupedRows::Scan(scan), [(_, key)]) = (rows, self.plan.keys.as_slice()) else {
            return Ok(None);
        };
        if !self.is_dense() || self.has_bucket {
            return Ok(None);
        }
        let kind = arrow_type(key.kind);
        let parting = Arc::new(Parting {
            scan: scan.again(None),
            columns: self.columns.clone(),
            hashes: Hashes::new(&kind),
            parts: Parts::of(scan.blocks.iter().map(Block::rows).sum()),
            is_given_up: AtomicBool::new(false),
        });
        let mut running = JoinSet::new();
        for thread in 0..threads as u32 {
            let parting = Arc::clone(&parting);
            let parted = Parted::new(thread, parting.parts, &self.context);
            running.spawn(in_turns(async move { parting.work(parted).await }));
        }
        let mut parted = Vec::with_capacity(threads);
        while let Some(done) = running.join_next().await {
            parted.push(done.map_err(stopped)??);
        }
        if parting.is_given_up.load(Ordering::Relaxed) {
            return Ok(None);
        }
        if parted.iter().any(Parted::has_spilled) {
            // The groups of the parts need the memory.
            parted.iter_mut().try_for_each(Parted::spill)?;
        }
        parted.sort_by_key(|parted| parted.thread);
        let merging = self.merging(parted.into_iter(), &parting, kind)?;
        let totals = match self.merged_parts(&Arc::new(merging), threads).await {
            Err(Error::Memory { .. }) => return Ok(None),
            totals => totals?,
        };
        // Counted only now, because the rows are read again if this does not do.
        scan.counters.add(&parting.scan.counters);
        Ok(Some(totals))
    }

    fn merging(
        &self,
        threads: impl Iterator<Item = Parted>,
        parting: &Parting,
        kind: arrow_schema::DataType,
    ) -> Result<Merging> {
        let (mut blocks, mut spilled, mut bytes, mut held) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for thread in threads {
            blocks.extend(thread.blocks);
            spilled.extend(thread.spilled);
            bytes.push(thread.bytes);
            held.push(thread.memory);
        }
        let schema = self.schema_of(AggregateMode::Single, 0)?;
        Ok(Merging {
            blocks,
            spilled,
            next: AtomicUsize::new(0),
            bytes: AllBytes::new(bytes, kind.clone()),
            hashes: parting.hashes.clone(),
            parts: parting.parts,
            aggregates: self.aggregates.clone(),
            arguments: self.aggregates.iter().map(|aggregate| places(aggregate)).collect(),
            first: First {
                order: self.order(&schema),
                plain: self.plan.order.first().filter(|(place, _)| !self.plan.is_json(*place)).copied(),
                has_keys_next: matches!(self.plan.order.as_slice(), [_] | [_, (0, false)])
                    && !self.plan.is_json(0)
                    && kind != arrow_schema::DataType::Float64,
                fetch: self.fetched(),
                context: Arc::clone(&self.context),
            },
            schema,
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
        let batch = merging.first.of(batches, &merging.schema).await?;
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
            if !parted.add(&columns, &self.hashes)? {
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
    bytes: AllBytes,
    hashes: Hashes,
    parts: Parts,
    aggregates: Vec<Arc<AggregateFunctionExpr>>,
    arguments: Vec<Vec<usize>>,
    schema: SchemaRef,
    first: First,
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
            if self.first.fetch.is_some() {
                found = vec![self.first.of(std::mem::take(&mut found), &self.schema).await?];
            } else {
                memory.try_grow(found.last().map_or(0, RecordBatch::get_array_memory_size))?;
            }
            turns::pause().await;
        }
        Ok((found, groups))
    }

    /// The groups of one part that may be among the first, and how many there are.
    fn grouped(&self, part: usize, memory: &MemoryReservation) -> Result<(RecordBatch, u64)> {
        let mut groups = PartGroups::new(self)?;
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

    /// What an aggregate reads of some rows.
    fn values(&self, rows: &Rows<'_>, arguments: &[usize]) -> Vec<ArrayRef> {
        if arguments.is_empty() {
            return vec![Arc::new(Int64Array::from(vec![1; rows.keys.len()]))];
        }
        // The key is the first column, and can be what is aggregated.
        let of = |place: &usize| match place.checked_sub(1) {
            Some(place) => Arc::clone(&rows.arguments[place]),
            None => self.bytes.array(rows.keys.iter().copied()),
        };
        arguments.iter().map(of).collect()
    }
}

/// The groups of one part while its rows come.
struct PartGroups<'a> {
    merging: &'a Merging,
    table: Table,
    accumulators: Vec<Box<dyn GroupsAccumulator>>,
    /// The places of the rows that came last.
    places: Vec<usize>,
}

impl<'a> PartGroups<'a> {
    fn new(merging: &'a Merging) -> Result<Self> {
        let table = Table { places: HashTable::new(), keys: Vec::new() };
        Ok(Self { merging, table, accumulators: accumulators(&merging.aggregates)?, places: Vec::new() })
    }

    fn add(&mut self, rows: &Rows<'_>) -> Result<()> {
        let (merging, table) = (self.merging, &mut self.table);
        if table.keys.len() + rows.keys.len() > PLACES_MAX {
            // What memory is not enough for is grouped in another way.
            Err(DataFusionError::ResourcesExhausted("a part has too many groups".to_owned()))?;
        }
        self.places.clear();
        self.places.extend(rows.keys.iter().map(|key| table.place(*key, &merging.hashes, &merging.bytes)));
        for (accumulator, arguments) in self.accumulators.iter_mut().zip(&merging.arguments) {
            let values = merging.values(rows, arguments);
            accumulator.update_batch(&values, &self.places, None, table.keys.len())?;
        }
        Ok(())
    }

    fn bytes(&self) -> usize {
        let states: usize = self.accumulators.iter().map(|accumulator| accumulator.size()).sum();
        states + self.table.keys.capacity() * (size_of::<Key>() + size_of::<u64>())
    }

    /// Those that may be among the first, and how many there are.
    fn first(mut self) -> Result<(RecordBatch, u64)> {
        let (bytes, keys) = (&self.merging.bytes, &self.table.keys);
        let mut columns = Vec::with_capacity(self.accumulators.len() + 1);
        for accumulator in &mut self.accumulators {
            columns.push(accumulator.evaluate(EmitTo::All)?);
        }
        let of_keys = |left: u32, right: u32| bytes.compare(keys[left as usize], keys[right as usize]);
        let of_groups = match self.merging.first.candidates(&columns, of_keys) {
            None => bytes.array(keys.iter().copied()),
            Some(rows) => {
                for column in &mut columns {
                    *column = arrow_select::take::take(column, &rows, None)?;
                }
                bytes.array(rows.values().iter().map(|row| keys[*row as usize]))
            }
        };
        columns.insert(0, of_groups);
        let groups = keys.len() as u64;
        Ok((RecordBatch::try_new(Arc::clone(&self.merging.schema), columns)?, groups))
    }
}

/// The groups of a part, each with a place.
struct Table {
    places: HashTable<u32>,
    keys: Vec<Key>,
}

impl Table {
    fn place(&mut self, key: Key, hashes: &Hashes, bytes: &AllBytes) -> usize {
        let keys = &mut self.keys;
        let found = self.places.entry(
            hashes.of(key),
            |place| bytes.are_equal(keys[*place as usize], key),
            |place| hashes.of(keys[*place as usize]),
        );
        match found {
            hashbrown::hash_table::Entry::Occupied(place) => *place.get() as usize,
            hashbrown::hash_table::Entry::Vacant(free) => {
                let place = keys.len();
                free.insert(place as u32);
                keys.push(key);
                place
            }
        }
    }
}
