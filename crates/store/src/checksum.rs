//! What tells that a segment file is the one that was written.

/// A hash of a whole file, by which it is known to be unchanged.
pub(crate) fn checksum(bytes: &[u8]) -> String {
    format!("{:016x}", xxhash_rust::xxh3::xxh3_64(bytes))
}
