//! Splunk HEC: events in envelopes that stand one behind the other, or lines of text with what belongs to them in the
//! address. The protocol knows no part of a request: one event that fails refuses all of them.

use std::borrow::Cow;

use tidegauge_ingest::{Events, JsonWalk};
use tidegauge_model::ErrorKind;

use crate::answer::{Answer, Problem, TokenFault, all_or_nothing, status_of};
use crate::json_text::JsonText;
use crate::slot::Slot;

/// What an envelope, or the address of a request, says about events.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Metadata<'a> {
    pub time: Option<Cow<'a, str>>,
    pub host: Option<Cow<'a, str>>,
    pub source: Option<Cow<'a, str>>,
    pub sourcetype: Option<Cow<'a, str>>,
    pub index: Option<Cow<'a, str>>,
}

/// What HEC has for a problem of its own, in its message: a code and a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Code {
    NoData,
    InvalidFormat,
    IncorrectIndex,
    NoEvent,
    BlankEvent,
    InvalidFields,
}

impl Code {
    const ALL: [Self; 6] = [
        Self::NoData,
        Self::InvalidFormat,
        Self::IncorrectIndex,
        Self::NoEvent,
        Self::BlankEvent,
        Self::InvalidFields,
    ];

    fn number(self) -> u64 {
        match self {
            Self::NoData => 5,
            Self::InvalidFormat => 6,
            Self::IncorrectIndex => 7,
            Self::NoEvent => 12,
            Self::BlankEvent => 13,
            Self::InvalidFields => 15,
        }
    }

    fn text(self) -> &'static str {
        match self {
            Self::NoData => "No data",
            Self::InvalidFormat => "Invalid data format",
            Self::IncorrectIndex => "Incorrect index",
            Self::NoEvent => "Event field is required",
            Self::BlankEvent => "Event field cannot be blank",
            Self::InvalidFields => "Error in handling indexed fields",
        }
    }

    fn problem(self) -> Problem {
        Problem::malformed(self.text())
    }
}

/// The index that the first envelope names. The dataset of a request follows from it, or from `?index`.
pub fn index_of(body: &[u8]) -> Option<String> {
    // Some senders put envelopes into an array.
    let body = body.trim_ascii_start();
    let first = body.strip_prefix(b"[").unwrap_or(body);
    let mut index = None;
    let read = JsonWalk::new(first).object(|walk, name| {
        let value = walk.text()?;
        if name == "index" {
            index = Some(value.into_owned());
        }
        Ok::<_, Problem>(())
    });
    read.ok().and(index).filter(|index| !index.is_empty())
}

/// Whether a body has nothing in it, which some senders post when they have nothing to send.
pub fn no_data(body: &[u8]) -> Option<Problem> {
    body.trim_ascii().is_empty().then(|| Code::NoData.problem())
}

/// Reads envelopes. What they leave out is that of `address`, whose index counts before theirs.
pub fn read_events(body: &[u8], address: &Metadata<'_>, events: &mut Events<'_>) -> Result<(), Problem> {
    events.take_unreadable_times();
    let mut walk = JsonWalk::new(body);
    let mut fields = Fields::default();
    let mut index = address.index.clone().map(Cow::into_owned);
    let mut number = 0;
    while let Some(first) = walk.peek() {
        // Some senders put them into an array.
        if first == b'[' {
            let read = walk.array(|walk| {
                envelope(walk, address, &mut index, &mut fields, events).map_err(|it| it.of_item(number))?;
                number += 1;
                Ok::<_, Problem>(())
            });
            // What stands between two envelopes is told with the one that it is before.
            read.map_err(|it| if it.item.is_some() { it } else { it.of_item(number) })?;
            continue;
        }
        envelope(&mut walk, address, &mut index, &mut fields, events).map_err(|it| it.of_item(number))?;
        number += 1;
    }
    if number == 0 {
        return Err(Code::NoData.problem());
    }
    all_or_nothing(events)
}

/// Reads lines of text, each an event. Blank ones are none.
pub fn read_raw(body: &[u8], address: &Metadata<'_>, events: &mut Events<'_>) -> Result<(), Problem> {
    events.take_unreadable_times();
    let mut fields = Fields::default();
    for line in body.split(|byte| *byte == b'\n') {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.trim_ascii().is_empty() {
            continue;
        }
        events.start();
        if events.fits(line.len()) {
            fields.raw.string(&String::from_utf8_lossy(line), events);
        }
        fields.write(address, &Metadata::default(), events);
        events.end()?;
    }
    if events.ended() == 0 {
        return Err(Code::NoData.problem());
    }
    all_or_nothing(events)
}

