//! The overflow column `_rest`: the fields that have no column of their own in a segment, as one JSON object for each
//! row. A value reads back in the kind it had: floats are written with a point or an exponent, arrays and maps as they
//! are. How it is written is left to `overflow_write`.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef};
use hashbrown::HashMap;
use serde::de::{MapAccess, Visitor};
use serde_json::value::RawValue;
use tidegauge_model::{Column, FieldKind, Values};

use crate::column_key::{ColumnKey, ColumnName};
use crate::{Error, Result};

/// Integers written in so many bytes fit 64 bits, their minus included.
const INTEGER_BYTES_SURE: usize = 18;

/// The fields in the strings of `_rest`, as sparse columns.
pub(crate) fn decode(array: &ArrayRef) -> Result<Vec<Column>> {
    let strings = array.as_string::<i64>();
    let mut columns: HashMap<ColumnKey, Column> = HashMap::new();
    for row in (0..strings.len()).filter(|row| strings.is_valid(*row)) {
        let row_number = u32::try_from(row).map_err(|_| unreadable())?;
        let Entries(entries) = serde_json::from_str(strings.value(row)).map_err(|_| unreadable())?;
        for (field, value) in entries {
            let kind = kind_of(value.get());
            let column = match columns.get_mut(&ColumnName(&field, kind)) {
                Some(column) => column,
                None => {
                    let field = Arc::<str>::from(field);
                    let column = Column::new(Arc::clone(&field), kind);
                    columns.entry((field, kind)).or_insert(column)
                }
            };
            column.rows.push(row_number);
            push(&mut column.values, value.get())?;
        }
    }
    Ok(columns.into_values().collect())
}

/// The pairs of an object in their order; a field may come once for each kind.
pub(super) struct Entries<'a>(pub(super) Vec<(String, &'a RawValue)>);

impl<'de> serde::Deserialize<'de> for Entries<'de> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        struct Pairs;
        impl<'de> Visitor<'de> for Pairs {
            type Value = Entries<'de>;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> std::result::Result<Entries<'de>, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(Entries(entries))
            }
        }
        deserializer.deserialize_map(Pairs)
    }
}

pub(super) fn kind_of(text: &str) -> FieldKind {
    match text.as_bytes().first() {
        Some(b't' | b'f') => FieldKind::Boolean,
        Some(b'"') => FieldKind::String,
        Some(b'[') => FieldKind::Array,
        Some(b'{') => FieldKind::Map,
        _ if text.contains(['.', 'e', 'E']) => FieldKind::Float,
        // Only what is long has to be read to know whether it fits.
        _ if text.len() > INTEGER_BYTES_SURE && text.parse::<i64>().is_err() => FieldKind::LongInteger,
        _ => FieldKind::Integer,
    }
}

pub(super) fn push(values: &mut Values, text: &str) -> Result<()> {
    match values {
        Values::Boolean(values) => values.push(text == "true"),
        Values::Integer(values) => values.push(text.parse().map_err(|_| unreadable())?),
        Values::Float(values) => values.push(text.parse().map_err(|_| unreadable())?),
        Values::String(strings) => {
            let value: String = serde_json::from_str(text).map_err(|_| unreadable())?;
            strings.push(value.as_bytes());
        }
        Values::Array(strings) | Values::Map(strings) | Values::LongInteger(strings) => {
            strings.push(text.as_bytes());
        }
    }
    Ok(())
}

pub(super) fn unreadable() -> Error {
    Error::corrupt("the column _rest of a segment cannot be read")
}
