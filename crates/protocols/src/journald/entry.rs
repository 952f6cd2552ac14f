//! One entry of a journal while it comes in, with bounds on its values, on its fields and on all of it. What is beyond
//! them is left out, and the event says so.

use std::ops::Range;

use tidegauge_ingest::Events;

use crate::answer::Problem;
use crate::rest::TextFields;
use crate::syslog_words::severity;

/// More fields are an attempt on memory.
const FIELDS_MAX: usize = 1024;

const TIME: &str = "__REALTIME_TIMESTAMP";
const MESSAGE: &str = "MESSAGE";
const PRIORITY: &str = "PRIORITY";

/// Says that something was left out of an event.
const TRUNCATED: &str = "truncated";

#[derive(Debug, Default)]
pub(super) struct Entry {
    bytes: Vec<u8>,
    /// Where names and values stand in `bytes`.
    fields: Vec<(Range<usize>, Range<usize>)>,
    name: Range<usize>,
    value_start: usize,
    is_truncated: bool,
    value_bytes_max: usize,
    bytes_max: usize,
}

impl Entry {
    pub(super) fn bound(&mut self, value_bytes_max: usize, bytes_max: usize) {
        (self.value_bytes_max, self.bytes_max) = (value_bytes_max, bytes_max);
    }

    pub(super) fn begin_value(&mut self, name: &[u8]) {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(name);
        self.name = start..self.bytes.len();
        self.value_start = self.bytes.len();
    }

    pub(super) fn add(&mut self, piece: &[u8]) {
        // One byte more than allowed shows that there was more.
        let value_room = (self.value_bytes_max + 1).saturating_sub(self.bytes.len() - self.value_start);
        let room = value_room.min(self.bytes_max.saturating_sub(self.bytes.len()));
        self.is_truncated |= piece.len() > room;
        self.bytes.extend_from_slice(&piece[..piece.len().min(room)]);
    }

    pub(super) fn end_value(&mut self) {
        if self.fields.len() >= FIELDS_MAX || self.bytes.len() >= self.bytes_max {
            self.is_truncated = true;
            self.bytes.truncate(self.name.start);
            return;
        }
        self.fields.push((self.name.clone(), self.value_start..self.bytes.len()));
    }

    /// Makes an event of the entry, if there is one, and begins the next.
    pub(super) fn write(&mut self, fields: &mut TextFields, events: &mut Events<'_>) -> Result<(), Problem> {
        if self.fields.is_empty() && !self.is_truncated {
            return Ok(());
        }
        events.start();
        fields.start();
        for (name, value) in self.fields.drain(..) {
            let name = String::from_utf8_lossy(&self.bytes[name]);
            let value = String::from_utf8_lossy(&self.bytes[value]);
            match name.as_ref() {
                TIME => write_time(&value, events),
                MESSAGE => fields.put("message", &value, events),
                PRIORITY => {
                    fields.put(PRIORITY, &value, events);
                    if let Some(word) = value.parse().ok().and_then(severity) {
                        fields.put("severity", word, events);
                    }
                }
                name => fields.put(name, &value, events),
            }
        }
        if self.is_truncated
            && let Some(field) = events.layout_field(TRUNCATED)
        {
            events.boolean(field, true);
        }
        fields.end(events);
        self.bytes.clear();
        self.is_truncated = false;
        events.end()?;
        Ok(())
    }
}

/// Microseconds since 1970.
fn write_time(text: &str, events: &mut Events<'_>) {
    match text.parse::<i64>().ok().and_then(|micros| micros.checked_mul(1000)) {
        Some(time) => events.time(time),
        None => events.time_text(text),
    }
}
