//! The checksums that a segment file holds of itself: one of the whole file, so that damage is noticed when there is no
//! catalogue to compare it with, and one of the footer alone, so that a query need not read the file whole to trust
//! what the footer says. Both stand in the footer, and are computed as if their own places were blank.

use parquet::file::metadata::KeyValue;
use xxhash_rust::xxh3::Xxh3;

use crate::{Error, Result};

const WHOLE: &str = "tidegauge.checksum";
const FOOTER: &str = "tidegauge.footer";

/// What a file ends with after the footer: its length and the closing mark.
pub(crate) const TAIL_BYTES: u64 = 8;

/// Sixteen digits, not written yet.
const BLANK: &[u8; 16] = b"----------------";

/// What comes between a key and a value of sixteen bytes in the footer's encoding.
const BETWEEN: [u8; 2] = [0x18, 16];

/// The entries of the footer that will hold the checksums. They have to be the last.
pub(super) fn blanks() -> [KeyValue; 2] {
    [FOOTER, WHOLE].map(|key| KeyValue::new(key.to_owned(), String::from_utf8_lossy(BLANK).into_owned()))
}

/// Writes the checksums into a finished file.
pub(super) fn seal(bytes: &mut [u8]) -> Result<()> {
    let missing = || Error::corrupt("a segment has no place for its checksum");
    let footer = footer_start(bytes).and_then(|start| bytes.get_mut(start..)).ok_or_else(missing)?;
    let (own, whole) = place(footer, FOOTER).zip(place(footer, WHOLE)).ok_or_else(missing)?;
    write(footer, own, &[own, whole]);
    let whole = place(bytes, WHOLE).ok_or_else(missing)?;
    write(bytes, whole, &[whole]);
    Ok(())
}

/// Whether a file is as it was written.
pub(crate) fn is_whole(bytes: &[u8]) -> bool {
    place(bytes, WHOLE).is_some_and(|place| is_sealed(bytes, place, &[place]))
}

/// Whether a footer, with what comes after it, is known to be as it was written. Files from before footers had a
/// checksum of their own do not say so.
pub(crate) fn is_footer_whole(footer: &[u8]) -> bool {
    let places = place(footer, FOOTER).zip(place(footer, WHOLE)).filter(|(own, whole)| own < whole);
    places.is_some_and(|(own, whole)| is_sealed(footer, own, &[own, whole]))
}

/// Length of the metadata at the end of a file, as it stands before the closing mark. DuckDB compares the two.
pub(crate) fn footer_bytes(bytes: &[u8]) -> u64 {
    let tail = bytes.len().checked_sub(8).and_then(|at| bytes.get(at..at + 4));
    let length = tail.and_then(|tail| tail.try_into().ok()).map_or(0, u32::from_le_bytes);
    u64::from(length)
}

fn footer_start(bytes: &[u8]) -> Option<usize> {
    bytes.len().checked_sub(usize::try_from(footer_bytes(bytes) + TAIL_BYTES).ok()?)
}

/// Names of fields stand before it, so the last place that looks like it is the right one.
fn place(bytes: &[u8], key: &str) -> Option<usize> {
    let mark = [key.as_bytes(), &BETWEEN].concat();
    let found = bytes.windows(mark.len() + BLANK.len()).rposition(|window| window.starts_with(&mark))?;
    Some(found + mark.len())
}

fn write(bytes: &mut [u8], place: usize, blanks: &[usize]) {
    let digits = digits(bytes, blanks);
    bytes[place..place + BLANK.len()].copy_from_slice(digits.as_bytes());
}

fn is_sealed(bytes: &[u8], place: usize, blanks: &[usize]) -> bool {
    bytes[place..place + BLANK.len()] == *digits(bytes, blanks).as_bytes()
}

/// The hash of bytes in which these places, which ascend, are taken as blank.
fn digits(bytes: &[u8], blanks: &[usize]) -> String {
    let mut hash = Xxh3::new();
    let mut from = 0;
    for place in blanks {
        hash.update(&bytes[from..*place]);
        hash.update(BLANK);
        from = place + BLANK.len();
    }
    hash.update(&bytes[from..]);
    format!("{:016x}", hash.digest())
}
