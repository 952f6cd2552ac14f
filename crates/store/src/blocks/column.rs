//! A column of a block as the engine gets it: plain values, or codes with one table of values.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::UInt32Type;
use arrow_array::{Array, ArrayRef, DictionaryArray, StringViewArray};
use arrow_buffer::{ArrowNativeType, BooleanBufferBuilder, NullBuffer, ScalarBuffer};
use arrow_schema::DataType;
use hashbrown::HashMap;
use tidegauge_model::{Column, ErrorKind, FieldKind, Values};

use crate::{Error, Result};

/// The values of one typed column, one for each row.
#[derive(Clone, Debug)]
pub enum BlockColumn {
    /// Booleans, 64-bit integers, 64-bit floats, or strings as string views.
    Plain(ArrayRef),
    /// Strings of which few are different.
    Coded {
        /// For each row its place in `values`. A row without a value has the place of some value as well.
        codes: Codes,
        /// Without nulls, each value once.
        values: StringViewArray,
        nulls: Option<NullBuffer>,
    },
}

/// Places in a table of values, as small as the table allows.
#[derive(Clone, Debug)]
pub enum Codes {
    U8(ScalarBuffer<u8>),
    U16(ScalarBuffer<u16>),
    U32(ScalarBuffer<u32>),
}

impl BlockColumn {
    /// Strings that few rows have, and of which few are different, as codes; none where it is something else.
    pub(super) fn of_few(sparse: &Column, rows: usize) -> Option<Self> {
        let Values::String(strings) = &sparse.values else { return None };
        let mut places: HashMap<&str, u8> = HashMap::new();
        let mut values: Vec<&str> = Vec::new();
        let mut codes = vec![0; rows];
        let mut is_there = BooleanBufferBuilder::new(rows);
        is_there.append_n(rows, false);
        for (at, row) in sparse.rows.iter().enumerate() {
            let text = std::str::from_utf8(strings.get(at)).ok()?;
            let next = u8::try_from(values.len()).ok()?;
            let place = *places.entry(text).or_insert(next);
            if place == next {
                values.push(text);
            }
            codes[*row as usize] = place;
            is_there.set_bit(*row as usize, true);
        }
        let nulls = Some(NullBuffer::new(is_there.finish())).filter(|nulls| nulls.null_count() > 0);
        let values = StringViewArray::from_iter_values(values);
        Some(Self::Coded { codes: Codes::U8(codes.into()), values, nulls })
    }
}

impl Codes {
    /// How many rows there are.
    pub fn len(&self) -> usize {
        match self {
            Self::U8(codes) => codes.len(),
            Self::U16(codes) => codes.len(),
            Self::U32(codes) => codes.len(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The place of a row's value.
    pub fn at(&self, row: usize) -> usize {
        match self {
            Self::U8(codes) => usize::from(codes[row]),
            Self::U16(codes) => usize::from(codes[row]),
            Self::U32(codes) => codes[row] as usize,
        }
    }

    fn of(keys: &ScalarBuffer<u32>, values: usize) -> Self {
        // All keys have been compared with the number of values, those of rows without a value too.
        if values <= 1 << 8 {
            Self::U8(keys.iter().map(|key| *key as u8).collect())
        } else if values <= 1 << 16 {
            Self::U16(keys.iter().map(|key| *key as u16).collect())
        } else {
            Self::U32(keys.clone())
        }
    }
}

impl BlockColumn {
    /// A dictionary as it was decoded. `None` when no row has a value.
    pub(super) fn coded(array: &ArrayRef) -> Result<Option<Self>> {
        let odd = || Error::corrupt("a dictionary does not have the form that was asked for");
        let array: &DictionaryArray<UInt32Type> = array.as_dictionary_opt().ok_or_else(odd)?;
        let strings = array.values().as_string_opt::<i32>().ok_or_else(odd)?;
        let keys = array.keys();
        if strings.is_empty() || keys.null_count() == keys.len() {
            return Ok(None);
        }
        if keys.values().iter().any(|key| *key as usize >= strings.len()) || strings.null_count() > 0 {
            return Err(odd());
        }
        Ok(Some(Self::Coded {
            codes: Codes::of(keys.values(), strings.len()),
            values: StringViewArray::from(strings),
            nulls: keys.nulls().cloned(),
        }))
    }

    /// Values that were decoded; `None` when no row has one.
    pub(super) fn plain(array: ArrayRef) -> Option<Self> {
        has_values(&array).then_some(Self::Plain(array))
    }

    pub fn len(&self) -> usize {
        match self {
            Self::Plain(array) => array.len(),
            Self::Coded { codes, .. } => codes.len(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How much memory it takes.
    pub fn memory_bytes(&self) -> usize {
        match self {
            Self::Plain(array) => array.get_array_memory_size(),
            Self::Coded { codes, values, nulls } => {
                let width = match codes {
                    Codes::U8(_) => 1,
                    Codes::U16(_) => 2,
                    Codes::U32(_) => 4,
                };
                let nulls = nulls.as_ref().map_or(0, |nulls| nulls.len().div_ceil(8));
                codes.len() * width + values.get_array_memory_size() + nulls
            }
        }
    }
}

pub(super) fn has_values(array: &ArrayRef) -> bool {
    array.null_count() < array.len()
}

pub(super) fn is_text(kind: FieldKind) -> bool {
    matches!(kind, FieldKind::String | FieldKind::Array | FieldKind::Map | FieldKind::LongInteger)
}

/// The type in which values of a kind are handed out.
pub(super) fn data_type(kind: FieldKind) -> DataType {
    match kind {
        FieldKind::Boolean => DataType::Boolean,
        FieldKind::Integer => DataType::Int64,
        FieldKind::Float => DataType::Float64,
        FieldKind::String | FieldKind::Array | FieldKind::Map | FieldKind::LongInteger => DataType::Utf8View,
    }
}

/// Strings with offsets as string views, others as they are.
pub(super) fn viewed(array: ArrayRef) -> ArrayRef {
    match array.as_string_opt::<i64>() {
        Some(strings) => Arc::new(StringViewArray::from(strings)),
        None => array,
    }
}

/// Some rows of an array.
pub(super) fn take(array: &ArrayRef, rows: &[u32]) -> Result<ArrayRef> {
    check_rows(rows, array.len())?;
    let rows = arrow_array::UInt32Array::from(rows.to_vec());
    Ok(arrow_select::take::take(array, &rows, None)?)
}

/// Some rows of numbers.
pub(super) fn pick<T: ArrowNativeType>(values: &ScalarBuffer<T>, rows: &[u32]) -> Result<ScalarBuffer<T>> {
    check_rows(rows, values.len())?;
    Ok(rows.iter().map(|row| values[*row as usize]).collect())
}

/// Rows come from elsewhere: one that is not there must end in an error.
pub(super) fn check_rows(rows: &[u32], count: usize) -> Result<()> {
    if rows.iter().all(|row| (*row as usize) < count) {
        return Ok(());
    }
    Err(Error::new(ErrorKind::Internal, "a row was asked for that the block does not have"))
}
