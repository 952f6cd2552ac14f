//! How numbers are written so that the order of the texts is that of the numbers: the float next to each, and how far
//! an integer is above it.

use std::fmt::Write;

/// How far an integer is above its float.
#[inline]
pub fn lost_digits(value: i64) -> i64 {
    // The float of the greatest integers is beyond 64 bits; the difference never is.
    (i128::from(value) - value as f64 as i128) as i64
}

/// Writes a number by its float and how far it is above that.
pub fn write_rank(float: f64, lost: i64, text: &mut String) {
    write_float_rank(float, text);
    write_lost(lost, text);
}

/// Writes a float alone.
pub fn write_float_rank(float: f64, text: &mut String) {
    // Adding zero makes the two zeros one; of numbers below zero the greater has the smaller bits.
    let bits = (float + 0.0).to_bits();
    let order = if bits >> 63 == 1 { !bits } else { bits | 1 << 63 };
    let _ = write!(text, "{order:016x}");
}

/// Writes how far a number is above its float.
pub fn write_lost(lost: i64, text: &mut String) {
    let _ = write!(text, "{:016x}", lost.cast_unsigned() ^ 1 << 63);
}
