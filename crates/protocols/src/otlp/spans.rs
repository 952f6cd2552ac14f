//! Spans: one event each, at the time of its start. What happened in a span and what it is linked to are arrays of
//! objects in it. The ids and the time, which logs and metrics have too, are written here.

use std::borrow::Cow;

use tidegauge_ingest::{Events, UNREADABLE_TIME};
use tidegauge_model::hex;

use super::any::pair;
use super::attributes::{Attributes, Owner};
use super::origin::{Origin, each};
use crate::answer::Problem;
use crate::json_text::JsonText;
use crate::protobuf::{Broken, Message};
use crate::slot::Slot;

const KINDS: [&str; 6] = ["unspecified", "internal", "server", "client", "producer", "consumer"];
const STATUS_ERROR: u64 = 2;

pub(super) fn read(body: &[u8], events: &mut Events<'_>) -> Result<(), Problem> {
    let mut spans = Spans::new(events);
    each(body, events, |span, origin, events| spans.span(span, origin, events))
}

/// The first of the times that is there, which is that of the event.
pub(super) fn at(events: &mut Events<'_>, times: [u64; 2]) {
    let Some(time) = times.into_iter().find(|time| *time != 0) else { return };
    match i64::try_from(time) {
        Ok(time) => events.time(time),
        // Beyond the year 2262.
        Err(_) => {
            if let Some(field) = events.layout_field(UNREADABLE_TIME) {
                events.string(field, &time.to_string());
            }
        }
    }
}

/// Ids in hexadecimal. One of zeros is none.
pub(super) fn id(bytes: &[u8]) -> Option<String> {
    bytes.iter().any(|byte| *byte != 0).then(|| hex::encode(bytes))
}

/// The fields of ids.
#[derive(Debug)]
pub(super) struct Ids {
    trace: Slot,
    span: Slot,
    parent: Slot,
}

impl Default for Ids {
    fn default() -> Self {
        Self { trace: Slot::new("trace_id"), span: Slot::new("span_id"), parent: Slot::new("parent_span_id") }
    }
}

impl Ids {
    pub(super) fn trace(&mut self, bytes: &[u8], events: &mut Events<'_>) {
        write_id(&mut self.trace, bytes, events);
    }

    pub(super) fn span(&mut self, bytes: &[u8], events: &mut Events<'_>) {
        write_id(&mut self.span, bytes, events);
    }

    fn parent(&mut self, bytes: &[u8], events: &mut Events<'_>) {
        write_id(&mut self.parent, bytes, events);
    }
}

fn write_id(slot: &mut Slot, bytes: &[u8], events: &mut Events<'_>) {
    if let Some(id) = id(bytes) {
        slot.string(&id, events);
    }
}

#[derive(Debug)]
struct Spans<'a> {
    attributes: Attributes<'a>,
    happened: JsonText,
    links: JsonText,
    ids: Ids,
    name: Slot,
    kind: Slot,
    duration: Slot,
    error: Slot,
    status_code: Slot,
    status_message: Slot,
    trace_state: Slot,
    flags: Slot,
    events: Slot,
    link_array: Slot,
    dropped: [Slot; 3],
}

/// A span as it is read.
#[derive(Debug, Default)]
struct Span<'a> {
    trace_id: &'a [u8],
    span_id: &'a [u8],
    parent_id: &'a [u8],
    trace_state: Cow<'a, str>,
    name: Cow<'a, str>,
    kind: u64,
    start: u64,
    end: u64,
    flags: u32,
    dropped: [u64; 3],
    status_code: u64,
    status_message: Cow<'a, str>,
}

impl<'a> Spans<'a> {
    fn new(events: &Events<'_>) -> Self {
        Self {
            attributes: Attributes::new(Owner::Event, events),
            happened: JsonText::default(),
            links: JsonText::default(),
            ids: Ids::default(),
            name: Slot::new("name"),
            kind: Slot::new("kind"),
            duration: Slot::new("duration"),
            error: Slot::new("error"),
            status_code: Slot::new("status.code"),
            status_message: Slot::new("status.message"),
            trace_state: Slot::new("trace_state"),
            flags: Slot::new("flags"),
            events: Slot::new("events"),
            link_array: Slot::new("links"),
            dropped: ["dropped_attributes_count", "dropped_events_count", "dropped_links_count"]
                .map(Slot::new),
        }
    }

    fn span(
        &mut self,
        message: &'a [u8],
        origin: &mut Origin<'a>,
        events: &mut Events<'_>,
    ) -> Result<(), Problem> {
        events.start();
        if events.fits(message.len()) {
            let span = self.parse(message, events)?;
            origin.write(events);
            self.write(&span, events);
        }
        events.end()?;
        Ok(())
    }

