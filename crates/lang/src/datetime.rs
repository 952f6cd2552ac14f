//! Points in time as text: reading the ISO forms that queries use and printing the one form that all of them read.
//! The calendar is that of UTC, in nanoseconds since 1970; what a time is compared with is left to others.

const NANOSECONDS_OF_SECOND: i128 = 1_000_000_000;
const SECONDS_OF_DAY: i64 = 86_400;

/// Days from 0001-01-01 to 1970-01-01.
const DAYS_BEFORE_1970: i64 = 719_162;

/// Reads `2026-07-01`, optionally followed by `T` or a space, hours and minutes, seconds with a fraction, and an
/// offset. Without an offset the time is in UTC. Digits below a nanosecond are cut.
pub(crate) fn read(text: &str) -> Option<i128> {
    let mut reader = Reader { rest: text.trim().as_bytes() };
    let (year, month, day) = reader.date()?;
    let days = days_of(year, month, day)?;
    let mut nanoseconds = i128::from(days * SECONDS_OF_DAY) * NANOSECONDS_OF_SECOND;
    if reader.rest.is_empty() {
        return Some(nanoseconds);
    }
    if !matches!(reader.next()?, b'T' | b't' | b' ') {
        return None;
    }
    nanoseconds += reader.clock()?;
    nanoseconds -= i128::from(reader.offset_seconds()?) * NANOSECONDS_OF_SECOND;
    reader.rest.is_empty().then_some(nanoseconds)
}

/// Reads what [`read`] reads, and dates with the month first: `12-24-2015` or `12/24/2015`, perhaps with a clock.
pub(crate) fn read_in_query(text: &str) -> Option<i128> {
    read(text).or_else(|| read(&year_first(text.trim())?))
}

/// As [`read_in_query`], where the time is one that events can have.
pub fn read_datetime(text: &str) -> Option<i64> {
    read_in_query(text).and_then(|time| i64::try_from(time).ok())
}

fn year_first(text: &str) -> Option<String> {
    let mut parts = text.splitn(3, ['-', '/']);
    let (month, day, rest) = (parts.next()?, parts.next()?, parts.next()?);
    let (year, rest) = rest.split_at_checked(4)?;
    Some(format!("{year}-{month:0>2}-{day:0>2}{rest}"))
}

/// The time that the numbers of events can hold which is nearest to this one.
pub(crate) fn clamped(nanoseconds: i128) -> i64 {
    nanoseconds.clamp(i128::from(i64::MIN), i128::from(i64::MAX)) as i64
}

/// Prints a time as RFC 3339 in UTC, with as many digits below a second as it has.
pub(crate) fn print(nanoseconds: i64) -> String {
    let seconds = nanoseconds.div_euclid(NANOSECONDS_OF_SECOND as i64);
    let fraction = nanoseconds.rem_euclid(NANOSECONDS_OF_SECOND as i64);
    let (year, month, day) = date_of(seconds.div_euclid(SECONDS_OF_DAY));
    let second_of_day = seconds.rem_euclid(SECONDS_OF_DAY);
    let (hour, minute, second) = (second_of_day / 3_600, second_of_day / 60 % 60, second_of_day % 60);
    let fraction = if fraction == 0 {
        String::new()
    } else {
        format!(".{fraction:09}").trim_end_matches('0').to_owned()
    };
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{fraction}Z")
}

struct Reader<'a> {
    rest: &'a [u8],
}

impl Reader<'_> {
    fn next(&mut self) -> Option<u8> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(*first)
    }

    fn skip(&mut self, wanted: u8) -> Option<()> {
        (self.next()? == wanted).then_some(())
    }

    /// A number of exactly so many digits.
    fn number(&mut self, digits: usize) -> Option<i64> {
        let (number, rest) = self.rest.split_at_checked(digits)?;
        self.rest = rest;
        number
            .iter()
            .try_fold(0, |sum, byte| byte.is_ascii_digit().then(|| sum * 10 + i64::from(byte - b'0')))
    }

    fn date(&mut self) -> Option<(i64, i64, i64)> {
        let year = self.number(4)?;
        self.skip(b'-')?;
        let month = self.number(2)?;
        self.skip(b'-')?;
        Some((year, month, self.number(2)?))
    }

    /// Hours and minutes, then perhaps seconds and their fraction, in nanoseconds.
    fn clock(&mut self) -> Option<i128> {
        let hour = self.number(2)?;
        self.skip(b':')?;
        let minute = self.number(2)?;
        let mut second = 0;
        let mut fraction = 0;
        if self.rest.first() == Some(&b':') {
            self.next();
            second = self.number(2)?;
            if self.rest.first() == Some(&b'.') {
                self.next();
                fraction = self.fraction()?;
            }
        }
        let is_clock = hour < 24 && minute < 60 && second < 60;
        let seconds = (hour * 60 + minute) * 60 + second;
        is_clock.then_some(i128::from(seconds) * NANOSECONDS_OF_SECOND + fraction)
    }

    fn fraction(&mut self) -> Option<i128> {
        let mut nanoseconds = 0;
        let mut weight = NANOSECONDS_OF_SECOND / 10;
        let digits = self.rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        for _ in 0..digits {
            nanoseconds += i128::from(self.number(1)?) * weight;
            weight /= 10;
        }
        (digits > 0).then_some(nanoseconds)
    }

    fn offset_seconds(&mut self) -> Option<i64> {
        let sign = match self.rest.first() {
            None => return Some(0),
            Some(b'Z' | b'z') => {
                self.next();
                return Some(0);
            }
            Some(b'+') => 1,
            Some(b'-') => -1,
            Some(_) => return None,
        };
        self.next();
        let hours = self.number(2)?;
        if self.rest.first() == Some(&b':') {
            self.next();
        }
        let minutes = if self.rest.is_empty() { 0 } else { self.number(2)? };
        (hours < 24 && minutes < 60).then_some(sign * (hours * 60 + minutes) * 60)
    }
}

