//! Go reference layouts: the time `Mon Jan 2 15:04:05 MST 2006` written as a value would be. A layout is cut into its
//! elements once per request; `layout_match` reads values with it.

use std::sync::Arc;

/// A layout, ready to read values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimeLayout {
    pub(super) elements: Arc<[Element]>,
}

/// A layout that no value could match.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the timestamp format \"{layout}\" names no part of a time; write how Mon Jan 2 15:04:05 2006 would look, like 2006-01-02T15:04:05Z07:00"
)]
pub struct InvalidLayout {
    layout: String,
}

/// One part of a layout. `fixed` says that a value must have all digits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Element {
    Literal(Box<[u8]>),
    Year,
    YearShort,
    MonthNumber {
        fixed: bool,
    },
    MonthName {
        long: bool,
    },
    Weekday {
        long: bool,
    },
    Day {
        fixed: bool,
        padded: bool,
    },
    DayOfYear {
        padded: bool,
    },
    Hour,
    HourOfHalf {
        fixed: bool,
    },
    Minute {
        fixed: bool,
    },
    Second {
        fixed: bool,
    },
    /// `.000`: the point and exactly these digits.
    FractionFixed {
        digits: usize,
    },
    /// `.999`: a point and digits, or nothing.
    FractionOptional,
    HalfOfDay {
        upper: bool,
    },
    ZoneName,
    /// `colon` between the parts, and how many parts there are.
    Offset {
        colon: bool,
        parts: usize,
        z_for_utc: bool,
    },
}

impl TimeLayout {
    pub fn parse(layout: &str) -> Result<Self, InvalidLayout> {
        let mut elements = Vec::new();
        let mut literal = Vec::new();
        let mut rest = layout.as_bytes();
        while !rest.is_empty() {
            let Some((element, length)) = element_at(rest) else {
                literal.push(rest[0]);
                rest = &rest[1..];
                continue;
            };
            if !literal.is_empty() {
                elements.push(Element::Literal(std::mem::take(&mut literal).into()));
            }
            elements.push(element);
            rest = &rest[length..];
        }
        if elements.is_empty() {
            return Err(InvalidLayout { layout: layout.chars().take(64).collect() });
        }
        if !literal.is_empty() {
            elements.push(Element::Literal(literal.into()));
        }
        Ok(Self { elements: elements.into() })
    }
}

/// The element that a layout starts with, and its length.
fn element_at(text: &[u8]) -> Option<(Element, usize)> {
    match text[0] {
        b'J' | b'M' => name_at(text),
        b'0' | b'1' | b'2' | b'3' | b'4' | b'5' | b'_' => number_at(text),
        b'.' | b',' => fraction_at(text),
        b'P' if text.starts_with(b"PM") => Some((Element::HalfOfDay { upper: true }, 2)),
        b'p' if text.starts_with(b"pm") => Some((Element::HalfOfDay { upper: false }, 2)),
        b'-' | b'Z' => offset_at(text),
        _ => None,
    }
}

fn name_at(text: &[u8]) -> Option<(Element, usize)> {
    if text.starts_with(b"January") {
        return Some((Element::MonthName { long: true }, 7));
    }
    if text.starts_with(b"Monday") {
        return Some((Element::Weekday { long: true }, 6));
    }
    if text.starts_with(b"MST") {
        return Some((Element::ZoneName, 3));
    }
    // A longer word that begins like a name is not the name.
    if text.get(3).is_some_and(u8::is_ascii_lowercase) {
        return None;
    }
    match text.get(..3)? {
        b"Jan" => Some((Element::MonthName { long: false }, 3)),
        b"Mon" => Some((Element::Weekday { long: false }, 3)),
        _ => None,
    }
}

fn number_at(text: &[u8]) -> Option<(Element, usize)> {
    // Longer spellings stand before those that they begin with.
    let table: [(&[u8], Element); 17] = [
        (b"002", Element::DayOfYear { padded: false }),
        (b"01", Element::MonthNumber { fixed: true }),
        (b"02", Element::Day { fixed: true, padded: false }),
        (b"03", Element::HourOfHalf { fixed: true }),
        (b"04", Element::Minute { fixed: true }),
        (b"05", Element::Second { fixed: true }),
        (b"06", Element::YearShort),
        (b"15", Element::Hour),
        (b"1", Element::MonthNumber { fixed: false }),
        (b"2006", Element::Year),
        (b"2", Element::Day { fixed: false, padded: false }),
        (b"3", Element::HourOfHalf { fixed: false }),
        (b"4", Element::Minute { fixed: false }),
        (b"5", Element::Second { fixed: false }),
        (b"__2", Element::DayOfYear { padded: true }),
        // An underscore before a year is only an underscore.
        (b"_2006", Element::Literal(Box::from(*b"_"))),
        (b"_2", Element::Day { fixed: false, padded: true }),
    ];
    let (spelling, element) = table.into_iter().find(|(spelling, _)| text.starts_with(spelling))?;
    match element {
        Element::Literal(_) => None,
        element => Some((element, spelling.len())),
    }
}

/// A point or comma with a run of zeros or nines that no other digit follows.
fn fraction_at(text: &[u8]) -> Option<(Element, usize)> {
    let digit = *text.get(1).filter(|byte| matches!(byte, b'0' | b'9'))?;
    let digits = text[1..].iter().take_while(|byte| **byte == digit).count();
    if text.get(1 + digits).is_some_and(u8::is_ascii_digit) {
        return None;
    }
    let element = match digit {
        b'0' => Element::FractionFixed { digits },
        _ => Element::FractionOptional,
    };
    Some((element, 1 + digits))
}

fn offset_at(text: &[u8]) -> Option<(Element, usize)> {
    let spellings: [(&[u8], bool, usize); 5] = [
        (b"070000", false, 3),
        (b"07:00:00", true, 3),
        (b"0700", false, 2),
        (b"07:00", true, 2),
        (b"07", false, 1),
    ];
    let (spelling, colon, parts) =
        spellings.into_iter().find(|(spelling, ..)| text[1..].starts_with(spelling))?;
    Some((Element::Offset { colon, parts, z_for_utc: text[0] == b'Z' }, 1 + spelling.len()))
}
