//! Bodies of plain text: each line is an event with the field `message`, and its time is the one that the line begins
//! with. Which times are recognised is left to `time::leading`.

use simdutf8::basic::from_utf8;

use crate::json::add_labels;
use crate::json::stream::ReadContext;
use crate::outcome::Malformed;
use crate::reader::position::Position;
use crate::rows::NONE;

/// The field that holds the line.
const MESSAGE: &str = "message";

#[derive(Debug)]
pub(crate) struct LineStream {
    /// The beginning of a line that a chunk ended in.
    pending: Vec<u8>,
    /// The field of the lines once it was resolved, or [`NONE`].
    field: u32,
    /// Where the line in hand begins, which is what errors name: where a piece of the body ends is chance.
    place: Position,
}

impl Default for LineStream {
    fn default() -> Self {
        Self { pending: Vec::new(), field: NONE, place: Position::default() }
    }
}

impl LineStream {
    pub(crate) fn begin(&mut self, place: Position) {
        *self = Self { pending: std::mem::take(&mut self.pending), field: NONE, place };
        self.pending.clear();
    }

    pub(crate) fn feed(&mut self, bytes: &[u8], around: &mut ReadContext<'_>) -> Result<(), Malformed> {
        let mut rest = bytes;
        while let Some(end) = memchr::memchr(b'\n', rest) {
            let (line, after) = (&rest[..end], &rest[end + 1..]);
            let length = self.pending.len() + line.len();
            self.check_size(length, around)?;
            if self.pending.is_empty() {
                self.line(line, around);
            } else {
                let mut whole = std::mem::take(&mut self.pending);
                whole.extend_from_slice(line);
                self.line(&whole, around);
                whole.clear();
                self.pending = whole;
            }
            self.check_rows(around)?;
            self.place.pass_line(length);
            rest = after;
        }
        self.check_size(self.pending.len() + rest.len(), around)?;
        self.pending.extend_from_slice(rest);
        Ok(())
    }

    pub(crate) fn finish(&mut self, around: &mut ReadContext<'_>) -> Result<(), Malformed> {
        self.feed(b"\n", around)
    }

    pub(crate) fn retained_bytes(&self) -> usize {
        self.pending.capacity()
    }

    /// Looks at the line in hand before more of it is kept.
    fn check_size(&self, length: usize, around: &ReadContext<'_>) -> Result<(), Malformed> {
        let limit = around.limits.event_bytes_max;
        if length > limit {
            return Err(self
                .place
                .too_large(&format!("a line is larger than {limit} bytes; send shorter lines")));
        }
        Ok(())
    }

    fn check_rows(&self, around: &ReadContext<'_>) -> Result<(), Malformed> {
        if around.rows.is_too_large() {
            return Err(self
                .place
                .too_large("the events up to here are too many or too large together; send the rest apart"));
        }
        Ok(())
    }

    fn line(&mut self, line: &[u8], around: &mut ReadContext<'_>) {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.trim_ascii().is_empty() {
            return;
        }
        around.rows.start_event();
        if from_utf8(line).is_err() {
            let valid = std::str::from_utf8(line).err().map_or(0, |error| error.valid_up_to());
            around.rows.fail(|| {
                format!(
                    "the line is not UTF-8 from its byte {} on; convert it first, as iconv does",
                    valid + 1
                )
            });
        }
        if self.field == NONE || around.rows.needs_admission(self.field) {
            self.field = around.rows.resolve(MESSAGE, around.gate).unwrap_or(NONE);
        }
        if self.field != NONE && !around.rows.is_failing() {
            around.rows.string(self.field, line);
            around.rows.leading_time(line);
        }
        if let Some(labels) = &around.options.labels {
            add_labels(labels, around.memory, around.rows, around.limits, around.gate);
        }
        around.rows.end_event();
    }
}
