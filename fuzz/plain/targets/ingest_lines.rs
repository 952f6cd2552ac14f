//! Lines of text: pieces make no difference, errors name a place in the body, and each line that is not blank is an event
//! with that line as its message.

#![no_main]

use libfuzzer_sys::fuzz_target;
use tidegauge_fuzz_plain::bodies::{limits, read_however};
use tidegauge_ingest::{Format, Options};
use tidegauge_model::Values;

fuzz_target!(|data: &[u8]| {
    let [choice, seed, body @ ..] = data else { return };
    let options = Options { format: Format::Lines, ..Options::default() };
    let Ok((outcome, columns)) = read_however(&options, &limits(*choice), body, *seed) else { return };
    let body = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body);
    let lines = body.split(|byte| *byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
    let lines: Vec<&[u8]> = lines.filter(|line| !line.trim_ascii().is_empty()).collect();
    assert_eq!(outcome.ingested + outcome.failed, lines.len() as u64);
    // With the usual limits nothing is left out of a line.
    if choice % 4 == 0 {
        let valid: Vec<&[u8]> = lines.into_iter().filter(|line| std::str::from_utf8(line).is_ok()).collect();
        let messages: Vec<&[u8]> = match columns.columns.first().map(|column| &column.values) {
            Some(Values::String(texts)) => (0..texts.ends.len()).map(|row| texts.get(row)).collect(),
            _ => Vec::new(),
        };
        assert_eq!(messages, valid);
    }
});
