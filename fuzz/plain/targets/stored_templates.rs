//! Templates as they are stored: whatever can be read can be used, and comes back when it is stored again.

#![no_main]

use std::sync::OnceLock;

use libfuzzer_sys::fuzz_target;
use tidegauge_fuzz_plain::edits::Edits;
use tidegauge_store::Templates;
use tidegauge_store::testing::{decode_templates, encode_templates};

const ROWS: usize = 40;

fn sample() -> &'static [u8] {
    static SAMPLE: OnceLock<Vec<u8>> = OnceLock::new();
    SAMPLE.get_or_init(|| {
        let text = |row: usize| match row % 3 {
            0 => Some(format!("request {row} of user usr_{:010x} answered", row * 0x9e37_79b9)),
            1 => None,
            _ => Some(format!("connection from 10.0.0.{row} closed")),
        };
        let texts: Vec<Option<String>> = (0..ROWS).map(text).collect();
        let templates = Templates::of(texts.iter().map(Option::as_deref)).expect("they are worth it");
        encode_templates(&templates).expect("memory takes all bytes")
    })
}

fn try_templates(bytes: &[u8], rows: usize) {
    let Ok(Some(templates)) = decode_templates(bytes, rows) else { return };
    assert_eq!(templates.codes().len(), rows);
    for row in 0..rows {
        assert!(templates.codes().at(row) <= templates.other_code());
    }
    for code in 0..templates.len() {
        let _ = (templates.template(code), templates.holes(code), templates.identity(code));
    }
    let _ = (templates.may_hold("abcdef0123"), templates.memory_bytes());
    let again = encode_templates(&templates).expect("memory takes all bytes");
    let again = decode_templates(&again, rows).expect("they read back").expect("in this form");
    assert_eq!(format!("{again:?}"), format!("{templates:?}"));
}

/// Parts that are compressed here, so that chance need not write the form of the compression: how many templates, the
/// dictionary, the codes, and the filter.
fn packed(data: &[u8]) -> Option<Vec<u8>> {
    let (&[templates, dictionary, filter], rest) = data.split_first_chunk::<3>()?;
    let (dictionary, rest) = rest.split_at_checked(usize::from(dictionary))?;
    let (codes, filter) = rest.split_at_checked(rest.len().checked_sub(usize::from(filter))?)?;
    let pack = |bytes: &[u8]| zstd::bulk::compress(bytes, 1).expect("memory takes all bytes");
    let (packed_dictionary, packed_codes) = (pack(dictionary), pack(codes));
    let head = [
        1,
        codes.len(),
        usize::from(templates),
        dictionary.len(),
        packed_dictionary.len(),
        packed_codes.len(),
        filter.len(),
    ];
    let mut bytes: Vec<u8> = head.iter().flat_map(|number| (*number as u32).to_le_bytes()).collect();
    bytes.extend_from_slice(&packed_dictionary);
    bytes.extend_from_slice(&packed_codes);
    bytes.extend_from_slice(filter);
    try_templates(&bytes, codes.len());
    Some(bytes)
}

fuzz_target!(|data: &[u8]| {
    let _ = packed(data);
    try_templates(data, ROWS);
    let mut bytes = sample().to_vec();
    try_templates(&bytes, ROWS);
    Edits(data).apply(&mut bytes);
    try_templates(&bytes, ROWS);
});
