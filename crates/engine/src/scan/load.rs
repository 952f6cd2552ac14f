//! Reads columns of a block: from the cache, whole, or only the rows that are wanted where they are few.

use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};

use arrow_array::cast::AsArray;
use arrow_array::{Int64Array, StringArray, StringViewArray, UInt32Array};
use arrow_buffer::ScalarBuffer;
use arrow_select::take::take;
use tidegauge_cache::Kept;
use tidegauge_exec::InputColumn;
use tidegauge_exec::expr::{Codes, Input, Picked};
use tidegauge_exec::types::{arrow_type, type_of};
use tidegauge_model::{FieldKind, RowId};
use tidegauge_store::{Block, BlockColumn, Codes as StoredCodes, HeldOverflow};

use super::weight::{is_few, is_in_overflow, is_large};
use super::{Scan, templates, weight};
use crate::Result;
use crate::turns;

/// A question that reads more columns shows events, or is one of a kind.
const REST_FIELDS_MAX: usize = 16;

impl Scan {
    /// A column for the picked rows.
    pub(super) async fn input(&self, block: &Block, column: &InputColumn, picked: &Picked) -> Result<Input> {
        if let InputColumn::Field(field, kind) = column
            && !block.kinds(field).contains(*kind)
        {
            return Ok(Input::Absent(arrow_type(type_of(*kind))));
        }
        if let InputColumn::Template(field) = column
            && !block.kinds(field).contains(FieldKind::String)
        {
            return Ok(Input::Absent(arrow_type(type_of(FieldKind::String))));
        }
        // The buffer keeps its own arrays.
        let cache = self.cache.as_ref().filter(|_| !block.is_buffered());
        match cache.and_then(|cache| cache.get(block.id(), column)) {
            Some(Kept::Column(whole)) => return Ok(whole.pick(picked)?),
            Some(Kept::Texts(texts)) => return Ok(Input::Plain(texts.at(picked)?)),
            Some(Kept::Packed(texts)) => return unpacked(&texts, picked),
            Some(Kept::Narrow(numbers)) => return Ok(Input::Plain(numbers.at(picked))),
            Some(Kept::Templates(_)) | None => {}
        }
        let is_heavy = weight::is_heavy(block, column);
        if is_heavy && picked.count() < block.rows() {
            return self.few(block, column, &rows_of(picked)).await;
        }
        if is_few(picked.count(), block)
            && !block.is_buffered()
            && (cache.is_none() || is_large(block, column) || is_in_overflow(column, block))
            && !self.reads_whole_of_rest(block, column)
        {
            match picked {
                Picked::Rows(rows) => return self.few(block, column, rows).await,
                // A stretch is mostly asked for again, and is then found; not so where all fields of it are shown.
                Picked::Range(_) if is_in_overflow(column, block) => {
                    return self.few(block, column, &rows_of(picked)).await;
                }
                Picked::Range(_) => {}
            }
        }
        let mut whole = self.whole(block, column).await?;
        if let Some(cache) = cache.filter(|_| !is_heavy) {
            if matches!(column, InputColumn::Field(_, FieldKind::Integer)) {
                whole = whole.with_few_integers_coded();
            }
            templates::keep(cache, block, column, &whole);
        }
        Ok(whole.pick(picked)?)
    }

    /// Columns for the picked rows, of which no others are decoded but those that are kept already.
    pub(crate) async fn load_alone(
        &self,
        block: usize,
        places: &[usize],
        picked: &Picked,
    ) -> Result<Vec<Input>> {
        let block = &self.blocks[block];
        let rows = rows_of(picked);
        let mut inputs = self.absent_inputs();
        for place in places {
            let column = &self.inputs[*place];
            let is_kept = || self.cache.as_ref().is_some_and(|cache| cache.get(block.id(), column).is_some());
            inputs[*place] = match is_kept() {
                true => self.input(block, column, picked).await?,
                false => self.few(block, column, &rows).await?,
            };
            turns::pause().await;
        }
        Ok(inputs)
    }

    pub(super) fn absent_inputs(&self) -> Vec<Input> {
        vec![Input::Absent(arrow_schema::DataType::Null); self.inputs.len()]
    }

    /// Whether a column is decoded whole for so many rows of a block, if it is not kept.
    pub(super) fn is_read_whole(&self, block: &Block, column: &InputColumn, rows: usize) -> bool {
        let is_apart = is_few(rows, block)
            && (self.cache.is_none() || is_large(block, column) || is_in_overflow(column, block))
            && !self.reads_whole_of_rest(block, column);
        !block.is_buffered() && !is_apart && (rows == block.rows() || !weight::is_heavy(block, column))
    }

    /// Whether a field that has no column of its own is read for all rows, which costs as much as for a few, and is then
    /// kept. Where all fields of a few rows are wanted, those rows are read once for all fields.
    fn reads_whole_of_rest(&self, block: &Block, column: &InputColumn) -> bool {
        self.cache.is_some() && self.inputs.len() <= REST_FIELDS_MAX && is_in_overflow(column, block)
    }

    /// All fields without a column of their own, where many are read of many rows.
    pub(super) async fn held_rest(
        &self,
        block: &Block,
        places: &[usize],
        rows: usize,
    ) -> Result<Option<HeldOverflow>> {
        let in_rest = places.iter().filter(|place| is_in_overflow(&self.inputs[**place], block));
        if is_few(rows, block) || in_rest.count() <= REST_FIELDS_MAX {
            return Ok(None);
        }
        Ok(Some(block.hold_overflow().await?))
    }

