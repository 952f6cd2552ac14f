//! Reads a time with a Go layout, as Go's own library would: spaces match any run of spaces, names any case, and a
//! fraction may follow the seconds even if the layout has none. Two things go further, see `literal` and `Found`.

use super::civil::{self, Civil};
use super::iso;
use super::layout::{Element, TimeLayout};

/// An event dated later than this after its arrival is from the year before, when its layout has no year.
const AHEAD_NS: i64 = 31 * 86_400_000_000_000;

/// What was read so far. Go takes a missing year as the year 0, which no event can have; here it is the year that
/// brings the event nearest before its arrival.
struct Found {
    civil: Civil,
    year: Option<i32>,
    month: Option<u32>,
    day: Option<u32>,
    day_of_year: Option<u32>,
    afternoon: Option<bool>,
}

pub(super) fn parse(layout: &TimeLayout, text: &[u8], arrival_ns: i64) -> Option<i64> {
    let mut found = Found {
        civil: Civil::date(0, 0, 0),
        year: None,
        month: None,
        day: None,
        day_of_year: None,
        afternoon: None,
    };
    let mut rest = text;
    for (index, element) in layout.elements.iter().enumerate() {
        rest = found.date_element(element, rest).or_else(|| found.clock_element(element, rest))?;
        let next = layout.elements.get(index + 1);
        if matches!(element, Element::Second { .. })
            && !matches!(next, Some(Element::FractionFixed { .. } | Element::FractionOptional))
        {
            rest = iso::fraction(rest, &mut found.civil);
        }
    }
    if !rest.is_empty() {
        return None;
    }
    found.time(arrival_ns)
}

