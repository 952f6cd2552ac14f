//! Rows beside their partners: the rows of a batch with the rows of a table that have the same key, in batches of bounded
//! length however many partners a row has. The table is in memory, kept by its keys; a key that is null belongs to
//! nothing. The plan that this is a step of is `leaf`'s.

use std::hash::BuildHasher;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use arrow_array::cast::AsArray;
use arrow_array::{
    Array, ArrayRef, RecordBatch, RecordBatchOptions, StringViewArray, UInt32Array, new_null_array,
};
use arrow_row::{RowConverter, Rows, SortField};
use arrow_schema::SchemaRef;
use datafusion_common::{DataFusionError, Result as DataFusionResult};
use hashbrown::{DefaultHashBuilder, HashTable};
use tidegauge_lang::tree::JoinKind;

use crate::Result;
use crate::own_rows;

/// How many rows a batch has at most, and about how many bytes of text where each row has its own.
const BATCH_ROWS: usize = 16 * 1024;
const BATCH_BYTES: usize = 16 << 20;

/// No further row. A table has fewer rows than this.
const NONE: u32 = u32::MAX;

/// A table by its keys.
pub(crate) struct Partners {
    batch: RecordBatch,
    keys: Rows,
    converter: RowConverter,
    /// The first row of each key, and for each row the next one with its key.
    first: HashTable<u32>,
    next: Vec<u32>,
    hasher: DefaultHashBuilder,
    /// The rows that were met by a row of the other side.
    met: Vec<AtomicBool>,
    pairing: Pairing,
}

/// How rows are put together.
#[derive(Clone, Debug)]
pub(crate) struct Pairing {
    pub(crate) kind: JoinKind,
    /// The columns with the keys, in the batches that look for partners and in the table.
    pub(crate) left_keys: Range<usize>,
    pub(crate) right_keys: Range<usize>,
    /// What is given of each side.
    pub(crate) left: Vec<Given>,
    pub(crate) right: Vec<Given>,
}

/// A column that is given.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Given {
    pub(crate) place: usize,
    /// Where there is no row, a text is empty rather than null.
    pub(crate) is_text: bool,
}

impl Partners {
    pub(crate) fn new(batch: RecordBatch, pairing: Pairing) -> Result<Self> {
        let columns = &batch.columns()[pairing.right_keys.clone()];
        let types = columns.iter().map(|column| SortField::new(column.data_type().clone()));
        let converter = RowConverter::new(types.collect())?;
        let keys = converter.convert_columns(columns)?;
        let hasher = DefaultHashBuilder::default();
        let rows = u32::try_from(batch.num_rows()).ok().filter(|rows| *rows < NONE);
        let rows = rows.ok_or_else(|| {
            DataFusionError::ResourcesExhausted("the right table of a join has too many rows".to_owned())
        })?;
        let hash = |row: u32| hasher.hash_one(keys.row(row as usize).data());
        let mut first: HashTable<u32> = HashTable::new();
        let mut next = vec![NONE; batch.num_rows()];
        // From the last row to the first, so that each is put before those that follow it.
        for row in (0..rows).rev() {
            if has_null(columns, row as usize) {
                continue;
            }
            let is_same = |other: &u32| keys.row(*other as usize) == keys.row(row as usize);
            match first.find_mut(hash(row), is_same) {
                Some(known) => next[row as usize] = std::mem::replace(known, row),
                None => {
                    first.insert_unique(hash(row), row, |row| hash(*row));
                }
            }
        }
        let met = (0..batch.num_rows()).map(|_| AtomicBool::new(false)).collect();
        Ok(Self { batch, keys, converter, first, next, hasher, met, pairing })
    }

    /// About how many bytes it takes beside its batch.
    pub(crate) fn bytes(&self) -> usize {
        self.keys.size() + self.first.allocation_size() + self.next.len() * 5
    }

    /// Whether rows of the table that no row meets are part of the result, or those that are met: they are known only
    /// at the end.
    pub(crate) fn waits_for_all(&self) -> bool {
        self.shown_at_end().is_some()
    }

