//! Finds the events in a body that comes in chunks of any size. Events are read where they lie; only one that the end
//! of a chunk cuts is copied, taken back from the rows, and tried again when enough of it has come.

use super::add_labels::add_labels;
use super::cursor::{Cursor, Stop};
use super::event::{EventReader, Memory};
use crate::limits::{FieldGate, Limits};
use crate::options::Options;
use crate::outcome::{Malformed, MalformedKind};
use crate::reader::position::Position;
use crate::rows::Rows;

/// How much of a chunk is added to a cut event at least, before it is tried again.
const PIECE_BYTES: usize = 4096;

/// What the grammar allows next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Expecting {
    /// A value or an array of them.
    #[default]
    Anything,
    /// In an array, behind its bracket.
    FirstElement,
    /// In an array, behind a comma.
    Element,
    /// In an array, behind an element.
    Comma,
}

/// What reading needs besides the body.
pub(crate) struct ReadContext<'m> {
    pub(crate) options: &'m Options,
    pub(crate) limits: &'m Limits,
    pub(crate) memory: &'m mut Memory,
    pub(crate) rows: &'m mut Rows,
    pub(crate) gate: &'m dyn FieldGate,
}

#[derive(Debug, Default)]
pub(crate) struct JsonStream {
    expecting: Expecting,
    /// An event that a chunk's end cut, from its start.
    carry: Vec<u8>,
    /// The length of `carry` with which to try again. Doubling keeps the work linear.
    retry_at: usize,
    /// Where the bytes begin that were not read yet.
    place: Position,
}

impl JsonStream {
    pub(crate) fn begin(&mut self, place: Position) {
        self.expecting = Expecting::Anything;
        self.carry.clear();
        self.retry_at = 0;
        self.place = place;
    }

    pub(crate) fn feed(&mut self, chunk: &[u8], context: &mut ReadContext<'_>) -> Result<(), Malformed> {
        let mut chunk = chunk;
        while !self.carry.is_empty() {
            if chunk.is_empty() {
                return Ok(());
            }
            let before = self.carry.len();
            let longest = context.limits.event_bytes_max.saturating_add(1);
            let wanted = self.retry_at.max(before + PIECE_BYTES).min(longest.max(before + 1)) - before;
            let piece = wanted.min(chunk.len());
            self.carry.extend_from_slice(&chunk[..piece]);
            if self.carry.len() < self.retry_at.min(longest) {
                return Ok(());
            }
            let mut carry = std::mem::take(&mut self.carry);
            let read = self.window(&carry, before, false, context)?;
            if read >= before {
                chunk = &chunk[read - before..];
                carry.clear();
            } else {
                chunk = &chunk[piece..];
                carry.drain(..read);
                self.retry_at = carry.len() * 2;
            }
            self.carry = carry;
        }
        let read = self.window(chunk, usize::MAX, false, context)?;
        self.carry.extend_from_slice(&chunk[read..]);
        self.retry_at = self.carry.len() * 2;
        Ok(())
    }

    pub(crate) fn finish(&mut self, context: &mut ReadContext<'_>) -> Result<(), Malformed> {
        let carry = std::mem::take(&mut self.carry);
        let read = self.window(&carry, usize::MAX, true, context)?;
        self.place.advance(&carry[read..]);
        if read < carry.len() {
            return Err(self.malformed("the body ends inside an event; send it whole"));
        }
        self.carry = carry;
        self.carry.clear();
        if self.expecting != Expecting::Anything {
            return Err(self.malformed("the body ends inside an array; expected ']'"));
        }
        Ok(())
    }

    pub(crate) fn retained_bytes(&self) -> usize {
        self.carry.capacity()
    }

