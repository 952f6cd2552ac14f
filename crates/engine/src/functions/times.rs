//! Times and timespans as text, both ways.

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

/// The nanoseconds that a text says: numbers with units (`1h30m`), or days and a clock (`1.02:30:00.5`).
pub(crate) fn read_timespan(text: &str) -> Option<i64> {
    let text = text.trim();
    let (is_negative, amount) = match text.strip_prefix('-') {
        Some(amount) => (true, amount),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let nanos = if amount.contains(':') {
        read_clock(amount)?
    } else {
        i64::try_from(tidegauge_model::duration::parse(amount)?.as_nanos()).ok()?
    };
    Some(if is_negative { -nanos } else { nanos })
}

/// `hh:mm`, `hh:mm:ss` or `d.hh:mm:ss`, the seconds with a fraction.
fn read_clock(text: &str) -> Option<i64> {
    let mut parts = text.split(':');
    let (first, minutes, seconds) = (parts.next()?, parts.next()?, parts.next().unwrap_or("0"));
    let (days, hours) = first.split_once('.').unwrap_or(("0", first));
    let (seconds, fraction) = seconds.split_once('.').unwrap_or((seconds, ""));
    let number = |digits: &str, limit: i64| {
        let is_digits = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        let number: Option<i64> = if is_digits { digits.parse().ok() } else { None };
        number.filter(|number| *number < limit)
    };
    if parts.next().is_some() || fraction.len() > 9 {
        return None;
    }
    let minutes = (number(days, 200_000)? * 24 + number(hours, 24)?) * 60 + number(minutes, 60)?;
    let seconds = minutes * 60 + number(seconds, 60)?;
    let nanos = number(&format!("{fraction:0<9}"), 1_000_000_000)?;
    seconds.checked_mul(1_000_000_000)?.checked_add(nanos)
}