fn envelope(
    walk: &mut JsonWalk<'_>,
    address: &Metadata<'_>,
    index: &mut Option<String>,
    fields: &mut Fields,
    events: &mut Events<'_>,
) -> Result<(), Problem> {
    let (mut own, mut event, mut added) = (Metadata::default(), None, None);
    let is_object = walk.peek() == Some(b'{');
    if !is_object {
        return Err(Code::InvalidFormat.problem());
    }
    walk.object(|walk, name| {
        let slot = match name {
            "event" => {
                event = Some(walk.value()?);
                return Ok(());
            }
            "fields" => {
                added = Some(walk.value()?);
                return Ok(());
            }
            "time" => &mut own.time,
            "host" => &mut own.host,
            "source" => &mut own.source,
            "sourcetype" => &mut own.sourcetype,
            "index" => &mut own.index,
            _ => {
                walk.value()?;
                return Ok(());
            }
        };
        *slot = if walk.peek() == Some(b'n') { walk.value().map(|_| None)? } else { Some(walk.text()?) };
        Ok::<_, Problem>(())
    })?;
    if address.index.is_none()
        && let Some(named) = own.index.as_deref().filter(|named| !named.is_empty())
        && *index.get_or_insert_with(|| named.to_owned()) != named
    {
        return Err(Code::IncorrectIndex.problem());
    }
    let event = event.ok_or_else(|| Code::NoEvent.problem())?;
    events.start();
    match event.first() {
        Some(b'{') => events.json_object(event)?,
        Some(b'"') if event == b"\"\"" => return Err(Code::BlankEvent.problem()),
        Some(b'n') => return Err(Code::NoEvent.problem()),
        _ => events.json("_raw", event)?,
    }
    match added.map(|added| (added.first(), added)) {
        Some((Some(b'{'), added)) => events.json_object(added)?,
        Some((Some(b'n'), _)) | None => {}
        Some(_) => return Err(Code::InvalidFields.problem()),
    }
    fields.write(address, &own, events);
    events.end()?;
    Ok(())
}

#[derive(Debug)]
struct Fields {
    raw: Slot,
    host: Slot,
    source: Slot,
    sourcetype: Slot,
    index: Slot,
}

impl Default for Fields {
    fn default() -> Self {
        Self {
            raw: Slot::new("_raw"),
            host: Slot::new("host"),
            source: Slot::new("source"),
            sourcetype: Slot::new("sourcetype"),
            index: Slot::new("index"),
        }
    }
}

impl Fields {
    fn write(&mut self, address: &Metadata<'_>, own: &Metadata<'_>, events: &mut Events<'_>) {
        let pairs = [
            (&mut self.host, &own.host, &address.host),
            (&mut self.source, &own.source, &address.source),
            (&mut self.sourcetype, &own.sourcetype, &address.sourcetype),
            (&mut self.index, &own.index, &address.index),
        ];
        for (slot, own, address) in pairs {
            if let Some(text) = own.as_ref().or(address.as_ref()) {
                slot.text(text, events);
            }
        }
        if let Some(time) = own.time.as_ref().or(address.time.as_ref()).filter(|time| !time.is_empty()) {
            events.time_text(time);
        }
    }
}

fn answer(status: u16, text: &str, code: u64, item: Option<u64>) -> Answer {
    let mut body = JsonText::default();
    body.open('{');
    body.name("text");
    body.string(text);
    body.name("code");
    body.unsigned(code);
    if let Some(item) = item {
        body.name("invalid-event-number");
        body.unsigned(item);
    }
    body.close('}');
    Answer::json(status, body.into_bytes())
}

/// The answer to a request whose events are stored.
pub fn accepted() -> Answer {
    answer(200, "Success", 0, None)
}

/// The answer to a request of nobody known: the words of HEC, and behind them ours.
fn denied(problem: &Problem) -> Answer {
    let (status, code, text) = match problem.fault {
        Some(TokenFault::Missing) => (401, 2, "Token is required"),
        Some(TokenFault::Header) => (401, 3, "Invalid authorization"),
        Some(TokenFault::Malformed | TokenFault::Unknown | TokenFault::Expired) => (403, 4, "Invalid token"),
        // An access token of OAuth 2.0: who has one gets another when it reads 401.
        None => (401, 4, "Invalid token"),
    };
    answer(status, &format!("{text}; {}", problem.message), code, None)
}

/// The answer to a request of which nothing is stored.
pub fn refused(problem: &Problem) -> Answer {
    if problem.kind == ErrorKind::Unauthenticated {
        return denied(problem);
    }
    let own = Code::ALL.into_iter().find(|code| code.text() == problem.message);
    let (status, code) = match problem.kind {
        ErrorKind::Malformed | ErrorKind::Invalid => (400, own.map_or(6, Code::number)),
        ErrorKind::NotFound => (400, 7),
        ErrorKind::TooLarge => (413, 6),
        ErrorKind::Busy
        | ErrorKind::Unavailable
        | ErrorKind::StorageFull
        | ErrorKind::TimedOut
        | ErrorKind::OutOfMemory => (503, 9),
        ErrorKind::Corrupt | ErrorKind::Internal => (500, 8),
        kind if status_of(kind) == 403 => (403, 4),
        kind => (status_of(kind), 6),
    };
    answer(status, &problem.message, code, problem.item).with_retry_after()
}

/// The answer to `/services/collector/health`.
pub fn health() -> Answer {
    answer(200, "HEC is healthy", 17, None)
}

/// The answer to `/services/collector/ack`: an event is on the disk when its request is answered, so there is nothing
/// to acknowledge later.
pub fn acknowledgements() -> Answer {
    answer(400, "ACK is disabled", 14, None)
}
