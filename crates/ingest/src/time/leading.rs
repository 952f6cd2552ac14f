//! The time that a line of text begins with. Only forms that can mean nothing else are recognised: a wrong time is
//! worse than that of the arrival. Without a zone a time is in UTC, as everywhere in this service.

use super::civil::{Civil, month_by_prefix, weekday_prefix, year_of};
use super::{epoch, iso};

const DAY: i64 = 86_400_000_000_000;

/// Web servers write the time behind the address and the user, which are not longer than this.
const BRACKET_WITHIN: usize = 256;

/// `10/Oct/2000:13:55:36 -0700]`, behind its bracket.
const COMMON_LOG_LENGTH: usize = 27;

/// The time of a line; nothing if it does not begin with one.
pub(crate) fn parse(line: &[u8], arrival_ns: i64) -> Option<i64> {
    let text = without_priority(line.trim_ascii_start());
    let text = text.strip_prefix(b"[").unwrap_or(text);
    let time = match text.first()? {
        b'0'..=b'9' => iso_time(text).or_else(|| epoch_time(text)),
        byte if byte.is_ascii_alphabetic() => month_time(text, arrival_ns),
        _ => None,
    };
    time.or_else(|| common_log_time(line))
}

/// Behind `<34>` of syslog, and behind the version that its newer form has there.
fn without_priority(text: &[u8]) -> &[u8] {
    let Some(rest) = text.strip_prefix(b"<") else {
        return text;
    };
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    match (digits, rest.get(digits)) {
        (1..=3, Some(b'>')) => {
            let rest = &rest[digits + 1..];
            rest.strip_prefix(b"1 ").unwrap_or(rest)
        }
        _ => text,
    }
}

