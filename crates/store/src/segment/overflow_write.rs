//! Writes the overflow column `_rest`, in the form that `overflow` reads.

use std::sync::Arc;

use arrow_array::{ArrayRef, LargeStringArray};
use tidegauge_model::{Column, FieldKind, SegmentId, Values};

use super::overflow::unreadable;
use crate::Result;
use crate::arrays;
use crate::column_key::ColumnKey;
use crate::merge::{Merge, Rows};

/// The overflow column `_rest` for all rows of a merge.
pub(super) struct Overflow {
    pub(super) strings: ArrayRef,
    /// For each group of rows, how many of them have each of the columns.
    pub(super) counts: Vec<Vec<u64>>,
}

/// Puts the columns that get none of their own together.
pub(super) fn encode(merge: &Merge, keys: &[ColumnKey], groups: &[(SegmentId, Rows)]) -> Result<Overflow> {
    let mut counts = vec![vec![0; keys.len()]; groups.len()];
    if keys.is_empty() {
        return Ok(Overflow { strings: arrays::nulls(FieldKind::String, merge.rows()), counts });
    }
    let mut group_of = vec![0; merge.rows()];
    for (group, (_, rows)) in groups.iter().enumerate() {
        rows.iter().for_each(|row| group_of[row] = group);
    }
    let mut strings: Vec<Vec<u8>> = vec![Vec::new(); merge.rows()];
    for (number, key) in keys.iter().enumerate() {
        for part in merge.sparse(key) {
            let (base, column) = part?;
            column.rows.iter().for_each(|row| counts[group_of[base + *row as usize]][number] += 1);
            add(&mut strings[base..], &column)?;
        }
    }
    let finished = strings.iter_mut().map(|text| {
        if text.is_empty() {
            return None;
        }
        text.push(b'}');
        std::str::from_utf8(text).ok()
    });
    Ok(Overflow { strings: Arc::new(finished.collect::<LargeStringArray>()), counts })
}

fn add(strings: &mut [Vec<u8>], column: &Column) -> Result<()> {
    let name = serde_json::to_vec(&*column.field).map_err(|_| unreadable())?;
    for (at, row) in column.rows.iter().enumerate() {
        let text = &mut strings[*row as usize];
        text.push(if text.is_empty() { b'{' } else { b',' });
        text.extend_from_slice(&name);
        text.push(b':');
        match &column.values {
            Values::Boolean(values) => text.extend_from_slice(if values[at] { b"true" } else { b"false" }),
            Values::Integer(values) => text.extend_from_slice(values[at].to_string().as_bytes()),
            // The debug form always has a point or an exponent.
            Values::Float(values) => text.extend_from_slice(format!("{:?}", values[at]).as_bytes()),
            Values::String(values) => {
                let value = std::str::from_utf8(values.get(at)).map_err(|_| unreadable())?;
                serde_json::to_writer(&mut *text, value).map_err(|_| unreadable())?;
            }
            Values::Array(values) | Values::Map(values) | Values::LongInteger(values) => {
                text.extend_from_slice(values.get(at));
            }
        }
    }
    Ok(())
}
