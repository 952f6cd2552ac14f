//! Times with the name of a month in them: web servers' logs, mail and web headers, `date`. The month's name makes
//! the order of the other parts clear, so they are taken as they come; each may stand there once.

use super::civil::{Civil, full_year, month_by_long_prefix, month_by_prefix, weekday_prefix};
use super::iso;

/// Longer texts are no times.
const LENGTH_MAX: usize = 64;

#[derive(Default)]
struct Parts {
    year: Option<i32>,
    month: Option<u32>,
    day: Option<u32>,
    clock: Option<Civil>,
    afternoon: Option<bool>,
    offset: Option<i32>,
    weekday: bool,
}

pub(super) fn parse(text: &[u8]) -> Option<i64> {
    if text.len() > LENGTH_MAX {
        return None;
    }
    let mut parts = Parts::default();
    let mut rest = text;
    while let Some(first) = rest.first() {
        rest = match first {
            b'0'..=b'9' => parts.number(rest)?,
            b'+' | b'-' if parts.clock.is_some() && rest.get(1).is_some_and(u8::is_ascii_digit) => {
                parts.offset(rest)?
            }
            byte if byte.is_ascii_alphabetic() => parts.word(rest)?,
            b' ' | b',' | b'/' | b'-' | b':' => &rest[1..],
            _ => return None,
        };
    }
    parts.time()
}

impl Parts {
    /// A time of day, a year, or a day; a number of two digits after the day is a year.
    fn number<'a>(&mut self, text: &'a [u8]) -> Option<&'a [u8]> {
        let length = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let (value, rest) = iso::number(text, length.min(9))?;
        match length {
            1 | 2 if rest.first() == Some(&b':') => return self.clock(value, rest),
            1 | 2 if self.day.is_none() => self.day = Some(value),
            2 if self.year.is_none() => self.year = Some(full_year(value)),
            4 if self.year.is_none() => self.year = Some(value as i32),
            _ => return None,
        }
        Some(rest)
    }

    fn clock<'a>(&mut self, hour: u32, text: &'a [u8]) -> Option<&'a [u8]> {
        let mut clock = Civil::date(0, 0, 0);
        clock.hour = hour;
        let (minute, mut rest) = iso::number(&text[1..], 2)?;
        clock.minute = minute;
        if rest.first() == Some(&b':') {
            (clock.second, rest) = iso::number(&rest[1..], 2)?;
            rest = iso::fraction(rest, &mut clock);
        }
        self.clock.replace(clock).is_none().then_some(rest)
    }

    fn offset<'a>(&mut self, text: &'a [u8]) -> Option<&'a [u8]> {
        let end = text.iter().position(|byte| *byte == b' ').unwrap_or(text.len());
        self.offset.replace(iso::zone(&text[..end])?).is_none().then_some(&text[end..])
    }

    /// A month, a weekday, a half of the day, or a zone.
    fn word<'a>(&mut self, text: &'a [u8]) -> Option<&'a [u8]> {
        let length = text.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
        let (word, rest) = text.split_at(length);
        let month = match length {
            3 => month_by_prefix(word),
            _ => month_by_long_prefix(word).filter(|(_, long)| *long == length).map(|(month, _)| month),
        };
        let is_first = if let Some(month) = month {
            self.month.replace(month).is_none()
        } else if weekday_prefix(word, length != 3) == Some(length) {
            !std::mem::replace(&mut self.weekday, true)
        } else if word.eq_ignore_ascii_case(b"am") || word.eq_ignore_ascii_case(b"pm") {
            self.afternoon.replace(word[0].eq_ignore_ascii_case(&b'p')).is_none()
        } else {
            // A name after a number, as in `+0000 UTC`, adds nothing.
            let offset = iso::zone_name(word)?;
            self.offset.replace(self.offset.unwrap_or(offset)).is_none() || rest.is_empty()
        };
        is_first.then_some(rest)
    }

    fn time(self) -> Option<i64> {
        let mut civil = self.clock.unwrap_or(Civil::date(0, 0, 0));
        civil.year = self.year?;
        civil.month = self.month?;
        civil.day = self.day?;
        civil.offset_seconds = self.offset.unwrap_or(0);
        match self.afternoon {
            Some(_) if !(1..=12).contains(&civil.hour) => return None,
            Some(afternoon) => civil.hour = civil.hour % 12 + if afternoon { 12 } else { 0 },
            None => {}
        }
        civil.nanoseconds()
    }
}
