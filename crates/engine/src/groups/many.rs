//! Very many groups of one key: rows are parted by a hash of their key, so that the table of a part stays near the
//! processor, and each part is grouped by one thread and cut to the first groups that are wanted. Where the rows of all
//! parts do not fit into memory, nothing is done here, and DataFusion groups and spills.

mod first;
mod keys;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, Int64Array, RecordBatch, UInt32Array};
use arrow_schema::SchemaRef;
use datafusion_execution::memory_pool::{MemoryConsumer, MemoryReservation};
use datafusion_expr::{EmitTo, GroupsAccumulator};
use datafusion_physical_expr::aggregate::AggregateFunctionExpr;
use datafusion_physical_plan::aggregates::AggregateMode;
use hashbrown::HashTable;
use tokio::task::JoinSet;

use self::first::First;
use self::keys::{AllBytes, Bytes, Hashes, Key};
use super::dense::places;
use super::{GroupedRows, Grouping, Totals};
use crate::expr::Typed;
use crate::leaf::{Leaf, columns_of};
use crate::scan::Scan;
use crate::types::arrow_type;
use crate::{Error, Result};

/// Into how many parts rows go, as a power of two.
const PARTS_BITS: u32 = 6;
const PARTS: usize = 1 << PARTS_BITS;

/// How many rows are grouped at once.
const BATCH_ROWS: usize = 16 * 1024;

/// What the threads share while rows are parted.
struct Parting {
    scan: Scan,
    /// The key, then what aggregates read.
    columns: Vec<Typed>,
    hashes: Hashes,
    /// Whether memory was not enough.
    is_given_up: AtomicBool,
}

/// The rows of one part that one thread has found: their keys, and block by block what aggregates read.
#[derive(Default)]
struct Part {
    keys: Vec<Key>,
    blocks: Vec<(usize, Vec<ArrayRef>)>,
}

