//! Reads a batch. The checksum of its WAL record has vouched for the bytes, yet every length is checked again: a
//! batch that another version wrote must end in an error, not in a panic.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;
use tidegauge_model::FieldKind;

use super::{BatchColumn, HEAD_BYTES, IdempotencyKey, Receipt, VERSION, WalBatch, aligned, code_of};
use crate::{Error, Result};

impl WalBatch {
    pub(crate) fn decode(bytes: Bytes) -> Result<Self> {
        if !cfg!(target_endian = "little") {
            return Err(Error::corrupt("frames are read on little-endian machines only"));
        }
        let mut cursor = Cursor { bytes: &bytes, position: 0 };
        let version = cursor.number()?;
        if version != VERSION {
            let message = format!("events are logged in form {version}, and this version reads {VERSION}");
            return Err(Error::corrupt(message));
        }
        let (rows, count) = (cursor.number()? as usize, cursor.number()? as usize);
        let receipt = cursor.receipt()?;
        let times = cursor.block(rows.checked_mul(8).ok_or_else(damaged)?)?;
        let mut columns = Vec::with_capacity(count.min(bytes.len() / HEAD_BYTES + 1));
        for _ in 0..count {
            columns.push(cursor.column(rows)?);
        }
        Ok(Self { rows, receipt: Arc::new(receipt), times, columns, bytes: bytes.clone() })
    }

    /// The time of each event.
    pub(crate) fn times(&self) -> Cow<'_, [i64]> {
        numbers(&self.bytes[self.times.clone()])
    }

    pub(crate) fn name(&self, column: &BatchColumn) -> &str {
        // Checked when the batch was made.
        std::str::from_utf8(&self.bytes[column.name.clone()]).unwrap_or_default()
    }

    /// In which events the column has a value; `None` means in all.
    pub(crate) fn present(&self, column: &BatchColumn) -> Option<Cow<'_, [u32]>> {
        column.rows.clone().map(|range| numbers(&self.bytes[range]))
    }

    pub(crate) fn values(&self, column: &BatchColumn) -> BatchValues<'_> {
        let block = &self.bytes[column.values.clone()];
        match column.kind {
            FieldKind::Boolean => BatchValues::Boolean(block),
            FieldKind::Integer => BatchValues::Integer(numbers(block)),
            FieldKind::Float => BatchValues::Float(numbers(block)),
            FieldKind::String | FieldKind::Array | FieldKind::Map | FieldKind::LongInteger => {
                BatchValues::Text { ends: numbers(block), bytes: &self.bytes[column.strings.clone()] }
            }
        }
    }
}

impl BatchColumn {
    pub(crate) fn kind(&self) -> FieldKind {
        self.kind
    }

    pub(crate) fn count(&self) -> usize {
        self.count
    }
}

/// The values of a column, one for each event that has it.
#[derive(Debug)]
pub(crate) enum BatchValues<'a> {
    Boolean(&'a [u8]),
    Integer(Cow<'a, [i64]>),
    Float(Cow<'a, [f64]>),
    Text { ends: Cow<'a, [u32]>, bytes: &'a [u8] },
}

/// Numbers as they lie in memory; copied only when the allocator gave the batch an odd address.
fn numbers<T: bytemuck::Pod>(block: &[u8]) -> Cow<'_, [T]> {
    match bytemuck::try_cast_slice(block) {
        Ok(numbers) => Cow::Borrowed(numbers),
        Err(_) => Cow::Owned(bytemuck::pod_collect_to_vec(block)),
    }
}

struct Cursor<'a> {
    bytes: &'a Bytes,
    position: usize,
}

