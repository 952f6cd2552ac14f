//! Times and timespans as text, both ways.

use std::fmt::Write;

use arrow_array::cast::AsArray;
use jiff::Timestamp;
use tidegauge_lang::tree::Type;

use super::cellwise;
use crate::error::Result;
use crate::expr::Typed;

/// Nanoseconds since 1970 as RFC 3339 in UTC, with as many digits of a second as there are.
pub fn write_datetime(nanos: i64, text: &mut String) {
    match Timestamp::from_nanosecond(i128::from(nanos)) {
        Ok(time) => {
            let _ = write!(text, "{time}");
        }
        Err(_) => text.push_str("null"),
    }
}

/// Nanoseconds as a clock with days before it, `1.02:03:04.5000000`: seven digits of a second, nine if they are needed.
pub fn write_timespan(nanos: i64, text: &mut String) {
    if nanos < 0 {
        text.push('-');
    }
    let total = nanos.unsigned_abs();
    let (seconds, fraction) = (total / 1_000_000_000, total % 1_000_000_000);
    if seconds >= 86_400 {
        let _ = write!(text, "{}.", seconds / 86_400);
    }
    let _ = write!(text, "{:02}:{:02}:{:02}", seconds / 3_600 % 24, seconds / 60 % 60, seconds % 60);
    if fraction % 100 != 0 {
        let _ = write!(text, ".{fraction:09}");
    } else if fraction != 0 {
        let _ = write!(text, ".{:07}", fraction / 100);
    }
}

/// Reads times from text.
pub fn parse(text: Typed) -> Result<Typed> {
    let run = cellwise::integers(|array, row| read(array.as_string_view().value(row)));
    Typed::call("todatetime", Type::Datetime, vec![text], run)
}

/// The time that a text says, in nanoseconds since 1970: ISO forms, those of mail and HTTP headers, and dates with the
/// month first. Without an offset it is UTC.
pub fn read(text: &str) -> Option<i64> {
    let text = text.trim();
    let nanos = |time: Timestamp| i64::try_from(time.as_nanosecond()).ok();
    if let Ok(time) = text.parse::<Timestamp>() {
        return nanos(time);
    }
    if let Ok(civil) = text.parse::<jiff::civil::DateTime>() {
        let zoned = civil.to_zoned(jiff::tz::TimeZone::UTC).ok()?;
        return nanos(zoned.timestamp());
    }
    match jiff::fmt::rfc2822::parse(text) {
        Ok(zoned) => nanos(zoned.timestamp()),
        Err(_) => tidegauge_lang::read_datetime(text),
    }
}

/// The nanoseconds that a text says, in every form that literals have: numbers with units (`1h30m`), days and a clock
/// (`1.02:30:00.5`), or days alone.
pub fn read_timespan(text: &str) -> Option<i64> {
    const DAY: i64 = 86_400_000_000_000;
    let text = text.trim();
    match text.parse::<i64>() {
        Ok(days) => days.checked_mul(DAY),
        Err(_) => tidegauge_lang::read_timespan(text),
    }
}