    fn parse(&mut self, message: &'a [u8], events: &mut Events<'_>) -> Result<Span<'a>, Problem> {
        let mut span = Span::default();
        let depth_max = events.limits().depth_max;
        self.attributes.start();
        self.happened.clear();
        self.links.clear();
        for field in Message::new(message) {
            let (number, value) = field?;
            match number {
                1 => span.trace_id = value.bytes()?,
                2 => span.span_id = value.bytes()?,
                3 => span.trace_state = value.text()?,
                4 => span.parent_id = value.bytes()?,
                5 => span.name = value.text()?,
                6 => span.kind = value.varint()?,
                7 => span.start = value.fixed64()?,
                8 => span.end = value.fixed64()?,
                9 => {
                    let (name, value) = pair(value.bytes()?)?;
                    self.attributes.put(&name, value, events)?;
                }
                10 => span.dropped[0] = value.varint()?,
                11 => write_event(value.bytes()?, &mut self.happened, depth_max)?,
                12 => span.dropped[1] = value.varint()?,
                13 => write_link(value.bytes()?, &mut self.links, depth_max)?,
                14 => span.dropped[2] = value.varint()?,
                15 => status(value.bytes()?, &mut span)?,
                16 => span.flags = value.fixed32()?,
                _ => {}
            }
        }
        Ok(span)
    }

    fn write(&mut self, span: &Span<'a>, events: &mut Events<'_>) {
        at(events, [span.start, span.end]);
        self.ids.trace(span.trace_id, events);
        self.ids.span(span.span_id, events);
        self.ids.parent(span.parent_id, events);
        self.name.text(&span.name, events);
        let kind = usize::try_from(span.kind).ok().and_then(|kind| KINDS.get(kind));
        self.kind.string(kind.unwrap_or(&KINDS[0]), events);
        if span.end >= span.start && span.end != 0 {
            self.duration.unsigned(span.end - span.start, events);
        }
        self.error.boolean(span.status_code == STATUS_ERROR, events);
        match span.status_code {
            1 => self.status_code.string("OK", events),
            STATUS_ERROR => self.status_code.string("ERROR", events),
            _ => {}
        }
        self.status_message.text(&span.status_message, events);
        self.trace_state.text(&span.trace_state, events);
        self.flags.count(u64::from(span.flags), events);
        for (slot, count) in self.dropped.iter_mut().zip(span.dropped) {
            slot.count(count, events);
        }
        self.attributes.write(events);
        for (slot, text) in [(&mut self.events, &mut self.happened), (&mut self.link_array, &mut self.links)]
        {
            if text.len() > 0 {
                text.close(']');
                slot.array(text.as_str(), events);
            }
        }
    }
}

fn status<'a>(message: &'a [u8], span: &mut Span<'a>) -> Result<(), Broken> {
    for field in Message::new(message) {
        match field? {
            (2, value) => span.status_message = value.text()?,
            (3, value) => span.status_code = value.varint()?,
            _ => {}
        }
    }
    Ok(())
}

/// Opens the array before its first element.
fn begin_element(out: &mut JsonText) {
    if out.len() == 0 {
        out.open('[');
    }
    out.separate();
    out.open('{');
}

fn write_event(message: &[u8], out: &mut JsonText, depth_max: usize) -> Result<(), Broken> {
    begin_element(out);
    for field in Message::new(message) {
        match field? {
            (1, value) => {
                out.name("timestamp");
                out.unsigned(value.fixed64()?);
            }
            (2, value) => {
                out.name("name");
                out.string(&value.text()?);
            }
            (4, value) if value.varint()? > 0 => {
                out.name("dropped_attributes_count");
                out.unsigned(value.varint()?);
            }
            _ => {}
        }
    }
    write_attributes(message, 3, out, depth_max)?;
    out.close('}');
    Ok(())
}

fn write_link(message: &[u8], out: &mut JsonText, depth_max: usize) -> Result<(), Broken> {
    begin_element(out);
    for field in Message::new(message) {
        match field? {
            (number @ (1 | 2), value) => {
                out.name(if number == 1 { "trace_id" } else { "span_id" });
                out.string(&hex::encode(value.bytes()?));
            }
            (3, value) if !value.bytes()?.is_empty() => {
                out.name("trace_state");
                out.string(&value.text()?);
            }
            _ => {}
        }
    }
    write_attributes(message, 4, out, depth_max)?;
    out.close('}');
    Ok(())
}

/// The attributes of an element as an object in it, if there are any.
pub(super) fn write_attributes(
    message: &[u8],
    number: u32,
    out: &mut JsonText,
    depth_max: usize,
) -> Result<(), Broken> {
    let mut has_any = false;
    for attribute in super::origin::inner(message, number) {
        let (name, value) = pair(attribute?)?;
        if !has_any {
            out.name("attributes");
            out.open('{');
            has_any = true;
        }
        out.name(&name);
        value.write(out, 3, depth_max)?;
    }
    if has_any {
        out.close('}');
    }
    Ok(())
}
