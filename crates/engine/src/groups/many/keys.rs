//! Keys of many different values as numbers of 128 bits. Numbers, short texts and ids of sixteen hexadecimal digits are
//! the number; longer texts tell their length, a hash, and where their bytes lie. Several columns are one text. Equal
//! numbers are equal keys; of longer texts the bytes decide.

mod joined;
mod short;
mod texts;

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

use self::joined::Joined;
use self::short::{digits, short};
use self::texts::{DIGITS, LONG, TEXT_BYTES};
pub(super) use self::texts::{Key, Texts, place_of, placed};

/// Stands for null: no number reaches so far, and no text begins so.
const NULL: Key = Key::MAX;

/// How many bytes a longer text may have: its length has 24 bits.
const LONG_MAX: usize = (1 << 24) - 1;

/// How the columns of a key become numbers, and numbers columns again.
#[derive(Clone, Debug)]
pub(super) struct Form {
    kinds: Vec<DataType>,
    /// Chosen anew for each process, so that nobody can choose keys that meet.
    hashes: DefaultHashBuilder,
    /// Asked for every key, and a type is slow to compare.
    is_text: bool,
}

/// The keys of rows. Those of longer texts tell the row, where the text is.
#[derive(Debug)]
pub(super) struct RowKeys {
    pub(super) keys: Vec<Key>,
    texts: RowTexts,
}

#[derive(Debug)]
enum RowTexts {
    None,
    Views(StringViewArray),
    Joined(Joined),
}

impl Form {
    pub(super) fn new(kinds: Vec<DataType>) -> Self {
        let is_text = !matches!(kinds.as_slice(), [kind] if *kind != DataType::Utf8View);
        Self { kinds, hashes: DefaultHashBuilder::default(), is_text }
    }

    /// How many columns a key has.
    pub(super) fn columns(&self) -> usize {
        self.kinds.len()
    }

    #[inline]
    pub(super) fn is_long(&self, key: Key) -> bool {
        self.is_text && key as u8 == LONG
    }

    /// A longer text is hashed by what its number tells of it, which does not depend on where it lies.
    #[inline]
    pub(super) fn hash(&self, key: Key) -> u64 {
        self.hashes.hash_one(if self.is_long(key) { key & Key::from(u64::MAX) } else { key })
    }

    /// The keys of rows; none where a text is too long.
    pub(super) fn keys(&self, columns: &[ArrayRef]) -> Option<RowKeys> {
        let [column] = columns else {
            let joined = Joined::new(columns);
            let keys = (0..joined.len()).map(|row| self.of_bytes(joined.text(row), row));
            return Some(RowKeys { keys: keys.collect::<Option<_>>()?, texts: RowTexts::Joined(joined) });
        };
        if *column.data_type() == DataType::Utf8View {
            let texts = column.as_string_view();
            return Some(RowKeys { keys: self.of_texts(texts)?, texts: RowTexts::Views(texts.clone()) });
        }
        Some(RowKeys { keys: of_numbers(column), texts: RowTexts::None })
    }

    fn of_texts(&self, texts: &StringViewArray) -> Option<Vec<Key>> {
        let nulls = texts.nulls().filter(|nulls| nulls.null_count() > 0);
        let mut keys = Vec::with_capacity(texts.len());
        for (row, view) in texts.views().iter().enumerate() {
            let length = *view as u32;
            keys.push(if nulls.is_some_and(|nulls| nulls.is_null(row)) {
                NULL
            } else if length as usize <= INLINE_MAX {
                (*view >> 32) << 8 | Key::from(length)
            } else {
                self.of_bytes(texts.value(row).as_bytes(), row)?
            });
        }
        Some(keys)
    }

    fn of_bytes(&self, text: &[u8], row: usize) -> Option<Key> {
        short(text).or_else(|| digits(text)).or_else(|| {
            let hash = Key::from(self.hashes.hash_one(text) as u32);
            let key = (text.len() as Key) << 40 | hash << 8 | Key::from(LONG);
            (text.len() <= LONG_MAX).then_some(placed(key, row))
        })
    }

    /// How keys of one column are ordered, of integers and texts: null first.
    pub(super) fn compare(&self, left: Key, right: Key, texts: Texts<'_>) -> Ordering {
        let are_digits = left as u8 == DIGITS && right as u8 == DIGITS;
        match (left == NULL, right == NULL) {
            (false, false) if !self.is_text => (left as u64).cast_signed().cmp(&(right as u64).cast_signed()),
            (false, false) if are_digits => left.cmp(&right),
            (false, false) => {
                let (mut of_left, mut of_right) = ([0; TEXT_BYTES], [0; TEXT_BYTES]);
                texts.text(left, &mut of_left).cmp(texts.text(right, &mut of_right))
            }
            (left, right) => right.cmp(&left),
        }
    }

    /// The columns of keys.
    pub(super) fn arrays(
        &self,
        keys: impl ExactSizeIterator<Item = Key> + Clone,
        texts: Texts<'_>,
    ) -> Vec<ArrayRef> {
        let [kind] = self.kinds.as_slice() else { return joined::arrays(&self.kinds, keys, texts) };
        if *kind == DataType::Utf8View {
            let mut array = StringViewBuilder::with_capacity(keys.len());
            keys.for_each(|key| match key {
                NULL => array.append_null(),
                // Every key of a text was made of one, so its bytes are a text again.
                _ => array.append_value(String::from_utf8_lossy(texts.text(key, &mut [0; TEXT_BYTES]))),
            });
            return vec![Arc::new(array.finish())];
        }
        let nulls: NullBuffer = keys.clone().map(|key| key != NULL).collect();
        let nulls = (nulls.null_count() > 0).then_some(nulls);
        let integers = keys.map(|key| (key as u64).cast_signed());
        vec![match kind {
            DataType::Boolean => Arc::new(BooleanArray::new(integers.map(|bit| bit != 0).collect(), nulls)),
            DataType::Float64 => {
                let floats = integers.map(|bits| f64::from_bits(bits.cast_unsigned()));
                Arc::new(Float64Array::new(floats.collect(), nulls))
            }
            _ => Arc::new(Int64Array::new(integers.collect(), nulls)),
        }]
    }
}

fn of_numbers(column: &ArrayRef) -> Vec<Key> {
    let mut keys: Vec<Key> = match column.data_type() {
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
    keys
}

impl RowKeys {
    /// The longer text of a key.
    pub(super) fn text(&self, key: Key) -> &[u8] {
        let row = place_of(key);
        match &self.texts {
            RowTexts::None => &[],
            RowTexts::Views(texts) => texts.value(row).as_bytes(),
            RowTexts::Joined(joined) => joined.text(row),
        }
    }
}
