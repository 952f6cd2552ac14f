//! JSON, written piece by piece to the end of a buffer: texts, numbers, times and timespans. Nothing here knows what
//! an answer is made of.

use std::io::Write;

const NANOS_PER_SECOND: i64 = 1_000_000_000;
const SECONDS_PER_DAY: i64 = 86_400;

/// How many bytes of a text are looked at in one step.
const STEP: usize = 8;

/// Writes a text in quotes. Stretches without anything to escape, which is nearly all of any text, are copied whole.
pub(super) fn write_string(out: &mut Vec<u8>, text: &str) {
    let bytes = text.as_bytes();
    out.reserve(bytes.len() + 2);
    out.push(b'"');
    let mut copied = 0;
    while let Some(found) = next_escape(bytes, copied) {
        out.extend_from_slice(&bytes[copied..found]);
        write_escape(out, bytes[found]);
        copied = found + 1;
    }
    out.extend_from_slice(&bytes[copied..]);
    out.push(b'"');
}

fn is_escaped(byte: u8) -> bool {
    byte < 0x20 || byte == b'"' || byte == b'\\'
}

/// Where the next byte stands that cannot be in a JSON text as it is.
fn next_escape(bytes: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    while let Some(step) = bytes.get(at..at + STEP).and_then(|step| <[u8; STEP]>::try_from(step).ok()) {
        if has_escape(u64::from_le_bytes(step)) {
            break;
        }
        at += STEP;
    }
    bytes[at..].iter().position(|byte| is_escaped(*byte)).map(|place| at + place)
}

/// Whether one of eight bytes has to be escaped. Each byte is compared in its own lane of the word: its top bit is set
/// by the subtraction if it is below, and only a lane that is reported itself can borrow from the next.
fn has_escape(word: u64) -> bool {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const TOPS: u64 = 0x8080_8080_8080_8080;
    let is_zero_in = |lanes: u64| lanes.wrapping_sub(ONES) & !lanes;
    let is_control = word.wrapping_sub(ONES * 0x20) & !word;
    let is_quote = is_zero_in(word ^ (ONES * b'"' as u64));
    let is_backslash = is_zero_in(word ^ (ONES * b'\\' as u64));
    (is_control | is_quote | is_backslash) & TOPS != 0
}

fn write_escape(out: &mut Vec<u8>, byte: u8) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    match byte {
        b'"' => out.extend_from_slice(b"\\\""),
        b'\\' => out.extend_from_slice(b"\\\\"),
        b'\n' => out.extend_from_slice(b"\\n"),
        b'\r' => out.extend_from_slice(b"\\r"),
        b'\t' => out.extend_from_slice(b"\\t"),
        _ => {
            out.extend_from_slice(b"\\u00");
            out.extend([DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]);
        }
    }
}

/// Writes what has a plain form as text, such as a whole number. Writing to memory does not fail.
pub(super) fn write_display(out: &mut Vec<u8>, value: impl std::fmt::Display) {
    let _ = write!(out, "{value}");
}

/// Writes a name and the colon after it, with a comma before it unless it is the first of its object.
pub(super) fn write_key(out: &mut Vec<u8>, name: &str) {
    write_comma(out);
    write_string(out, name);
    out.push(b':');
}

/// Writes the comma before an element, unless it is the first of its list or object.
pub(super) fn write_comma(out: &mut Vec<u8>) {
    if !matches!(out.last(), Some(b'[' | b'{' | b':') | None) {
        out.push(b',');
    }
}

/// Writes a name with a text.
pub(super) fn write_text_member(out: &mut Vec<u8>, name: &str, text: &str) {
    write_key(out, name);
    write_string(out, text);
}

/// Writes a name with a number or a truth value.
pub(super) fn write_member(out: &mut Vec<u8>, name: &str, value: impl std::fmt::Display) {
    write_key(out, name);
    write_display(out, value);
}

