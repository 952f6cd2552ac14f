//! The zone that the clocks of senders are set to, for times that name none: an offset, or a name of the time zone
//! database, whose changes of the clock are followed. The database is built in, so nothing of the machine is asked.

use std::str::FromStr;

use jiff::Timestamp;
use jiff::tz::{AmbiguousOffset, Offset, TimeZone};

/// Where the clock of a sender stands; that of UTC unless it is read from a text.
#[derive(Clone, Debug)]
pub struct Zone(TimeZone);

/// A text that is neither an offset nor the name of a zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("this is neither an offset such as +02:00 nor a time zone such as Europe/Berlin")]
pub struct NotAZone;

impl Default for Zone {
    fn default() -> Self {
        Self(TimeZone::UTC)
    }
}

impl FromStr for Zone {
    type Err = NotAZone;

    /// Reads an offset (`+02:00`), or a name in any case.
    fn from_str(text: &str) -> Result<Self, NotAZone> {
        if let Some(seconds) = offset_seconds(text) {
            return Offset::from_seconds(seconds).map(|it| Self(TimeZone::fixed(it))).map_err(|_| NotAZone);
        }
        let is_name = text.starts_with(|it: char| it.is_ascii_alphabetic());
        is_name.then(|| TimeZone::get(text).ok()).flatten().map(Self).ok_or(NotAZone)
    }
}

impl Zone {
    /// Every name that is known.
    pub fn names() -> impl Iterator<Item = String> {
        jiff::tz::db().available().map(|name| name.as_str().to_owned())
    }

    /// When a clock of this zone shows a time, in nanoseconds; the time is given as if the clock were that of UTC. Of an
    /// hour that comes twice it is the one nearer to the arrival. One that is left out is told from before the change.
    pub(super) fn instant(&self, shown_ns: i64, arrival_ns: i64) -> Option<i64> {
        let shown = Offset::UTC.to_datetime(Timestamp::from_nanosecond(i128::from(shown_ns)).ok()?);
        let possible = self.0.to_ambiguous_timestamp(shown);
        let chosen = match possible.offset() {
            AmbiguousOffset::Fold { .. } => {
                let (earlier, later) = (nanoseconds(possible.earlier())?, nanoseconds(possible.later())?);
                let is_later = later.abs_diff(arrival_ns) < earlier.abs_diff(arrival_ns);
                return Some(if is_later { later } else { earlier });
            }
            _ => possible.compatible(),
        };
        nanoseconds(chosen)
    }
}

fn nanoseconds(time: Result<Timestamp, jiff::Error>) -> Option<i64> {
    i64::try_from(time.ok()?.as_nanosecond()).ok()
}

/// How far a clock is ahead of UTC, in the form `+02:00`.
fn offset_seconds(text: &str) -> Option<i32> {
    let (sign, rest) = match text.split_at_checked(1)? {
        ("+", rest) => (1, rest),
        ("-", rest) => (-1, rest),
        _ => return None,
    };
    let number = |text: &str, max: i32| {
        let is_number = text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_digit());
        let number: i32 = is_number.then(|| text.parse().ok()).flatten()?;
        (number <= max).then_some(number)
    };
    let (hours, minutes) = rest.split_once(':')?;
    Some(sign * (number(hours, 14)? * 3_600 + number(minutes, 59)? * 60))
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: i64 = 3_600_000_000_000;

    fn time(text: &str) -> i64 {
        text.parse::<Timestamp>().unwrap().as_nanosecond() as i64
    }

    fn instant(zone: &str, shown: &str, arrival: &str) -> i64 {
        zone.parse::<Zone>().unwrap().instant(time(shown), time(arrival)).unwrap()
    }

    #[test]
    fn offsets_are_read() {
        let shown = "2026-11-11T12:00:00Z";
        for (text, seconds) in [("+00:00", 0), ("+02:00", 7_200), ("-03:30", -12_600), ("+14:00", 50_400)] {
            assert_eq!(instant(text, shown, shown), time(shown) - seconds * 1_000_000_000, "{text}");
        }
        for text in ["", "Z", "02:00", "+2:00", "+02:60", "+15:00", "+0200", "+02:00 ", "ä2:00"] {
            assert_eq!(text.parse::<Zone>().err(), Some(NotAZone), "{text}");
        }
    }

    #[test]
    fn a_named_zone_has_its_summer_and_its_winter() {
        for name in ["Europe/Berlin", "europe/berlin"] {
            for (shown, hours) in [("2026-07-01T12:00:00Z", 2), ("2026-11-11T12:00:00Z", 1)] {
                assert_eq!(instant(name, shown, shown), time(shown) - hours * HOUR, "{name}, {shown}");
            }
        }
        for text in ["Europe/Berln", "Berlin", "/etc/localtime", "../UTC"] {
            assert_eq!(text.parse::<Zone>().err(), Some(NotAZone), "{text}");
        }
        assert!(Zone::names().any(|name| name == "Europe/Berlin"));
    }

    #[test]
    fn an_hour_that_comes_twice_is_the_one_nearer_to_the_arrival() {
        // At three o'clock of summer it is two again.
        let shown = "2026-10-25T02:30:00Z";
        for arrival in ["2026-10-25T00:30:05Z", "2026-10-25T00:00:00Z"] {
            assert_eq!(instant("Europe/Berlin", shown, arrival), time("2026-10-25T00:30:00Z"), "{arrival}");
        }
        for arrival in ["2026-10-25T01:30:05Z", "2026-10-26T00:00:00Z"] {
            assert_eq!(instant("Europe/Berlin", shown, arrival), time("2026-10-25T01:30:00Z"), "{arrival}");
        }
    }

    #[test]
    fn an_hour_that_is_left_out_is_told_from_before_the_change() {
        let shown = "2026-03-29T02:30:00Z";
        assert_eq!(instant("Europe/Berlin", shown, shown), time("2026-03-29T01:30:00Z"));
    }
}
