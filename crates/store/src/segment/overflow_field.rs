//! One field of the overflow column `_rest`, found by its name in the strings of all rows at once: most rows of a wide dataset do
//! not have it, and are passed over without being read.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef};
use memchr::{memchr2, memmem};
use serde_json::value::RawValue;
use tidegauge_model::{Column, FieldKind};

use super::overflow::{Entries, kind_of, push, unreadable};
use crate::Result;

/// The values of one kind of a field, as a sparse column.
pub(crate) fn decode_field(array: &ArrayRef, field: &str, kind: FieldKind) -> Result<Column> {
    let strings = array.as_string::<i64>();
    let (bytes, ends) = (strings.values().as_slice(), &strings.value_offsets()[1..]);
    let mut name = serde_json::to_vec(field).map_err(|_| unreadable())?;
    name.push(b':');
    let finder = memmem::Finder::new(&name);
    let mut column = Column::new(Arc::from(field), kind);
    let (mut at, last) =
        (strings.value_offsets()[0] as usize, strings.value_offsets()[strings.len()] as usize);
    while let Some(found) = finder.find(&bytes[at..last]) {
        let place = at + found;
        // Only the name of a field follows on a bracket or a comma; a quote inside of a longer name is escaped.
        if place == 0 || !matches!(bytes[place - 1], b'{' | b',') {
            at = place + 1;
            continue;
        }
        let row = ends.partition_point(|end| *end as usize <= place);
        let (start, end) = (strings.value_offsets()[row] as usize, ends[row] as usize);
        let row_number = u32::try_from(row).map_err(|_| unreadable())?;
        let is_nested = memchr2(b'{', b'[', &bytes[(start + 1).min(place)..place]).is_some();
        if is_nested || strings.is_null(row) {
            // It may be the name of something inside of another field, and the row may have been taken already.
            if column.rows.last() != Some(&row_number) {
                add_of_row(&mut column, row_number, strings.value(row))?;
            }
            at = end;
            continue;
        }
        let text = std::str::from_utf8(&bytes[place + name.len()..end]).map_err(|_| unreadable())?;
        let mut values = serde_json::Deserializer::from_str(text).into_iter::<&RawValue>();
        let value = values.next().and_then(std::result::Result::ok).ok_or_else(unreadable)?;
        add(&mut column, row_number, value.get())?;
        at = place + name.len() + value.get().len();
    }
    Ok(column)
}

/// Adds the value that a row has, if it has one of this kind.
fn add_of_row(column: &mut Column, row: u32, text: &str) -> Result<()> {
    let Entries(entries) = serde_json::from_str(text).map_err(|_| unreadable())?;
    let own = entries.iter().filter(|(name, _)| **name == *column.field);
    own.map(|(_, value)| value.get())
        .collect::<Vec<&str>>()
        .iter()
        .try_for_each(|value| add(column, row, value))
}

fn add(column: &mut Column, row: u32, value: &str) -> Result<()> {
    if kind_of(value) == column.values.kind() {
        column.rows.push(row);
        push(&mut column.values, value)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use arrow_array::LargeStringArray;

    use super::*;
    use crate::segment::decode_overflow;

    /// Names inside of other fields, inside of strings, and at the end of longer names; a field in two kinds.
    #[test]
    fn a_field_is_found_as_if_rows_were_taken_apart() {
        let strings: ArrayRef = Arc::new(LargeStringArray::from(vec![
            Some(r#"{"a":1,"m":{"a":2}}"#),
            None,
            Some(r#"{"m":[{"a":2}],"a":3}"#),
            Some(r#"{"a":"text","a":4,"m":{"a":"x"}}"#),
            Some(r#"{"x\"a":5}"#),
            Some(r#"{"t":"\"a\":6","u":"{","a":7}"#),
            Some(r#"{"a":{"a":8},"b":true}"#),
            Some(r#"{"x,\"a":5,"a":1.5}"#),
            Some(r#"{"a":9223372036854775807,"b":-9223372036854775808}"#),
            Some(r#"{"a":9223372036854775808,"b":-9223372036854775809}"#),
        ]));
        let whole = decode_overflow(&strings).unwrap();
        for field in ["a", "b", "m", "t", "u", "x\"a", "x,\"a", "absent"] {
            for kind in FieldKind::ALL {
                let wanted =
                    whole.iter().find(|column| *column.field == *field && column.values.kind() == kind);
                let absent = Column::new(Arc::from(field), kind);
                let found = decode_field(&strings, field, kind).unwrap();
                assert_eq!(found, *wanted.unwrap_or(&absent), "{field} {kind:?}");
            }
        }
    }
}
