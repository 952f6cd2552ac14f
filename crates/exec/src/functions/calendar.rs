//! The calendar in UTC: days, weeks, months and years of times that are nanoseconds since 1970. A moment beyond what
//! those can say is none.

use jiff::Timestamp;
use jiff::civil::{DateTime, date};
use jiff::tz::Offset;

pub(super) const SECOND: i64 = 1_000_000_000;
pub(super) const HOUR: i64 = 3_600 * SECOND;
pub(super) const DAY: i64 = 24 * HOUR;

/// A part of a time, or a stretch to count in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Year,
    Quarter,
    Month,
    Week,
    WeekOfYear,
    Day,
    DayOfYear,
    Hour,
    Minute,
    Second,
    Millisecond,
    Microsecond,
    Nanosecond,
}

impl Part {
    /// By its name, in any case.
    pub(super) fn read(name: &str) -> Option<Self> {
        const NAMES: [(&str, Part); 15] = [
            ("year", Part::Year),
            ("quarter", Part::Quarter),
            ("month", Part::Month),
            ("week", Part::Week),
            ("week_of_year", Part::WeekOfYear),
            ("weekofyear", Part::WeekOfYear),
            ("day", Part::Day),
            ("dayofyear", Part::DayOfYear),
            ("day_of_year", Part::DayOfYear),
            ("hour", Part::Hour),
            ("minute", Part::Minute),
            ("second", Part::Second),
            ("millisecond", Part::Millisecond),
            ("microsecond", Part::Microsecond),
            ("nanosecond", Part::Nanosecond),
        ];
        NAMES.iter().find(|(known, _)| known.eq_ignore_ascii_case(name.trim())).map(|(_, part)| *part)
    }

    /// How long it is, for those that are always the same.
    fn nanoseconds(self) -> Option<i64> {
        Some(match self {
            Self::Week => 7 * DAY,
            Self::Day => DAY,
            Self::Hour => HOUR,
            Self::Minute => 60 * SECOND,
            Self::Second => SECOND,
            Self::Millisecond => 1_000_000,
            Self::Microsecond => 1_000,
            Self::Nanosecond => 1,
            Self::Year | Self::Quarter | Self::Month | Self::WeekOfYear | Self::DayOfYear => return None,
        })
    }

    fn months(self) -> Option<i64> {
        match self {
            Self::Year => Some(12),
            Self::Quarter => Some(3),
            Self::Month => Some(1),
            _ => None,
        }
    }

    /// What of a time it is.
    pub(super) fn of(self, time: i64) -> Option<i64> {
        let of_second = time.rem_euclid(SECOND);
        let civil = || civil(time);
        Some(match self {
            Self::Year => i64::from(civil()?.year()),
            Self::Quarter => (i64::from(civil()?.month()) + 2) / 3,
            Self::Month => i64::from(civil()?.month()),
            Self::Week | Self::WeekOfYear => i64::from(civil()?.date().iso_week_date().week()),
            Self::Day => i64::from(civil()?.day()),
            Self::DayOfYear => i64::from(civil()?.day_of_year()),
            Self::Hour => time.rem_euclid(DAY) / HOUR,
            Self::Minute => time.rem_euclid(HOUR) / (60 * SECOND),
            Self::Second => time.rem_euclid(60 * SECOND) / SECOND,
            Self::Millisecond => of_second / 1_000_000,
            Self::Microsecond => of_second / 1_000,
            Self::Nanosecond => of_second,
        })
    }

    /// A time so many of it later. Months end with their last day where they are shorter.
    pub(super) fn add(self, count: i64, time: i64) -> Option<i64> {
        if let Some(length) = self.nanoseconds() {
            return time.checked_add(count.checked_mul(length)?);
        }
        let months = count.checked_mul(self.months()?)?;
        let civil = civil(time)?;
        let first = first_of_month(month_number(civil).checked_add(months)?)?;
        let day = civil.day().min(first.date().days_in_month());
        nanos(first.with().day(day).build().ok()?.date().to_datetime(civil.time()))
    }

    /// How many whole ones lie between two times, negative where the first is the earlier.
    pub(super) fn between(self, later: i64, earlier: i64) -> Option<i64> {
        if let Some(length) = self.nanoseconds() {
            return i64::try_from((i128::from(later) - i128::from(earlier)) / i128::from(length)).ok();
        }
        if later < earlier {
            return self.between(earlier, later).map(|count| -count);
        }
        let (late, early) = (civil(later)?, civil(earlier)?);
        let within = |time: DateTime| (time.day(), time.time());
        let is_begun = within(late) < within(early);
        let months = month_number(late) - month_number(early) - i64::from(is_begun);
        Some(months / self.months()?)
    }
}

/// Stretches of the calendar that times are cut to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stretch {
    Hour,
    Day,
    Week,
    Month,
    Year,
}

impl Stretch {
    /// When the stretch that a time is in begins, or the one so many later. Weeks begin on Sunday.
    pub(super) fn start(self, time: i64, offset: i64) -> Option<i64> {
        let day = time.div_euclid(DAY);
        match self {
            Self::Hour => time.div_euclid(HOUR).checked_add(offset)?.checked_mul(HOUR),
            Self::Day => day.checked_add(offset)?.checked_mul(DAY),
            // The first day of 1970 was a Thursday.
            Self::Week => {
                let sunday = day - (day + 4).rem_euclid(7);
                sunday.checked_add(offset.checked_mul(7)?)?.checked_mul(DAY)
            }
            Self::Month => nanos(first_of_month(month_number(civil(time)?).checked_add(offset)?)?),
            Self::Year => {
                let year = i64::from(civil(time)?.year()).checked_add(offset)?;
                nanos(first_of_month(year.checked_mul(12)?)?)
            }
        }
    }

    /// The last nanosecond of it.
    pub(super) fn end(self, time: i64, offset: i64) -> Option<i64> {
        self.start(time, offset.checked_add(1)?)?.checked_sub(1)
    }
}

fn civil(time: i64) -> Option<DateTime> {
    Timestamp::from_nanosecond(i128::from(time)).ok().map(|time| Offset::UTC.to_datetime(time))
}

fn nanos(civil: DateTime) -> Option<i64> {
    let time = Offset::UTC.to_timestamp(civil).ok()?;
    i64::try_from(time.as_nanosecond()).ok()
}

/// Months since the year 0.
fn month_number(civil: DateTime) -> i64 {
    i64::from(civil.year()) * 12 + i64::from(civil.month()) - 1
}

fn first_of_month(number: i64) -> Option<DateTime> {
    let year = i16::try_from(number.div_euclid(12)).ok().filter(|year| (0..=9_999).contains(year))?;
    let month = i8::try_from(number.rem_euclid(12) + 1).ok()?;
    Some(date(year, month, 1).at(0, 0, 0, 0))
}

/// The day of the week; Sunday is 0.
pub(super) fn day_of_week(time: i64) -> i64 {
    (time.div_euclid(DAY) + 4).rem_euclid(7)
}
