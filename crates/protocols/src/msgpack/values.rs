//! Maps as events: names are flattened and values get fields, as those of JSON do. Arrays become JSON text.

use tidegauge_ingest::{Events, Field};

use super::{Broken, Head, Scan, scan};
use crate::answer::Problem;
use crate::json_text::JsonText;
use crate::names::Names;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// What is known about the names of a request.
#[derive(Debug, Default)]
pub(crate) struct Values {
    names: Names<Field>,
    path: String,
}

impl Values {
    /// Takes a map off the input; its members become fields of the event in hand.
    pub(crate) fn read_map(&mut self, input: &mut &[u8], events: &mut Events<'_>) -> Result<(), Problem> {
        let Head::Map(count) = Head::take(input)? else {
            return Err(Problem::malformed("a record must be a map"));
        };
        self.names.start();
        self.path.clear();
        self.members(count, 1, input, events)
    }

    fn members(
        &mut self,
        count: u32,
        depth: usize,
        input: &mut &[u8],
        events: &mut Events<'_>,
    ) -> Result<(), Problem> {
        let before = self.path.len();
        for _ in 0..count {
            name(Head::take(input)?, input, &mut self.path)?;
            self.value(depth, input, events)?;
            self.path.truncate(before);
        }
        Ok(())
    }

    fn value(&mut self, depth: usize, input: &mut &[u8], events: &mut Events<'_>) -> Result<(), Problem> {
        let start = *input;
        let depth_max = events.limits().depth_max;
        match Head::take(input)? {
            Head::Nil => {}
            Head::Map(count) if depth < depth_max && !events.is_map(&self.path) => {
                self.path.push('.');
                self.members(count, depth + 1, input, events)?;
            }
            head @ (Head::Map(_) | Head::Array(_)) => {
                if depth >= depth_max {
                    skip_all(head, input)?;
                    return Ok(());
                }
                *input = start;
                let mut text = JsonText::default();
                write_json(input, &mut text, depth, depth_max)?;
                if let Some(field) = self.field(events) {
                    if matches!(head, Head::Map(_)) {
                        events.map(field, text.as_str());
                    } else {
                        events.array(field, text.as_str());
                    }
                }
            }
            scalar => {
                if let Some(field) = self.field(events) {
                    write_scalar(field, scalar, events);
                }
            }
        }
        Ok(())
    }

    fn field(&mut self, events: &mut Events<'_>) -> Option<Field> {
        if let Some(field) = self.names.find(&self.path) {
            return Some(field);
        }
        let field = events.field(&self.path)?;
        self.names.add(&self.path, field);
        Some(field)
    }
}

fn write_scalar(field: Field, head: Head<'_>, events: &mut Events<'_>) {
    match head {
        Head::Boolean(value) => events.boolean(field, value),
        Head::Integer(value) => events.integer(field, value),
        Head::Unsigned(value) => events.unsigned(field, value),
        Head::Float(value) => events.float(field, value),
        // Fluentd writes texts as bytes, so what is a text is one.
        Head::Text(bytes) | Head::Bytes(bytes) => events.string(field, &text(bytes)),
        Head::Extension(_, bytes) => events.string(field, &STANDARD.encode(bytes)),
        Head::Nil | Head::Array(_) | Head::Map(_) => {}
    }
}

fn text(bytes: &[u8]) -> std::borrow::Cow<'_, str> {
    String::from_utf8_lossy(bytes)
}

/// Adds a name to a path. Numbers are names too.
fn name(head: Head<'_>, input: &mut &[u8], path: &mut String) -> Result<(), Broken> {
    match head {
        Head::Text(bytes) | Head::Bytes(bytes) => path.push_str(&text(bytes)),
        Head::Integer(value) => path.push_str(&value.to_string()),
        Head::Unsigned(value) => path.push_str(&value.to_string()),
        Head::Boolean(value) => path.push_str(if value { "true" } else { "false" }),
        head => {
            skip_all(head, input)?;
            path.push_str("null");
        }
    }
    Ok(())
}

/// Takes a value off the input and writes it. What is deeper than the limit is null.
fn write_json(input: &mut &[u8], out: &mut JsonText, depth: usize, depth_max: usize) -> Result<(), Broken> {
    match Head::take(input)? {
        Head::Nil => out.raw("null"),
        Head::Boolean(value) => out.boolean(value),
        Head::Integer(value) => out.integer(value),
        Head::Unsigned(value) => out.unsigned(value),
        Head::Float(value) => out.float(value),
        Head::Text(bytes) | Head::Bytes(bytes) => out.string(&text(bytes)),
        Head::Extension(_, bytes) => out.string(&STANDARD.encode(bytes)),
        head @ (Head::Array(_) | Head::Map(_)) if depth >= depth_max => {
            skip_all(head, input)?;
            out.raw("null");
        }
        Head::Array(count) => {
            out.open('[');
            for _ in 0..count {
                out.separate();
                write_json(input, out, depth + 1, depth_max)?;
            }
            out.close(']');
        }
        Head::Map(count) => {
            out.open('{');
            let mut key = String::new();
            for _ in 0..count {
                key.clear();
                name(Head::take(input)?, input, &mut key)?;
                out.name(&key);
                write_json(input, out, depth + 1, depth_max)?;
            }
            out.close('}');
        }
    }
    Ok(())
}

/// Passes over a value.
pub(super) fn skip(input: &mut &[u8]) -> Result<(), Broken> {
    match scan(input) {
        Scan::Whole(length) => {
            *input = &input[length..];
            Ok(())
        }
        Scan::Part | Scan::Broken => Err(Broken),
    }
}

/// Passes over what belongs to a head.
pub(super) fn skip_all(head: Head<'_>, input: &mut &[u8]) -> Result<(), Broken> {
    let inner = match head {
        Head::Array(count) => u64::from(count),
        Head::Map(count) => u64::from(count) * 2,
        _ => 0,
    };
    for _ in 0..inner {
        skip(input)?;
    }
    Ok(())
}
