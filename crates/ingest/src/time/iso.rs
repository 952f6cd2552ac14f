//! ISO 8601 and RFC 3339 in all their spellings, and the parts of other forms that are written like theirs. The usual
//! spelling has its digits at fixed places and takes a short way.

use super::civil::Civil;

/// `2006-01-02T15:04:05.999Z` and its relatives, `2006/01/02 15:04:05`, and a date alone.
#[inline]
pub(super) fn parse(text: &[u8]) -> Option<i64> {
    let (civil, rest) = date_time(text)?;
    finish(civil, rest)
}

/// Date and time of day as far as the seconds.
#[inline]
fn date_time(text: &[u8]) -> Option<(Civil, &[u8])> {
    if let Some((fixed, rest)) = text.split_first_chunk::<19>()
        && let Some(civil) = fixed_places(fixed)
    {
        return Some((civil, rest));
    }
    loose_date_time(text)
}

/// `2006-01-02T15:04:05` without any choice but the separators.
#[inline]
pub(super) fn fixed_places(text: &[u8; 19]) -> Option<Civil> {
    let separator = text[4];
    if (separator != b'-' && separator != b'/')
        || text[7] != separator
        || text[13] != b':'
        || text[16] != b':'
    {
        return None;
    }
    if !matches!(text[10], b'T' | b't' | b' ') {
        return None;
    }
    // One test at the end is faster than one for each digit.
    let mut wrong = 0_u8;
    let mut digit = |place: usize| {
        let value = text[place].wrapping_sub(b'0');
        wrong |= u8::from(value > 9);
        u32::from(value)
    };
    let year = digit(0) * 1000 + digit(1) * 100 + digit(2) * 10 + digit(3);
    let month = digit(5) * 10 + digit(6);
    let day = digit(8) * 10 + digit(9);
    let hour = digit(11) * 10 + digit(12);
    let minute = digit(14) * 10 + digit(15);
    let second = digit(17) * 10 + digit(18);
    if wrong != 0 {
        return None;
    }
    Some(Civil { year: year as i32, month, day, hour, minute, second, nanosecond: 0, offset_seconds: 0 })
}

/// The same with seconds or the whole time of day left out, or in the basic form without separators.
fn loose_date_time(text: &[u8]) -> Option<(Civil, &[u8])> {
    let (year, rest) = number(text, 4)?;
    let (month, day, rest) = match rest.first()? {
        separator @ (b'-' | b'/') => {
            let (month, rest) = number(&rest[1..], 2)?;
            let (day, rest) = number(rest.strip_prefix(&[*separator])?, 2)?;
            (month, day, rest)
        }
        _ => {
            let (month, rest) = number(rest, 2)?;
            let (day, rest) = number(rest, 2)?;
            (month, day, rest)
        }
    };
    let mut civil = Civil::date(year as i32, month, day);
    let Some((b'T' | b't' | b' ', clock)) = rest.split_first() else {
        return rest.is_empty().then_some((civil, rest));
    };
    let rest = clock_time(clock, &mut civil)?;
    Some((civil, rest))
}

/// `15:04`, `15:04:05`, `1504` or `150405`.
fn clock_time<'a>(text: &'a [u8], civil: &mut Civil) -> Option<&'a [u8]> {
    let (hour, rest) = number(text, 2)?;
    civil.hour = hour;
    let separated = rest.first() == Some(&b':');
    let (minute, rest) = number(if separated { &rest[1..] } else { rest }, 2)?;
    civil.minute = minute;
    let seconds = match rest.first() {
        Some(b':') if separated => &rest[1..],
        Some(b'0'..=b'9') if !separated => rest,
        _ => return Some(rest),
    };
    let (second, rest) = number(seconds, 2)?;
    civil.second = second;
    Some(rest)
}

/// What may follow the seconds: a fraction, an offset, the name of the zone.
#[inline]
fn finish(mut civil: Civil, rest: &[u8]) -> Option<i64> {
    let rest = fraction(rest, &mut civil);
    // A leap second is the second before it, as everywhere in this service.
    if civil.second == 60 {
        civil.second = 59;
    }
    if rest == b"Z" {
        return civil.nanoseconds();
    }
    civil.offset_seconds = zone(rest.trim_ascii_start())?;
    civil.nanoseconds()
}

/// Reads `.123` or `,123`; digits beyond nanoseconds are cut.
#[inline]
pub(super) fn fraction<'a>(text: &'a [u8], civil: &mut Civil) -> &'a [u8] {
    let Some((b'.' | b',', digits)) = text.split_first() else {
        return text;
    };
    let length = digits.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if length == 0 {
        return text;
    }
    let mut value = 0_u32;
    let used = length.min(9);
    for byte in &digits[..used] {
        value = value * 10 + u32::from(byte - b'0');
    }
    civil.nanosecond = value * 10_u32.pow((9 - used) as u32);
    &digits[length..]
}

/// The offset at the end of a text in seconds: nothing, `Z`, a number, a name, or a number with its name.
pub(super) fn zone(text: &[u8]) -> Option<i32> {
    if text.is_empty() {
        return Some(0);
    }
    if !matches!(text[0], b'+' | b'-') {
        return zone_name(text);
    }
    let (offset, rest) = offset(text)?;
    let name = rest.trim_ascii_start();
    let is_name = name.len() <= 5 && name.iter().all(u8::is_ascii_alphabetic);
    (rest.is_empty() || (name.len() < rest.len() && is_name)).then_some(offset)
}

/// The names that mail and web standards define; others mean different things in different places.
pub(super) fn zone_name(text: &[u8]) -> Option<i32> {
    let hours = match text.to_ascii_uppercase().as_slice() {
        b"Z" | b"UTC" | b"GMT" | b"UT" => 0,
        b"EDT" => -4,
        b"EST" | b"CDT" => -5,
        b"CST" | b"MDT" => -6,
        b"MST" | b"PDT" => -7,
        b"PST" => -8,
        _ => return None,
    };
    Some(hours * 3600)
}

/// `+hh`, `+hhmm`, `+hh:mm` and the same with seconds.
pub(super) fn offset(text: &[u8]) -> Option<(i32, &[u8])> {
    let (hours, mut rest) = number(&text[1..], 2)?;
    let separated = rest.first() == Some(&b':');
    let mut parts = [0, 0];
    for part in &mut parts {
        let digits = match rest.first() {
            Some(b':') if separated => &rest[1..],
            Some(b'0'..=b'9') if !separated => rest,
            _ => break,
        };
        (*part, rest) = number(digits, 2)?;
    }
    if hours > 24 || parts[0] > 59 || parts[1] > 59 {
        return None;
    }
    let seconds = (hours * 3600 + parts[0] * 60 + parts[1]) as i32;
    Some((if text[0] == b'-' { -seconds } else { seconds }, rest))
}

/// Exactly so many digits.
pub(super) fn number(text: &[u8], digits: usize) -> Option<(u32, &[u8])> {
    let (number, rest) = text.split_at_checked(digits)?;
    let mut value = 0;
    for byte in number {
        if !byte.is_ascii_digit() {
            return None;
        }
        value = value * 10 + u32::from(byte - b'0');
    }
    Some((value, rest))
}
