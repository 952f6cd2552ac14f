//! Points in time with microsecond precision, and the clock that hands them out. Nothing else in the project asks
//! the system for the time, so that tests can own it.

use std::fmt;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

/// The zero time that clients written in Go send for "not set": 0001-01-01T00:00:00Z, in microseconds.
const GO_ZERO_MICROS: i64 = -62_135_596_800_000_000;

/// A point in time: microseconds since 1970-01-01T00:00:00Z.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(i64);

/// The text is not an RFC 3339 timestamp.
#[derive(Debug, thiserror::Error)]
#[error("{text:?} is not a timestamp such as 2030-01-31T12:00:00Z")]
pub struct NotATimestamp {
    text: String,
}

impl Timestamp {
    pub fn from_micros(micros: i64) -> Self {
        Self(micros)
    }

    pub fn as_micros(self) -> i64 {
        self.0
    }

    pub fn as_millis(self) -> i64 {
        self.0.div_euclid(1_000)
    }

    pub fn as_seconds(self) -> i64 {
        self.0.div_euclid(1_000_000)
    }

    /// Reads an RFC 3339 timestamp with its offset. Digits below a microsecond are cut.
    pub fn parse(text: &str) -> Result<Self, NotATimestamp> {
        match text.parse::<jiff::Timestamp>() {
            Ok(parsed) => Ok(Self(parsed.as_microsecond())),
            Err(_) => Err(NotATimestamp { text: text.chars().take(64).collect() }),
        }
    }

    /// Whether this is the zero time that stands for "not set" in requests of Go clients.
    pub fn is_unset(self) -> bool {
        self.0 == GO_ZERO_MICROS
    }

    pub fn plus(self, duration: Duration) -> Self {
        let micros = i64::try_from(duration.as_micros()).unwrap_or(i64::MAX);
        Self(self.0.saturating_add(micros))
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match jiff::Timestamp::from_microsecond(self.0) {
            Ok(timestamp) => timestamp.fmt(f),
            // Out of the calendar's range; only a damaged row can hold it, and it must still be printable.
            Err(_) => write!(f, "{}us", self.0),
        }
    }
}

/// Where the time comes from.
pub trait Clock: Send + Sync + fmt::Debug {
    fn now(&self) -> Timestamp;
}

/// The machine's clock.
#[derive(Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "this is the one place that asks the system")]
    fn now(&self) -> Timestamp {
        Timestamp(jiff::Timestamp::now().as_microsecond())
    }
}

/// A clock that stands still until it is moved.
#[derive(Debug)]
pub struct ManualClock(AtomicI64);

impl ManualClock {
    pub fn at(start: Timestamp) -> Self {
        Self(AtomicI64::new(start.0))
    }

    pub fn advance(&self, by: Duration) {
        let micros = i64::try_from(by.as_micros()).unwrap_or(i64::MAX);
        self.0.fetch_add(micros, Ordering::SeqCst);
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Timestamp {
        Timestamp(self.0.load(Ordering::SeqCst))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_offsets_and_prints_utc() {
        let time = Timestamp::parse("2030-01-01T02:00:00.5+02:00").unwrap();
        assert_eq!(time.to_string(), "2030-01-01T00:00:00.5Z");
    }

    #[test]
    fn the_zero_time_of_go_clients_is_unset() {
        assert!(Timestamp::parse("0001-01-01T00:00:00Z").unwrap().is_unset());
        assert!(!Timestamp::parse("1970-01-01T00:00:00Z").unwrap().is_unset());
    }

    #[test]
    fn refuses_what_has_no_offset_or_is_no_time() {
        for text in ["", "tomorrow", "2030-01-01", "2030-01-01T00:00:00", "1893456000"] {
            assert!(Timestamp::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn prints_any_value() {
        assert_eq!(Timestamp::from_micros(i64::MAX).to_string(), format!("{}us", i64::MAX));
    }
}
