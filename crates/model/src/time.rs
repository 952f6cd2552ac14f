//! Points in time with microsecond precision, and the clock that hands them out. Nothing else in the project asks
//! the system for the time, so that tests can own it.

use std::fmt;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use jiff::SignedDuration;
use jiff::civil::{DateTime, date};

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

    /// Reads an RFC 3339 timestamp with its offset, in the one form that every client can read back: capital `T` and
    /// `Z`, no leap second. Digits below a microsecond are cut.
    pub fn parse(text: &str) -> Result<Self, NotATimestamp> {
        read(text).ok_or_else(|| NotATimestamp { text: text.chars().take(64).collect() })
    }

    /// Whether this is the zero time that stands for "not set" in requests of Go clients.
    pub fn is_unset(self) -> bool {
        self.0 == GO_ZERO_MICROS
    }

    /// The moment this many seconds earlier, or the earliest there is.
    pub fn minus_seconds(self, seconds: i64) -> Self {
        Self(self.0.saturating_sub(seconds.saturating_mul(1_000_000)))
    }

    /// In the form that HTTP headers have: `Mon, 01 Jun 2026 12:00:00 GMT`.
    pub fn to_http_date(self) -> String {
        let civil = EPOCH.saturating_add(SignedDuration::from_micros(self.0));
        civil.strftime("%a, %d %b %Y %H:%M:%S GMT").to_string()
    }

    /// Reads the form of [`Self::to_http_date`].
    pub fn parse_http_date(text: &str) -> Option<Self> {
        let civil = DateTime::strptime("%a, %d %b %Y %H:%M:%S GMT", text).ok()?;
        i64::try_from(civil.duration_since(EPOCH).as_micros()).ok().map(Self)
    }

    /// Nanoseconds since 1970, the unit of events.
    pub fn as_nanos(self) -> i64 {
        self.0.saturating_mul(1_000)
    }

    /// From the unit of events, whose digits below a microsecond are cut.
    pub fn from_nanos(nanoseconds: i64) -> Self {
        Self(nanoseconds.div_euclid(1_000))
    }

    pub fn minus(self, duration: Duration) -> Self {
        let micros = i64::try_from(duration.as_micros()).unwrap_or(i64::MAX);
        Self(self.0.saturating_sub(micros))
    }

    pub fn plus(self, duration: Duration) -> Self {
        let micros = i64::try_from(duration.as_micros()).unwrap_or(i64::MAX);
        Self(self.0.saturating_add(micros))
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match EPOCH.checked_add(SignedDuration::from_micros(self.0)) {
            Ok(time) => write!(f, "{time}Z"),
            // Beyond the year 9999 either way; only a damaged row can hold it, and it must still be printable.
            Err(_) => write!(f, "{}us", self.0),
        }
    }
}

/// Civil times reach to the end of the year 9999, which people write for "never"; instants of the library do not.
const EPOCH: DateTime = date(1970, 1, 1).at(0, 0, 0, 0);

fn read(text: &str) -> Option<Timestamp> {
    let (local, offset_seconds) = split_offset(text)?;
    let bytes = local.as_bytes();
    let is_plain = bytes.len() >= 19 && bytes[10] == b'T' && &bytes[17..19] != b"60";
    if !is_plain || bytes.contains(&b',') {
        return None;
    }
    let civil: DateTime = local.parse().ok()?;
    let utc = civil.checked_sub(SignedDuration::from_secs(offset_seconds)).ok()?;
    i64::try_from(utc.duration_since(EPOCH).as_micros()).ok().map(Timestamp)
}

/// Splits `Z` or `+hh:mm` off, which must be there.
fn split_offset(text: &str) -> Option<(&str, i64)> {
    if let Some(local) = text.strip_suffix('Z') {
        return Some((local, 0));
    }
    let (local, offset) = text.split_at_checked(text.len().checked_sub(6)?)?;
    let (sign, hours, minutes) = match offset.as_bytes() {
        [sign @ (b'+' | b'-'), h1, h2, b':', m1, m2] => (sign, digits(*h1, *h2)?, digits(*m1, *m2)?),
        _ => return None,
    };
    if hours > 23 || minutes > 59 {
        return None;
    }
    let seconds = (hours * 60 + minutes) * 60;
    Some((local, if *sign == b'-' { -seconds } else { seconds }))
}

fn digits(tens: u8, ones: u8) -> Option<i64> {
    let digit = |byte: u8| byte.is_ascii_digit().then(|| i64::from(byte - b'0'));
    Some(digit(tens)? * 10 + digit(ones)?)
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
    fn every_time_of_the_calendar_prints_as_it_is_read() {
        for text in ["0001-01-01T00:00:00Z", "1969-12-31T23:59:59.999999Z", "9999-12-31T23:59:59Z"] {
            assert_eq!(Timestamp::parse(text).unwrap().to_string(), text);
        }
    }

    #[test]
    fn agrees_with_the_library_on_instants() {
        for text in ["2026-11-15T03:14:30.412513Z", "2024-02-29T23:59:59-11:30", "1900-03-01T00:00:00+14:00"]
        {
            let instant: jiff::Timestamp = text.parse().unwrap();
            assert_eq!(Timestamp::parse(text).unwrap().as_micros(), instant.as_microsecond(), "{text}");
        }
    }

    #[test]
    fn refuses_what_another_client_could_not_read() {
        let no_time = ["", "Z", "tomorrow", "2030-01-01", "2030-01-01T00:00:00", "1893456000", "ä+01:00"];
        let odd_form =
            ["2030-01-01 00:00:00Z", "2030-01-01t00:00:00z", "20300101T000000Z", "2030-06-30T23:59:60Z"];
        let odd_offset =
            ["2030-01-01T00:00:00+1:00", "2030-01-01T00:00:00+0100", "2030-01-01T00:00:00+01:60"];
        let no_such_day = ["2030-02-30T00:00:00Z", "2030-01-01T24:00:00Z", "9999-12-31T23:59:59-01:00"];
        for text in no_time.iter().chain(&odd_form).chain(&odd_offset).chain(&no_such_day) {
            assert!(Timestamp::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn events_are_timed_in_nanoseconds() {
        let time = Timestamp::from_micros(-5);
        assert_eq!(time.as_nanos(), -5_000);
        assert_eq!((Timestamp::from_nanos(-5_000), Timestamp::from_nanos(-4_999)), (time, time));
        assert_eq!(Timestamp::from_micros(i64::MAX).as_nanos(), i64::MAX);
        assert_eq!(time.minus(Duration::from_micros(2)).plus(Duration::from_micros(2)), time);
        assert_eq!(Timestamp::from_micros(i64::MIN).minus(Duration::MAX).as_micros(), i64::MIN);
    }

    #[test]
    fn prints_the_form_of_http() {
        let time = Timestamp::parse("2026-06-01T12:00:00.9Z").unwrap();
        assert_eq!(time.to_http_date(), "Mon, 01 Jun 2026 12:00:00 GMT");
    }

    #[test]
    fn prints_any_value() {
        assert_eq!(Timestamp::from_micros(i64::MAX).to_string(), format!("{}us", i64::MAX));
    }
}