    /// The times of a block's rows.
    pub(crate) async fn times(&self, block: &Block) -> Result<ScalarBuffer<i64>> {
        let all = Picked::Range(0..block.rows());
        match self.input(block, &InputColumn::Time, &all).await? {
            Input::Plain(array) => Ok(array.as_primitive::<arrow_array::types::Int64Type>().values().clone()),
            _ => Ok(ScalarBuffer::default()),
        }
    }

    pub(super) async fn whole(&self, block: &Block, column: &InputColumn) -> Result<Input> {
        let numbers = |values: ScalarBuffer<i64>| Input::Plain(Arc::new(Int64Array::new(values, None)));
        match column {
            InputColumn::Time => Ok(numbers(block.times().await?)),
            InputColumn::Arrival => Ok(numbers(block.arrivals().await?)),
            InputColumn::Sequence => Ok(numbers(signed(&block.sequences().await?))),
            InputColumn::Index => Ok(numbers(widened(&block.indexes().await?))),
            InputColumn::Cursor => {
                let rows: Vec<u32> = (0..block.rows() as u32).collect();
                cursors(block, &rows).await
            }
            InputColumn::Template(field) => Box::pin(self.template_column(block, field)).await,
            InputColumn::Field(field, kind) => {
                self.count_read(block, block.column_bytes(field, *kind));
                let column = block.column(field, *kind).await?;
                Ok(column.map_or_else(|| Input::Absent(arrow_type(type_of(*kind))), input_of))
            }
        }
    }

    async fn few(&self, block: &Block, column: &InputColumn, rows: &[u32]) -> Result<Input> {
        let numbers = |values: ScalarBuffer<i64>| Input::Plain(Arc::new(Int64Array::new(values, None)));
        match column {
            InputColumn::Time => Ok(numbers(block.times_at(rows).await?)),
            InputColumn::Arrival => Ok(numbers(block.arrivals_at(rows).await?)),
            InputColumn::Sequence => Ok(numbers(signed(&block.sequences_at(rows).await?))),
            InputColumn::Index => Ok(numbers(widened(&block.indexes_at(rows).await?))),
            InputColumn::Cursor => cursors(block, rows).await,
            InputColumn::Template(_) => Ok(self.whole(block, column).await?.take(rows)?),
            InputColumn::Field(field, kind) => {
                self.count_read(block, block.column_bytes(field, *kind));
                let array = block.column_at(field, *kind, rows).await?;
                Ok(array.map_or_else(|| Input::Absent(arrow_type(type_of(*kind))), Input::Plain))
            }
        }
    }

    pub(super) fn count_read(&self, block: &Block, bytes: u64) {
        if block.is_buffered() {
            return;
        }
        self.counters.bytes_read.fetch_add(bytes, Ordering::Relaxed);
        self.counters.blocks_read.lock().unwrap_or_else(PoisonError::into_inner).insert(block.id());
    }
}

fn rows_of(picked: &Picked) -> Vec<u32> {
    (0..picked.count()).map(|at| picked.row(at)).collect()
}

/// Some of the texts that are kept without views.
fn unpacked(texts: &StringArray, picked: &Picked) -> Result<Input> {
    let views = match picked {
        Picked::Range(range) => StringViewArray::from(&texts.slice(range.start, range.len())),
        Picked::Rows(rows) => {
            let taken = take(texts, &UInt32Array::from_iter_values(rows.iter().copied()), None)?;
            StringViewArray::from(taken.as_string::<i32>())
        }
    };
    Ok(Input::Plain(Arc::new(views)))
}

/// Numbers without a sign as numbers with one that are in the same order.
fn signed(sequences: &[u64]) -> ScalarBuffer<i64> {
    sequences.iter().map(|sequence| (*sequence ^ (1_u64 << 63)).cast_signed()).collect()
}

fn widened(indexes: &[u32]) -> ScalarBuffer<i64> {
    indexes.iter().map(|index| i64::from(*index)).collect()
}

/// The identities of rows as texts.
async fn cursors(block: &Block, rows: &[u32]) -> Result<Input> {
    let (times, sequences) = (block.times_at(rows).await?, block.sequences_at(rows).await?);
    let indexes = block.indexes_at(rows).await?;
    let ids = times.iter().zip(sequences.iter()).zip(indexes.iter());
    let texts = ids.map(|((time, sequence), index)| {
        Some(RowId { time: *time, sequence: *sequence, index: *index }.to_string())
    });
    Ok(Input::Plain(Arc::new(texts.collect::<StringViewArray>())))
}

/// A column as it comes from the store.
fn input_of(column: BlockColumn) -> Input {
    match column {
        BlockColumn::Plain(array) => Input::Plain(array),
        BlockColumn::Coded { codes, values, nulls } => {
            let codes = match codes {
                StoredCodes::U8(codes) => Codes::U8(codes),
                StoredCodes::U16(codes) => Codes::U16(codes),
                StoredCodes::U32(codes) => Codes::U32(codes),
            };
            Input::Coded { codes, values: Arc::new(values), nulls }
        }
    }
}
