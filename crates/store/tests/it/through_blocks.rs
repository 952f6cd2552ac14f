//! Reads everything through blocks, by whole columns and by some rows of them, and compares the two on the way.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{Array, ArrayRef};
use tidegauge_model::{DatasetId, FieldKind};
use tidegauge_store::{Block, BlockColumn, Blocks, Predicate, Scalar, Store, StoredRow, StoredValue};

use crate::events::assert_same;

/// What a row of a plain array holds.
pub(crate) fn value(array: &ArrayRef, kind: FieldKind, row: usize) -> Option<StoredValue> {
    let text = || array.as_string_view().value(row).to_owned();
    array.is_valid(row).then(|| match kind {
        FieldKind::Boolean => StoredValue::Boolean(array.as_boolean().value(row)),
        FieldKind::Integer => StoredValue::Integer(array.as_primitive::<Int64Type>().value(row)),
        FieldKind::Float => StoredValue::Float(array.as_primitive::<Float64Type>().value(row)),
        FieldKind::String => StoredValue::String(text()),
        FieldKind::Array => StoredValue::Array(text()),
        FieldKind::Map => StoredValue::Map(text()),
        FieldKind::LongInteger => StoredValue::LongInteger(text()),
    })
}

/// What each row of a column holds.
pub(crate) fn values(column: &BlockColumn, kind: FieldKind) -> Vec<Option<StoredValue>> {
    match column {
        BlockColumn::Plain(array) => (0..array.len()).map(|row| value(array, kind, row)).collect(),
        BlockColumn::Coded { codes, values, nulls } => {
            let table: ArrayRef = Arc::new(values.clone());
            let is_there = |row: &usize| nulls.as_ref().is_none_or(|nulls| nulls.is_valid(*row));
            let at = |row: usize| value(&table, kind, codes.at(row)).filter(|_| is_there(&row));
            (0..codes.len()).map(at).collect()
        }
    }
}

/// The text or number of a value, to compare with.
pub(crate) fn probe(value: &StoredValue) -> Scalar<'_> {
    match value {
        StoredValue::Boolean(value) => Scalar::Boolean(*value),
        StoredValue::Integer(value) => Scalar::Integer(*value),
        StoredValue::Float(value) => Scalar::Float(*value),
        StoredValue::String(text)
        | StoredValue::Array(text)
        | StoredValue::Map(text)
        | StoredValue::LongInteger(text) => Scalar::String(text),
    }
}

/// Every test that a value passes must be said to be possible.
async fn check_tests(block: &Block, field: &str, kind: FieldKind, value: &StoredValue) {
    let own = probe(value);
    let mut tests =
        vec![Predicate::IsPresent, Predicate::Equal(own), Predicate::AtLeast(own), Predicate::AtMost(own)];
    match own {
        Scalar::Integer(value) => {
            let near = Scalar::Float(value as f64);
            tests.extend([Predicate::Equal(near), Predicate::AtLeast(near), Predicate::AtMost(near)]);
            tests.extend(value.checked_sub(1).map(|less| Predicate::Above(Scalar::Integer(less))));
            tests.extend(value.checked_add(1).map(|more| Predicate::Below(Scalar::Integer(more))));
        }
        Scalar::Float(value) => {
            tests.extend([
                Predicate::Above(Scalar::Float(value.next_down())),
                Predicate::Below(Scalar::Float(value.next_up())),
                Predicate::Equal(Scalar::Float(value + 0.0)),
            ]);
            if value.fract() == 0.0 && value.abs() < 1e15 {
                tests.push(Predicate::Equal(Scalar::Integer(value as i64)));
            }
        }
        Scalar::String(text) => {
            let ends = (0..=text.len()).filter(|end| text.is_char_boundary(*end));
            tests.extend(ends.map(|end| Predicate::StartsWith(&text[..end])));
        }
        Scalar::Boolean(_) => {}
    }
    for test in tests {
        assert!(block.may_pass(field, kind, &test).await.unwrap(), "{field:?} {kind:?} {value:?} {test:?}");
    }
}

/// Few rows, many rows, none, and the last: what is picked must be what a whole column has there.
fn picks(rows: usize) -> Vec<Vec<u32>> {
    let rows = rows as u32;
    vec![
        Vec::new(),
        vec![rows - 1],
        (0..rows).step_by(7).collect(),
        (0..rows).step_by(101).collect(),
        (rows / 2..rows.min(rows / 2 + 3)).collect(),
        (0..rows).collect(),
    ]
}

