//! Times and timespans as text.

use std::fmt::Write;

use arrow_array::cast::AsArray;
use jiff::Timestamp;
use tidegauge_lang::tree::Type;

use super::convert;
use crate::Result;
use crate::expr::Typed;

/// Nanoseconds since 1970 as RFC 3339 in UTC, with as many digits of a second as there are.
pub(crate) fn write_datetime(nanos: i64, text: &mut String) {
    match Timestamp::from_nanosecond(i128::from(nanos)) {
        Ok(time) => {
            let _ = write!(text, "{time}");
        }
        Err(_) => text.push_str("null"),
    }
}

/// Nanoseconds as hours, minutes and seconds: `1h2m3.5s`.
pub(crate) fn write_timespan(nanos: i64, text: &mut String) {
    text.push_str(&tidegauge_model::duration::to_text(nanos));
}

/// Reads times from text.
pub(crate) fn parse(text: Typed) -> Result<Typed> {
    let run = convert::integers(|array, row| read(array.as_string_view().value(row)));
    Typed::call("todatetime", Type::Datetime, vec![text], run)
}

/// The time that a text says, in nanoseconds since 1970. Without an offset it is UTC.
pub(crate) fn read(text: &str) -> Option<i64> {
    let text = text.trim();
    let nanos = |time: Timestamp| i64::try_from(time.as_nanosecond()).ok();
    if let Ok(time) = text.parse::<Timestamp>() {
        return nanos(time);
    }
    let civil = text.parse::<jiff::civil::DateTime>().ok()?;
    civil.to_zoned(jiff::tz::TimeZone::UTC).ok().and_then(|zoned| nanos(zoned.timestamp()))
}
