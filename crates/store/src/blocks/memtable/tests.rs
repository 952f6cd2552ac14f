//! Stretches by themselves: where they are cut, and what is kept of them.

use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use tidegauge_model::{Columns, Values};

use super::*;
use crate::wal_batch::{Encoder, Receipt};

/// A request of one event with ten fields.
fn single(sequence: u64) -> Arc<BufferedBatch> {
    let mut columns = Columns { times: vec![(sequence ^ 5) as i64], columns: Vec::new() };
    for field in 0..10 {
        let kind = if field < 5 { FieldKind::Integer } else { FieldKind::String };
        let mut column = tidegauge_model::Column::new(format!("field {field}").into(), kind);
        column.rows.push(0);
        match &mut column.values {
            Values::Integer(values) => values.push(sequence as i64),
            Values::String(strings) => strings.push(format!("a text of some length {sequence}").as_bytes()),
            _ => {}
        }
        columns.columns.push(column);
    }
    Arc::new(BufferedBatch { sequence, payload: Encoder::encode(&columns, Receipt::default()) })
}

fn check(chunk: &MemtableChunk) {
    let numbers = chunk.column("field 3", FieldKind::Integer).unwrap().unwrap();
    let strings = chunk.column("field 7", FieldKind::String).unwrap().unwrap();
    assert!(chunk.column("field 7", FieldKind::Integer).unwrap().is_none());
    assert_eq!((numbers.null_count(), strings.null_count()), (0, 0));
    for (row, sequence) in chunk.sequences().iter().enumerate() {
        assert_eq!(chunk.times()[row], (sequence ^ 5) as i64);
        assert_eq!(numbers.as_primitive::<Int64Type>().value(row), *sequence as i64);
        assert_eq!(strings.as_string_view().value(row), format!("a text of some length {sequence}"));
    }
}

#[test]
fn stretches_are_cut_from_the_front_and_kept_until_their_requests_go() {
    let batches: Vec<Arc<BufferedBatch>> = (1..=40_000).map(single).collect();
    let chunks = MemtableChunks::new(7);
    let before = chunks.of(&batches[..33_000]).unwrap();
    assert_eq!(before.iter().map(|chunk| chunk.rows()).collect::<Vec<_>>(), [16_384, 16_384, 232]);
    let after = chunks.of(&batches).unwrap();
    let is_same = |at: usize| Arc::ptr_eq(&before[at], &after[at]);
    assert!(is_same(0) && is_same(1) && !is_same(2));
    assert_eq!(after[2].id(), BlockId::Buffer { dataset: 7, first: 32_769, last: 40_000 });
    after.iter().for_each(|chunk| check(chunk));
    // An older reader gets its own last chunk, and does not put it in the place of the longer one.
    assert_eq!(chunks.of(&batches[..33_000]).unwrap()[2].rows(), 232);
    assert!(Arc::ptr_eq(&chunks.of(&batches).unwrap()[2], &after[2]));
    chunks.evict(20_000);
    assert_eq!(chunks.of(&batches[20_000..]).unwrap()[0].min_time(), 20_000);
    assert_eq!(chunks.lock().chunks.len(), 2);
    // A reader that began before builds what it needs, and nothing of it is kept.
    check(&chunks.of(&batches).unwrap()[0]);
    assert!(!chunks.lock().chunks.contains_key(&1));
}
