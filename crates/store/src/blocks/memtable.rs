//! Chunks of the memtable as blocks. The requests of a dataset are cut from the front into chunks of about equal
//! numbers of rows, so that a chunk stays the same while more requests come in behind it. What was sorted and built
//! of a chunk is cached until its requests move to segments; only the last one, which still grows, is built again.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arrow_array::{Array, ArrayRef};
use arrow_buffer::{ArrowNativeType, ScalarBuffer};
use hashbrown::HashMap;
use tidegauge_heap::Apart;
use tidegauge_model::FieldKind;

use super::column;
use super::gather::gather;
use super::id::{BlockId, TypeSet};
use crate::Result;
use crate::buffered_batch::BufferedBatch;
use crate::column_key::{ColumnKey, ColumnName};
use crate::merge::Merge;
use crate::merge_input::MergeInput;

/// So many rows, or the first request that reaches them, make a chunk.
const CHUNK_ROWS: usize = 16 * 1024;

/// So many bytes of columns are cached of a chunk, however little its requests take.
const CACHED_BYTES_MIN: usize = 1 << 20;

/// Requests that were cut together, in the order of time.
pub(crate) struct MemtableChunk {
    id: BlockId,
    merge: Merge,
    /// For each row of the merge its place in the order of time; absent when they are in that order.
    places: Option<Vec<u32>>,
    times: ScalarBuffer<i64>,
    arrivals: ScalarBuffer<i64>,
    sequences: ScalarBuffer<u64>,
    indexes: ScalarBuffer<u32>,
    columns: Mutex<Built>,
    /// How many bytes of columns are kept: as many as the requests take, so that what bounds the buffer bounds them.
    /// Columns of fields that few events have are mostly nulls, and there may be any number of them.
    cached_bytes_max: usize,
}

/// Columns that were built.
#[derive(Default)]
struct Built {
    columns: HashMap<ColumnKey, ArrayRef>,
    bytes: usize,
    /// They do not count as the query's that built them.
    apart: Vec<Apart>,
}

impl Built {
    fn keep(&mut self, key: ColumnKey, array: &ArrayRef, bytes_max: usize) {
        let bytes = array.get_array_memory_size();
        if self.bytes + bytes <= bytes_max && self.columns.insert(key, Arc::clone(array)).is_none() {
            self.bytes += bytes;
            self.apart.push(Apart::new(bytes));
        }
    }
}

/// What is cached of the chunks of one dataset.
#[derive(Debug, Default)]
pub(crate) struct MemtableChunks {
    dataset: u128,
    cached: Mutex<Cached>,
}

#[derive(Debug, Default)]
struct Cached {
    /// By the first sequence, with the last.
    chunks: HashMap<u64, (u64, Arc<MemtableChunk>)>,
    /// Requests up to this sequence have left the buffer.
    gone: u64,
}

impl MemtableChunks {
    pub(crate) fn new(dataset: u128) -> Self {
        Self { dataset, cached: Mutex::default() }
    }

    /// The chunks of these requests, which are all that the buffer held at some moment.
    pub(super) fn of(&self, batches: &[Arc<BufferedBatch>]) -> Result<Vec<Arc<MemtableChunk>>> {
        let mut chunks = Vec::new();
        for requests in cut(batches) {
            let [first, ..] = requests else { continue };
            let (first, last) =
                (first.sequence, requests.last().map_or(first.sequence, |last| last.sequence));
            let cached = self.lock().chunks.get(&first).filter(|(cached, _)| *cached == last).cloned();
            let chunk = match cached {
                Some((_, chunk)) => chunk,
                None => {
                    let id = BlockId::Buffer { dataset: self.dataset, first, last };
                    let chunk = Arc::new(MemtableChunk::new(id, requests)?);
                    self.keep(first, last, &chunk);
                    chunk
                }
            };
            if chunk.rows() > 0 {
                chunks.push(chunk);
            }
        }
        Ok(chunks)
    }

    /// Forgets chunks when requests up to a sequence leave the buffer: the others are cut anew then. They are given to
    /// the caller, who knows when there is time to drop them.
    pub(crate) fn evict(&self, gone: u64) -> Vec<Arc<MemtableChunk>> {
        let mut cached = self.lock();
        cached.gone = cached.gone.max(gone);
        cached.chunks.drain().map(|(_, (_, chunk))| chunk).collect()
    }

    fn keep(&self, first: u64, last: u64, chunk: &Arc<MemtableChunk>) {
        let mut cached = self.lock();
        // A reader that began earlier must bring nothing back, and must not put a shorter chunk over a longer one.
        let is_newer = cached.chunks.get(&first).is_none_or(|(other, _)| *other < last);
        if first > cached.gone && is_newer {
            cached.chunks.insert(first, (last, Arc::clone(chunk)));
        }
    }

