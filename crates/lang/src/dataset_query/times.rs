//! The time range of a query: points in time as RFC 3339 or relative to now, ranges that are open at a side, and the
//! part of a range that the licence lets a query see.

use tidegauge_model::{Rule, Violation};

use super::{DatasetQuery, Surroundings};
use crate::tree::TimeRange;
use crate::{datetime, timespan};

const FORMS: &str =
    "must be a timestamp such as 2026-07-01T10:00:00Z, or relative such as now, now-1h or now-1d12h";

/// What is looked at when a side is open and no event tells where it ends.
const OPEN_NANOSECONDS: i128 = 86_400_000_000_000;

/// 0001-01-01T00:00:00Z, which clients written in Go send for a time that is not set.
const UNSET: i128 = -62_135_596_800_000_000_000;

/// A time range as it was asked for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asked {
    /// In nanoseconds since 1970; `None` is open.
    start: Option<i128>,
    end: Option<i128>,
}

/// The part of a range that a query may see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allowed {
    pub range: TimeRange,
    /// Whether the licence made the range shorter.
    pub is_cut: bool,
}

/// The range between two points in time as a query may see it; what is absent or not set is open.
pub fn allowed_range(
    start: Option<&str>,
    end: Option<&str>,
    around: Surroundings,
) -> Result<Allowed, Violation> {
    let bound = |field: &str, text: Option<&str>| match text {
        Some(text) => bound(field, Some(text), around.now),
        None => Ok(None),
    };
    let asked = ordered(bound("startTime", start)?, bound("endTime", end)?)?;
    Ok(asked.allowed(around))
}

/// How long a range is, for choosing and checking a resolution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Length {
    pub(super) nanoseconds: i128,
    /// Whether it follows from the query or the data. If not, there is nothing that could be cut into buckets.
    pub(super) is_known: bool,
}

/// The range of a query.
pub(super) fn asked(query: &DatasetQuery, now: i64) -> Result<Asked, Violation> {
    let start = bound("startTime", query.start_time.as_deref(), now)?;
    let end = bound("endTime", query.end_time.as_deref(), now)?;
    ordered(start, end)
}

fn ordered(start: Option<i128>, end: Option<i128>) -> Result<Asked, Violation> {
    match (start, end) {
        (Some(start), Some(end)) if start >= end => {
            Err(Violation::new("endTime", Rule::Minimum, "must be after startTime"))
        }
        _ => Ok(Asked { start, end }),
    }
}

fn bound(field: &str, text: Option<&str>, now: i64) -> Result<Option<i128>, Violation> {
    let text = text.ok_or_else(|| Violation::required(field))?;
    match read(text, now) {
        Some(UNSET) => Ok(None),
        Some(time) => Ok(Some(time)),
        None => Err(Violation::new(field, Rule::Pattern, FORMS)),
    }
}

/// Reads a point in time in any form that a query may have it, in nanoseconds since 1970.
pub(super) fn read(text: &str, now: i64) -> Option<i128> {
    let text = text.trim();
    let relative = text.get(..3).filter(|word| word.eq_ignore_ascii_case("now")).map(|_| &text[3..]);
    if let Some(rest) = relative {
        return Some(i128::from(now) + offset(rest)?);
    }
    // Python clients put a Z behind times that have an offset already.
    let text = text.strip_suffix("+00:00Z").map_or(text.to_owned(), |local| format!("{local}Z"));
    datetime::read(&text)
}

/// The sum of timespans with their signs: `-1d12h+5m`.
fn offset(text: &str) -> Option<i128> {
    let text: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    let mut rest = text.as_str();
    let mut sum = 0;
    while !rest.is_empty() {
        let sign = if rest.starts_with('-') { -1 } else { 1 };
        rest = rest.strip_prefix(['-', '+'])?;
        let end = rest.find(['-', '+']).unwrap_or(rest.len());
        sum += sign * i128::from(timespan::read(&rest[..end])?);
        rest = &rest[end..];
    }
    Some(sum)
}

impl Asked {
    /// The range that may be seen: the licence can make it begin later.
    pub(super) fn allowed(self, around: Surroundings) -> Allowed {
        let start = self.start.map_or(i64::MIN, datetime::clamped);
        let end = self.end.map_or(i64::MAX, datetime::clamped);
        let range = TimeRange { start, end };
        if around.window_seconds_max == 0 {
            return Allowed { range, is_cut: false };
        }
        let window = i128::from(around.window_seconds_max) * 1_000_000_000;
        let earliest = datetime::clamped(i128::from(around.now) - window);
        if start >= earliest {
            return Allowed { range, is_cut: false };
        }
        Allowed { range: TimeRange { start: earliest.min(end), end }, is_cut: true }
    }

