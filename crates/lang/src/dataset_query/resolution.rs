//! The resolution of a query: how long the buckets are that a time range is cut into. It is a thousandth to a
//! hundredth of the range, as a number of seconds or a duration, or chosen here.

use tidegauge_model::{Rule, Violation};

use super::times::Length;
use crate::timespan;

const FIELD: &str = "resolution";
const SECOND: i64 = 1_000_000_000;
const MINUTE: i64 = 60 * SECOND;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;

/// Round steps. Each is at most ten times the one before it, so that the greatest that makes a hundred buckets makes
/// at most a thousand.
const STEPS: &[i64] = &[
    1,
    2,
    5,
    10,
    20,
    50,
    100,
    200,
    500,
    1_000,
    2_000,
    5_000,
    10_000,
    20_000,
    50_000,
    100_000,
    200_000,
    500_000,
    1_000_000,
    2_000_000,
    5_000_000,
    10_000_000,
    20_000_000,
    50_000_000,
    100_000_000,
    200_000_000,
    500_000_000,
    SECOND,
    2 * SECOND,
    5 * SECOND,
    10 * SECOND,
    15 * SECOND,
    30 * SECOND,
    MINUTE,
    2 * MINUTE,
    5 * MINUTE,
    10 * MINUTE,
    15 * MINUTE,
    30 * MINUTE,
    HOUR,
    2 * HOUR,
    3 * HOUR,
    6 * HOUR,
    12 * HOUR,
    DAY,
    2 * DAY,
    7 * DAY,
    14 * DAY,
    28 * DAY,
    91 * DAY,
    182 * DAY,
    364 * DAY,
    728 * DAY,
    1_820 * DAY,
];

/// The step for a resolution, in nanoseconds. It is checked against the range that was asked for, from which clients
/// compute it, and chosen for the range that may be seen.
pub(super) fn step(text: Option<&str>, asked: Length, seen: Length) -> Result<i64, Violation> {
    let text =
        text.map(str::trim).filter(|text| !text.is_empty()).ok_or_else(|| Violation::required(FIELD))?;
    if text.eq_ignore_ascii_case("auto") {
        return Ok(round_step(seen.nanoseconds));
    }
    let step = read(text).filter(|step| *step >= 0).ok_or_else(|| {
        let problem = "must be auto, a number of seconds such as 15, or a duration such as 1m30s or 500ms";
        Violation::new(FIELD, Rule::Pattern, problem)
    })?;
    check(step, asked)?;
    Ok(step.max(1))
}

/// The greatest round step that cuts a range into at least a hundred.
fn round_step(length: i128) -> i64 {
    let fits = |step: &&i64| i128::from(**step) * 100 <= length;
    STEPS.iter().rev().find(fits).copied().unwrap_or(1)
}

fn read(text: &str) -> Option<i64> {
    match timespan::scaled(text, SECOND) {
        Some(nanoseconds) => i64::try_from(nanoseconds).ok(),
        None => timespan::read(text),
    }
}

fn check(step: i64, Length { nanoseconds: length, is_known }: Length) -> Result<(), Violation> {
    // Clients take the time twice to build a range and compute the step from what they meant, so both ends may be
    // off by a little.
    let slack = (length / 1_000).min(i128::from(SECOND));
    let step = i128::from(step);
    let rule = if step * 1_000 < length - slack {
        Rule::Minimum
    } else if step * 100 > length + slack {
        Rule::Maximum
    } else {
        return Ok(());
    };
    if !is_known && step > 0 {
        return Ok(());
    }
    let (least, greatest) = (spoken(length, 1_000, true), spoken(length, 100, false));
    let problem = format!(
        "must be auto or from {least} to {greatest}: the time range divided by 1000 at least and by 100 at most"
    );
    Err(Violation::new(FIELD, rule, problem))
}

