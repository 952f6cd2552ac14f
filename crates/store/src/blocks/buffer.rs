//! Stretches of the buffer as blocks. The requests of a dataset are cut from the front into stretches of about equal
//! numbers of rows, so that a stretch stays the same while more requests come in behind it. What was sorted and built
//! of a stretch is kept until its requests move to segments; only the last one, which still grows, is built again.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arrow_array::{Array, ArrayRef};
use arrow_buffer::{ArrowNativeType, ScalarBuffer};
use hashbrown::HashMap;
use tidegauge_heap::Apart;
use tidegauge_model::FieldKind;

use super::column;
use super::gather::gather;
use super::id::{BlockId, Kinds};
use crate::Result;
use crate::merge::Merge;
use crate::part::{ColumnKey, ColumnName, Logged, Part};

/// So many rows, or the first request that reaches them, make a stretch.
const STRETCH_ROWS: usize = 16 * 1024;

/// So many bytes of columns are kept of a stretch, however little its requests take.
const KEPT_BYTES_MIN: usize = 1 << 20;

/// Requests that were cut together, in the order of time.
pub(crate) struct Stretch {
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
    kept_bytes_max: usize,
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

/// What is kept of the stretches of one dataset.
#[derive(Debug, Default)]
pub(crate) struct Stretches {
    dataset: u128,
    kept: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    /// By the first sequence, with the last.
    stretches: HashMap<u64, (u64, Arc<Stretch>)>,
    /// Requests up to this sequence have left the buffer.
    gone: u64,
}

impl Stretches {
    pub(crate) fn new(dataset: u128) -> Self {
        Self { dataset, kept: Mutex::default() }
    }

    /// The stretches of these requests, which are all that the buffer held at some moment.
    pub(super) fn of(&self, logged: &[Arc<Logged>]) -> Result<Vec<Arc<Stretch>>> {
        let mut stretches = Vec::new();
        for requests in cut(logged) {
            let [first, ..] = requests else { continue };
            let (first, last) =
                (first.sequence, requests.last().map_or(first.sequence, |last| last.sequence));
            let kept = self.lock().stretches.get(&first).filter(|(kept, _)| *kept == last).cloned();
            let stretch = match kept {
                Some((_, stretch)) => stretch,
                None => {
                    let id = BlockId::Buffer { dataset: self.dataset, first, last };
                    let stretch = Arc::new(Stretch::new(id, requests)?);
                    self.keep(first, last, &stretch);
                    stretch
                }
            };
            if stretch.rows() > 0 {
                stretches.push(stretch);
            }
        }
        Ok(stretches)
    }

    /// Forgets stretches when requests up to a sequence leave the buffer: the others are cut anew then. They are given to
    /// the caller, who knows when there is time to drop them.
    pub(crate) fn let_go(&self, gone: u64) -> Vec<Arc<Stretch>> {
        let mut kept = self.lock();
        kept.gone = kept.gone.max(gone);
        kept.stretches.drain().map(|(_, (_, stretch))| stretch).collect()
    }

    fn keep(&self, first: u64, last: u64, stretch: &Arc<Stretch>) {
        let mut kept = self.lock();
        // A reader that began earlier must bring nothing back, and must not put a shorter stretch over a longer one.
        let is_newer = kept.stretches.get(&first).is_none_or(|(other, _)| *other < last);
        if first > kept.gone && is_newer {
            kept.stretches.insert(first, (last, Arc::clone(stretch)));
        }
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Cuts requests from the front. Where a cut is depends on nothing that comes after it.
fn cut(logged: &[Arc<Logged>]) -> impl Iterator<Item = &[Arc<Logged>]> {
    let mut rest = logged;
    std::iter::from_fn(move || {
        let mut rows = 0;
        let reaches = |logged: &Arc<Logged>| {
            rows += logged.frame.rows();
            rows >= STRETCH_ROWS
        };
        let length = rest.iter().position(reaches).map_or(rest.len(), |last| last + 1);
        let (stretch, others) = rest.split_at(length);
        rest = others;
        (!stretch.is_empty()).then_some(stretch)
    })
}

impl Stretch {
    fn new(id: BlockId, requests: &[Arc<Logged>]) -> Result<Self> {
        let bytes = requests.iter().map(|logged| logged.frame.bytes()).sum::<usize>();
        let with_rows = requests.iter().filter(|logged| logged.frame.rows() > 0);
        let merge = Merge::new(with_rows.map(|logged| Part::Logged(Arc::clone(logged))).collect())?;
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
            kept_bytes_max: bytes.max(KEPT_BYTES_MIN),
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

    pub(super) fn kinds(&self, field: &str) -> Kinds {
        FieldKind::ALL.into_iter().filter(|kind| self.merge.contains(ColumnName(field, *kind))).collect()
    }

    pub(super) fn fields(&self, visit: &mut dyn FnMut(&str, Kinds)) {
        let mut fields: HashMap<&str, Kinds> = HashMap::new();
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
        self.built().keep((Arc::from(field), kind), &array, self.kept_bytes_max);
        Ok(Some(array))
    }

    pub(super) fn column_at(&self, field: &str, kind: FieldKind, rows: &[u32]) -> Result<Option<ArrayRef>> {
        self.column(field, kind)?.map(|array| column::take(&array, rows)).transpose()
    }

    fn built(&self) -> MutexGuard<'_, Built> {
        self.columns.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl std::fmt::Debug for Stretch {
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