    fn lock(&self) -> MutexGuard<'_, Cached> {
        self.cached.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Cuts requests from the front. Where a cut is depends on nothing that comes after it.
fn cut(batches: &[Arc<BufferedBatch>]) -> impl Iterator<Item = &[Arc<BufferedBatch>]> {
    let mut rest = batches;
    std::iter::from_fn(move || {
        let mut rows = 0;
        let reaches = |batch: &Arc<BufferedBatch>| {
            rows += batch.payload.rows();
            rows >= CHUNK_ROWS
        };
        let length = rest.iter().position(reaches).map_or(rest.len(), |last| last + 1);
        let (chunk, others) = rest.split_at(length);
        rest = others;
        (!chunk.is_empty()).then_some(chunk)
    })
}

impl MemtableChunk {
    fn new(id: BlockId, requests: &[Arc<BufferedBatch>]) -> Result<Self> {
        let bytes = requests.iter().map(|batch| batch.payload.bytes()).sum::<usize>();
        let with_rows = requests.iter().filter(|batch| batch.payload.rows() > 0);
        let merge = Merge::new(with_rows.map(|batch| MergeInput::Buffered(Arc::clone(batch))).collect())?;
        let identities = &merge.identities;
        let order = merge.order();
        let places = order.map(|order| {
            let mut places = vec![0; order.len()];
            (0_u32..).zip(order).for_each(|(place, row)| places[*row as usize] = place);
            places
        });
        Ok(Self {
            id,
            times: sorted(&identities.times, order),
            arrivals: sorted(&identities.arrivals, order),
            sequences: sorted(&identities.sequences, order),
            indexes: sorted(&identities.indexes, order),
            places,
            merge,
            columns: Mutex::default(),
            cached_bytes_max: bytes.max(CACHED_BYTES_MIN),
        })
    }

    pub(super) fn id(&self) -> BlockId {
        self.id
    }

    pub(super) fn rows(&self) -> usize {
        self.times.len()
    }

    pub(super) fn min_time(&self) -> i64 {
        self.times.first().copied().unwrap_or_default()
    }

    pub(super) fn max_time(&self) -> i64 {
        self.times.last().copied().unwrap_or_default()
    }

    pub(super) fn times(&self) -> &ScalarBuffer<i64> {
        &self.times
    }

    pub(super) fn arrivals(&self) -> &ScalarBuffer<i64> {
        &self.arrivals
    }

    pub(super) fn sequences(&self) -> &ScalarBuffer<u64> {
        &self.sequences
    }

    pub(super) fn indexes(&self) -> &ScalarBuffer<u32> {
        &self.indexes
    }

    pub(super) fn kinds(&self, field: &str) -> TypeSet {
        FieldKind::ALL.into_iter().filter(|kind| self.merge.contains(ColumnName(field, *kind))).collect()
    }

    pub(super) fn fields(&self, visit: &mut dyn FnMut(&str, TypeSet)) {
        let mut fields: HashMap<&str, TypeSet> = HashMap::new();
        for (field, kind) in self.merge.keys() {
            let kinds = fields.entry(field).or_default();
            *kinds = kinds.with(*kind);
        }
        fields.into_iter().for_each(|(field, kinds)| visit(field, kinds));
    }

    pub(super) fn column(&self, field: &str, kind: FieldKind) -> Result<Option<ArrayRef>> {
        let name = ColumnName(field, kind);
        if !self.merge.contains(name) {
            return Ok(None);
        }
        if let Some(array) = self.built().columns.get(&name) {
            return Ok(Some(Arc::clone(array)));
        }
        let array = gather(&self.merge, self.places.as_deref(), name)?;
        self.built().keep((Arc::from(field), kind), &array, self.cached_bytes_max);
        Ok(Some(array))
    }

    pub(super) fn column_at(&self, field: &str, kind: FieldKind, rows: &[u32]) -> Result<Option<ArrayRef>> {
        self.column(field, kind)?.map(|array| column::take(&array, rows)).transpose()
    }

    fn built(&self) -> MutexGuard<'_, Built> {
        self.columns.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl std::fmt::Debug for MemtableChunk {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Stretch").field("id", &self.id).field("rows", &self.rows()).finish_non_exhaustive()
    }
}

fn sorted<T: ArrowNativeType>(values: &[T], order: Option<&[u32]>) -> ScalarBuffer<T> {
    match order {
        Some(order) => order.iter().map(|row| values[*row as usize]).collect(),
        None => ScalarBuffer::from(values.to_vec()),
    }
}

#[cfg(test)]
mod tests;
