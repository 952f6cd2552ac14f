//! CSV bodies: every value is a string, and the first line or the request gives the names. Quoting is left to
//! `csv-core`; the rules for names, times and strings are those of `rows`.

use csv_core::{ReadRecordResult, ReaderBuilder};
use simdutf8::basic::from_utf8;

use crate::json::add_labels;
use crate::json::stream::ReadContext;
use crate::options::Options;
use crate::outcome::{Malformed, MalformedKind};
use crate::reader::position::Position;
use crate::rows::NONE;

const BUFFER_BYTES: usize = 4096;
/// More values in a line are no events but an attempt on memory: each name takes many times its bytes.
const VALUES_MAX: usize = 65_536;

#[derive(Debug, Default)]
pub(crate) struct CsvStream {
    parser: csv_core::Reader,
    /// The record in hand: its values one after the other, and where each ends.
    values: Vec<u8>,
    values_len: usize,
    ends: Vec<usize>,
    ends_len: usize,
    /// Nothing before the first line was read.
    names: Option<Vec<String>>,
    /// The field of each name once it was resolved, or [`NONE`].
    fields: Vec<u32>,
    /// Where the bytes begin that were not read yet.
    place: Position,
    /// Where the line in hand begins, which is what errors name: where a piece of the body ends is chance.
    line_start: Position,
    /// Whether nothing of the line in hand was read yet but line breaks before it.
    is_between_lines: bool,
}

impl CsvStream {
    pub(crate) fn begin(&mut self, options: &Options, place: Position) {
        self.parser = ReaderBuilder::new().delimiter(options.csv_delimiter).build();
        self.values.resize(BUFFER_BYTES.max(self.values.len()), 0);
        self.ends.resize(BUFFER_BYTES.max(self.ends.len()), 0);
        self.values_len = 0;
        self.ends_len = 0;
        self.names = options.csv_fields.as_ref().map(|names| trimmed(names.iter().map(String::as_str)));
        self.fields.clear();
        (self.place, self.line_start, self.is_between_lines) = (place, place, true);
        // The parser would take a byte order mark away if the first piece had all of it. The reader has done so
        // already, wherever the body was cut; a blank line makes the parser look for none.
        self.parser.read_record(b"\n", &mut self.values, &mut self.ends);
    }

    pub(crate) fn feed(&mut self, bytes: &[u8], around: &mut ReadContext<'_>) -> Result<(), Malformed> {
        let mut rest = bytes;
        while !rest.is_empty() {
            self.note_line_start(rest);
            // The parser stops at the byte that passes a limit, so that it is the same one wherever the body is cut.
            let values_max = self.values.len().min(around.limits.event_bytes_max.saturating_add(1));
            let ends_max = self.ends.len().min(VALUES_MAX + 1);
            let (result, read, written, ended) = self.parser.read_record(
                rest,
                &mut self.values[self.values_len..values_max],
                &mut self.ends[self.ends_len..ends_max],
            );
            self.values_len += written;
            self.ends_len += ended;
            self.place.advance(&rest[..read]);
            rest = &rest[read..];
            self.check_size(around)?;
            match result {
                ReadRecordResult::InputEmpty | ReadRecordResult::End => break,
                ReadRecordResult::OutputFull => self.values.resize(self.values.len() * 2, 0),
                ReadRecordResult::OutputEndsFull => self.ends.resize(self.ends.len() * 2, 0),
                ReadRecordResult::Record => {
                    self.record(around);
                    self.check_rows(around)?;
                    self.is_between_lines = true;
                }
            }
        }
        Ok(())
    }

    /// Line breaks before a line are no part of it: the parser passes over them.
    fn note_line_start(&mut self, rest: &[u8]) {
        if self.is_between_lines {
            let breaks = rest.iter().take_while(|byte| matches!(byte, b'\n' | b'\r')).count();
            self.line_start = self.place;
            self.line_start.advance(&rest[..breaks]);
            self.is_between_lines = breaks == rest.len();
        }
    }

    pub(crate) fn finish(&mut self, around: &mut ReadContext<'_>) -> Result<(), Malformed> {
        // A line break ends the last record, unless it stands inside quotes.
        let place = self.place;
        self.feed(b"\n", around)?;
        if self.values_len > 0 || self.ends_len > 0 {
            let message = "the body ends inside a quoted value; close its quote";
            return Err(place.malformed(MalformedKind::Malformed, message.to_owned()));
        }
        Ok(())
    }

    pub(crate) fn retained_bytes(&self) -> usize {
        self.values.capacity() + self.ends.capacity() * size_of::<usize>()
    }

    fn check_size(&self, around: &ReadContext<'_>) -> Result<(), Malformed> {
        let limit = around.limits.event_bytes_max;
        if self.ends_len > VALUES_MAX {
            return Err(self
                .line_start
                .too_large(&format!("a line has more than {VALUES_MAX} values; send fewer")));
        }
        if self.values_len > limit {
            return Err(self.line_start.too_large(&format!(
                "a line is larger than {limit} bytes; send smaller events, or close a quote that was left open"
            )));
        }
        Ok(())
    }

    fn check_rows(&self, around: &ReadContext<'_>) -> Result<(), Malformed> {
        if around.rows.is_too_large() {
            return Err(self
                .line_start
                .too_large("the events up to here are too many or too large together; send the rest apart"));
        }
        Ok(())
    }

    fn record(&mut self, around: &mut ReadContext<'_>) {
        let values = &self.values[..self.values_len];
        let ends = &self.ends[..self.ends_len];
        self.values_len = 0;
        self.ends_len = 0;
        let Some(names) = &self.names else {
            let texts = spans(ends).map(|(start, end)| from_utf8(&values[start..end]).unwrap_or_default());
            self.names = Some(trimmed(texts));
            return;
        };
        let is_blank = ends.len() == 1 && names.len() > 1 && values.trim_ascii().is_empty();
        if is_blank {
            return;
        }
        around.rows.start_event();
        if ends.len() > names.len() {
            let (found, expected) = (ends.len(), names.len());
            around.rows.fail(|| format!("the line has {found} values, but there are only {expected} names"));
        }
        self.fields.resize(names.len(), NONE);
        for (((start, end), name), known) in spans(ends).zip(names).zip(&mut self.fields) {
            let value = &values[start..end];
            // A separator at the end of each line makes a column without name and values.
            if name.is_empty() && value.is_empty() {
                continue;
            }
            if *known == NONE || around.rows.needs_admission(*known) {
                *known = around.rows.resolve(name, around.gate).unwrap_or(NONE);
            }
            if *known != NONE {
                match from_utf8(value) {
                    Ok(_) => around.rows.string(*known, value),
                    Err(_) => around.rows.not_text(*known),
                }
            }
        }
        if let Some(labels) = &around.options.labels {
            add_labels(labels, around.memory, around.rows, around.limits, around.gate);
        }
        around.rows.end_event();
    }
}

fn trimmed<'a>(names: impl Iterator<Item = &'a str>) -> Vec<String> {
    names.map(|name| name.trim().to_owned()).collect()
}

fn spans(ends: &[usize]) -> impl Iterator<Item = (usize, usize)> {
    let starts = std::iter::once(0).chain(ends.iter().copied());
    starts.zip(ends.iter().copied())
}
