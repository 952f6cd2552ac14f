//! Records of logs: one event each, with the text in `body`.

use std::borrow::Cow;

use tidegauge_ingest::Events;

use super::any::{Any, pair};
use super::attributes::{Attributes, Owner};
use super::origin::{Origin, each};
use super::spans::{Ids, at};
use crate::answer::Problem;
use crate::json_text::JsonText;
use crate::protobuf::Message;
use crate::slot::Slot;

const SEVERITIES: [&str; 6] = ["trace", "debug", "info", "warn", "error", "fatal"];

pub(super) fn read(body: &[u8], events: &mut Events<'_>) -> Result<(), Problem> {
    let mut logs = Logs::new(events);
    each(body, events, |record, origin, events| logs.record(record, origin, events))
}

#[derive(Debug)]
struct Logs<'a> {
    attributes: Attributes<'a>,
    body_fields: Attributes<'a>,
    ids: Ids,
    body: Slot,
    severity: Slot,
    severity_number: Slot,
    severity_text: Slot,
    event_name: Slot,
    flags: Slot,
    dropped: Slot,
}

/// A record as it is read.
#[derive(Debug)]
struct Record<'a> {
    time: u64,
    observed: u64,
    severity_number: u64,
    severity_text: Cow<'a, str>,
    body: Any<'a>,
    event_name: Cow<'a, str>,
    flags: u32,
    dropped: u64,
    trace_id: &'a [u8],
    span_id: &'a [u8],
}

impl<'a> Logs<'a> {
    fn new(events: &Events<'_>) -> Self {
        Self {
            attributes: Attributes::new(Owner::Event, events),
            body_fields: Attributes::new(Owner::Body, events),
            ids: Ids::default(),
            body: Slot::new("body"),
            severity: Slot::new("severity"),
            severity_number: Slot::new("severity_number"),
            severity_text: Slot::new("severity_text"),
            event_name: Slot::new("event_name"),
            flags: Slot::new("flags"),
            dropped: Slot::new("dropped_attributes_count"),
        }
    }

    fn record(
        &mut self,
        message: &'a [u8],
        origin: &mut Origin<'a>,
        events: &mut Events<'_>,
    ) -> Result<(), Problem> {
        events.start();
        if events.fits(message.len()) {
            let record = self.parse(message, events)?;
            origin.write(events);
            at(events, [record.time, record.observed]);
            self.write_severity(&record, events);
            self.write_body(record.body, events)?;
            self.ids.trace(record.trace_id, events);
            self.ids.span(record.span_id, events);
            self.event_name.text(&record.event_name, events);
            self.flags.count(u64::from(record.flags), events);
            self.dropped.count(record.dropped, events);
            self.attributes.write(events);
        }
        events.end()?;
        Ok(())
    }

    fn parse(&mut self, message: &'a [u8], events: &mut Events<'_>) -> Result<Record<'a>, Problem> {
        let mut record = Record {
            time: 0,
            observed: 0,
            severity_number: 0,
            severity_text: Cow::Borrowed(""),
            body: Any::Empty,
            event_name: Cow::Borrowed(""),
            flags: 0,
            dropped: 0,
            trace_id: &[],
            span_id: &[],
        };
        self.attributes.start();
        for field in Message::new(message) {
            let (number, value) = field?;
            match number {
                1 => record.time = value.fixed64()?,
                2 => record.severity_number = value.varint()?,
                3 => record.severity_text = value.text()?,
                5 => record.body = Any::read(value.bytes()?)?,
                6 => {
                    let (name, value) = pair(value.bytes()?)?;
                    self.attributes.put(&name, value, events)?;
                }
                7 => record.dropped = value.varint()?,
                8 => record.flags = value.fixed32()?,
                9 => record.trace_id = value.bytes()?,
                10 => record.span_id = value.bytes()?,
                11 => record.observed = value.fixed64()?,
                12 => record.event_name = value.text()?,
                _ => {}
            }
        }
        Ok(record)
    }

    /// The number in one word of six; without a number, the text if it is such a word.
    fn write_severity(&mut self, record: &Record<'_>, events: &mut Events<'_>) {
        let number = record.severity_number;
        self.severity_number.count(number, events);
        self.severity_text.text(&record.severity_text, events);
        let word = match number {
            1..=24 => Some(SEVERITIES[(number as usize - 1) / 4]),
            _ => SEVERITIES.into_iter().find(|word| record.severity_text.eq_ignore_ascii_case(word)),
        };
        if let Some(word) = word {
            self.severity.string(word, events);
        }
    }

    fn write_body(&mut self, body: Any<'a>, events: &mut Events<'_>) -> Result<(), Problem> {
        match body {
            Any::Empty => {}
            Any::Text(text) => self.body.string(&text, events),
            Any::Boolean(value) => self.body.boolean(value, events),
            Any::Integer(value) => self.body.integer(value, events),
            Any::Float(value) => self.body.float(value, events),
            Any::Array(_) => {
                let mut text = JsonText::default();
                body.write(&mut text, 1, events.limits().depth_max)?;
                self.body.array(text.as_str(), events);
            }
            Any::List(pairs) => {
                self.body_fields.start();
                for pair in super::any::pairs_of(pairs) {
                    let (name, value) = pair?;
                    self.body_fields.put(&name, value, events)?;
                }
                self.body_fields.write(events);
            }
        }
        Ok(())
    }
}
