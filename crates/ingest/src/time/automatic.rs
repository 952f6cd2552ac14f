//! Recognises a time that is written without a layout being named. Forms that could mean two dates, like 01/02/2006,
//! are not recognised.

use super::{epoch, iso, worded};

#[inline]
pub(super) fn parse(text: &[u8]) -> Option<i64> {
    if matches!(text.get(4), Some(b'-' | b'/'))
        && let Some(time) = iso::parse(text)
    {
        return Some(time);
    }
    if text.iter().any(u8::is_ascii_alphabetic) {
        return worded::parse(text).or_else(|| iso::parse(text));
    }
    // Digits alone are a count, even if they could be a date without separators.
    epoch::from_text(text).or_else(|| iso::parse(text))
}