/// What one thread has parted.
struct Parted {
    parts: Vec<Part>,
    bytes: Bytes,
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
        let mut parts: Vec<Vec<Part>> = std::iter::repeat_with(Vec::new).take(PARTS).collect();
        let (mut bytes, mut held) = (Vec::new(), Vec::new());
        for thread in threads {
            thread.parts.into_iter().zip(&mut parts).for_each(|(part, all)| all.push(part));
            bytes.push(thread.bytes);
            held.push(thread.memory);
        }
        let empty = Leaf::of_batches(Vec::new(), Arc::clone(&self.schema));
        let schema = self.aggregate(AggregateMode::Single, Arc::new(empty), 0)?.schema();
        Ok(Merging {
            parts: parts.into_iter().map(|part| std::sync::Mutex::new(Some(part))).collect(),
            next: AtomicUsize::new(0),
            bytes: AllBytes::new(bytes, kind),
            hashes: parting.hashes.clone(),
            aggregates: self.aggregates.clone(),
            arguments: self.aggregates.iter().map(|aggregate| places(aggregate)).collect(),
            first: First {
                order: self.order(&schema),
                plain: self.plan.order.first().filter(|(place, _)| !self.plan.is_json(*place)).copied(),
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
        let mut columns = batch.slice(0, kept).columns().to_vec();
        if let Some(texts) = columns[0].as_string_view_opt() {
            // The answer must not hold on to the texts of all groups.
            columns[0] = Arc::new(texts.gc());
        }
        Ok(Totals { batch: RecordBatch::try_new(batch.schema(), columns)?, groups })
    }
}

fn stopped(source: tokio::task::JoinError) -> Error {
    Error::Internal { message: format!("grouping stopped: {source}") }
}

impl Parting {
    async fn work(&self, thread: u32, memory: MemoryReservation) -> Result<(u32, Parted)> {
        let parts = std::iter::repeat_with(Part::default).take(PARTS).collect();
        let mut parted = Parted { parts, bytes: Bytes::default(), memory };
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
        let mut rows: Vec<Vec<u32>> = vec![Vec::new(); if arguments.is_empty() { 0 } else { PARTS }];
        let parts = &mut self.parts;
        let is_read = self.bytes.read(thread, key, hashes, |row, key| {
            let place = (hashes.of(key) >> (u64::BITS - PARTS_BITS)) as usize;
            parts[place].keys.push(key);
            if let Some(rows) = rows.get_mut(place) {
                rows.push(row as u32);
            }
        });
        for (part, rows) in self.parts.iter_mut().zip(rows).filter(|(_, rows)| !rows.is_empty()) {
            let rows = UInt32Array::from(rows);
            let taken = arguments.iter().map(|column| arrow_select::take::take(column, &rows, None));
            part.blocks.push((rows.len(), taken.collect::<std::result::Result<_, _>>()?));
        }
        let arrays = |part: &Part| -> usize {
            let arrays = part.blocks.iter().flat_map(|(_, arrays)| arrays);
            arrays.map(|array| array.get_array_memory_size()).sum()
        };
        let keys = |part: &Part| part.keys.capacity() * size_of::<Key>();
        // Growing arrays are there twice for a moment.
        let held: usize = self.parts.iter().map(|part| keys(part) * 3 / 2 + arrays(part)).sum();
        Ok(is_read && self.memory.try_resize(held + self.bytes.len() * 3 / 2).is_ok())
    }
}

/// What the threads share while parts are grouped.
struct Merging {
    parts: Vec<std::sync::Mutex<Option<Vec<Part>>>>,
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
        while let Some(part) = self.parts.get(self.next.fetch_add(1, Ordering::Relaxed)) {
            let part = part.lock().unwrap_or_else(std::sync::PoisonError::into_inner).take();
            let batch = self.grouped(part.unwrap_or_default(), &memory)?;
            groups += batch.num_rows() as u64;
            found.push(self.first.candidates(batch)?);
            if self.first.fetch.is_some() {
                found = vec![self.first.of(std::mem::take(&mut found), &self.schema).await?];
            } else {
                memory.try_grow(found.last().map_or(0, RecordBatch::get_array_memory_size))?;
            }
            tokio::task::yield_now().await;
        }
        Ok((found, groups))
    }

    /// The groups of one part.
    fn grouped(&self, threads: Vec<Part>, memory: &MemoryReservation) -> Result<RecordBatch> {
        let mut table = Table { places: HashTable::new(), keys: Vec::new() };
        let made = self.aggregates.iter().map(|aggregate| aggregate.create_groups_accumulator());
        let mut accumulators: Vec<Box<dyn GroupsAccumulator>> =
            made.collect::<std::result::Result<_, _>>()?;
        let ones: ArrayRef = Arc::new(Int64Array::from(vec![1; BATCH_ROWS]));
        let mut groups = Vec::with_capacity(BATCH_ROWS);
        for part in threads {
            let all = [(part.keys.len(), Vec::new())];
            let blocks = if part.blocks.is_empty() { &all[..] } else { &part.blocks };
            let mut start = 0;
            for (rows, arrays) in blocks {
                for offset in (0..*rows).step_by(BATCH_ROWS) {
                    let count = BATCH_ROWS.min(rows - offset);
                    groups.clear();
                    let keys = &part.keys[start + offset..start + offset + count];
                    groups.extend(keys.iter().map(|key| table.place(*key, &self.hashes, &self.bytes)));
                    for (accumulator, arguments) in accumulators.iter_mut().zip(&self.arguments) {
                        // The key is the first column; what is aggregated may be the key itself.
                        let mut values = Vec::with_capacity(arguments.len().max(1));
                        for place in arguments {
                            values.push(match place.checked_sub(1) {
                                Some(place) => arrays[place].slice(offset, count),
                                None => self.bytes.array(keys)?,
                            });
                        }
                        if values.is_empty() {
                            values.push(ones.slice(0, count));
                        }
                        accumulator.update_batch(&values, &groups, None, table.keys.len())?;
                    }
                }
                start += rows;
            }
        }
        let states: usize = accumulators.iter().map(|accumulator| accumulator.size()).sum();
        let held = states + table.keys.capacity() * (size_of::<Key>() + size_of::<u64>());
        memory.try_grow(held)?;
        let mut columns = vec![self.bytes.array(&table.keys)?];
        for accumulator in &mut accumulators {
            columns.push(accumulator.evaluate(EmitTo::All)?);
        }
        memory.shrink(held);
        Ok(RecordBatch::try_new(Arc::clone(&self.schema), columns)?)
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
