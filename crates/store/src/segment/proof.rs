//! The checksum that a segment file holds of itself, so that damage is noticed when there is no catalogue to compare
//! it with. It stands in the footer, and is computed as if its own place were blank.

use parquet::file::metadata::KeyValue;
use xxhash_rust::xxh3::Xxh3;

use crate::{Error, Result};

const KEY: &str = "tidegauge.checksum";

/// Sixteen digits, not written yet.
const BLANK: &[u8; 16] = b"----------------";

/// What comes between a key and a value of sixteen bytes in the footer's encoding.
const BETWEEN: [u8; 2] = [0x18, 16];

/// The entry of the footer that will hold the checksum. It has to be the last.
pub(super) fn blank() -> KeyValue {
    KeyValue::new(KEY.to_owned(), String::from_utf8_lossy(BLANK).into_owned())
}

/// Writes the checksum into a finished file.
pub(super) fn seal(bytes: &mut [u8]) -> Result<()> {
    let place = place(bytes).ok_or_else(|| Error::corrupt("a segment has no place for its checksum"))?;
    let digits = digits(bytes, place);
    bytes[place..place + BLANK.len()].copy_from_slice(digits.as_bytes());
    Ok(())
}

/// Whether a file is as it was written.
pub(crate) fn is_whole(bytes: &[u8]) -> bool {
    place(bytes).is_some_and(|place| bytes[place..place + BLANK.len()] == *digits(bytes, place).as_bytes())
}

/// Names of fields stand before it, so the last place that looks like it is the right one.
fn place(bytes: &[u8]) -> Option<usize> {
    let mark = [KEY.as_bytes(), &BETWEEN].concat();
    let found = bytes.windows(mark.len() + BLANK.len()).rposition(|window| window.starts_with(&mark))?;
    Some(found + mark.len())
}

fn digits(bytes: &[u8], place: usize) -> String {
    let mut hash = Xxh3::new();
    hash.update(&bytes[..place]);
    hash.update(BLANK);
    hash.update(&bytes[place + BLANK.len()..]);
    format!("{:016x}", hash.digest())
}
