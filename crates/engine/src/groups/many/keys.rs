//! Keys of many different values as numbers of 128 bits. Numbers, short texts and ids of sixteen hexadecimal digits are
//! the number; longer texts tell their length, a hash, and where their bytes were put. Equal numbers are equal keys; of
//! longer texts the bytes decide.

use std::cmp::Ordering;
use std::hash::BuildHasher;
use std::sync::Arc;

use arrow_array::builder::StringViewBuilder;
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{Array, ArrayRef, BooleanArray, Float64Array, Int64Array, StringViewArray};
use arrow_buffer::NullBuffer;
use arrow_schema::DataType;
use hashbrown::DefaultHashBuilder;
use tidegauge_exec::types::INLINE_MAX;

/// A key as a number. Its lowest byte tells of a text what the rest is.
pub(super) type Key = u128;

/// Stands for null: no number reaches so far, and no text begins so.
const NULL: Key = Key::MAX;

/// Texts up to this length are the rest of their key, and the lowest byte is their length.
const SHORT_MAX: usize = 15;

/// How many bytes a text has that lies in its key.
const TEXT_BYTES: usize = size_of::<Key>();

/// The rest is what sixteen hexadecimal digits say.
const DIGITS: u8 = 0x40;

/// The rest is a hash of 32 bits, a length of 24, the thread, and where the bytes begin.
const LONG: u8 = 0x80;
const LONG_MAX: usize = (1 << 24) - 1;

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
    #[inline]
    pub(super) fn of(&self, key: Key) -> u64 {
        let is_long = self.is_text && key as u8 == LONG;
        self.of.hash_one(if is_long { key & Key::from(u64::MAX) } else { key })
    }
}

impl Bytes {
    pub(super) fn len(&self) -> usize {
        self.0.capacity()
    }

    /// The keys of a column; none where its texts are too long, or too many.
    pub(super) fn keys(&mut self, thread: u32, column: &ArrayRef, hashes: &Hashes) -> Option<Vec<Key>> {
        let mut keys: Vec<Key> = match column.data_type() {
            DataType::Utf8View => return self.of_texts(thread, column.as_string_view(), hashes),
            DataType::Boolean => column.as_boolean().values().iter().map(Key::from).collect(),
            DataType::Float64 => {
                let floats = column.as_primitive::<Float64Type>().values().iter();
                floats.map(|float| Key::from(float.to_bits())).collect()
            }
            _ => {
                let integers = column.as_primitive::<Int64Type>().values().iter();
                integers.map(|integer| Key::from(integer.cast_unsigned())).collect()
            }
        };
        if let Some(nulls) = column.nulls().filter(|nulls| nulls.null_count() > 0) {
            let missing = nulls.iter().enumerate().filter(|(_, is_there)| !is_there);
            missing.for_each(|(row, _)| keys[row] = NULL);
        }
        Some(keys)
    }

    fn of_texts(&mut self, thread: u32, texts: &StringViewArray, hashes: &Hashes) -> Option<Vec<Key>> {
        let nulls = texts.nulls().filter(|nulls| nulls.null_count() > 0);
        let mut keys = Vec::with_capacity(texts.len());
        for (row, view) in texts.views().iter().enumerate() {
            let length = *view as u32;
            keys.push(if nulls.is_some_and(|nulls| nulls.is_null(row)) {
                NULL
            } else if length as usize <= INLINE_MAX {
                (*view >> 32) << 8 | Key::from(length)
            } else {
                let text = texts.value(row).as_bytes();
                short(text).or_else(|| digits(text)).or_else(|| self.long(thread, text, hashes))?
            });
        }
        Some(keys)
    }

    fn long(&mut self, thread: u32, text: &[u8], hashes: &Hashes) -> Option<Key> {
        let start = self.0.len();
        if text.len() > LONG_MAX || start + text.len() > BYTES_MAX {
            return None;
        }
        self.0.extend_from_slice(text);
        let hash = Key::from(hashes.of.hash_one(text) as u32);
        let place = Key::from(start as u32) << 96 | Key::from(thread) << 64;
        Some(place | (text.len() as Key) << 40 | hash << 8 | Key::from(LONG))
    }
}

fn short(text: &[u8]) -> Option<Key> {
    let mut bytes = [0; size_of::<Key>()];
    bytes.get_mut(1..=text.len()).filter(|_| text.len() <= SHORT_MAX)?.copy_from_slice(text);
    bytes[0] = text.len() as u8;
    Some(Key::from_le_bytes(bytes))
}

fn digits(text: &[u8]) -> Option<Key> {
    let (high, low) = text.split_first_chunk::<8>()?;
    let low: &[u8; 8] = low.try_into().ok()?;
    let number = u64::from(eight_digits(*high)?) << 32 | u64::from(eight_digits(*low)?);
    Some(Key::from(number) << 8 | Key::from(DIGITS))
}

