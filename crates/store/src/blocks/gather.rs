//! Builds a column of a chunk of the memtable from its batches. Many requests have one event, so that an array for each
//! of them would cost far more than the values: they are put into their places in one go.

use std::sync::Arc;

use arrow_array::builder::make_view;
use arrow_array::{ArrayRef, BooleanArray, Float64Array, Int64Array, StringViewArray};
use arrow_buffer::{BooleanBuffer, BooleanBufferBuilder, Buffer, NullBuffer, ScalarBuffer};
use tidegauge_model::{ErrorKind, FieldKind};

use super::column::is_text;
use crate::column_key::ColumnName;
use crate::merge::Merge;
use crate::merge_input::MergeInput;
use crate::wal_batch::{BatchColumn, BatchValues, WalBatch};
use crate::{Error, Result};

/// How many bytes of text are in one buffer; places in it have 32 bits, of which readers take one for a sign.
const BUFFER_BYTES_MAX: usize = 1 << 30;

/// A column over all rows of a merge of batches. `places` gives for each row its place in the order of time, if the
/// rows are not in that order already.
pub(super) fn gather(merge: &Merge, places: Option<&[u32]>, column: ColumnName<'_>) -> Result<ArrayRef> {
    let mut gathered = Gathered {
        places,
        present: BooleanBufferBuilder::new(merge.rows()),
        numbers: Vec::new(),
        views: Vec::new(),
        strings: Vec::new(),
        buffers: Vec::new(),
    };
    gathered.present.append_n(merge.rows(), false);
    match is_text(column.1) {
        true => gathered.views.resize(merge.rows(), 0),
        false => gathered.numbers.resize(merge.rows(), 0),
    }
    for (base, input, place) in merge.occurrences(column) {
        let MergeInput::Buffered(batch) = input else {
            return Err(Error::new(ErrorKind::Internal, "the buffer holds something else than requests"));
        };
        let payload = &batch.payload;
        gathered.add(base, payload, &payload.columns()[place])?;
    }
    gathered.finish(column.1)
}

/// The values so far.
struct Gathered<'a> {
    places: Option<&'a [u32]>,
    present: BooleanBufferBuilder,
    /// The bits of integers and floats, and booleans as 0 or 1.
    numbers: Vec<u64>,
    views: Vec<u128>,
    /// The buffer that is being filled, and those that are full.
    strings: Vec<u8>,
    buffers: Vec<Buffer>,
}

impl Gathered<'_> {
    fn add(&mut self, base: usize, payload: &WalBatch, column: &BatchColumn) -> Result<()> {
        let rows = payload.present(column);
        let row = |at: usize| base + rows.as_ref().map_or(at, |rows| rows[at] as usize);
        match payload.values(column) {
            BatchValues::Boolean(values) => {
                values.iter().enumerate().for_each(|(at, value)| self.put(row(at), u64::from(*value != 0)));
            }
            BatchValues::Integer(values) => {
                values.iter().enumerate().for_each(|(at, value)| self.put(row(at), value.cast_unsigned()));
            }
            BatchValues::Float(values) => {
                values.iter().enumerate().for_each(|(at, value)| self.put(row(at), value.to_bits()));
            }
            BatchValues::Text { ends, bytes } => {
                let (block, offset) = self.append(bytes)?;
                let mut start = 0;
                for (at, end) in ends.iter().enumerate() {
                    let text = &bytes[start as usize..*end as usize];
                    let place = self.mark(row(at));
                    self.views[place] = make_view(text, block, offset + start);
                    start = *end;
                }
            }
        }
        Ok(())
    }

    /// Copies strings to the others, and says where they begin.
    fn append(&mut self, bytes: &[u8]) -> Result<(u32, u32)> {
        if self.strings.len() + bytes.len() > BUFFER_BYTES_MAX && !self.strings.is_empty() {
            self.buffers.push(Buffer::from_vec(std::mem::take(&mut self.strings)));
        }
        let place = u32::try_from(self.buffers.len()).ok().zip(u32::try_from(self.strings.len()).ok());
        let place = place.ok_or_else(|| Error::new(ErrorKind::Internal, "too much text in a request"))?;
        self.strings.extend_from_slice(bytes);
        Ok(place)
    }

    fn put(&mut self, row: usize, bits: u64) {
        let place = self.mark(row);
        self.numbers[place] = bits;
    }

    /// Notes that a row has a value, and says where it belongs.
    fn mark(&mut self, row: usize) -> usize {
        let place = self.places.map_or(row, |places| places[row] as usize);
        self.present.set_bit(place, true);
        place
    }

    fn finish(mut self, kind: FieldKind) -> Result<ArrayRef> {
        let nulls = Some(NullBuffer::new(self.present.finish())).filter(|nulls| nulls.null_count() > 0);
        let numbers = self.numbers;
        Ok(match kind {
            FieldKind::Boolean => {
                let values = BooleanBuffer::collect_bool(numbers.len(), |row| numbers[row] != 0);
                Arc::new(BooleanArray::new(values, nulls))
            }
            FieldKind::Integer => {
                Arc::new(Int64Array::new(ScalarBuffer::from(Buffer::from_vec(numbers)), nulls))
            }
            FieldKind::Float => {
                Arc::new(Float64Array::new(ScalarBuffer::from(Buffer::from_vec(numbers)), nulls))
            }
            FieldKind::String | FieldKind::Array | FieldKind::Map | FieldKind::LongInteger => {
                self.buffers.push(Buffer::from_vec(self.strings));
                Arc::new(StringViewArray::try_new(ScalarBuffer::from(self.views), self.buffers, nulls)?)
            }
        })
    }
}
