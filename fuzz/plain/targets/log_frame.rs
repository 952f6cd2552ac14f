//! Frames: what can be read holds together, and comes back as it is when it is written again.

#![no_main]

use libfuzzer_sys::fuzz_target;
use tidegauge_fuzz_plain::edits::Edits;
use tidegauge_fuzz_plain::events::{check, sample};
use tidegauge_store::testing::{decode_wal_batch, encode_wal_batch};
use tidegauge_store::{IdempotencyKey, Receipt};

fn try_frame(bytes: &[u8]) {
    let Ok((columns, receipt)) = decode_wal_batch(bytes) else { return };
    check(&columns);
    let written = encode_wal_batch(&columns, receipt.clone());
    let (again, same) = decode_wal_batch(&written).expect("what was read can be written");
    assert_eq!(same, receipt);
    // As bytes, because a float may be none that equals itself.
    assert_eq!(encode_wal_batch(&again, same), written);
}

fuzz_target!(|data: &[u8]| {
    try_frame(data);
    let [rows, edits @ ..] = data else { return };
    let key = IdempotencyKey { key: "key".to_owned(), fingerprint: 7, answer: "{}".to_owned() };
    let receipt = Receipt { arrival: 1, raw_bytes: 2, key: Some(key).filter(|_| rows & 1 == 0) };
    let mut frame = encode_wal_batch(&sample(u32::from(rows % 16)), receipt);
    try_frame(&frame);
    Edits(edits).apply(&mut frame);
    try_frame(&frame);
});
