//! Syslog, in the form of RFC 5424 and in that of RFC 3164, over datagrams and connections. Nothing is refused: what
//! has neither form is kept as a text. Where messages end on a connection is in `frames`, where they end in a body of
//! Logplex in `logplex`.

mod elements;
mod frames;
mod message;
mod zone;

use tidegauge_ingest::Events;

use crate::answer::Problem;
use crate::rest::TextFields;
use crate::slot::Slot;
use crate::syslog_words::{facility, severity};
pub use frames::Frames;
pub use message::Form;
use message::Message;
pub use zone::{NotAZone, Zone};

/// Longer messages are cut.
pub const MESSAGE_BYTES_MAX: usize = 64 << 10;

/// What is known of a message besides its bytes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Origin<'a> {
    /// The address that it came from.
    pub source_ip: Option<&'a str>,
    /// That of its sender's clock, for times that name none; UTC unless one is given.
    pub zone: Option<&'a Zone>,
    /// Whether something was cut off it.
    pub is_cut: bool,
    pub form: Form,
    /// The drain of Logplex that it came by.
    pub drain: Option<&'a str>,
}

/// Writes the messages of one request: what came in until it is time to store it.
#[derive(Debug)]
pub struct Messages {
    elements: TextFields,
    severity: Slot,
    facility: Slot,
    priority: Slot,
    hostname: Slot,
    appname: Slot,
    procid: Slot,
    msgid: Slot,
    message: Slot,
    source_ip: Slot,
    drain: Slot,
    truncated: Slot,
}

impl Default for Messages {
    fn default() -> Self {
        Self {
            elements: TextFields::new("sd.", "sd.custom"),
            severity: Slot::new("severity"),
            facility: Slot::new("facility"),
            priority: Slot::new("priority"),
            hostname: Slot::new("hostname"),
            appname: Slot::new("appname"),
            procid: Slot::new("procid"),
            msgid: Slot::new("msgid"),
            message: Slot::new("message"),
            source_ip: Slot::new("source.ip"),
            drain: Slot::new("drain"),
            truncated: Slot::new("truncated"),
        }
    }
}

impl Messages {
    /// Makes an event of a message. Blank ones are none.
    pub fn write(
        &mut self,
        bytes: &[u8],
        origin: Origin<'_>,
        events: &mut Events<'_>,
    ) -> Result<(), Problem> {
        let is_too_long = bytes.len() > MESSAGE_BYTES_MAX;
        let bytes = &bytes[..bytes.len().min(MESSAGE_BYTES_MAX)];
        let text = String::from_utf8_lossy(bytes);
        let text = text.trim_end_matches(['\n', '\r', '\0']);
        if text.trim().is_empty() {
            return Ok(());
        }
        events.take_unreadable_times();
        let message = Message::parse(text, origin.form, events.arrival_ns(), origin.zone);
        events.start();
        self.elements.start();
        if let Some(priority) = message.priority {
            self.priority.unsigned(u64::from(priority), events);
            if let Some(word) = severity(priority & 7) {
                self.severity.string(word, events);
            }
            if let Some(word) = facility(priority >> 3) {
                self.facility.string(word, events);
            }
        }
        match (message.time, message.time_text) {
            (Some(time), _) => events.time(time),
            (None, Some(text)) => events.time_text(text),
            (None, None) => {}
        }
        self.hostname.text(message.hostname, events);
        self.appname.text(message.appname, events);
        self.procid.text(message.procid, events);
        self.msgid.text(message.msgid, events);
        let elements = &mut self.elements;
        elements::each(message.elements, |name, value| elements.put(name, value, events));
        self.message.text(message.message, events);
        if let Some(source) = origin.source_ip {
            self.source_ip.string(source, events);
        }
        self.drain.text(origin.drain.unwrap_or_default(), events);
        if origin.is_cut || is_too_long {
            self.truncated.boolean(true, events);
        }
        self.elements.end(events);
        events.end()?;
        Ok(())
    }
}
