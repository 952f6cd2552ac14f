//! Keys of many different values as numbers of 128 bits: numbers and short texts are the number, longer texts tell their
//! length, a hash, and where their bytes were put. Equal numbers are equal keys; of longer texts the bytes decide.

use std::hash::BuildHasher;
use std::sync::Arc;

use arrow_array::builder::make_view;
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{Array, ArrayRef, BooleanArray, Float64Array, Int64Array, StringViewArray};
use arrow_buffer::{Buffer, NullBuffer, ScalarBuffer};
use arrow_schema::DataType;
use hashbrown::DefaultHashBuilder;

use crate::Result;

/// A key as a number.
pub(super) type Key = u128;

/// Stands for null. No text is as long as this says, and no number reaches so far.
const NULL: Key = Key::MAX;

/// Texts up to this length are part of their view.
const INLINE_MAX: u32 = 12;

/// How many bytes the longer texts of one thread may have: their places are numbers of 32 bits.
const BYTES_MAX: usize = u32::MAX as usize;

/// The longer texts that one thread has put aside.
#[derive(Debug, Default)]
pub(super) struct Bytes(Vec<u8>);

/// The hashes of keys. Chosen anew for each process, so that nobody can choose keys that meet.
#[derive(Clone, Debug)]
pub(super) struct Hashes {
    of: DefaultHashBuilder,
    is_text: bool,
}

impl Hashes {
    pub(super) fn new(kind: &DataType) -> Self {
        Self { of: DefaultHashBuilder::default(), is_text: *kind == DataType::Utf8View }
    }

    /// A longer text is hashed by what its number tells of it, which does not depend on where it lies.
    pub(super) fn of(&self, key: Key) -> u64 {
        if self.is_text && is_long(key) { self.of.hash_one(key as u64) } else { self.of.hash_one(key) }
    }
}

impl Bytes {
    pub(super) fn len(&self) -> usize {
        self.0.capacity()
    }

    /// The keys of a column, each handed on with its row. False where there are too many bytes.
    pub(super) fn read(
        &mut self,
        thread: u32,
        column: &ArrayRef,
        hashes: &Hashes,
        mut take: impl FnMut(usize, Key),
    ) -> bool {
        let nulls = column.nulls().filter(|nulls| nulls.null_count() > 0);
        let is_null = |row: usize| nulls.is_some_and(|nulls| nulls.is_null(row));
        let mut number = |row: usize, bits: u64| take(row, if is_null(row) { NULL } else { bits.into() });
        match column.data_type() {
            DataType::Utf8View => return self.read_texts(thread, column.as_string_view(), hashes, take),
            DataType::Boolean => {
                let bits = column.as_boolean().values().iter();
                bits.enumerate().for_each(|(row, bit)| number(row, bit.into()));
            }
            DataType::Float64 => {
                let floats = column.as_primitive::<Float64Type>().values().iter();
                floats.enumerate().for_each(|(row, float)| number(row, float.to_bits()));
            }
            _ => {
                let integers = column.as_primitive::<Int64Type>().values().iter();
                integers.enumerate().for_each(|(row, integer)| number(row, integer.cast_unsigned()));
            }
        }
        true
    }

    fn read_texts(
        &mut self,
        thread: u32,
        texts: &StringViewArray,
        hashes: &Hashes,
        mut take: impl FnMut(usize, Key),
    ) -> bool {
        let nulls = texts.nulls().filter(|nulls| nulls.null_count() > 0);
        for (row, view) in texts.views().iter().enumerate() {
            if nulls.is_some_and(|nulls| nulls.is_null(row)) {
                take(row, NULL);
            } else if length(*view) <= INLINE_MAX {
                take(row, *view);
            } else {
                let text = texts.value(row).as_bytes();
                if self.0.len() + text.len() > BYTES_MAX {
                    return false;
                }
                let hash = hashes.of.hash_one(text) as u32;
                let place = Key::from(self.0.len() as u32) << 96;
                let known = Key::from(length(*view)) | Key::from(hash) << 32;
                take(row, place | Key::from(thread) << 64 | known);
                self.0.extend_from_slice(text);
            }
        }
        true
    }
}

fn length(key: Key) -> u32 {
    key as u32
}

/// Whether the bytes of a text lie elsewhere.
fn is_long(text: Key) -> bool {
    length(text) > INLINE_MAX && text != NULL
}

/// The longer texts of all threads, once no more come.
#[derive(Debug)]
pub(super) struct AllBytes {
    of_threads: Vec<Buffer>,
    kind: DataType,
}

impl AllBytes {
    pub(super) fn new(threads: Vec<Bytes>, kind: DataType) -> Self {
        Self { of_threads: threads.into_iter().map(|bytes| Buffer::from_vec(bytes.0)).collect(), kind }
    }

    pub(super) fn are_equal(&self, left: Key, right: Key) -> bool {
        left == right
            || (self.kind == DataType::Utf8View
                && left as u64 == right as u64
                && is_long(left)
                && is_long(right)
                && self.bytes(left) == self.bytes(right))
    }

    fn bytes(&self, key: Key) -> &[u8] {
        let start = (key >> 96) as usize;
        &self.of_threads[(key >> 64) as u32 as usize][start..start + length(key) as usize]
    }

    /// The keys as an array of their type.
    pub(super) fn array(&self, keys: &[Key]) -> Result<ArrayRef> {
        let nulls: NullBuffer = keys.iter().map(|key| *key != NULL).collect();
        let nulls = (nulls.null_count() > 0).then_some(nulls);
        let integers = || keys.iter().map(|key| (*key as u64).cast_signed());
        Ok(match self.kind {
            DataType::Utf8View => {
                let views: ScalarBuffer<u128> = keys.iter().map(|key| self.view(*key)).collect();
                Arc::new(StringViewArray::try_new(views, self.of_threads.clone(), nulls)?)
            }
            DataType::Boolean => Arc::new(BooleanArray::new(integers().map(|bit| bit != 0).collect(), nulls)),
            DataType::Float64 => {
                let floats = integers().map(|bits| f64::from_bits(bits.cast_unsigned()));
                Arc::new(Float64Array::new(floats.collect(), nulls))
            }
            _ => Arc::new(Int64Array::new(integers().collect(), nulls)),
        })
    }

    /// A key as the view of its text.
    fn view(&self, key: Key) -> u128 {
        match key {
            NULL => 0,
            key if is_long(key) => make_view(self.bytes(key), (key >> 64) as u32, (key >> 96) as u32),
            key => key,
        }
    }
}
