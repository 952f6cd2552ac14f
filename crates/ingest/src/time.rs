//! The time of an event: which of its values give it, and how they are written. Results are nanoseconds since 1970.

mod automatic;
mod civil;
mod epoch;
mod iso;
pub(crate) mod layout;
mod layout_match;
mod leading;
mod worded;

use layout::TimeLayout;

/// What holds for every event of a request.
#[derive(Debug, Default)]
pub(crate) struct TimeRule {
    /// When the request arrived: the time of events that have none.
    pub(crate) arrival_ns: i64,
    pub(crate) layout: Option<TimeLayout>,
}

/// A value of a field that gives the time.
#[derive(Debug)]
pub(crate) enum TimeValue<'a> {
    Null,
    Integer(i64),
    Float(f64, &'a [u8]),
    Text(&'a [u8]),
    /// Text of a value that cannot be a time.
    Other(&'a [u8]),
}

#[derive(Debug, Default)]
enum Seen {
    #[default]
    Absent,
    At(i64),
    /// What it looks like, cut.
    Unreadable(String),
}

/// What the event in hand says about its time.
#[derive(Debug, Default)]
pub(crate) struct EventTime {
    named: Seen,
    fallback: Seen,
}

impl EventTime {
    pub(crate) fn clear(&mut self) {
        self.named = Seen::Absent;
        self.fallback = Seen::Absent;
    }

    /// Takes a value of the field that the request names, or of `_time` when it names another.
    pub(crate) fn set(&mut self, named: bool, value: TimeValue<'_>, rule: &TimeRule) {
        // The layout describes the named field; `_time` beside it is read as without a layout.
        let layout = rule.layout.as_ref().filter(|_| named);
        let (time, text): (_, &[u8]) = match value {
            TimeValue::Null => {
                *self.slot(named) = Seen::Absent;
                return;
            }
            TimeValue::Integer(number) => match epoch::from_integer(number) {
                Some(time) => (Some(time), b""),
                None => {
                    *self.slot(named) = unreadable(number.to_string().as_bytes());
                    return;
                }
            },
            TimeValue::Float(number, text) => {
                (epoch::from_text(text).or_else(|| epoch::from_float(number)), text)
            }
            TimeValue::Text(text) => {
                let time = match layout {
                    Some(layout) => read_by(layout, text, rule.arrival_ns),
                    None => read_time(text),
                };
                (time, text)
            }
            TimeValue::Other(text) => (None, text),
        };
        *self.slot(named) = match time {
            Some(time) => Seen::At(time),
            None => unreadable(text),
        };
    }

    /// Takes the time that a line of text begins with; a field that gives it counts more.
    pub(crate) fn set_leading(&mut self, line: &[u8], rule: &TimeRule) {
        if let Some(time) = read_leading_time(line, rule.arrival_ns) {
            self.fallback = Seen::At(time);
        }
    }

    /// Takes a time that is known; a field that gives it counts more.
    pub(crate) fn set_at(&mut self, nanoseconds: i64) {
        self.fallback = Seen::At(nanoseconds);
    }

    /// What a time that cannot be read looks like. The event then has the other one, or none.
    pub(crate) fn forgive(&mut self) -> Option<String> {
        let named = forgiven(&mut self.named);
        let fallback = forgiven(&mut self.fallback);
        named.or(fallback)
    }

    /// Whether the event has the field that the request names.
    pub(crate) fn is_named(&self) -> bool {
        !matches!(self.named, Seen::Absent)
    }

    fn slot(&mut self, named: bool) -> &mut Seen {
        if named { &mut self.named } else { &mut self.fallback }
    }

    /// The time of the event, or why it has none that can be read.
    pub(crate) fn resolve(&mut self, arrival_ns: i64) -> Result<i64, String> {
        let seen = match std::mem::take(&mut self.named) {
            Seen::Absent => std::mem::take(&mut self.fallback),
            seen => seen,
        };
        match seen {
            Seen::At(time) => Ok(time),
            Seen::Absent => Ok(arrival_ns),
            Seen::Unreadable(shown) => Err(format!(
                "its time \"{shown}\" cannot be read as a time between 1677 and 2262; send RFC 3339, an epoch number, or name its layout"
            )),
        }
    }
}

/// Reads a time in any form that events may have without naming it, in nanoseconds since 1970.
#[inline]
pub fn read_time(text: &[u8]) -> Option<i64> {
    automatic::parse(text.trim_ascii())
}

pub(crate) fn read_by(layout: &TimeLayout, text: &[u8], arrival_ns: i64) -> Option<i64> {
    layout_match::parse(layout, text.trim_ascii(), arrival_ns)
}

/// Reads the time that a line of text begins with. What it leaves out, like the year, follows from the arrival.
pub fn read_leading_time(line: &[u8], arrival_ns: i64) -> Option<i64> {
    leading::parse(line, arrival_ns)
}

fn forgiven(seen: &mut Seen) -> Option<String> {
    match std::mem::take(seen) {
        Seen::Unreadable(shown) => Some(shown),
        other => {
            *seen = other;
            None
        }
    }
}

#[cold]
fn unreadable(text: &[u8]) -> Seen {
    let shown: String = String::from_utf8_lossy(&text[..text.len().min(256)]).chars().take(64).collect();
    Seen::Unreadable(shown)
}