/// A part of a range in units that people read, rounded to where it is still allowed.
fn spoken(length: i128, parts: i128, is_least: bool) -> String {
    let exact = length / parts + i128::from(is_least && length % parts != 0);
    let exact = i64::try_from(exact).unwrap_or(i64::MAX);
    let grain = match exact {
        SECOND.. => 1_000_000,
        1_000_000.. => 1_000,
        _ => 1,
    };
    let rounded = if is_least { exact.saturating_add(grain - 1) } else { exact } / grain * grain;
    let mut text = String::new();
    let mut rest = rounded;
    for (unit, name) in [(DAY, "d"), (HOUR, "h"), (MINUTE, "m")] {
        if rest >= unit {
            text.push_str(&format!("{}{name}", rest / unit));
            rest %= unit;
        }
    }
    let (unit, name) = match rest {
        0 if !text.is_empty() => return text,
        SECOND.. => (SECOND, "s"),
        1_000_000.. => (1_000_000, "ms"),
        1_000.. => (1_000, "us"),
        _ => (1, "ns"),
    };
    let fraction = format!("{:09}", (rest % unit) * (SECOND / unit));
    let number = format!("{}.{fraction}", rest / unit);
    text + number.trim_end_matches('0').trim_end_matches('.') + name
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(nanoseconds: i64) -> Length {
        Length { nanoseconds: i128::from(nanoseconds), is_known: true }
    }

    #[test]
    fn auto_makes_a_hundred_to_a_thousand_buckets() {
        for (length, step) in [
            (2 * MINUTE, SECOND),
            (HOUR, 30 * SECOND),
            (DAY, 10 * MINUTE),
            (7 * DAY, HOUR),
            (30 * DAY, 6 * HOUR),
            (10 * 365 * DAY, 28 * DAY),
            (i64::MAX, 728 * DAY),
            (100, 1),
            (1, 1),
        ] {
            assert_eq!(round_step(i128::from(length)), step, "{length}");
        }
        for pair in STEPS.windows(2) {
            assert!(pair[0] < pair[1] && pair[1] <= pair[0] * 10);
        }
    }

    #[test]
    fn seconds_and_durations_are_read() {
        for (text, expected) in [
            ("15", 15 * SECOND),
            ("0.5", SECOND / 2),
            ("15s", 15 * SECOND),
            ("1m0s", MINUTE),
            ("500ms", SECOND / 2),
            ("1h0m0s", HOUR),
        ] {
            assert_eq!(read(text), Some(expected), "{text}");
        }
        for text in ["", ".", "fast", "15x", "1 m"] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn the_allowed_values_are_told() {
        let problem = |step, length| check(step, known(length)).unwrap_err().problem;
        assert!(problem(SECOND, HOUR).contains("from 3.6s to 36s:"), "{}", problem(SECOND, HOUR));
        assert!(problem(SECOND, DAY).contains("from 1m26.4s to 14m24s:"));
        assert!(problem(SECOND, 30 * DAY).contains("from 43m12s to 7h12m:"));
        assert!(problem(0, SECOND).contains("from 1ms to 10ms:"));
        assert!(problem(0, HOUR + 7).contains("from 3.601s to 36s:"));
        assert!(problem(0, 365 * DAY).contains("from 8h45m36s to 3d15h36m:"));
    }

    #[test]
    fn the_ends_are_allowed() {
        for step in [3_600_000_000, 36 * SECOND, 15 * SECOND] {
            assert!(check(step, known(HOUR)).is_ok(), "{step}");
        }
        assert_eq!(check(3 * SECOND, known(HOUR)).unwrap_err().rule, Rule::Minimum);
        assert_eq!(check(37 * SECOND, known(HOUR)).unwrap_err().rule, Rule::Maximum);
        assert!(check(36 * SECOND, known(HOUR - 2_000)).is_ok(), "the range is a little short");
    }

    #[test]
    fn without_a_known_range_every_step_goes() {
        let unknown = Length { nanoseconds: i128::from(DAY), is_known: false };
        assert_eq!(step(Some("15s"), unknown, unknown), Ok(15 * SECOND));
        assert!(step(Some("0s"), unknown, unknown).is_err());
    }
}