    /// Which rows of the table follow at the end: those that were met, or those that were not.
    fn shown_at_end(&self) -> Option<bool> {
        match self.pairing.kind {
            JoinKind::RightOuter | JoinKind::FullOuter | JoinKind::RightAnti => Some(false),
            JoinKind::RightSemi => Some(true),
            _ => None,
        }
    }

    fn text_bytes(&self, row: u32) -> usize {
        own_rows::text_bytes(self.batch.columns(), row as usize)
    }

    /// The first row with this key.
    fn first_of(&self, key: &[u8]) -> Option<u32> {
        let found =
            self.first.find(self.hasher.hash_one(key), |row| self.keys.row(*row as usize).data() == key);
        found.copied()
    }

    /// Notes that the rows from this one on that have its key were met.
    fn meet(&self, first: u32) {
        if !self.waits_for_all() || self.met[first as usize].swap(true, Ordering::Relaxed) {
            return;
        }
        let mut row = self.next[first as usize];
        while row != NONE {
            self.met[row as usize].store(true, Ordering::Relaxed);
            row = self.next[row as usize];
        }
    }

    /// The rows of the result: of each side the row, or none.
    fn batch_of(&self, left: Option<&RecordBatch>, pairs: Pairs, schema: &SchemaRef) -> Result<RecordBatch> {
        let rows = pairs.left.len();
        let (lefts, rights) = (UInt32Array::from(pairs.left), UInt32Array::from(pairs.right));
        let mut arrays = Vec::with_capacity(schema.fields().len());
        let sides = [(&self.pairing.left, left, &lefts), (&self.pairing.right, Some(&self.batch), &rights)];
        for (given, batch, places) in sides {
            for given in given {
                let kind = schema.field(arrays.len()).data_type();
                arrays.push(match batch {
                    Some(batch) if places.null_count() < rows => {
                        let taken = arrow_select::take::take(batch.column(given.place), places, None)?;
                        if given.is_text && places.null_count() > 0 { filled(&taken, places) } else { taken }
                    }
                    _ if given.is_text => Arc::new(StringViewArray::from_iter_values(vec![""; rows])),
                    _ => new_null_array(kind, rows),
                });
            }
        }
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        Ok(RecordBatch::try_new_with_options(Arc::clone(schema), arrays, &options)?)
    }
}

impl std::fmt::Debug for Partners {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Partners: rows={}, kind={:?}", self.batch.num_rows(), self.pairing.kind)
    }
}

fn has_null(columns: &[ArrayRef], row: usize) -> bool {
    columns.iter().any(|column| column.is_null(row))
}

/// Texts that are empty where there is no row.
fn filled(texts: &ArrayRef, places: &UInt32Array) -> ArrayRef {
    let texts = texts.as_string_view().iter().enumerate();
    let filled = texts.map(|(row, text)| if places.is_null(row) { Some("") } else { text });
    Arc::new(filled.collect::<StringViewArray>())
}

/// Rows that belong together.
#[derive(Debug, Default)]
struct Pairs {
    left: Vec<Option<u32>>,
    right: Vec<Option<u32>>,
    /// The texts of both sides, where every pair has its own.
    bytes: usize,
}

impl Pairs {
    fn push(&mut self, left: Option<u32>, right: Option<u32>, bytes: usize) {
        self.left.push(left);
        self.right.push(right);
        self.bytes += bytes;
    }

    fn is_full(&self) -> bool {
        self.left.len() >= BATCH_ROWS || self.bytes >= BATCH_BYTES
    }
}

/// The rows of one batch while their partners are looked for.
pub(crate) struct Paired {
    partners: Arc<Partners>,
    schema: SchemaRef,
    batch: RecordBatch,
    keys: Rows,
    row: u32,
    /// The partner of the row that is next, where some were given already.
    goes_on: Option<u32>,
}