/// Days since 1970 of a date, if there is such a day.
fn days_of(year: i64, month: i64, day: i64) -> Option<i64> {
    if year < 1 || !(1..=12).contains(&month) || !(1..=days_in_month(year, month)).contains(&day) {
        return None;
    }
    let days_in_year: i64 = (1..month).map(|month| days_in_month(year, month)).sum();
    Some(days_before_year(year) + days_in_year + day - 1 - DAYS_BEFORE_1970)
}

/// The date that is so many days after 1970-01-01.
fn date_of(days_since_1970: i64) -> (i64, i64, i64) {
    let days = days_since_1970 + DAYS_BEFORE_1970;
    // 400 years always have 146097 days, so the guess is off by one year at most.
    let mut year = days * 400 / 146_097 + 1;
    while days_before_year(year) > days {
        year -= 1;
    }
    while days_before_year(year + 1) <= days {
        year += 1;
    }
    let mut day = days - days_before_year(year);
    let mut month = 1;
    while day >= days_in_month(year, month) {
        day -= days_in_month(year, month);
        month += 1;
    }
    (year, month, day + 1)
}

/// Days from 0001-01-01 to the first day of a year.
fn days_before_year(year: i64) -> i64 {
    let years = year - 1;
    years * 365 + years / 4 - years / 100 + years / 400
}

fn days_in_month(year: i64, month: i64) -> i64 {
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    match month {
        2 if is_leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_iso_forms() {
        let seconds = |seconds: i128| Some(seconds * NANOSECONDS_OF_SECOND);
        for (text, expected) in [
            ("1970-01-01", seconds(0)),
            ("2026-07-01T10:00:00Z", seconds(1_782_900_000)),
            ("2026-07-01 10:00", seconds(1_782_900_000)),
            ("2026-07-01t12:00:00+02:00", seconds(1_782_900_000)),
            ("2026-07-01T12:00:00+0200", seconds(1_782_900_000)),
            ("2026-07-01T08:00:00-02", seconds(1_782_900_000)),
            ("2024-02-29T23:59:59z", seconds(1_709_251_199)),
            ("0001-01-01T00:00:00Z", seconds(-62_135_596_800)),
            ("9999-12-31T23:59:59Z", seconds(253_402_300_799)),
            ("1970-01-01T00:00:00.000000001Z", Some(1)),
            ("1970-01-01T00:00:00.1234567899Z", Some(123_456_789)),
            ("1969-12-31T23:59:59.999999999", Some(-1)),
        ] {
            assert_eq!(read(text), expected, "{text}");
        }
    }

    #[test]
    fn reads_dates_with_the_month_first() {
        for (text, same) in [
            ("12-02-2022", "2022-12-02"),
            ("1/2/2022", "2022-01-02"),
            ("12/24/2015 10:30:00Z", "2015-12-24T10:30:00Z"),
            ("2022-12-02", "2022-12-02"),
        ] {
            assert_eq!(read_in_query(text), read(same), "{text}");
            assert!(read(same).is_some());
        }
        for text in ["13-01-2022", "1-2-22", "001-02-2022", "12-02", "--2022", "12-02-2022x", "1-2-20äö"] {
            assert_eq!(read_in_query(text), None, "{text}");
        }
    }

    #[test]
    fn refuses_what_is_no_time() {
        for text in [
            "",
            "now",
            "2026",
            "2026-7-1",
            "2026-02-30",
            "2025-02-29",
            "0000-01-01",
            "2026-13-01",
            "2026-07-01T",
            "2026-07-01T10",
            "2026-07-01T24:00:00Z",
            "2026-07-01T10:60:00Z",
            "2026-07-01T10:00:60Z",
            "2026-07-01T10:00:00.Z",
            "2026-07-01T10:00:00Zulu",
            "2026-07-01T10:00:00+25:00",
            "2026-07-01Tä0:00",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn what_is_printed_reads_back() {
        for time in [0, 1, -1, i64::MIN, i64::MAX, 1_782_900_000_123_000_000, 951_782_400_000_000_000] {
            assert_eq!(read(&print(time)), Some(i128::from(time)), "{}", print(time));
        }
        assert_eq!(print(1_782_900_000_120_000_000), "2026-07-01T10:00:00.12Z");
        assert_eq!(print(i64::MIN), "1677-09-21T00:12:43.145224192Z");
        assert_eq!(print(i64::MAX), "2262-04-11T23:47:16.854775807Z");
    }

    #[test]
    fn times_beyond_the_numbers_of_events_are_moved_to_the_nearest() {
        assert_eq!(clamped(read("0001-01-01").unwrap()), i64::MIN);
        assert_eq!(clamped(read("9999-12-31").unwrap()), i64::MAX);
    }
}
