//! Entries of a journal as `systemd-journal-upload` sends them: lines `NAME=value`, or a name alone with the length and
//! the bytes of its value behind it, and an empty line at the end of each entry. A first upload is a whole journal in
//! one request, so bytes are pushed in as they come, and the events may be stored in parts between two pushes.

mod entry;

use tidegauge_ingest::Events;

use crate::answer::{Answer, Problem, plain, status_of};
use crate::rest::TextFields;
use entry::Entry;

pub const CONTENT_TYPE: &str = "application/vnd.fdo.journal";

/// Names in a journal have at most 64 bytes.
const NAME_BYTES_MAX: usize = 256;

/// The map for fields that the dataset does not take.
const REST: &str = "custom";

/// What the next byte belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// A name, which ends at `=` or with its line.
    Name,
    /// A value that ends with its line.
    Text,
    /// The length of a value: how many of its eight bytes are there, and what they say.
    Length { have: u32, length: u64 },
    /// A value of which so many bytes are to come.
    Binary { left: u64 },
    /// The end of the line behind such a value.
    LineEnd,
}

/// An upload on its way in.
#[derive(Debug)]
pub struct Journal {
    state: State,
    entry: Entry,
    name: Vec<u8>,
}

impl Default for Journal {
    fn default() -> Self {
        Self { state: State::Name, entry: Entry::default(), name: Vec::new() }
    }
}

impl Journal {
    /// Reads a piece of the upload, cut anywhere. An entry is an event when its end has come.
    pub fn feed(&mut self, bytes: &[u8], events: &mut Events<'_>) -> Result<(), Problem> {
        events.take_unreadable_times();
        let limits = (events.limits().string_bytes_max, events.limits().event_bytes_max);
        self.entry.bound(limits.0, limits.1);
        let mut fields = TextFields::new("", REST);
        let mut rest = bytes;
        while !rest.is_empty() {
            rest = self.step(rest, &mut fields, events)?;
        }
        Ok(())
    }

    fn step<'b>(
        &mut self,
        bytes: &'b [u8],
        fields: &mut TextFields,
        events: &mut Events<'_>,
    ) -> Result<&'b [u8], Problem> {
        match self.state {
            State::Name => self.name(bytes, fields, events),
            State::Text => {
                let end = memchr::memchr(b'\n', bytes);
                self.entry.add(&bytes[..end.unwrap_or(bytes.len())]);
                let Some(end) = end else { return Ok(&[]) };
                self.entry.end_value();
                self.state = State::Name;
                Ok(&bytes[end + 1..])
            }
            State::Length { have, length } => {
                let length = length | u64::from(bytes[0]) << (8 * have);
                self.state = match have {
                    7 => State::Binary { left: length },
                    _ => State::Length { have: have + 1, length },
                };
                Ok(&bytes[1..])
            }
            State::Binary { left } => {
                let here = usize::try_from(left).unwrap_or(usize::MAX).min(bytes.len());
                self.entry.add(&bytes[..here]);
                let left = left - here as u64;
                self.state = if left == 0 { State::LineEnd } else { State::Binary { left } };
                Ok(&bytes[here..])
            }
            State::LineEnd => {
                if bytes[0] != b'\n' {
                    return Err(Problem::malformed(
                        "a binary field of the journal is not followed by a line break",
                    ));
                }
                self.entry.end_value();
                self.state = State::Name;
                Ok(&bytes[1..])
            }
        }
    }

    fn name<'b>(
        &mut self,
        bytes: &'b [u8],
        fields: &mut TextFields,
        events: &mut Events<'_>,
    ) -> Result<&'b [u8], Problem> {
        let end = memchr::memchr2(b'=', b'\n', bytes);
        self.name.extend_from_slice(&bytes[..end.unwrap_or(bytes.len()).min(NAME_BYTES_MAX + 1)]);
        if self.name.len() > NAME_BYTES_MAX {
            return Err(Problem::malformed(format!(
                "a field of the journal has a name of more than {NAME_BYTES_MAX} bytes"
            )));
        }
        let Some(end) = end else { return Ok(&[]) };
        let is_text = bytes[end] == b'=';
        if self.name.is_empty() {
            if is_text {
                return Err(Problem::malformed("a field of the journal has no name"));
            }
            self.entry.write(fields, events)?;
        } else {
            self.entry.begin_value(&self.name);
            self.name.clear();
            self.state = if is_text { State::Text } else { State::Length { have: 0, length: 0 } };
        }
        // A length of nothing has no bytes to wait for, which the next step sees.
        Ok(&bytes[end + 1..])
    }

    /// Ends the upload. An entry without an empty line behind it counts if its last field is whole.
    pub fn finish(&mut self, events: &mut Events<'_>) -> Result<(), Problem> {
        if self.state != State::Name || !self.name.is_empty() {
            return Err(Problem::malformed("the journal ends inside a field; send it whole"));
        }
        self.entry.write(&mut TextFields::new("", REST), events)
    }
}

/// The answer to an upload whose events are stored.
pub fn accepted() -> Answer {
    telling_encodings(plain(202, "OK."))
}

/// The answer to an upload that cannot go on. What was stored of it comes again: the sender begins where it began.
pub fn refused(problem: &Problem) -> Answer {
    telling_encodings(plain(status_of(problem.kind), &problem.message))
}

/// Since 258 the sender compresses what follows by the first of these that it knows. It knows lz4 and xz as well, in forms
/// of its own.
fn telling_encodings(answer: Answer) -> Answer {
    answer.header("accept-encoding", "zstd")
}
