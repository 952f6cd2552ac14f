//! Durations as clients write them: numbers with units one after the other, such as `1h30m`, `90s` or `1.5h`.

use std::time::Duration;

/// The units, longest word first where one begins another.
const UNITS: [(&str, f64); 10] = [
    ("ns", 1.0),
    ("us", 1e3),
    ("µs", 1e3),
    ("μs", 1e3),
    ("ms", 1e6),
    ("s", 1e9),
    ("m", 60e9),
    ("h", 3_600e9),
    ("d", 86_400e9),
    ("w", 604_800e9),
];

/// Reads a duration. `None` if the text is none, is negative, or is longer than 500 years.
pub fn parse(text: &str) -> Option<Duration> {
    const NANOSECONDS_MAX: f64 = 500.0 * 366.0 * 86_400e9;
    let mut rest = text.trim();
    if rest == "0" {
        return Some(Duration::ZERO);
    }
    let mut nanoseconds = 0.0;
    if rest.is_empty() {
        return None;
    }
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let number: f64 = rest[..digits].parse().ok()?;
        rest = &rest[digits..];
        let word = rest.find(|c: char| c.is_ascii_digit() || c == '.').unwrap_or(rest.len());
        let (_, unit) = UNITS.iter().find(|(name, _)| *name == &rest[..word])?;
        rest = &rest[word..];
        nanoseconds += number * unit;
    }
    (nanoseconds <= NANOSECONDS_MAX).then(|| Duration::from_nanos(nanoseconds as u64))
}

/// Writes nanoseconds as hours, minutes and seconds, `1h2m3.5s`, or in a smaller unit where it is below a second.
pub fn to_text(nanoseconds: i64) -> String {
    let sign = if nanoseconds < 0 { "-" } else { "" };
    let total = nanoseconds.unsigned_abs();
    let with_fraction = |number: u64, unit: u64, digits: usize, name: &str| {
        let fraction = format!("{:0digits$}", number % unit);
        let fraction = fraction.trim_end_matches('0');
        let point = if fraction.is_empty() { "" } else { "." };
        format!("{}{point}{fraction}{name}", number / unit)
    };
    match total {
        0 => "0s".to_owned(),
        1..1_000 => format!("{sign}{total}ns"),
        1_000..1_000_000 => format!("{sign}{}", with_fraction(total, 1_000, 3, "µs")),
        1_000_000..1_000_000_000 => format!("{sign}{}", with_fraction(total, 1_000_000, 6, "ms")),
        _ => {
            let (minutes, hours) = (total / 60_000_000_000 % 60, total / 3_600_000_000_000);
            let seconds = with_fraction(total % 60_000_000_000, 1_000_000_000, 9, "s");
            match (hours, minutes) {
                (0, 0) => format!("{sign}{seconds}"),
                (0, minutes) => format!("{sign}{minutes}m{seconds}"),
                (hours, minutes) => format!("{sign}{hours}h{minutes}m{seconds}"),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_clients_write() {
        for (text, nanoseconds) in [
            ("1s", 1_000_000_000),
            ("1h0m0s", 3_600_000_000_000),
            ("1.5h", 5_400_000_000_000),
            ("500ms", 500_000_000),
            ("1m0.25s", 60_250_000_000),
            ("7d", 604_800_000_000_000),
            ("2µs", 2_000),
            ("0", 0),
            ("0s", 0),
        ] {
            assert_eq!(parse(text), Some(Duration::from_nanos(nanoseconds)), "{text}");
        }
        for (nanoseconds, text) in [
            (0, "0s"),
            (1, "1ns"),
            (-1_500, "-1.5µs"),
            (2_000_000, "2ms"),
            (999_000_001, "999.000001ms"),
            (1_000_000_000, "1s"),
            (60_250_000_000, "1m0.25s"),
            (3_723_000_000_000, "1h2m3s"),
            (90_000_000_000_000, "25h0m0s"),
            (i64::MIN, "-2562047h47m16.854775808s"),
        ] {
            assert_eq!(to_text(nanoseconds), text);
        }
        for text in ["", "1", "s", "-1s", "1 s", "1y", "1h-1m", "1..5s", "900000d", "NaNs", "1e9s"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