async fn check_picks(block: &Block, field: &str, kind: FieldKind, whole: &[Option<StoredValue>]) {
    for rows in picks(block.rows()) {
        let picked = block.column_at(field, kind, &rows).await.unwrap().unwrap();
        assert_eq!(picked.len(), rows.len());
        for (at, row) in rows.iter().enumerate() {
            assert_eq!(value(&picked, kind, at), whole[*row as usize], "{field:?} row {row} of {rows:?}");
        }
    }
}

async fn identities(block: &Block) -> Vec<StoredRow> {
    let (times, arrivals) = (block.times().await.unwrap(), block.arrivals().await.unwrap());
    let (sequences, indexes) = (block.sequences().await.unwrap(), block.indexes().await.unwrap());
    let rows = block.rows();
    assert_eq!([times.len(), arrivals.len(), sequences.len(), indexes.len()], [rows; 4]);
    for picks in picks(rows) {
        let at = |row: &u32| *row as usize;
        let found = (block.times_at(&picks).await.unwrap(), block.arrivals_at(&picks).await.unwrap());
        assert_eq!(found.0.to_vec(), picks.iter().map(|row| times[at(row)]).collect::<Vec<_>>());
        assert_eq!(found.1.to_vec(), picks.iter().map(|row| arrivals[at(row)]).collect::<Vec<_>>());
        let found = (block.sequences_at(&picks).await.unwrap(), block.indexes_at(&picks).await.unwrap());
        assert_eq!(found.0.to_vec(), picks.iter().map(|row| sequences[at(row)]).collect::<Vec<_>>());
        assert_eq!(found.1.to_vec(), picks.iter().map(|row| indexes[at(row)]).collect::<Vec<_>>());
    }
    let row = |row: usize| StoredRow {
        time: times[row],
        arrival: arrivals[row],
        sequence: sequences[row],
        index: indexes[row],
        fields: Vec::new(),
    };
    (0..rows).map(row).collect()
}

/// The rows of a block, after many comparisons.
pub(crate) async fn rows_of(block: &Block, is_thorough: bool) -> Vec<StoredRow> {
    let mut rows = identities(block).await;
    let id = |row: &StoredRow| (row.time, row.sequence, row.index);
    assert!(rows.is_sorted_by_key(id), "rows are in the order of their identities");
    assert_eq!((block.min_time(), block.max_time()), (rows[0].time, rows[rows.len() - 1].time));
    let mut fields = Vec::new();
    block.fields(&mut |field, kinds| fields.push((field.to_owned(), kinds)));
    fields.sort_by(|a, b| a.0.cmp(&b.0));
    for (field, kinds) in &fields {
        for kind in FieldKind::ALL {
            let may = block.kinds(field).contains(kind);
            assert!(kinds.contains(kind) || !may, "{field:?} {kind:?}");
            let Some(column) = block.column(field, kind).await.unwrap() else {
                assert!(block.column_at(field, kind, &[]).await.unwrap().is_none_or(|none| none.is_empty()));
                continue;
            };
            assert!(may && column.len() == block.rows());
            let values = values(&column, kind);
            assert!(values.iter().any(Option::is_some), "{field:?} {kind:?} has no value");
            check_picks(block, field, kind, &values).await;
            for (row, value) in rows.iter_mut().zip(values) {
                let Some(value) = value else { continue };
                if is_thorough {
                    check_tests(block, field, kind, &value).await;
                }
                row.fields.push((Arc::from(field.as_str()), value));
            }
        }
    }
    rows
}

pub(crate) async fn all_blocks(store: &Store, id: &DatasetId) -> Blocks {
    let snapshot = store.dataset(id).unwrap().snapshot();
    store.blocks(&snapshot, i64::MIN, i64::MAX).await.unwrap()
}

/// All events through blocks are all events.
pub(crate) async fn assert_blocks(store: &Store, id: &DatasetId, expected: &[StoredRow], when: &str) {
    let Blocks { blocks, skipped, .. } = all_blocks(store, id).await;
    assert_eq!(skipped, 0);
    assert!(blocks.is_sorted_by(|a, b| a.max_time() >= b.max_time()), "the newest first");
    let mut found = Vec::new();
    for block in &blocks {
        assert_eq!(block.is_buffered(), block.stored_bytes() == 0);
        found.extend(rows_of(block, true).await);
    }
    found.sort_by_key(|row| (row.time, row.sequence, row.index));
    assert_same(&found, expected, when);
}
