//! What a record holds: JSON texts one behind the other, an envelope of CloudWatch Logs, or lines of text. A text that
//! is no JSON is kept as lines, since whoever sends it cannot be told.

use tidegauge_ingest::{Events, InvalidJson, JsonWalk};

use crate::answer::Problem;
use crate::gzip;
use crate::rest::TextFields;
use crate::slot::Slot;

/// The map for attributes whose field the dataset does not take.
const REST: &str = "attributes.custom";

/// CloudWatch has five names around its log events. More than these are held for as long as the events are read.
const AROUND_MAX: usize = 256;

#[derive(Debug)]
pub(super) struct Records {
    attributes: Vec<(String, String)>,
    fields: TextFields,
    message: Slot,
    /// What compressed records may still become.
    bytes_left: u64,
}

impl Records {
    pub(super) fn new(common_attributes: Option<&str>, bytes_max: u64) -> Result<Self, Problem> {
        let mut attributes = Vec::new();
        if let Some(text) = common_attributes.filter(|text| !text.trim().is_empty()) {
            JsonWalk::new(text.as_bytes()).object(|walk, name| {
                if name != "commonAttributes" {
                    walk.value()?;
                    return Ok(());
                }
                walk.object(|walk, name| {
                    attributes.push((name.to_owned(), walk.text()?.into_owned()));
                    Ok::<_, InvalidJson>(())
                })
            })?;
        }
        let (fields, message) = (TextFields::new("", REST), Slot::new("message"));
        Ok(Self { attributes, fields, message, bytes_left: bytes_max })
    }

    pub(super) fn read(&mut self, data: &[u8], events: &mut Events<'_>) -> Result<(), Problem> {
        if !gzip::is_gzip(data) {
            return self.read_plain(data, events);
        }
        let plain = gzip::expand_within(data, self.bytes_left, events)?;
        self.bytes_left = self.bytes_left.saturating_sub(plain.len() as u64);
        self.read_plain(&plain, events)
    }

    fn read_plain(&mut self, data: &[u8], events: &mut Events<'_>) -> Result<(), Problem> {
        // Looked through first: nothing may be taken of what turns out to be lines, and a list of the objects would take
        // eight times what the shortest of them do.
        if !matches!(each_object(data, |_| Ok(())), Ok(true)) {
            return self.read_lines(data, events);
        }
        each_object(data, |value| self.read_object(value, events))?;
        Ok(())
    }

    fn read_object(&mut self, value: &[u8], events: &mut Events<'_>) -> Result<(), Problem> {
        if is_cloudwatch(value) {
            return self.read_cloudwatch(value, events);
        }
        self.start(events);
        events.json_object(value)?;
        self.end(events)
    }

    fn read_lines(&mut self, data: &[u8], events: &mut Events<'_>) -> Result<(), Problem> {
        for line in data.split(|byte| *byte == b'\n') {
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            if line.trim_ascii().is_empty() {
                continue;
            }
            self.start(events);
            if events.fits(line.len()) {
                self.message.string(&String::from_utf8_lossy(line), events);
            }
            self.end(events)?;
        }
        Ok(())
    }

    /// Each of its `logEvents` is an event, with what stands around them in each.
    fn read_cloudwatch(&mut self, value: &[u8], events: &mut Events<'_>) -> Result<(), Problem> {
        let (mut log_events, mut around, mut is_control) = (None, Vec::new(), false);
        JsonWalk::new(value).object(|walk, name| {
            match name {
                "logEvents" => log_events = Some(walk.value()?),
                "messageType" => is_control = walk.text()? == "CONTROL_MESSAGE",
                _ if around.len() < AROUND_MAX => around.push((name.to_owned(), walk.value()?)),
                _ => return Err(walk.wrong("there is too much beside the log events")),
            }
            Ok::<_, InvalidJson>(())
        })?;
        // That is how it asks whether the address works.
        if is_control {
            return Ok(());
        }
        JsonWalk::new(log_events.unwrap_or(b"[]")).array(|walk| {
            self.start(events);
            for (name, value) in &around {
                events.json(name, value)?;
            }
            walk.object(|walk, name| {
                match name {
                    "timestamp" => events.time_text(&walk.text()?),
                    _ => events.json(name, walk.value()?)?,
                }
                Ok::<_, InvalidJson>(())
            })?;
            self.end(events)
        })
    }

    fn start(&mut self, events: &mut Events<'_>) {
        events.start();
        self.fields.start();
    }

    fn end(&mut self, events: &mut Events<'_>) -> Result<(), Problem> {
        for (name, text) in &self.attributes {
            self.fields.put(name, text, events);
        }
        self.fields.end(events);
        events.end()?;
        Ok(())
    }
}

/// Hands on the objects of a text, also those in an array; `false` where something else stands between them.
fn each_object(data: &[u8], mut each: impl FnMut(&[u8]) -> Result<(), Problem>) -> Result<bool, Problem> {
    let mut walk = JsonWalk::new(data);
    while let Some(first) = walk.peek() {
        match first {
            b'{' => each(walk.value()?)?,
            b'[' => walk.array::<Problem>(|walk| match walk.peek() {
                Some(b'{') => each(walk.value()?),
                _ => Err(walk.wrong("expected an object").into()),
            })?,
            _ => return Ok(false),
        }
    }
    Ok(true)
}

fn is_cloudwatch(value: &[u8]) -> bool {
    memchr::memmem::find(value, b"\"logEvents\"").is_some()
        && memchr::memmem::find(value, b"\"messageType\"").is_some()
}
