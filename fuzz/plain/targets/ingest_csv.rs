//! CSV bodies: pieces and what a reader remembers make no difference, and errors name a place in the body.

#![no_main]

use libfuzzer_sys::fuzz_target;
use tidegauge_fuzz_plain::bodies::{limits, read_however};
use tidegauge_ingest::{Format, Options};
use tidegauge_model::FieldKind;

fuzz_target!(|data: &[u8]| {
    let [choice, seed, body @ ..] = data else { return };
    let options = Options {
        format: Format::Csv,
        csv_delimiter: [b',', b';', b'\t', b'|'][usize::from(choice & 3)],
        csv_fields: (choice & 16 != 0).then(|| vec!["_time".to_owned(), " b ".to_owned(), String::new()]),
        ..Options::default()
    };
    if let Ok((outcome, columns)) = read_however(&options, &limits(choice >> 2), body, *seed) {
        assert!(columns.columns.iter().all(|column| column.values.kind() == FieldKind::String));
        let lines = body.split(|byte| matches!(byte, b'\n' | b'\r')).count() as u64;
        assert!(outcome.ingested + outcome.failed <= lines);
    }
});
