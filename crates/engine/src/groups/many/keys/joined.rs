//! Several columns of a row as one text of bytes, and such texts as columns again. Each value tells where it ends, so that
//! equal texts are equal keys: the length of a number or a short text is one byte before it, and null has no length.

use std::sync::Arc;

use arrow_array::builder::{BooleanBuilder, Float64Builder, Int64Builder, StringViewBuilder};
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{Array, ArrayRef, BooleanArray, Float64Array, Int64Array, StringViewArray};
use arrow_schema::DataType;

use super::texts::{Key, TEXT_BYTES, Texts};

/// Stands for null. The byte of a value that is there is its length and one.
const NULL: u8 = 0;

/// Behind this byte the length of a text has four.
const FAR: u8 = 0xff;
const NEAR_MAX: usize = FAR as usize - 2;

/// The texts of rows, one behind the other.
#[derive(Debug)]
pub(super) struct Joined {
    bytes: Vec<u8>,
    /// Where each ends.
    ends: Vec<usize>,
}

/// A column of a key while rows are written.
enum Column<'a> {
    Text(&'a StringViewArray),
    Boolean(&'a BooleanArray),
    Float(&'a Float64Array),
    Integer(&'a Int64Array),
}

/// A column of a key while keys are read.
enum Builder {
    Text(StringViewBuilder),
    Boolean(BooleanBuilder),
    Float(Float64Builder),
    Integer(Int64Builder),
}

impl Joined {
    pub(super) fn new(columns: &[ArrayRef]) -> Self {
        let rows = columns.first().map_or(0, |column| column.len());
        let columns: Vec<Column<'_>> = columns.iter().map(Column::new).collect();
        let mut bytes = Vec::with_capacity(rows * columns.len() * size_of::<u64>());
        let mut ends = Vec::with_capacity(rows);
        for row in 0..rows {
            columns.iter().for_each(|column| column.write(row, &mut bytes));
            ends.push(bytes.len());
        }
        Self { bytes, ends }
    }

    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(super) fn text(&self, row: usize) -> &[u8] {
        let start = row.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.bytes[start..self.ends[row]]
    }
}

impl<'a> Column<'a> {
    fn new(array: &'a ArrayRef) -> Self {
        match array.data_type() {
            DataType::Utf8View => Self::Text(array.as_string_view()),
            DataType::Boolean => Self::Boolean(array.as_boolean()),
            DataType::Float64 => Self::Float(array.as_primitive::<Float64Type>()),
            _ => Self::Integer(array.as_primitive::<Int64Type>()),
        }
    }

    fn write(&self, row: usize, bytes: &mut Vec<u8>) {
        match self {
            Self::Text(texts) if texts.is_valid(row) => write_text(texts.value(row).as_bytes(), bytes),
            Self::Boolean(bits) if bits.is_valid(row) => write_number(u64::from(bits.value(row)), bytes),
            Self::Float(floats) if floats.is_valid(row) => write_number(floats.value(row).to_bits(), bytes),
            Self::Integer(integers) if integers.is_valid(row) => {
                write_number(integers.value(row).cast_unsigned(), bytes);
            }
            _ => bytes.push(NULL),
        }
    }
}

fn write_text(text: &[u8], bytes: &mut Vec<u8>) {
    if text.len() <= NEAR_MAX {
        bytes.push(text.len() as u8 + 1);
    } else {
        bytes.push(FAR);
        // A row with a text beyond that is too long for a key.
        bytes.extend_from_slice(&u32::try_from(text.len()).unwrap_or(u32::MAX).to_le_bytes());
    }
    bytes.extend_from_slice(text);
}

/// A number without the zeros at its upper end.
fn write_number(number: u64, bytes: &mut Vec<u8>) {
    let length = (u64::BITS - number.leading_zeros()).div_ceil(8) as usize;
    bytes.push(length as u8 + 1);
    bytes.extend_from_slice(&number.to_le_bytes()[..length]);
}

/// The columns of keys.
pub(super) fn arrays(
    kinds: &[DataType],
    keys: impl ExactSizeIterator<Item = Key>,
    texts: Texts<'_>,
) -> Vec<ArrayRef> {
    let mut builders: Vec<Builder> = kinds.iter().map(|kind| Builder::new(kind, keys.len())).collect();
    for key in keys {
        let mut space = [0; TEXT_BYTES];
        let mut rest = texts.text(key, &mut space);
        builders.iter_mut().for_each(|builder| rest = builder.read(rest));
    }
    builders.into_iter().map(Builder::finish).collect()
}

impl Builder {
    fn new(kind: &DataType, rows: usize) -> Self {
        match kind {
            // Of several keys, some have few values.
            DataType::Utf8View => {
                Self::Text(StringViewBuilder::with_capacity(rows).with_deduplicate_strings())
            }
            DataType::Boolean => Self::Boolean(BooleanBuilder::with_capacity(rows)),
            DataType::Float64 => Self::Float(Float64Builder::with_capacity(rows)),
            _ => Self::Integer(Int64Builder::with_capacity(rows)),
        }
    }

    /// Takes a value from the front of a key, and gives what is behind it.
    fn read<'a>(&mut self, key: &'a [u8]) -> &'a [u8] {
        let (value, rest) = value_of(key);
        let number = || value.map(number_of);
        match self {
            // Every text of a key was one before.
            Self::Text(texts) => texts.append_option(value.map(String::from_utf8_lossy)),
            Self::Boolean(bits) => bits.append_option(number().map(|bit| bit != 0)),
            Self::Float(floats) => floats.append_option(number().map(f64::from_bits)),
            Self::Integer(integers) => integers.append_option(number().map(u64::cast_signed)),
        }
        rest
    }

    fn finish(self) -> ArrayRef {
        match self {
            Self::Text(mut texts) => Arc::new(texts.finish()),
            Self::Boolean(mut bits) => Arc::new(bits.finish()),
            Self::Float(mut floats) => Arc::new(floats.finish()),
            Self::Integer(mut integers) => Arc::new(integers.finish()),
        }
    }
}

/// The value at the front of a key, and what is behind it.
fn value_of(key: &[u8]) -> (Option<&[u8]>, &[u8]) {
    let (length, rest) = match key.split_first() {
        None | Some((&NULL, _)) => return (None, key.get(1..).unwrap_or_default()),
        Some((&FAR, rest)) => match rest.split_first_chunk() {
            Some((length, rest)) => (u32::from_le_bytes(*length) as usize, rest),
            None => (0, rest),
        },
        Some((length, rest)) => (usize::from(*length) - 1, rest),
    };
    let (value, rest) = rest.split_at(length.min(rest.len()));
    (Some(value), rest)
}

fn number_of(bytes: &[u8]) -> u64 {
    let mut number = [0; size_of::<u64>()];
    number[..bytes.len()].copy_from_slice(bytes);
    u64::from_le_bytes(number)
}

#[cfg(test)]
mod tests;
