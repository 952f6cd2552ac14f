//! Calendar arithmetic: a date and time of day with its offset, turned into nanoseconds since 1970.

const MONTHS: [&[u8; 3]; 12] =
    [b"jan", b"feb", b"mar", b"apr", b"may", b"jun", b"jul", b"aug", b"sep", b"oct", b"nov", b"dec"];
const MONTHS_LONG: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];
const WEEKDAYS_LONG: [&str; 7] =
    ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

/// A point in time as it is written. Nothing is checked before [`Civil::nanoseconds`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Civil {
    pub(super) year: i32,
    pub(super) month: u32,
    pub(super) day: u32,
    pub(super) hour: u32,
    pub(super) minute: u32,
    pub(super) second: u32,
    pub(super) nanosecond: u32,
    pub(super) offset_seconds: i32,
}

impl Civil {
    pub(super) fn date(year: i32, month: u32, day: u32) -> Self {
        Self { year, month, day, hour: 0, minute: 0, second: 0, nanosecond: 0, offset_seconds: 0 }
    }

    /// Nothing if it is no real point in time or not within 64 bits of nanoseconds.
    #[inline]
    pub(super) fn nanoseconds(&self) -> Option<i64> {
        let Self { year, month, day, hour, minute, second, nanosecond, offset_seconds } = *self;
        if !(1..=12).contains(&month) || day == 0 || day > days_in_month(year, month) {
            return None;
        }
        if hour > 23 || minute > 59 || second > 59 {
            return None;
        }
        let day_seconds = i64::from(hour * 3600 + minute * 60 + second) - i64::from(offset_seconds);
        let seconds = days_since_1970(year, month, day) * 86_400 + day_seconds;
        i64::try_from(i128::from(seconds) * 1_000_000_000 + i128::from(nanosecond)).ok()
    }
}

/// Counts years from March, so that the leap day is the last day of a year.
#[inline]
fn days_since_1970(year: i32, month: u32, day: u32) -> i64 {
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let (year, day) = (i64::from(year), i64::from(day));
    let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    let day_of_year = i64::from((153 * month + 2) / 5) + day - 1;
    year * 365 + leap_days + day_of_year - 719_468
}

fn is_leap(year: i32) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

#[inline]
fn days_in_month(year: i32, month: u32) -> u32 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if is_leap(year) => 29,
        2 => 28,
        _ => 31,
    }
}

/// Month and day of the nth day of a year.
pub(super) fn month_and_day(year: i32, day_of_year: u32) -> Option<(u32, u32)> {
    let mut rest = day_of_year;
    for month in 1..=12 {
        let days = days_in_month(year, month);
        if rest <= days {
            return (rest > 0).then_some((month, rest));
        }
        rest -= days;
    }
    None
}

/// The calendar year of a time.
pub(super) fn year_of(nanoseconds: i64) -> i32 {
    let days = nanoseconds.div_euclid(86_400_000_000_000);
    let guess = 1970 + (days / 365) as i32;
    // Leap days make the guess too late by at most one year in the years that fit.
    if days_since_1970(guess, 1, 1) > days { guess - 1 } else { guess }
}

/// Two-digit years, as most formats read them.
pub(super) fn full_year(two_digits: u32) -> i32 {
    let year = two_digits as i32;
    if year >= 69 { 1900 + year } else { 2000 + year }
}

/// The month that a text starts with in three letters of any case.
pub(super) fn month_by_prefix(text: &[u8]) -> Option<u32> {
    let prefix = text.get(..3)?;
    let index = MONTHS.iter().position(|month| prefix.eq_ignore_ascii_case(*month))?;
    Some(index as u32 + 1)
}

/// The month whose whole name a text starts with, and the length of the name.
pub(super) fn month_by_long_prefix(text: &[u8]) -> Option<(u32, usize)> {
    let index = MONTHS_LONG.iter().position(|month| starts_with_word(text, month))?;
    Some((index as u32 + 1, MONTHS_LONG[index].len()))
}

/// The length of the weekday that a text starts with.
pub(super) fn weekday_prefix(text: &[u8], long: bool) -> Option<usize> {
    let length = |name: &str| if long { name.len() } else { 3 };
    WEEKDAYS_LONG.iter().find(|name| starts_with_word(text, &name[..length(name)])).map(|name| length(name))
}

fn starts_with_word(text: &[u8], word: &str) -> bool {
    text.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn years_are_read_back_from_the_whole_range() {
        for year in 1678..2262 {
            for (month, day) in [(1, 1), (2, 28), (12, 31)] {
                let time = Civil::date(year, month, day).nanoseconds();
                assert_eq!(time.map(year_of), Some(year));
            }
        }
        assert_eq!(Civil::date(1600, 1, 1).nanoseconds(), None);
    }

    #[test]
    fn days_of_a_year_end_with_it() {
        assert_eq!(month_and_day(2024, 60), Some((2, 29)));
        assert_eq!(month_and_day(2023, 60), Some((3, 1)));
        assert_eq!(month_and_day(2024, 366), Some((12, 31)));
        assert_eq!(month_and_day(2023, 366), None);
        assert_eq!(month_and_day(2023, 0), None);
    }
}