/// What eight hexadecimal digits say, all at once. Only small letters: others would not be written as they were.
fn eight_digits(text: [u8; 8]) -> Option<u32> {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let text = u64::from_be_bytes(text);
    // Of digits and small letters, only letters have this bit.
    let letters = text >> 6 & ONES;
    let mut values = (text & (ONES * 0x0f)) + letters * 9;
    let are_ten_or_more = (values + ONES * 6) >> 4 & ONES;
    let written = values + ONES * u64::from(b'0') + letters * u64::from(b'a' - 10 - b'0');
    if are_ten_or_more != letters || values & (ONES * 0xf0) != 0 || written != text {
        return None;
    }
    values = (values | values >> 4) & 0x00ff_00ff_00ff_00ff;
    values = (values | values >> 8) & 0x0000_ffff_0000_ffff;
    Some((values | values >> 16) as u32)
}

/// The longer texts of all threads, once no more come.
#[derive(Debug)]
pub(super) struct AllBytes {
    of_threads: Vec<Bytes>,
    kind: DataType,
    /// Asked for every key, and a type is slow to compare.
    is_text: bool,
}

impl AllBytes {
    pub(super) fn new(of_threads: Vec<Bytes>, kind: DataType) -> Self {
        let is_text = kind == DataType::Utf8View;
        Self { of_threads, kind, is_text }
    }

    #[inline]
    pub(super) fn are_equal(&self, left: Key, right: Key) -> bool {
        left == right || (left as u64 == right as u64 && self.are_equal_texts(left, right))
    }

    /// Apart, because it is seldom needed and the table asks for every key.
    #[cold]
    #[inline(never)]
    fn are_equal_texts(&self, left: Key, right: Key) -> bool {
        left as u8 == LONG && self.is_text && self.bytes(left) == self.bytes(right)
    }

    /// How keys are ordered, of integers and texts: null first.
    pub(super) fn compare(&self, left: Key, right: Key) -> Ordering {
        let are_digits = left as u8 == DIGITS && right as u8 == DIGITS;
        match (left == NULL, right == NULL) {
            (false, false) if !self.is_text => (left as u64).cast_signed().cmp(&(right as u64).cast_signed()),
            (false, false) if are_digits => left.cmp(&right),
            (false, false) => {
                let (mut of_left, mut of_right) = ([0; TEXT_BYTES], [0; TEXT_BYTES]);
                self.text(left, &mut of_left).cmp(self.text(right, &mut of_right))
            }
            (left, right) => right.cmp(&left),
        }
    }

    /// The bytes of a text, in the space that is given where they lie nowhere else.
    fn text<'a>(&'a self, key: Key, space: &'a mut [u8; TEXT_BYTES]) -> &'a [u8] {
        match key as u8 {
            LONG => self.bytes(key),
            DIGITS => {
                let number = (key >> 8) as u64;
                for (place, byte) in space.iter_mut().enumerate() {
                    *byte = b"0123456789abcdef"[(number >> (60 - 4 * place)) as usize & 15];
                }
                space
            }
            length => {
                *space = key.to_le_bytes();
                &space[1..=usize::from(length)]
            }
        }
    }

    fn bytes(&self, key: Key) -> &[u8] {
        let (start, length) = ((key >> 96) as usize, (key >> 40) as usize & LONG_MAX);
        &self.of_threads[(key >> 64) as u32 as usize].0[start..start + length]
    }

    /// The keys as an array of their type.
    pub(super) fn array(&self, keys: impl ExactSizeIterator<Item = Key> + Clone) -> ArrayRef {
        if self.kind == DataType::Utf8View {
            let mut texts = StringViewBuilder::with_capacity(keys.len());
            keys.for_each(|key| self.add_text(key, &mut texts));
            return Arc::new(texts.finish());
        }
        let nulls: NullBuffer = keys.clone().map(|key| key != NULL).collect();
        let nulls = (nulls.null_count() > 0).then_some(nulls);
        let integers = keys.map(|key| (key as u64).cast_signed());
        match self.kind {
            DataType::Boolean => Arc::new(BooleanArray::new(integers.map(|bit| bit != 0).collect(), nulls)),
            DataType::Float64 => {
                let floats = integers.map(|bits| f64::from_bits(bits.cast_unsigned()));
                Arc::new(Float64Array::new(floats.collect(), nulls))
            }
            _ => Arc::new(Int64Array::new(integers.collect(), nulls)),
        }
    }

    fn add_text(&self, key: Key, texts: &mut StringViewBuilder) {
        if key == NULL {
            texts.append_null();
        } else {
            // Every key of a text was made of one, so its bytes are a text again.
            texts.append_value(String::from_utf8_lossy(self.text(key, &mut [0; TEXT_BYTES])));
        }
    }
}
