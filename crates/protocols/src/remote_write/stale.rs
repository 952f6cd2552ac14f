//! How Prometheus says that a series has ended.

/// The bits of the value that says that a series has ended.
const STALE: u64 = 0x7ff0_0000_0000_0002;

/// Whether a sample, or the sum of a histogram, is the value that says that a series has ended.
pub(super) fn is_stale(value: f64) -> bool {
    value.to_bits() == STALE
}
