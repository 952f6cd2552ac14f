//! Cached partial aggregates on the disk: a file that is not as it was written is taken for none, and one whose checksum fits though it
//! was never written ends in entries or in none.

#![no_main]

use std::sync::{Arc, OnceLock};

use arrow_array::{Float64Array, Int64Array, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema};
use libfuzzer_sys::fuzz_target;
use tidegauge_cache::partials::{decode_partials, encode_partials};

/// Makes changes that the input describes, four bytes each: a place, how, and a value.
fn edit(bytes: &mut [u8], edits: &[u8]) {
    for edit in edits.chunks_exact(4).take(8) {
        let place = usize::from(u16::from_le_bytes([edit[0], edit[1]]));
        if let Some(byte) = bytes.get_mut(place) {
            *byte = if edit[2] & 1 == 0 { *byte ^ (1 << (edit[3] % 8)) } else { edit[3] };
        }
    }
}

fn states(rows: i64) -> RecordBatch {
    let schema = Schema::new(vec![
        Field::new("key", DataType::Utf8, true),
        Field::new("count", DataType::Int64, false),
        Field::new("sum", DataType::Float64, true),
    ]);
    let keys: StringArray = (0..rows).map(|row| (row % 3 > 0).then(|| format!("key {row}"))).collect();
    let counts: Int64Array = (0..rows).map(Some).collect();
    let sums: Float64Array = (0..rows).map(|row| Some(row as f64 / 2.0)).collect();
    RecordBatch::try_new(Arc::new(schema), vec![Arc::new(keys), Arc::new(counts), Arc::new(sums)])
        .expect("the columns fit the schema")
}

fn sample() -> &'static [u8] {
    static SAMPLE: OnceLock<Vec<u8>> = OnceLock::new();
    SAMPLE.get_or_init(|| {
        let entries = vec![(0, 7, Some(states(4))), (1, 0, None), (5, u64::MAX, Some(states(1)))];
        let file = encode_partials(&entries).expect("they can be written");
        assert_eq!(decode_partials(&file, false), Some(entries));
        file
    })
}

fuzz_target!(|data: &[u8]| {
    let mut file = sample().to_vec();
    edit(&mut file, data);
    let found = decode_partials(&file, false);
    assert_eq!(found.is_some(), file == sample(), "the checksum tells");
    // What can be read of a forged one can be written again.
    if let Some(entries) = decode_partials(&file, true) {
        let again = encode_partials(&entries).and_then(|file| decode_partials(&file, false));
        let rows = |entries: &[(u32, u64, Option<RecordBatch>)]| {
            entries
                .iter()
                .map(|(_, _, states)| states.as_ref().map(RecordBatch::num_rows))
                .collect::<Vec<_>>()
        };
        if let Some(again) = again {
            assert_eq!(rows(&again), rows(&entries));
        }
    }
    let _ = decode_partials(data, true);
});
