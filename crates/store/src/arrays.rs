//! Arrow arrays of one typed column, made from the batches of the buffer or from sparse values. An event that lacks the
//! value has null there.

use std::sync::Arc;

use arrow_array::{
    Array, ArrayRef, BooleanArray, Float64Array, Int64Array, LargeStringArray,
    cast::AsArray,
    new_null_array,
    types::{Float64Type, Int64Type},
};
use arrow_buffer::{BooleanBuffer, Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::DataType;
use tidegauge_model::{Column, FieldKind, Texts, Values};

use crate::wal_batch::{BatchColumn, BatchValues, WalBatch};
use crate::{Error, Result};

/// How values of a kind lie in memory and on disk. Strings have 64-bit offsets, because many batches are put together.
pub(crate) fn data_type(kind: FieldKind) -> DataType {
    match kind {
        FieldKind::Boolean => DataType::Boolean,
        FieldKind::Integer => DataType::Int64,
        FieldKind::Float => DataType::Float64,
        FieldKind::String | FieldKind::Array | FieldKind::Map | FieldKind::LongInteger => DataType::LargeUtf8,
    }
}

pub(crate) fn nulls(kind: FieldKind, rows: usize) -> ArrayRef {
    new_null_array(&data_type(kind), rows)
}

/// One column of a batch, with a null for each event that lacks it.
pub(crate) fn of_batch(payload: &WalBatch, column: &BatchColumn) -> Result<ArrayRef> {
    let present = payload.present(column);
    let shape = Shape { rows: payload.rows(), present: present.as_deref() };
    match payload.values(column) {
        BatchValues::Boolean(values) => shape.booleans(|at| values[at] != 0),
        BatchValues::Integer(values) => Ok(Arc::new(Int64Array::new(shape.numbers(&values), shape.nulls()))),
        BatchValues::Float(values) => Ok(Arc::new(Float64Array::new(shape.numbers(&values), shape.nulls()))),
        BatchValues::Text { ends, bytes } => shape.texts(&ends, Buffer::from(payload.shared(bytes))),
    }
}

/// Sparse values as an array of so many rows.
pub(crate) fn of_column(column: &Column, rows: usize) -> Result<ArrayRef> {
    let present = (column.rows.len() < rows).then_some(column.rows.as_slice());
    let shape = Shape { rows, present };
    match &column.values {
        Values::Boolean(values) => shape.booleans(|at| values[at]),
        Values::Integer(values) => Ok(Arc::new(Int64Array::new(shape.numbers(values), shape.nulls()))),
        Values::Float(values) => Ok(Arc::new(Float64Array::new(shape.numbers(values), shape.nulls()))),
        Values::String(texts) | Values::Array(texts) | Values::Map(texts) | Values::LongInteger(texts) => {
            shape.texts(&texts.ends, Buffer::from_slice_ref(&texts.bytes))
        }
    }
}

/// Sparse values as an array of some rows: of fields that few rows have, most of what all rows take would be nulls.
pub(crate) fn of_column_at(column: &Column, rows: &[u32]) -> Result<ArrayRef> {
    let found =
        (0_u32..).zip(rows).filter_map(|(place, row)| Some((place, column.rows.binary_search(row).ok()?)));
    let (places, found): (Vec<u32>, Vec<usize>) = found.unzip();
    let texts = |texts: &Texts| {
        let mut some = Texts::default();
        found.iter().for_each(|at| some.push(texts.get(*at)));
        some
    };
    let values = match &column.values {
        Values::Boolean(values) => Values::Boolean(found.iter().map(|at| values[*at]).collect()),
        Values::Integer(values) => Values::Integer(found.iter().map(|at| values[*at]).collect()),
        Values::Float(values) => Values::Float(found.iter().map(|at| values[*at]).collect()),
        Values::String(all) => Values::String(texts(all)),
        Values::Array(all) => Values::Array(texts(all)),
        Values::Map(all) => Values::Map(texts(all)),
        Values::LongInteger(all) => Values::LongInteger(texts(all)),
    };
    of_column(&Column { field: Arc::clone(&column.field), rows: places, values }, rows.len())
}

/// The values that are there, as sparse values.
pub(crate) fn to_column(field: &Arc<str>, kind: FieldKind, array: &dyn Array) -> Result<Column> {
    let is_there = |row: &u32| array.is_valid(*row as usize);
    let count = u32::try_from(array.len()).map_err(|_| Error::corrupt("a segment has too many rows"))?;
    let rows: Vec<u32> = (0..count).filter(is_there).collect();
    let at = |row: &u32| *row as usize;
    let texts = || {
        let strings = array.as_string::<i64>();
        let mut texts = Texts::default();
        rows.iter().for_each(|row| texts.push(strings.value(at(row)).as_bytes()));
        texts
    };
    let values = match kind {
        FieldKind::Boolean => {
            Values::Boolean(rows.iter().map(|row| array.as_boolean().value(at(row))).collect())
        }
        FieldKind::Integer => {
            let numbers = array.as_primitive::<Int64Type>();
            Values::Integer(rows.iter().map(|row| numbers.value(at(row))).collect())
        }
        FieldKind::Float => {
            let numbers = array.as_primitive::<Float64Type>();
            Values::Float(rows.iter().map(|row| numbers.value(at(row))).collect())
        }
        FieldKind::String => Values::String(texts()),
        FieldKind::Array => Values::Array(texts()),
        FieldKind::Map => Values::Map(texts()),
        FieldKind::LongInteger => Values::LongInteger(texts()),
    };
    Ok(Column { field: Arc::clone(field), rows, values })
}

/// Where values stand among rows. Without row numbers, every row has one.
struct Shape<'a> {
    rows: usize,
    present: Option<&'a [u32]>,
}

