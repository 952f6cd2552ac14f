//! CloudEvents over HTTP: structured and batched, where the event is the body, and binary, where it is the headers and
//! the body is its data. Attributes become fields, `time` is the time, the data is below `data`.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use tidegauge_ingest::{Events, InvalidJson, JsonWalk};

use crate::answer::{Answer, Problem, all_or_nothing, json_error};

pub const STRUCTURED: &str = "application/cloudevents+json";
pub const BATCHED: &str = "application/cloudevents-batch+json";

/// How the headers of attributes begin in binary mode.
const HEADER_PREFIX: &str = "ce-";

/// What tells an event from every other: a sender that repeats it sends the same.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Identity {
    pub source: String,
    pub id: String,
}

impl Identity {
    fn note(&mut self, name: &str, text: &str) {
        match name {
            "source" => text.clone_into(&mut self.source),
            "id" => text.clone_into(&mut self.id),
            _ => {}
        }
    }

    fn checked(self) -> Result<Self, Problem> {
        if self.source.is_empty() || self.id.is_empty() {
            return Err(Problem::malformed("an event needs the attributes \"source\" and \"id\""));
        }
        Ok(self)
    }
}

/// Reads one event in structured mode.
pub fn read_structured(body: &[u8], events: &mut Events<'_>) -> Result<Identity, Problem> {
    events.take_unreadable_times();
    let mut walk = JsonWalk::new(body);
    let identity = structured(&mut walk, events)?;
    if !walk.is_at_end() {
        return Err(walk.wrong("there is more after the event").into());
    }
    all_or_nothing(events)?;
    Ok(identity)
}

/// Reads a batch. Nothing of it is taken if one of its elements is no event, or fails.
pub fn read_batch(body: &[u8], events: &mut Events<'_>) -> Result<(), Problem> {
    events.take_unreadable_times();
    let mut walk = JsonWalk::new(body);
    let mut number = 0;
    walk.array(|walk| {
        structured(walk, events).map_err(|problem| problem.of_item(number))?;
        number += 1;
        Ok::<_, Problem>(())
    })?;
    if !walk.is_at_end() {
        return Err(walk.wrong("there is more after the batch").into());
    }
    all_or_nothing(events)
}

fn structured(walk: &mut JsonWalk<'_>, events: &mut Events<'_>) -> Result<Identity, Problem> {
    let mut identity = Identity::default();
    if walk.peek() != Some(b'{') {
        return Err(walk.wrong("expected an event, which is an object").into());
    }
    events.start();
    walk.object(|walk, name| {
        match name {
            "time" if walk.peek() == Some(b'"') => events.time_text(&walk.string()?),
            "source" | "id" => {
                let text = walk.text()?;
                identity.note(name, &text);
                put(name, &text, events);
            }
            _ => events.json(name, walk.value()?)?,
        }
        Ok::<_, InvalidJson>(())
    })?;
    events.end()?;
    identity.checked()
}

/// Reads one event in binary mode. The headers are those of the request, with any others among them.
pub fn read_binary<'h>(
    headers: impl Iterator<Item = (&'h str, &'h str)>,
    content_type: Option<&str>,
    body: &[u8],
    events: &mut Events<'_>,
) -> Result<Identity, Problem> {
    events.take_unreadable_times();
    let mut identity = Identity::default();
    events.start();
    for (name, value) in headers {
        let name = name.to_ascii_lowercase();
        let Some(attribute) = name.strip_prefix(HEADER_PREFIX) else { continue };
        let value = percent_decoded(value);
        identity.note(attribute, &value);
        match attribute {
            "time" => events.time_text(&value),
            _ => put(attribute, &value, events),
        }
    }
    if let Some(content_type) = content_type {
        put("datacontenttype", content_type, events);
    }
    if !body.is_empty() && events.fits(body.len()) {
        data(content_type.unwrap_or_default(), body, events)?;
    }
    events.end()?;
    all_or_nothing(events)?;
    identity.checked()
}

fn data(content_type: &str, body: &[u8], events: &mut Events<'_>) -> Result<(), Problem> {
    let media = content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    if media == "application/json" || media.ends_with("+json") {
        events.json("data", body)?;
        return Ok(());
    }
    match simdutf8::basic::from_utf8(body) {
        Ok(text) => put("data", text, events),
        Err(_) => put("data_base64", &STANDARD.encode(body), events),
    }
    Ok(())
}

fn put(name: &str, text: &str, events: &mut Events<'_>) {
    if let Some(field) = events.field(name) {
        events.string(field, text);
    }
}

/// Headers have no characters but those of ASCII; the others are written as `%C3%A4`, and the value may stand in quotes.
fn percent_decoded(text: &str) -> String {
    let text = text.trim();
    let text = text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(text);
    let digit = |byte: Option<&u8>| byte.and_then(|byte| char::from(*byte).to_digit(16));
    let mut decoded = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, behind @ ..] = rest {
        if *first == b'%'
            && let (Some(high), Some(low)) = (digit(behind.first()), digit(behind.get(1)))
        {
            decoded.push((high << 4 | low) as u8);
            rest = &behind[2..];
        } else {
            decoded.push(*first);
            rest = behind;
        }
    }
    String::from_utf8_lossy(&decoded).into_owned()
}

/// The answer to a request whose events are stored.
pub fn accepted() -> Answer {
    Answer::empty(204)
}

/// The answer to a request of which nothing is stored.
pub fn refused(problem: &Problem) -> Answer {
    json_error(problem)
}

/// The answer to OPTIONS: a sender asks whether it may send, and is let at any rate.
pub fn handshake(request_origin: &str) -> Answer {
    let origin: String = request_origin.chars().filter(|it| (' '..='~').contains(it)).collect();
    Answer::empty(200)
        .header("webhook-allowed-origin", origin)
        .header("webhook-allowed-rate", "*")
        .header("allow", "POST, OPTIONS")
}