/// Writes elements between brackets.
pub(super) fn write_list<T>(
    out: &mut Vec<u8>,
    elements: impl IntoIterator<Item = T>,
    mut write: impl FnMut(&mut Vec<u8>, T),
) {
    out.push(b'[');
    for element in elements {
        write_comma(out);
        write(out, element);
    }
    out.push(b']');
}

/// Writes the shortest text that reads back as the same number. A whole number keeps its point, so that it reads back
/// as a float; what is no number is null.
pub(super) fn write_float(out: &mut Vec<u8>, value: f64) {
    if !value.is_finite() {
        out.extend_from_slice(b"null");
    } else if value == 0.0 && value.is_sign_negative() {
        // `-0` and `-0.0` are kept as one float. The first is an integer where it was written, and reads as both.
        out.extend_from_slice(b"-0");
    } else if serde_json::to_writer(&mut *out, &value).is_err() {
        unreachable!("writing a number to memory does not fail");
    }
}

pub(super) fn write_integer(out: &mut Vec<u8>, value: i64) {
    if serde_json::to_writer(&mut *out, &value).is_err() {
        unreachable!("writing a number to memory does not fail");
    }
}

/// Writes a time of an event in quotes: RFC 3339 in UTC, with as many digits below the second as it needs.
pub(super) fn write_time(out: &mut Vec<u8>, nanoseconds: i64) {
    let (seconds, fraction) =
        (nanoseconds.div_euclid(NANOS_PER_SECOND), nanoseconds.rem_euclid(NANOS_PER_SECOND));
    let (days, second) = (seconds.div_euclid(SECONDS_PER_DAY), seconds.rem_euclid(SECONDS_PER_DAY));
    let (year, month, day) = civil(days);
    let two = |value: i64| [b'0' + (value / 10) as u8, b'0' + (value % 10) as u8];
    let [y1, y2] = two(year / 100);
    let [y3, y4] = two(year % 100);
    let ([m1, m2], [d1, d2]) = (two(month), two(day));
    let ([h1, h2], [n1, n2], [s1, s2]) = (two(second / 3_600), two(second / 60 % 60), two(second % 60));
    out.extend([b'"', y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2]);
    out.extend([b'T', h1, h2, b':', n1, n2, b':', s1, s2]);
    if fraction != 0 {
        out.push(b'.');
        write_fraction(out, fraction, 9);
    }
    out.extend_from_slice(b"Z\"");
}

/// Writes so many digits of a number, without zeros at the end.
fn write_fraction(out: &mut Vec<u8>, mut value: i64, mut digits: usize) {
    while value % 10 == 0 && digits > 1 {
        value /= 10;
        digits -= 1;
    }
    let mut text = [b'0'; 9];
    for digit in text[..digits].iter_mut().rev() {
        *digit = b'0' + (value % 10) as u8;
        value /= 10;
    }
    out.extend_from_slice(&text[..digits]);
}

/// The date of a day, counted from 1970-01-01. The times of events reach from 1677 to 2262, so that years have four
/// digits. Counted in eras of 400 years that begin in March, so that the odd day is the last of its year.
fn civil(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let (era, day) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day_of_year = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day_of_month = day_of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (era * 400 + year + i64::from(month <= 2), month, day_of_month)
}