/// Whether nothing of the time goes on behind it.
fn is_end(rest: &[u8]) -> bool {
    rest.first().is_none_or(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_')
}

/// `2026-11-16T15:42:01.5Z`, with a space or slashes, with an offset or without.
fn iso_time(text: &[u8]) -> Option<i64> {
    let (fixed, rest) = text.split_first_chunk::<19>()?;
    let mut civil = iso::fixed_places(fixed)?;
    let rest = iso::fraction(rest, &mut civil);
    if civil.second == 60 {
        civil.second = 59;
    }
    let (offset, rest) = zone(rest)?;
    civil.offset_seconds = offset;
    is_end(rest).then(|| civil.nanoseconds()).flatten()
}

/// Names of zones that are not known here, or mean several: a line with one has the time of its arrival, not a wrong one.
const UNSURE_ZONES: [&[u8]; 18] = [
    b"CET", b"CEST", b"EET", b"EEST", b"WET", b"WEST", b"BST", b"IST", b"JST", b"KST", b"MSK", b"AEST",
    b"AEDT", b"NZST", b"NZDT", b"SGT", b"HKT", b"BRT",
];

/// The zone behind a time of day, if there is one: `Z`, `+01:00`, ` -0700`, ` UTC`.
fn zone(text: &[u8]) -> Option<(i32, &[u8])> {
    let is_signed = |text: &[u8]| matches!(text, [b'+' | b'-', tens, ones, ..] if tens.is_ascii_digit() && ones.is_ascii_digit());
    if let Some(rest) = text.strip_prefix(b"Z").or_else(|| text.strip_prefix(b"z")) {
        return Some((0, rest));
    }
    if is_signed(text) {
        return iso::offset(text);
    }
    let spaced = text.strip_prefix(b" ").unwrap_or_default();
    // Behind a blank with its minutes only: `-12` may count anything.
    let has_minutes = matches!(spaced.get(3), Some(b':' | b'0'..=b'9'));
    if is_signed(spaced)
        && has_minutes
        && let Some((offset, rest)) = iso::offset(spaced)
        && is_end(rest)
    {
        return Some((offset, rest));
    }
    let length = spaced.iter().take_while(|byte| byte.is_ascii_uppercase()).count();
    let (name, rest) = spaced.split_at(length);
    if is_end(rest) && UNSURE_ZONES.contains(&name) {
        return None;
    }
    match iso::zone_name(name) {
        Some(offset) if length > 1 && is_end(rest) => Some((offset, rest)),
        _ => Some((0, text)),
    }
}

/// `1731771721.123`: seconds since 1970 with their fraction. Digits alone may count anything.
fn epoch_time(text: &[u8]) -> Option<i64> {
    let length = text.iter().take_while(|byte| byte.is_ascii_digit() || **byte == b'.').count();
    let (number, rest) = text.split_at(length);
    let point = number.iter().position(|byte| *byte == b'.')?;
    let is_whole = point == 10 && matches!(number.len() - point - 1, 3 | 6 | 9);
    (is_whole && is_end(rest)).then(|| epoch::from_text(number)).flatten()
}

/// `Nov 16 15:42:01` as syslog has it, whose year follows from the arrival; `Nov 16 2026 15:42:01`; and
/// `Mon Nov 16 15:42:01.123 2026`.
fn month_time(text: &[u8], arrival_ns: i64) -> Option<i64> {
    let (has_weekday, text) = match weekday_prefix(text, false) {
        Some(length) if text.get(length) == Some(&b' ') => (true, &text[length + 1..]),
        _ => (false, text),
    };
    let month = month_by_prefix(text)?;
    let text = text[3..].strip_prefix(b" ")?;
    let text = text.strip_prefix(b" ").unwrap_or(text);
    let (day, text) = iso::number(text, 2).or_else(|| iso::number(text, 1))?;
    let text = text.strip_prefix(b" ")?;
    let (mut year, text) = match iso::number(text, 4) {
        Some((year, [b' ', rest @ ..])) => (Some(year as i32), rest),
        _ => (None, text),
    };
    let mut civil = Civil::date(0, month, day);
    let rest = clock(text, &mut civil)?;
    let mut rest = iso::fraction(rest, &mut civil);
    if has_weekday
        && let Some((behind, after)) = rest.strip_prefix(b" ").and_then(|text| iso::number(text, 4))
    {
        (year, rest) = (Some(behind as i32), after);
    }
    if !is_end(rest) {
        return None;
    }
    match year {
        Some(year) => Civil { year, ..civil }.nanoseconds(),
        None => nearest(civil, arrival_ns),
    }
}

/// `15:04:05` at fixed places.
fn clock<'a>(text: &'a [u8], civil: &mut Civil) -> Option<&'a [u8]> {
    let (hour, rest) = iso::number(text, 2)?;
    let (minute, rest) = iso::number(rest.strip_prefix(b":")?, 2)?;
    let (second, rest) = iso::number(rest.strip_prefix(b":")?, 2)?;
    // A leap second is the second before it, as everywhere in this service.
    (civil.hour, civil.minute, civil.second) = (hour, minute, if second == 60 { 59 } else { second });
    Some(rest)
}

/// In the last year in which it is not in the future. A day is left for clocks and zones that are ahead.
fn nearest(civil: Civil, arrival_ns: i64) -> Option<i64> {
    let latest = arrival_ns.saturating_add(DAY);
    let this_year = year_of(arrival_ns);
    // Four years back, because of the leap day.
    let years = (this_year - 4..=this_year + 1).rev();
    years.filter_map(|year| Civil { year, ..civil }.nanoseconds()).find(|time| *time <= latest)
}

/// `[10/Oct/2000:13:55:36 -0700]`, as web servers write it behind the address.
fn common_log_time(line: &[u8]) -> Option<i64> {
    let start = &line[..line.len().min(BRACKET_WITHIN)];
    memchr::memchr_iter(b'[', start).find_map(|place| bracketed(line.get(place + 1..)?))
}

fn bracketed(text: &[u8]) -> Option<i64> {
    let text = text.get(..COMMON_LOG_LENGTH)?;
    let (day, rest) = iso::number(text, 2)?;
    let rest = rest.strip_prefix(b"/")?;
    let month = month_by_prefix(rest)?;
    let (year, rest) = iso::number(rest[3..].strip_prefix(b"/")?, 4)?;
    let mut civil = Civil::date(year as i32, month, day);
    let rest = clock(rest.strip_prefix(b":")?, &mut civil)?;
    let (offset, rest) = zone(rest)?;
    civil.offset_seconds = offset;
    (rest == b"]").then(|| civil.nanoseconds()).flatten()
}