impl Cursor<'_> {
    fn take<const N: usize>(&mut self) -> Result<[u8; N]> {
        let end = self.position.checked_add(N).ok_or_else(damaged)?;
        let slice = self.bytes.get(self.position..end).ok_or_else(damaged)?;
        self.position = end;
        slice.try_into().map_err(|_| damaged())
    }

    fn number(&mut self) -> Result<u32> {
        Ok(u32::from_le_bytes(self.take()?))
    }

    fn block(&mut self, len: usize) -> Result<Range<usize>> {
        let end =
            self.position.checked_add(len).filter(|end| *end <= self.bytes.len()).ok_or_else(damaged)?;
        let range = self.position..end;
        self.position = aligned(end);
        Ok(range)
    }

    fn receipt(&mut self) -> Result<Receipt> {
        let key_len = self.number()? as usize;
        let arrival = i64::from_le_bytes(self.take()?);
        let raw_bytes = u64::from_le_bytes(self.take()?);
        let fingerprint = u64::from_le_bytes(self.take()?);
        let answer_len = usize::try_from(u64::from_le_bytes(self.take()?)).map_err(|_| damaged())?;
        let both = self.block(key_len.checked_add(answer_len).ok_or_else(damaged)?)?;
        let text = std::str::from_utf8(&self.bytes[both]).map_err(|_| damaged())?;
        let (key, answer) = text.split_at_checked(key_len).ok_or_else(damaged)?;
        let key = (!key.is_empty()).then(|| IdempotencyKey {
            key: key.to_owned(),
            fingerprint,
            answer: answer.to_owned(),
        });
        Ok(Receipt { arrival, raw_bytes, key })
    }

    fn column(&mut self, batch_rows: usize) -> Result<BatchColumn> {
        let name_len = self.number()? as usize;
        let [code, is_dense, _, _] = self.take()?;
        let (count, string_bytes) = (self.number()? as usize, self.number()? as usize);
        let kind = FieldKind::ALL.into_iter().find(|kind| code_of(*kind) == code).ok_or_else(damaged)?;
        let name = self.block(name_len)?;
        std::str::from_utf8(&self.bytes[name.clone()]).map_err(|_| damaged())?;
        if count > batch_rows || (is_dense == 1 && count != batch_rows) {
            return Err(damaged());
        }
        let rows = if is_dense == 1 { None } else { Some(self.block(count * 4)?) };
        let width = match kind {
            FieldKind::Boolean => 1,
            FieldKind::Integer | FieldKind::Float => 8,
            FieldKind::String | FieldKind::Array | FieldKind::Map | FieldKind::LongInteger => 4,
        };
        let values = self.block(count * width)?;
        let strings = if width == 4 { self.block(string_bytes)? } else { 0..0 };
        let column = BatchColumn { name, kind, count, rows, values, strings };
        self.check_rows(&column, batch_rows)?;
        Ok(column)
    }

    /// Row numbers and text ends index other arrays: they must ascend and stay inside.
    fn check_rows(&self, column: &BatchColumn, batch_rows: usize) -> Result<()> {
        if let Some(range) = column.rows.clone() {
            let rows = numbers::<u32>(&self.bytes[range]);
            let is_inside = rows.last().is_none_or(|last| (*last as usize) < batch_rows);
            if !is_inside || !rows.is_sorted_by(|a, b| a < b) {
                return Err(damaged());
            }
        }
        if matches!(
            column.kind,
            FieldKind::String | FieldKind::Array | FieldKind::Map | FieldKind::LongInteger
        ) {
            let ends = numbers::<u32>(&self.bytes[column.values.clone()]);
            let is_whole = ends.last().map_or(0, |last| *last as usize) == column.strings.len();
            let text = std::str::from_utf8(&self.bytes[column.strings.clone()]).map_err(|_| damaged())?;
            let is_cut_well = ends.iter().all(|end| text.is_char_boundary(*end as usize));
            if !is_whole || !ends.is_sorted() || !is_cut_well {
                return Err(damaged());
            }
        }
        Ok(())
    }
}

fn damaged() -> Error {
    Error::corrupt("a WAL batch is malformed")
}
