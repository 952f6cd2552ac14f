//! The fields of rows that have no column of their own, taken apart. Reading and keeping them is left to the footer.

use std::sync::Arc;

use hashbrown::HashMap;
use tidegauge_model::{Column, FieldKind, Values};

use crate::column_key::{ColumnKey, ColumnName};

/// The fields that rows have in `_rest`.
#[derive(Debug)]
pub(super) struct OverflowColumns(HashMap<ColumnKey, Column>);

impl OverflowColumns {
    pub(super) fn new(columns: Vec<Column>) -> Self {
        let keyed =
            columns.into_iter().map(|column| ((Arc::clone(&column.field), column.values.kind()), column));
        Self(keyed.collect())
    }

    pub(super) fn get(&self, field: &str, kind: FieldKind) -> Option<&Column> {
        self.0.get(&ColumnName(field, kind))
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.0.values().map(bytes_of).sum()
    }
}

fn bytes_of(column: &Column) -> usize {
    let values = match &column.values {
        Values::Boolean(values) => values.len(),
        Values::Integer(values) => values.len() * 8,
        Values::Float(values) => values.len() * 8,
        Values::String(strings)
        | Values::Array(strings)
        | Values::Map(strings)
        | Values::LongInteger(strings) => strings.bytes.len() + strings.ends.len() * 4,
    };
    values + column.rows.len() * 4 + size_of::<(ColumnKey, Column)>()
}
