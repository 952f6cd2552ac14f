//! Appends single values to the columns. The last value that an event has for a field is the one that stays.

use std::ops::Range;

use tidegauge_model::columns::{FieldKind, Values};

use super::field::TIME_NAMED;
use super::{INVALID, NONE, Rows, TOO_LONG};
use crate::outcome::Replaced;
use crate::time::TimeValue;

/// Strings up to this length are copied without a call.
const SHORT_BYTES: usize = 32;

impl Rows {
    pub(crate) fn boolean(&mut self, field: u32, value: bool) {
        let Some(column) = self.prepare(field, FieldKind::Boolean) else {
            return self.time_value(field, TimeValue::Other(if value { b"true" } else { b"false" }));
        };
        if let Values::Boolean(values) = self.next_value(column) {
            values.push(value);
        }
    }

    #[inline]
    pub(crate) fn integer(&mut self, field: u32, value: i64) {
        let Some(column) = self.prepare(field, FieldKind::Integer) else {
            return self.time_value(field, TimeValue::Integer(value));
        };
        if let Values::Integer(values) = self.next_value(column) {
            values.push(value);
        }
    }

    /// `text` is how the number is written, since a time must not lose its last digits.
    #[inline]
    pub(crate) fn float(&mut self, field: u32, value: f64, text: &[u8]) {
        let Some(column) = self.prepare(field, FieldKind::Float) else {
            return self.time_value(field, TimeValue::Float(value, text));
        };
        if let Values::Float(values) = self.next_value(column) {
            values.push(value);
        }
    }

    /// An integer beyond 64 bits by its digits. A time is made of the float next to it, as ever.
    #[cold]
    pub(crate) fn long_integer(&mut self, field: u32, value: f64, digits: &[u8]) {
        let Some(column) = self.prepare(field, FieldKind::LongInteger) else {
            return self.time_value(field, TimeValue::Float(value, digits));
        };
        self.bytes += digits.len();
        if let Values::LongInteger(texts) = self.next_value(column) {
            texts.push(digits);
        }
    }

    /// The text must be valid UTF-8.
    #[inline]
    pub(crate) fn string(&mut self, field: u32, text: &[u8]) {
        self.string_in(field, text, 0..text.len());
    }

    /// The same for a text within the input, which may be copied faster because of what stands after it.
    #[inline]
    pub(crate) fn string_in(&mut self, field: u32, input: &[u8], span: Range<usize>) {
        let Some(column) = self.prepare(field, FieldKind::String) else {
            return self.time_value(field, TimeValue::Text(&input[span]));
        };
        let length = span.len();
        let too_long = length > self.limits.string_bytes_max;
        self.bytes += if too_long { TOO_LONG.len() } else { length };
        let Values::String(texts) = self.next_value(column) else {
            return;
        };
        if too_long {
            texts.push(TOO_LONG);
            self.replace(Replaced { too_long: 1, ..Replaced::default() });
        } else if length <= SHORT_BYTES
            && let Some(wide) = input.get(span.start..).and_then(|rest| rest.first_chunk::<SHORT_BYTES>())
        {
            // Copying a fixed length takes no call; most strings are short.
            let end = texts.bytes.len() + length;
            texts.bytes.extend_from_slice(wide);
            texts.bytes.truncate(end);
            texts.end();
        } else {
            texts.push(&input[span]);
        }
    }

    /// A string that is not valid UTF-8.
    #[cold]
    pub(crate) fn not_text(&mut self, field: u32) {
        self.replace(Replaced { not_text: 1, ..Replaced::default() });
        self.string(field, INVALID);
    }

    /// JSON text of an array.
    pub(crate) fn array(&mut self, field: u32, text: &[u8]) {
        let Some(column) = self.prepare(field, FieldKind::Array) else {
            return self.time_value(field, TimeValue::Other(text));
        };
        self.bytes += text.len();
        if let Values::Array(texts) = self.next_value(column) {
            texts.push(text);
        }
    }

    /// JSON text of an object.
    pub(crate) fn map(&mut self, field: u32, text: &[u8]) {
        let Some(column) = self.prepare(field, FieldKind::Map) else {
            return self.time_value(field, TimeValue::Other(text));
        };
        self.bytes += text.len();
        if let Values::Map(texts) = self.next_value(column) {
            texts.push(text);
        }
    }

    /// Null leaves no trace, not even of a value that stood before it.
    pub(crate) fn null(&mut self, field: u32) {
        let known = &mut self.fields[field as usize];
        if known.flags != 0 {
            if self.is_time(field) {
                self.time_value(field, TimeValue::Null);
            }
            return;
        }
        if known.stamp == self.stamp {
            self.erase(field);
        }
    }

    /// The column for the next value of the field; nothing for a field that gives the time.
    #[inline]
    fn prepare(&mut self, field: u32, kind: FieldKind) -> Option<u32> {
        let known = &mut self.fields[field as usize];
        if known.flags != 0 {
            return None;
        }
        let mut column = known.columns[kind as usize];
        if known.stamp == self.stamp {
            self.erase(field);
        } else {
            known.stamp = self.stamp;
        }
        if column == NONE {
            column = self.add_column(field, kind);
        }
        self.touched.push(column);
        Some(column)
    }

    #[inline]
    fn next_value(&mut self, column: u32) -> &mut Values {
        let row = self.columns.times.len() as u32;
        // The row number, and about the value itself or the end of its text.
        self.bytes += 12;
        let column = &mut self.columns.columns[column as usize];
        column.rows.push(row);
        &mut column.values
    }

    /// Takes back the value that the event in hand has for the field, whatever its type.
    #[cold]
    fn erase(&mut self, field: u32) {
        let row = self.columns.times.len() as u32;
        for column in self.fields[field as usize].columns {
            if column == NONE {
                continue;
            }
            let column = &mut self.columns.columns[column as usize];
            if column.rows.last() == Some(&row) {
                column.rows.pop();
                let len = column.rows.len();
                column.values.truncate(len);
            }
        }
    }

    fn time_value(&mut self, field: u32, value: TimeValue<'_>) {
        let named = self.fields[field as usize].flags & TIME_NAMED != 0;
        self.time.set(named, value, &self.time_rule);
    }
}
