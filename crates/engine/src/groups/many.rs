//! Very many groups of one key: rows are parted by a hash of their key, so that the table of a part stays near the
//! processor, and each part is grouped by one thread and cut to the first groups that are wanted. Where the rows of all
//! parts do not fit into memory, nothing is done here, and DataFusion groups and spills.

mod first;
mod keys;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use arrow_array::{Array, ArrayRef, Int64Array, RecordBatch, UInt32Array};
use arrow_schema::SchemaRef;
use datafusion_execution::memory_pool::{MemoryConsumer, MemoryReservation};
use datafusion_expr::EmitTo;
use datafusion_physical_expr::aggregate::AggregateFunctionExpr;
use datafusion_physical_plan::aggregates::AggregateMode;
use hashbrown::HashTable;
use tokio::task::JoinSet;

use self::first::First;
use self::keys::{AllBytes, Bytes, Hashes, Key};
use super::accumulators::{accumulators, places};
use super::{GroupedRows, Grouping, Totals, stopped};
use crate::Result;
use crate::expr::Typed;
use crate::leaf::columns_of;
use crate::scan::Scan;
use crate::types::arrow_type;

/// Into how many parts rows go, as a power of two.
const PARTS_BITS: u32 = 6;
const PARTS: usize = 1 << PARTS_BITS;

/// What the threads share while rows are parted.
struct Parting {
    scan: Scan,
    /// The key, then what aggregates read.
    columns: Vec<Typed>,
    hashes: Hashes,
    /// Whether memory was not enough.
    is_given_up: AtomicBool,
}

/// The rows of one block, those of one part side by side: their keys, and what aggregates read.
struct Block {
    keys: Vec<Key>,
    /// Where each part begins, and the last one ends.
    starts: [u32; PARTS + 1],
    arguments: Vec<ArrayRef>,
}

