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
        for text in ["", "1", "s", "-1s", "1 s", "1y", "1h-1m", "1..5s", "900000d", "NaNs", "1e9s"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
