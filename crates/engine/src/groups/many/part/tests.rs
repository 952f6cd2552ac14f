//! Both sides of how many rows make more parts, and that each key is in one of them with all of its rows.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Int64Array, StringViewArray};
use arrow_schema::DataType;

use super::*;

#[test]
fn parts_are_as_many_as_their_rows_want() {
    for (rows, parts) in [
        (0, 64),
        (PART_ROWS, 64),
        (64 * PART_ROWS, 64),
        (65 * PART_ROWS - 1, 64),
        (65 * PART_ROWS, 128),
        (129 * PART_ROWS - 1, 128),
        (129 * PART_ROWS, 256),
        (513 * PART_ROWS - 1, 512),
        (513 * PART_ROWS, 1_024),
        (2_000 * PART_ROWS, 1_024),
        (usize::MAX, 1_024),
    ] {
        assert_eq!(Parts::of(rows).count(), parts, "{rows}");
    }
}

#[test]
fn a_key_is_in_one_part_however_many_there_are() {
    const ROWS: i64 = 10_000;
    const KEYS: i64 = 3_001;
    let form = Form::new(vec![DataType::Int64]);
    let of_rows: ArrayRef = Arc::new(Int64Array::from_iter_values((0..ROWS).map(|row| row % KEYS)));
    let keys = form.keys(&[of_rows]).unwrap();
    let numbers: ArrayRef = Arc::new(Int64Array::from_iter_values(0..ROWS));
    for rows in [0, 65 * PART_ROWS, 129 * PART_ROWS, usize::MAX] {
        let parts = Parts::of(rows);
        let block = PartedBlock::new(&keys, &[Arc::clone(&numbers)], &form, parts).unwrap();
        let mut part_of: Vec<Option<usize>> = vec![None; KEYS as usize];
        let mut seen = vec![0; ROWS as usize];
        for part in 0..parts.count() {
            let Rows { keys: own, arguments, .. } = block.part(part);
            let numbers = arguments[0].as_primitive::<Int64Type>().values();
            assert_eq!(own.len(), numbers.len());
            for (key, number) in own.iter().zip(numbers.iter()) {
                assert_eq!(*key, Key::from((number % KEYS).cast_unsigned()));
                assert_eq!(*part_of[*key as usize].get_or_insert(part), part, "{key} of {rows}");
                seen[*number as usize] += 1;
            }
        }
        assert!(seen.iter().all(|times| *times == 1), "{rows}");
    }
}

/// Texts on both sides of what fits into a key, alone and beside another column, lie in the part of their row.
#[test]
fn longer_texts_are_in_the_part_of_their_key() {
    const ROWS: usize = 5_000;
    let text = |row: usize| "t".repeat(row % 40) + &(row % 700).to_string();
    let texts: ArrayRef = Arc::new((0..ROWS).map(|row| Some(text(row))).collect::<StringViewArray>());
    let numbers: ArrayRef = Arc::new(Int64Array::from_iter_values(0..ROWS as i64));
    let parts = Parts::of(0);
    for columns in [vec![Arc::clone(&texts)], vec![Arc::clone(&texts), Arc::clone(&numbers)]] {
        let form = Form::new(columns.iter().map(|column| column.data_type().clone()).collect());
        let keys = form.keys(&columns).unwrap();
        let block = PartedBlock::new(&keys, &[Arc::clone(&numbers)], &form, parts).unwrap();
        let mut seen = 0;
        for part in 0..parts.count() {
            let rows = block.part(part);
            let back = form.arrays(rows.keys.iter().copied(), rows.texts());
            assert_eq!(back.len(), columns.len());
            for (place, row) in rows.arguments[0].as_primitive::<Int64Type>().values().iter().enumerate() {
                assert_eq!(back[0].as_string_view().value(place), text(*row as usize));
                seen += 1;
            }
        }
        assert_eq!(seen, ROWS);
    }
}