    /// Reads the whole events of `input` up to the first that starts at `until` or later. Returns where it stopped.
    fn window(
        &mut self,
        input: &[u8],
        until: usize,
        complete: bool,
        context: &mut ReadContext<'_>,
    ) -> Result<usize, Malformed> {
        let mut reader = EventReader {
            cursor: Cursor::new(input, complete),
            clean: is_clean(input),
            memory: &mut *context.memory,
            rows: &mut *context.rows,
            limits: context.limits,
            gate: context.gate,
        };
        let stopped = loop {
            reader.cursor.input = input;
            reader.cursor.skip_whitespace();
            let start = reader.cursor.position;
            let Some(byte) = input.get(start).copied().filter(|_| start < until) else {
                break start;
            };
            match (self.expecting, byte) {
                (Expecting::Anything, b'[') => self.expecting = Expecting::FirstElement,
                (Expecting::FirstElement | Expecting::Comma, b']') => self.expecting = Expecting::Anything,
                (Expecting::Comma, b',') => self.expecting = Expecting::Element,
                (Expecting::Comma, _) => {
                    self.place.advance(&input[..start]);
                    return Err(self.malformed("expected ',' or ']' after an event of the array"));
                }
                _ => {
                    if !self.event(&mut reader, input, byte, context.options)? {
                        break start;
                    }
                    continue;
                }
            }
            reader.cursor.position += 1;
        };
        self.place.advance(&input[..stopped]);
        Ok(stopped)
    }

    /// Reads the event at the cursor. False if its end is not there yet.
    #[inline]
    fn event<'a>(
        &mut self,
        reader: &mut EventReader<'_, 'a>,
        input: &'a [u8],
        first: u8,
        options: &Options,
    ) -> Result<bool, Malformed> {
        let start = reader.cursor.position;
        let longest = start.saturating_add(reader.limits.event_bytes_max);
        // What stands behind the limit is not looked at, so that chunks make no difference.
        reader.cursor.input = &input[..input.len().min(longest.saturating_add(1))];
        match read_event(reader, first, options) {
            Ok(()) if reader.cursor.position <= longest => {}
            Err(Stop::More) if input.len() <= longest => return Ok(false),
            Ok(()) | Err(Stop::More) => {
                self.place.advance(&input[..start]);
                return Err(self.too_large_event(reader.limits));
            }
            Err(Stop::Malformed(message)) => {
                self.place.advance(&input[..reader.cursor.position]);
                return Err(self.malformed(message));
            }
        }
        if reader.rows.is_too_large() {
            self.place.advance(&input[..start]);
            return Err(self
                .place
                .too_large("the events up to here are too many or too large together; send the rest apart"));
        }
        if self.expecting != Expecting::Anything {
            self.expecting = Expecting::Comma;
        }
        Ok(true)
    }

    fn malformed(&self, message: &str) -> Malformed {
        self.place.malformed(MalformedKind::Malformed, message.to_owned())
    }

    fn too_large_event(&self, limits: &Limits) -> Malformed {
        let limit = limits.event_bytes_max;
        self.place.malformed(
            MalformedKind::TooLarge,
            format!("the event that starts here is larger than {limit} bytes; send smaller events"),
        )
    }
}

/// Reads the event at the cursor and counts it, or leaves no trace of it.
#[inline]
fn read_event(reader: &mut EventReader<'_, '_>, first: u8, options: &Options) -> Result<(), Stop> {
    reader.rows.start_event();
    if let Err(stop) = reader.event(first) {
        reader.rows.abandon_event();
        return Err(stop);
    }
    if let Some(labels) = &options.labels {
        add_labels(labels, reader.memory, reader.rows, reader.limits, reader.gate);
    }
    reader.rows.end_event();
    Ok(())
}

/// Whether the input is valid UTF-8, but for a character that its end cuts: that belongs to an event which is cut too.
fn is_clean(input: &[u8]) -> bool {
    simdutf8::basic::from_utf8(input).is_ok()
        || simdutf8::compat::from_utf8(input).is_err_and(|error| error.error_len().is_none())
}