    /// How long the range is. An open side is where the events end.
    pub(super) fn length(self, around: Surroundings) -> Length {
        let data = around.data.map(|(least, greatest)| (i128::from(least), i128::from(greatest) + 1));
        let start = self.start.or(data.map(|(least, _)| least));
        let end = self.end.or(data.map(|(_, greatest)| greatest));
        match (start, end) {
            (Some(start), Some(end)) if start < end => {
                // Events have no times beyond those that can be stored, and neither have buckets.
                let length = i128::from(datetime::clamped(end)) - i128::from(datetime::clamped(start));
                Length { nanoseconds: length.max(1), is_known: true }
            }
            _ => Length { nanoseconds: OPEN_NANOSECONDS, is_known: false },
        }
    }

    /// How long the part is that may be seen.
    pub(super) fn allowed_length(self, allowed: &Allowed, around: Surroundings) -> Length {
        let start = if allowed.is_cut { Some(i128::from(allowed.range.start)) } else { self.start };
        let is_later = |start: &i128| around.data.is_none_or(|(least, _)| *start > i128::from(least));
        // An open start that was cut is where the events begin, if that is later than the cut.
        let start = if self.start.is_none() { start.filter(is_later) } else { start };
        Self { start, ..self }.length(around)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: i64 = 1_782_900_000_000_000_000;
    const MINUTE: i128 = 60_000_000_000;

    #[test]
    fn reads_relative_times() {
        let now = i128::from(NOW);
        for (text, expected) in [
            ("now", now),
            ("NOW", now),
            ("now-1h", now - 60 * MINUTE),
            ("now-1d12h", now - 36 * 60 * MINUTE),
            ("now+5m", now + 5 * MINUTE),
            ("now - 1w", now - 7 * 24 * 60 * MINUTE),
            ("now-1h+30m", now - 30 * MINUTE),
            ("now-250ms", now - 250_000_000),
            ("now-90s", now - 90_000_000_000),
        ] {
            assert_eq!(read(text, NOW), Some(expected), "{text}");
        }
        for text in ["", "no", "nowhere", "now-", "now1h", "now-1", "now-1y", "now--1h", "now-h", "näw"] {
            assert_eq!(read(text, NOW), None, "{text}");
        }
    }

    #[test]
    fn reads_what_clients_send() {
        let ten = Some(i128::from(NOW));
        for text in [
            "2026-07-01T10:00:00Z",
            "2026-07-01T10:00:00.000000Z",
            "2026-07-01T12:00:00.000000000+02:00",
            "2026-07-01T10:00:00+00:00Z",
            " 2026-07-01T10:00:00 ",
        ] {
            assert_eq!(read(text, 0), ten, "{text}");
        }
        assert_eq!(read("2026-07-01T10:00:00.123456Z", 0), ten.map(|time| time + 123_456_000));
    }

    #[test]
    fn a_side_that_is_absent_or_not_set_is_open() {
        let around = Surroundings { now: NOW, data: None, window_seconds_max: 0 };
        let range = |start, end| allowed_range(start, end, around).map(|allowed| allowed.range);
        assert_eq!(range(None, None), Ok(TimeRange::ALL));
        assert_eq!(range(Some("0001-01-01T00:00:00Z"), None), Ok(TimeRange::ALL));
        assert_eq!(range(None, Some("now")), Ok(TimeRange { end: NOW, ..TimeRange::ALL }));
        assert!(range(Some("now"), Some("now-1h")).is_err());
        assert!(range(Some("soon"), None).is_err());
        let cut = allowed_range(None, None, Surroundings { window_seconds_max: 1, ..around });
        let start = NOW - 1_000_000_000;
        assert_eq!(cut, Ok(Allowed { range: TimeRange { start, end: i64::MAX }, is_cut: true }));
    }

    #[test]
    fn an_open_range_is_as_long_as_its_events() {
        let around = |data| Surroundings { now: NOW, data, window_seconds_max: 0 };
        let open = Asked { start: None, end: None };
        assert_eq!(open.length(around(Some((10, 109)))), Length { nanoseconds: 100, is_known: true });
        assert_eq!(open.length(around(None)), Length { nanoseconds: OPEN_NANOSECONDS, is_known: false });
        let half = Asked { start: Some(60), end: None };
        assert_eq!(half.length(around(Some((10, 109)))).nanoseconds, 50);
        assert!(!Asked { start: Some(500), end: None }.length(around(Some((10, 109)))).is_known);
    }

    #[test]
    fn an_open_start_that_is_cut_begins_with_the_events() {
        let around = |data| Surroundings {
            now: 10_000_000_000,
            data: Some((data, 9_999_999_999)),
            window_seconds_max: 5,
        };
        let open = Asked { start: None, end: None };
        let length = |data| open.allowed_length(&open.allowed(around(data)), around(data)).nanoseconds;
        assert_eq!((length(0), length(9_000_000_000)), (5_000_000_000, 1_000_000_000));
    }
}