/// What one thread has parted.
struct Parted {
    blocks: Vec<Block>,
    bytes: Bytes,
    /// The bytes of the blocks.
    held: usize,
    memory: MemoryReservation,
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
            is_given_up: AtomicBool::new(false),
        });
        let mut running = JoinSet::new();
        for thread in 0..threads as u32 {
            let parting = Arc::clone(&parting);
            let memory = MemoryConsumer::new("parted rows").register(self.context.memory_pool());
            running.spawn(async move { parting.work(thread, memory).await });
        }
        let mut parted = Vec::with_capacity(threads);
        while let Some(done) = running.join_next().await {
            parted.push(done.map_err(stopped)??);
        }
        if parting.is_given_up.load(Ordering::Relaxed) {
            return Ok(None);
        }
        // Counted only now, because the rows are read again if this does not do.
        scan.counters.add(&parting.scan.counters);
        parted.sort_by_key(|(thread, _)| *thread);
        let merging = self.merging(parted.into_iter().map(|(_, parted)| parted), &parting, kind)?;
        self.merged_parts(&Arc::new(merging), threads).await.map(Some)
    }

    fn merging(
        &self,
        threads: impl Iterator<Item = Parted>,
        parting: &Parting,
        kind: arrow_schema::DataType,
    ) -> Result<Merging> {
        let (mut blocks, mut bytes, mut held) = (Vec::new(), Vec::new(), Vec::new());
        for thread in threads {
            blocks.extend(thread.blocks);
            bytes.push(thread.bytes);
            held.push(thread.memory);
        }
        let schema = self.schema_of(AggregateMode::Single, 0)?;
        Ok(Merging {
            blocks,
            next: AtomicUsize::new(0),
            bytes: AllBytes::new(bytes, kind.clone()),
            hashes: parting.hashes.clone(),
            aggregates: self.aggregates.clone(),
            arguments: self.aggregates.iter().map(|aggregate| places(aggregate)).collect(),
            first: First {
                order: self.order(&schema),
                plain: self.plan.order.first().filter(|(place, _)| !self.plan.is_json(*place)).copied(),
                has_keys_next: self.plan.order.len() == 1
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
            running.spawn(async move { merging.work(memory).await });
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
    async fn work(&self, thread: u32, memory: MemoryReservation) -> Result<(u32, Parted)> {
        let mut parted = Parted { blocks: Vec::new(), bytes: Bytes::default(), held: 0, memory };
        while !self.is_given_up.load(Ordering::Relaxed)
            && let Some(claim) = self.scan.claim()
        {
            if let Some(selected) = self.scan.select(claim).await? {
                let columns = columns_of(&self.scan, &self.columns, &selected).await?;
                if !parted.add(thread, &columns, &self.hashes)? {
                    self.is_given_up.store(true, Ordering::Relaxed);
                }
            }
            // Other queries have a turn between blocks.
            tokio::task::yield_now().await;
        }
        Ok((thread, parted))
    }
}

impl Parted {
    /// Takes over the rows of a block. False where memory is not enough.
    fn add(&mut self, thread: u32, columns: &[ArrayRef], hashes: &Hashes) -> Result<bool> {
        let (key, arguments) = (&columns[0], &columns[1..]);
        let Some(keys) = self.bytes.keys(thread, key, hashes) else { return Ok(false) };
        let parts: Vec<u8> =
            keys.iter().map(|key| (hashes.of(*key) >> (u64::BITS - PARTS_BITS)) as u8).collect();
        let mut starts = [0; PARTS + 1];
        parts.iter().for_each(|part| starts[usize::from(*part) + 1] += 1);
        for part in 0..PARTS {
            starts[part + 1] += starts[part];
        }
        let mut next = starts;
        let places: Vec<u32> = parts
            .iter()
            .map(|part| {
                let place = &mut next[usize::from(*part)];
                *place += 1;
                *place - 1
            })
            .collect();
        let mut parted = vec![0; keys.len()];
        places.iter().zip(&keys).for_each(|(place, key)| parted[*place as usize] = *key);
        let mut taken = Vec::with_capacity(arguments.len());
        if !arguments.is_empty() {
            let mut rows = vec![0; keys.len()];
            places.iter().enumerate().for_each(|(row, place)| rows[*place as usize] = row as u32);
            let rows = UInt32Array::from(rows);
            for column in arguments {
                taken.push(arrow_select::take::take(column, &rows, None)?);
            }
        }
        self.held += size_of_val(&parted[..]) + size_of::<Block>();
        self.held += taken.iter().map(|column| column.get_array_memory_size()).sum::<usize>();
        self.blocks.push(Block { keys: parted, starts, arguments: taken });
        Ok(self.memory.try_resize(self.held + self.bytes.len()).is_ok())
    }
}

/// What the threads share while parts are grouped.
struct Merging {
    blocks: Vec<Block>,
    next: AtomicUsize,
    bytes: AllBytes,
    hashes: Hashes,
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
            if part >= PARTS {
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
            tokio::task::yield_now().await;
        }
        Ok((found, groups))
    }

    /// The groups of one part that may be among the first, and how many there are.
    fn grouped(&self, part: usize, memory: &MemoryReservation) -> Result<(RecordBatch, u64)> {
        let mut table = Table { places: HashTable::new(), keys: Vec::new() };
        let mut accumulators = accumulators(&self.aggregates)?;
        let mut groups = Vec::new();
        for block in &self.blocks {
            let rows = block.starts[part] as usize..block.starts[part + 1] as usize;
            let keys = &block.keys[rows.clone()];
            groups.clear();
            groups.extend(keys.iter().map(|key| table.place(*key, &self.hashes, &self.bytes)));
            for (accumulator, arguments) in accumulators.iter_mut().zip(&self.arguments) {
                let values = self.values(block, arguments, rows.start, keys);
                accumulator.update_batch(&values, &groups, None, table.keys.len())?;
            }
        }
        let states: usize = accumulators.iter().map(|accumulator| accumulator.size()).sum();
        let held = states + table.keys.capacity() * (size_of::<Key>() + size_of::<u64>());
        memory.try_grow(held)?;
        let mut columns = Vec::with_capacity(accumulators.len());
        for accumulator in &mut accumulators {
            columns.push(accumulator.evaluate(EmitTo::All)?);
        }
        let of_keys =
            |left: u32, right: u32| self.bytes.compare(table.keys[left as usize], table.keys[right as usize]);
        let candidates = self.first.candidates(&columns, of_keys);
        let keys = match &candidates {
            None => self.bytes.array(table.keys.iter().copied()),
            Some(rows) => {
                for column in &mut columns {
                    *column = arrow_select::take::take(column, rows, None)?;
                }
                self.bytes.array(rows.values().iter().map(|row| table.keys[*row as usize]))
            }
        };
        columns.insert(0, keys);
        memory.shrink(held);
        Ok((RecordBatch::try_new(Arc::clone(&self.schema), columns)?, table.keys.len() as u64))
    }

    /// What an aggregate reads of some rows of a block.
    fn values(&self, block: &Block, arguments: &[usize], start: usize, keys: &[Key]) -> Vec<ArrayRef> {
        if arguments.is_empty() {
            return vec![Arc::new(Int64Array::from(vec![1; keys.len()]))];
        }
        // The key is the first column, and can be what is aggregated.
        let of = |place: &usize| match place.checked_sub(1) {
            Some(place) => block.arguments[place].slice(start, keys.len()),
            None => self.bytes.array(keys.iter().copied()),
        };
        arguments.iter().map(of).collect()
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