impl Found {
    fn date_element<'a>(&mut self, element: &Element, text: &'a [u8]) -> Option<&'a [u8]> {
        match element {
            Element::Literal(expected) => literal(text, expected),
            Element::Year => {
                let (year, rest) = iso::number(text, 4)?;
                self.year = Some(year as i32);
                Some(rest)
            }
            Element::YearShort => {
                let (year, rest) = iso::number(text, 2)?;
                self.year = Some(civil::full_year(year));
                Some(rest)
            }
            Element::MonthNumber { fixed } => one_or_two_digits(text, *fixed, &mut self.month),
            Element::MonthName { long: false } => {
                self.month = Some(civil::month_by_prefix(text)?);
                Some(&text[3..])
            }
            Element::MonthName { long: true } => {
                let (month, length) = civil::month_by_long_prefix(text)?;
                self.month = Some(month);
                Some(&text[length..])
            }
            Element::Weekday { long } => Some(&text[civil::weekday_prefix(text, *long)?..]),
            Element::Day { fixed, padded } => {
                let text = if *padded { text.strip_prefix(b" ").unwrap_or(text) } else { text };
                one_or_two_digits(text, *fixed, &mut self.day)
            }
            Element::DayOfYear { padded } => {
                // Padding may be gone already: a space of the layout takes all spaces of the value.
                let spaces = text.iter().take(2).take_while(|byte| *padded && **byte == b' ').count();
                let digits = text[spaces..].iter().take(3).take_while(|byte| byte.is_ascii_digit()).count();
                let wanted = if *padded { digits.max(1) } else { 3 };
                let (day, rest) = iso::number(&text[spaces..], wanted)?;
                self.day_of_year = Some(day);
                Some(rest)
            }
            _ => None,
        }
    }

    fn clock_element<'a>(&mut self, element: &Element, text: &'a [u8]) -> Option<&'a [u8]> {
        let mut number = None;
        match element {
            Element::Hour => {
                let rest = one_or_two_digits(text, false, &mut number)?;
                self.civil.hour = number?;
                Some(rest)
            }
            Element::HourOfHalf { fixed } => {
                let rest = one_or_two_digits(text, *fixed, &mut number)?;
                self.civil.hour = number.filter(|hour| *hour <= 12)?;
                Some(rest)
            }
            Element::Minute { fixed } => {
                let rest = one_or_two_digits(text, *fixed, &mut number)?;
                self.civil.minute = number?;
                Some(rest)
            }
            Element::Second { fixed } => {
                let rest = one_or_two_digits(text, *fixed, &mut number)?;
                self.civil.second = number?;
                Some(rest)
            }
            Element::FractionFixed { digits } => {
                let (fraction, rest) = text.split_at_checked(digits + 1)?;
                iso::fraction(fraction, &mut self.civil).is_empty().then_some(rest)
            }
            Element::FractionOptional => Some(iso::fraction(text, &mut self.civil)),
            Element::HalfOfDay { upper } => {
                let (half, rest) = text.split_at_checked(2)?;
                self.afternoon = Some(match (half, upper) {
                    (b"PM", true) | (b"pm", false) => true,
                    (b"AM", true) | (b"am", false) => false,
                    _ => return None,
                });
                Some(rest)
            }
            Element::ZoneName => self.zone_name(text),
            Element::Offset { colon, parts, z_for_utc } => match text {
                [b'Z', rest @ ..] if *z_for_utc => Some(rest),
                _ => self.offset(text, *colon, *parts),
            },
            _ => None,
        }
    }

    /// Three or four capital letters. As in Go, a name says nothing about the offset, unless it is `GMT+3`.
    fn zone_name<'a>(&mut self, text: &'a [u8]) -> Option<&'a [u8]> {
        if let Some(rest) = text.strip_prefix(b"UTC") {
            return Some(rest);
        }
        let letters = text.iter().take_while(|byte| byte.is_ascii_uppercase()).count();
        if !(3..=5).contains(&letters) {
            return None;
        }
        let (name, rest) = text.split_at(letters);
        if name != b"GMT" || !matches!(rest.first(), Some(b'+' | b'-')) {
            return Some(rest);
        }
        let mut hours = None;
        let after = one_or_two_digits(&rest[1..], false, &mut hours)?;
        let seconds = hours.filter(|hours| *hours <= 23)? as i32 * 3600;
        self.civil.offset_seconds = if rest[0] == b'-' { -seconds } else { seconds };
        Some(after)
    }

    fn offset<'a>(&mut self, text: &'a [u8], colon: bool, parts: usize) -> Option<&'a [u8]> {
        let (sign, mut rest) = text.split_first()?;
        let mut seconds = 0;
        for (part, (unit, most)) in [(3600, 24), (60, 59), (1, 59)].into_iter().take(parts).enumerate() {
            if part > 0 && colon {
                rest = rest.strip_prefix(b":")?;
            }
            let (value, after) = iso::number(rest, 2)?;
            if value > most {
                return None;
            }
            seconds += value as i32 * unit;
            rest = after;
        }
        self.civil.offset_seconds = match sign {
            b'+' => seconds,
            b'-' => -seconds,
            _ => return None,
        };
        Some(rest)
    }

    fn time(mut self, arrival_ns: i64) -> Option<i64> {
        match self.afternoon {
            Some(true) if self.civil.hour < 12 => self.civil.hour += 12,
            Some(false) if self.civil.hour == 12 => self.civil.hour = 0,
            _ => {}
        }
        if let Some(year) = self.year {
            return self.in_year(year);
        }
        let year = civil::year_of(arrival_ns);
        let this_year = self.in_year(year);
        match this_year {
            Some(time) if time <= arrival_ns.saturating_add(AHEAD_NS) => Some(time),
            _ => self.in_year(year - 1),
        }
    }

    fn in_year(&mut self, year: i32) -> Option<i64> {
        self.civil.year = year;
        (self.civil.month, self.civil.day) = match self.day_of_year {
            None => (self.month.unwrap_or(1), self.day.unwrap_or(1)),
            Some(day_of_year) => {
                let date = civil::month_and_day(year, day_of_year)?;
                let agrees = self.month.is_none_or(|month| month == date.0)
                    && self.day.is_none_or(|day| day == date.1);
                agrees.then_some(date)?
            }
        };
        self.civil.nanoseconds()
    }
}

/// Text that stands in the layout as it is. A `+` of the layout may have become a space on its way in an URL, so a
/// space also matches a `+` of the value, and spaces before such a `+` may be more than one.
fn literal<'a>(mut text: &'a [u8], mut expected: &[u8]) -> Option<&'a [u8]> {
    while let Some((byte, after)) = expected.split_first() {
        if *byte != b' ' {
            text = text.strip_prefix(&[*byte])?;
            expected = after;
            continue;
        }
        let was_plus = expected.iter().find(|byte| **byte != b' ').is_some_and(u8::is_ascii_digit);
        if !text.is_empty() && text[0] != b' ' && !(was_plus && text[0] == b'+') {
            return None;
        }
        expected = expected.trim_ascii_start();
        text = text.trim_ascii_start();
        if was_plus {
            text = text.strip_prefix(b"+").unwrap_or(text);
        }
    }
    Some(text)
}

fn one_or_two_digits<'a>(text: &'a [u8], fixed: bool, into: &mut Option<u32>) -> Option<&'a [u8]> {
    let two = text.get(1).is_some_and(u8::is_ascii_digit);
    if fixed && !two {
        return None;
    }
    let (value, rest) = iso::number(text, if two { 2 } else { 1 })?;
    *into = Some(value);
    Some(rest)
}
