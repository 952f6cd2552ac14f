//! The identity of an event: its time, the sequence of the request that brought it, and its place in that request.
//! Stable for the life of the event, through flush and compaction. The order of ids is the order in which events are
//! stored, as values and as text, and an id is a cursor in the order of answers.

use std::cmp::Ordering;
use std::fmt;

/// The identity of one event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RowId {
    /// In nanoseconds since 1970.
    pub time: i64,
    pub sequence: u64,
    pub index: u32,
}

/// Digits of the time in base 36: enough for 64 bits.
const TIME_DIGITS: usize = 13;
const SEQUENCE_DIGITS: usize = 16;
const INDEX_DIGITS: usize = 8;

impl RowId {
    pub const MIN: Self = Self { time: i64::MIN, sequence: 0, index: 0 };
    pub const MAX: Self = Self { time: i64::MAX, sequence: u64::MAX, index: u32::MAX };

    /// The order of answers by time: the newest or the oldest first, and those of the same time as they were sent,
    /// whichever way time goes.
    pub fn order_by_time(&self, other: &Self, is_descending: bool) -> Ordering {
        let by_time = self.time.cmp(&other.time);
        let by_time = if is_descending { by_time.reverse() } else { by_time };
        by_time.then_with(|| (self.sequence, self.index).cmp(&(other.sequence, other.index)))
    }

    /// Reads what [`fmt::Display`] writes. Each part has all of its digits: a text that lost some on its way would name
    /// another event, and pages would begin there without a word.
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split('-');
        let (time, sequence, index) = (parts.next()?, parts.next()?, parts.next()?);
        let is_digits = |part: &str, digits: usize| {
            part.len() == digits && part.bytes().all(|byte| byte.is_ascii_alphanumeric())
        };
        let has_form = parts.next().is_none()
            && is_digits(time, TIME_DIGITS)
            && is_digits(sequence, SEQUENCE_DIGITS)
            && is_digits(index, INDEX_DIGITS);
        if !has_form {
            return None;
        }
        Some(Self {
            time: unwound(u64::from_str_radix(time, 36).ok()?),
            sequence: u64::from_str_radix(sequence, 16).ok()?,
            index: u32::from_str_radix(index, 16).ok()?,
        })
    }
}

impl fmt::Display for RowId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut digits = [b'0'; TIME_DIGITS];
        let mut left = wound(self.time);
        for digit in digits.iter_mut().rev() {
            *digit = b"0123456789abcdefghijklmnopqrstuvwxyz"[(left % 36) as usize];
            left /= 36;
        }
        let time = std::str::from_utf8(&digits).map_err(|_| fmt::Error)?;
        write!(f, "{time}-{:016x}-{:08x}", self.sequence, self.index)
    }
}

/// Times from 1970 on are their own number. Those before come from the upper end of the numbers, where no time is, so
/// that each has one; their texts stand after all others, which only readers of texts from before 1970 would notice.
fn wound(time: i64) -> u64 {
    time.cast_unsigned()
}

fn unwound(number: u64) -> i64 {
    number.cast_signed()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_reads_back_and_texts_are_in_the_order_of_events() {
        let ids = [
            RowId { time: 0, sequence: 0, index: 0 },
            RowId { time: 0, sequence: 9, index: 16 },
            RowId { time: 0, sequence: 10, index: 1 },
            RowId { time: 1_742_991_162_000_000_000, sequence: 1, index: 51_317 },
            RowId::MAX,
        ];
        for pair in ids.windows(2) {
            assert!(pair[0] < pair[1] && pair[0].to_string() < pair[1].to_string());
        }
        for id in ids.into_iter().chain([RowId::MIN, RowId { time: -1, sequence: 3, index: 4 }]) {
            assert_eq!(RowId::parse(&id.to_string()), Some(id));
        }
    }

    #[test]
    fn other_texts_are_no_ids() {
        let others = [
            "",
            "-",
            "a-b",
            "a-b-c",
            "0-0-0-0",
            "zzzzzzzzzzzzz-0000000000000000-00000000",
            "0d8q6stroluyo-000000000000000g-00000000",
            "0d8q6stroluyo-0000000000000000-00000000-",
            "+d8q6stroluyo-0000000000000000-00000000",
            "äd8q6stroluy-0000000000000000-00000000",
        ];
        for text in others {
            assert_eq!(RowId::parse(text), None, "{text}");
        }
    }

    #[test]
    fn an_id_that_lost_characters_is_none() {
        let text = RowId { time: 1_742_991_162_000_000_000, sequence: 0x1234, index: 0x56 }.to_string();
        for end in 0..text.len() {
            assert_eq!(RowId::parse(&text[..end]), None, "{}", &text[..end]);
            for begin in 0..=end {
                let without = format!("{}{}", &text[..begin], &text[end + 1..]);
                assert_eq!(RowId::parse(&without), None, "{without}");
            }
        }
    }
}