/// Writes a timespan in quotes, as Go programs do: `1h2m3s`, `1.5s`, `250ms`, `0s`.
pub(super) fn write_timespan(out: &mut Vec<u8>, nanoseconds: i64) {
    out.push(b'"');
    if nanoseconds < 0 {
        out.push(b'-');
    }
    let total = nanoseconds.unsigned_abs();
    let (unit, scale, digits) = match total {
        0 => ("s", 1, 0),
        1..1_000 => ("ns", 1, 0),
        1_000..1_000_000 => ("µs", 1_000, 3),
        1_000_000..1_000_000_000 => ("ms", 1_000_000, 6),
        _ => ("s", 1_000_000_000, 9),
    };
    let mut whole = total / scale;
    if scale == 1_000_000_000 {
        let (hours, minutes) = (whole / 3_600, whole / 60);
        if hours > 0 {
            write_display(out, hours);
            out.push(b'h');
        }
        if minutes > 0 {
            write_display(out, minutes % 60);
            out.push(b'm');
        }
        whole %= 60;
    }
    write_display(out, whole);
    let fraction = total % scale;
    if fraction != 0 {
        out.push(b'.');
        write_fraction(out, fraction.cast_signed(), digits);
    }
    out.extend_from_slice(unit.as_bytes());
    out.push(b'"');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(write: impl FnOnce(&mut Vec<u8>)) -> String {
        let mut out = Vec::new();
        write(&mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn every_text_reads_back() {
        let alphabet = ["a", "\"", "\\", "\n", "\u{1f}", "\u{0}", "é", "\u{7f}", "🌊", " "];
        for length in 0..20 {
            for (number, odd) in alphabet.iter().enumerate() {
                let text: String =
                    (0..length).map(|place| if place % 7 == number % 7 { odd } else { "x" }).collect();
                let json = written(|out| write_string(out, &text));
                assert_eq!(serde_json::from_str::<String>(&json).unwrap(), text);
                assert_eq!(json, serde_json::to_string(&text).unwrap());
            }
        }
    }

    #[test]
    fn numbers_keep_their_kind_and_all_their_digits() {
        for (value, text) in [
            (1.0, "1.0"),
            (-0.0, "-0"),
            (0.1, "0.1"),
            (1e300, "1e+300"),
            (f64::NAN, "null"),
            (f64::INFINITY, "null"),
        ] {
            assert_eq!(written(|out| write_float(out, value)), text);
        }
        for value in [f64::MAX, f64::MIN_POSITIVE, 5e-324, 123_456_789.123_456_79] {
            let text = written(|out| write_float(out, value));
            assert_eq!(text.parse::<f64>().unwrap().to_bits(), value.to_bits(), "{text}");
        }
        assert_eq!(written(|out| write_integer(out, i64::MIN)), "-9223372036854775808");
    }

    #[test]
    fn times_are_trimmed_and_reach_as_far_as_events_do() {
        for (nanoseconds, text) in [
            (0, "1970-01-01T00:00:00Z"),
            (-1, "1969-12-31T23:59:59.999999999Z"),
            (1_780_315_200_120_000_000, "2026-06-01T12:00:00.12Z"),
            (951_782_400_000_000_001, "2000-02-29T00:00:00.000000001Z"),
            (i64::MAX, "2262-04-11T23:47:16.854775807Z"),
            (i64::MIN, "1677-09-21T00:12:43.145224192Z"),
        ] {
            assert_eq!(written(|out| write_time(out, nanoseconds)), format!("\"{text}\""));
        }
    }

    #[test]
    fn every_day_agrees_with_the_clock() {
        for day in (-106_000..106_000).step_by(13) {
            let micros = day * SECONDS_PER_DAY * 1_000_000;
            let expected = tidegauge_model::Timestamp::from_micros(micros).to_string();
            assert_eq!(written(|out| write_time(out, micros * 1_000)), format!("\"{expected}\""));
        }
    }

    #[test]
    fn timespans_are_written_as_go_writes_them() {
        for (nanoseconds, text) in [
            (0, "0s"),
            (1, "1ns"),
            (1_100, "1.1µs"),
            (2_200_000, "2.2ms"),
            (3_300_000_000, "3.3s"),
            (245_000_000_000, "4m5s"),
            (245_001_000_000, "4m5.001s"),
            (18_367_001_000_000, "5h6m7.001s"),
            (480_000_000_001, "8m0.000000001s"),
            (3_600_000_000_000, "1h0m0s"),
            (-1_500_000_000, "-1.5s"),
            (i64::MAX, "2562047h47m16.854775807s"),
            (i64::MIN, "-2562047h47m16.854775808s"),
        ] {
            assert_eq!(written(|out| write_timespan(out, nanoseconds)), format!("\"{text}\""));
        }
    }
}