impl Paired {
    pub(crate) fn new(partners: &Arc<Partners>, batch: RecordBatch, schema: &SchemaRef) -> Result<Self> {
        let keys =
            partners.converter.convert_columns(&batch.columns()[partners.pairing.left_keys.clone()])?;
        let (partners, schema) = (Arc::clone(partners), Arc::clone(schema));
        Ok(Self { partners, schema, batch, keys, row: 0, goes_on: None })
    }

    fn next_batch(&mut self) -> Result<Option<RecordBatch>> {
        let mut pairs = Pairs::default();
        while (self.row as usize) < self.batch.num_rows() && !pairs.is_full() {
            let found = match self.goes_on.take() {
                Some(partner) => Some(partner),
                None => self.found(),
            };
            self.pair(found, &mut pairs);
            self.row += u32::from(self.goes_on.is_none());
        }
        if pairs.left.is_empty() {
            return Ok(None);
        }
        self.partners.batch_of(Some(&self.batch), pairs, &self.schema).map(Some)
    }

    /// The first partner of the row.
    fn found(&self) -> Option<u32> {
        let row = self.row as usize;
        if has_null(&self.batch.columns()[self.partners.pairing.left_keys.clone()], row) {
            return None;
        }
        let found = self.partners.first_of(self.keys.row(row).data());
        found.inspect(|first| self.partners.meet(*first))
    }

    /// The pairs of the row from a partner on, as far as there is room.
    fn pair(&mut self, found: Option<u32>, pairs: &mut Pairs) {
        let row = Some(self.row);
        let own = own_rows::text_bytes(self.batch.columns(), self.row as usize);
        match (self.partners.pairing.kind, found) {
            (JoinKind::InnerUnique, Some(first)) => {
                pairs.push(row, found, own + self.partners.text_bytes(first))
            }
            (JoinKind::LeftSemi, Some(_)) | (JoinKind::LeftAnti, None) => pairs.push(row, None, own),
            (JoinKind::LeftSemi | JoinKind::LeftAnti | JoinKind::RightSemi | JoinKind::RightAnti, _) => {}
            (JoinKind::LeftOuter | JoinKind::FullOuter, None) => pairs.push(row, None, own),
            (_, None) => {}
            (_, Some(first)) => {
                let mut partner = first;
                while partner != NONE && !pairs.is_full() {
                    pairs.push(row, Some(partner), own + self.partners.text_bytes(partner));
                    partner = self.partners.next[partner as usize];
                }
                self.goes_on = (partner != NONE).then_some(partner);
            }
        }
    }
}

impl Iterator for Paired {
    type Item = DataFusionResult<RecordBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_batch().map_err(|error| DataFusionError::External(Box::new(error))).transpose()
    }
}

/// The rows of the table that stand in the result by themselves, to be asked for when all rows have looked for their
/// partners.
pub(crate) struct Alone {
    partners: Arc<Partners>,
    schema: SchemaRef,
    row: u32,
}

impl Alone {
    pub(crate) fn new(partners: &Arc<Partners>, schema: &SchemaRef) -> Self {
        Self { partners: Arc::clone(partners), schema: Arc::clone(schema), row: 0 }
    }

    fn next_batch(&mut self) -> Result<Option<RecordBatch>> {
        let Some(is_met) = self.partners.shown_at_end() else { return Ok(None) };
        let mut pairs = Pairs::default();
        while (self.row as usize) < self.partners.met.len() && !pairs.is_full() {
            if self.partners.met[self.row as usize].load(Ordering::Relaxed) == is_met {
                pairs.push(None, Some(self.row), self.partners.text_bytes(self.row));
            }
            self.row += 1;
        }
        if pairs.right.is_empty() {
            return Ok(None);
        }
        self.partners.batch_of(None, pairs, &self.schema).map(Some)
    }
}

impl Iterator for Alone {
    type Item = DataFusionResult<RecordBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_batch().map_err(|error| DataFusionError::External(Box::new(error))).transpose()
    }
}