impl Shape<'_> {
    fn nulls(&self) -> Option<NullBuffer> {
        let present = self.present?;
        let mut bits = vec![0_u8; self.rows.div_ceil(8)];
        for row in present {
            bits[*row as usize / 8] |= 1 << (row % 8);
        }
        Some(NullBuffer::new(BooleanBuffer::new(Buffer::from_vec(bits), 0, self.rows)))
    }

    fn numbers<T: arrow_buffer::ArrowNativeType>(&self, values: &[T]) -> ScalarBuffer<T> {
        let Some(present) = self.present else { return ScalarBuffer::from(values.to_vec()) };
        let mut spread = vec![T::default(); self.rows];
        for (row, value) in present.iter().zip(values) {
            spread[*row as usize] = *value;
        }
        ScalarBuffer::from(spread)
    }

    fn booleans(&self, value: impl Fn(usize) -> bool) -> Result<ArrayRef> {
        let Some(present) = self.present else {
            return Ok(Arc::new(BooleanArray::new(BooleanBuffer::collect_bool(self.rows, value), None)));
        };
        let mut bits = vec![false; self.rows];
        for (at, row) in present.iter().enumerate() {
            bits[*row as usize] = value(at);
        }
        Ok(Arc::new(BooleanArray::new(BooleanBuffer::from(bits), self.nulls())))
    }

    fn texts(&self, ends: &[u32], bytes: Buffer) -> Result<ArrayRef> {
        let mut offsets: Vec<i64> = Vec::with_capacity(self.rows + 1);
        offsets.push(0);
        match self.present {
            None => offsets.extend(ends.iter().map(|end| i64::from(*end))),
            Some(present) => {
                let mut last = 0;
                for (row, end) in present.iter().zip(ends) {
                    offsets.resize(*row as usize + 1, last);
                    last = i64::from(*end);
                    offsets.push(last);
                }
                offsets.resize(self.rows + 1, last);
            }
        }
        let offsets = OffsetBuffer::new(ScalarBuffer::from(offsets));
        Ok(Arc::new(LargeStringArray::try_new(offsets, bytes, self.nulls())?))
    }
}
