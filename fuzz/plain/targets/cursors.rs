//! Cursors and the tokens that go on where an answer was cut: what is read is written as the same, in one form, and their
//! order is that of events.

#![no_main]

use libfuzzer_sys::fuzz_target;
use tidegauge_lang::dataset_query::{continuation_row, continuation_token};
use tidegauge_model::RowId;

fn check(id: RowId) {
    let text = id.to_string();
    assert_eq!(RowId::parse(&text), Some(id));
    assert_eq!(RowId::parse(&text.to_uppercase()), Some(id));
    assert_eq!(continuation_row(&continuation_token(id)), Some(id));
    assert_eq!(RowId::parse(&continuation_token(id)), None, "a token is no cursor");
    assert_eq!(continuation_row(&text), None, "a cursor is no token");
}

fn id_of(bytes: &[u8]) -> Option<RowId> {
    let (time, rest) = bytes.split_first_chunk()?;
    let (sequence, rest) = rest.split_first_chunk()?;
    let (index, _) = rest.split_first_chunk()?;
    Some(RowId {
        time: i64::from_le_bytes(*time),
        sequence: u64::from_le_bytes(*sequence),
        index: u32::from_le_bytes(*index),
    })
}

fuzz_target!(|data: &[u8]| {
    if let Some(one) = id_of(data) {
        check(one);
        if let Some(other) = id_of(&data[20..]).filter(|other| one.time >= 0 && other.time >= 0) {
            assert_eq!(one.to_string().cmp(&other.to_string()), one.cmp(&other));
        }
    }
    let Ok(text) = std::str::from_utf8(data) else { return };
    RowId::parse(text).into_iter().for_each(check);
    continuation_row(text).into_iter().for_each(check);
});
