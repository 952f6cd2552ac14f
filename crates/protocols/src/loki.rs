//! Loki push: streams with labels, and entries in them. As protobuf in a snappy block, and as JSON in its two forms,
//! which senders mix with either address. Labels and metadata become fields, the line is `message`.

mod labels;
mod lines;

use tidegauge_ingest::{Events, InvalidJson, JsonWalk, Outcome};

use crate::answer::{Answer, Problem, plain, status_of};
use crate::protobuf::Message;
use crate::snappy;
use lines::Lines;

/// How a request is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// Protobuf in a snappy block.
    Snappy,
    Json,
}

impl Encoding {
    /// By the media type: what is not JSON is protobuf, as it is there.
    pub fn of(content_type: &str) -> Self {
        let media = content_type.split(';').next().unwrap_or_default().trim();
        if media.eq_ignore_ascii_case("application/json") { Self::Json } else { Self::Snappy }
    }
}

/// Reads the body of a request. `bytes_max` is what a snappy block may become.
pub fn read(
    encoding: Encoding,
    body: &[u8],
    bytes_max: usize,
    events: &mut Events<'_>,
) -> Result<(), Problem> {
    events.take_unreadable_times();
    let mut lines = Lines::default();
    match encoding {
        Encoding::Snappy => read_protobuf(&snappy::expand(body, bytes_max)?, &mut lines, events),
        Encoding::Json => read_json(body, &mut lines, events),
    }
}

fn read_protobuf(body: &[u8], lines: &mut Lines, events: &mut Events<'_>) -> Result<(), Problem> {
    for field in Message::new(body) {
        let (1, value) = field? else { continue };
        let stream = value.bytes()?;
        lines.start_stream();
        for field in Message::new(stream) {
            if let (1, value) = field? {
                lines.label_text(&value.text()?)?;
            }
        }
        for field in Message::new(stream) {
            if let (2, value) = field? {
                read_entry(value.bytes()?, lines, events)?;
            }
        }
    }
    Ok(())
}

fn read_entry(message: &[u8], lines: &mut Lines, events: &mut Events<'_>) -> Result<(), Problem> {
    lines.start(events);
    for field in Message::new(message) {
        match field? {
            (1, value) => lines.time(timestamp(value.bytes()?)?, events),
            (2, value) => lines.line(&value.text()?, events),
            (3, value) => {
                let (name, text) = label_pair(value.bytes()?)?;
                lines.metadata(&name, &text, events);
            }
            _ => {}
        }
    }
    lines.end(events)
}

fn label_pair(message: &[u8]) -> Result<(String, String), Problem> {
    let (mut name, mut text) = (String::new(), String::new());
    for field in Message::new(message) {
        match field? {
            (1, value) => name = value.text()?.into_owned(),
            (2, value) => text = value.text()?.into_owned(),
            _ => {}
        }
    }
    Ok((name, text))
}

/// Nanoseconds since 1970; nothing if they are beyond what an event can have.
fn timestamp(message: &[u8]) -> Result<Option<i64>, Problem> {
    let (mut seconds, mut nanoseconds) = (0_i64, 0_i64);
    for field in Message::new(message) {
        match field? {
            (1, value) => seconds = value.varint()? as i64,
            (2, value) => nanoseconds = value.varint()? as i64,
            _ => {}
        }
    }
    Ok(seconds.checked_mul(1_000_000_000).and_then(|whole| whole.checked_add(nanoseconds)))
}

fn read_json(body: &[u8], lines: &mut Lines, events: &mut Events<'_>) -> Result<(), Problem> {
    let mut walk = JsonWalk::new(body);
    walk.object(|walk, name| match name {
        "streams" => walk.array(|walk| read_stream(walk, lines, events)),
        _ => skip(walk),
    })?;
    if !walk.is_at_end() {
        return Err(walk.wrong("there is more after the object of the request").into());
    }
    Ok(())
}

/// A stream in either form. Its labels may stand behind its entries, so the entries wait.
fn read_stream(walk: &mut JsonWalk<'_>, lines: &mut Lines, events: &mut Events<'_>) -> Result<(), Problem> {
    let mut entries: Vec<(&[u8], usize)> = Vec::new();
    lines.start_stream();
    walk.object(|walk, name| match name {
        "stream" => walk.object(|walk, name| lines.label(name, &walk.text()?)),
        "labels" => lines.label_text(&walk.string()?),
        "values" | "entries" => {
            let text = walk.value()?;
            entries.push((text, walk.offset() - text.len()));
            Ok(())
        }
        _ => skip(walk),
    })?;
    for (text, offset) in entries {
        let read = JsonWalk::new(text).array(|walk| match walk.peek() {
            Some(b'[') => read_value(walk, lines, events),
            _ => read_old_entry(walk, lines, events),
        });
        read.map_err(|problem: EntryProblem| problem.at(offset))?;
    }
    Ok(())
}

/// A problem in a part of the body, whose places are counted from the start of that part.
enum EntryProblem {
    Json(InvalidJson),
    Other(Problem),
}

impl EntryProblem {
    fn at(self, offset: usize) -> Problem {
        match self {
            Self::Json(invalid) => InvalidJson { offset: invalid.offset + offset, ..invalid }.into(),
            Self::Other(problem) => problem,
        }
    }
}

impl From<InvalidJson> for EntryProblem {
    fn from(invalid: InvalidJson) -> Self {
        Self::Json(invalid)
    }
}

impl From<Problem> for EntryProblem {
    fn from(problem: Problem) -> Self {
        Self::Other(problem)
    }
}

/// `["nanoseconds", "line", {"name": "metadata"}]`.
fn read_value(
    walk: &mut JsonWalk<'_>,
    lines: &mut Lines,
    events: &mut Events<'_>,
) -> Result<(), EntryProblem> {
    let mut place = 0;
    lines.start(events);
    walk.array(|walk| {
        match place {
            0 => lines.time_text(&walk.text()?, events),
            1 => lines.line(&walk.text()?, events),
            2 => walk.object(|walk, name| {
                lines.metadata(name, &walk.text()?, events);
                Ok::<_, InvalidJson>(())
            })?,
            _ => {
                walk.value()?;
            }
        }
        place += 1;
        Ok::<_, InvalidJson>(())
    })?;
    Ok(lines.end(events)?)
}

/// `{"ts": "2026-11-16T12:00:00Z", "line": "text"}`.
fn read_old_entry(
    walk: &mut JsonWalk<'_>,
    lines: &mut Lines,
    events: &mut Events<'_>,
) -> Result<(), EntryProblem> {
    lines.start(events);
    walk.object(|walk, name| {
        match name {
            "ts" | "timestamp" => lines.time_text(&walk.text()?, events),
            "line" => lines.line(&walk.text()?, events),
            _ => {
                walk.value()?;
            }
        }
        Ok::<_, InvalidJson>(())
    })?;
    Ok(lines.end(events)?)
}

fn skip(walk: &mut JsonWalk<'_>) -> Result<(), Problem> {
    walk.value()?;
    Ok(())
}

/// The answer to a request whose events are stored, as far as they did not fail: some senders take nothing but 204 for
/// success, so what failed is told in a header.
pub fn accepted(outcome: &Outcome) -> Answer {
    match outcome.failures.first() {
        Some(failure) => {
            let warning: String =
                failure.error.chars().map(|it| if (' '..='~').contains(&it) { it } else { '?' }).collect();
            let text =
                format!("299 - \"{} entries were refused; {}\"", outcome.failed, warning.replace('"', "'"));
            Answer::empty(204).header("warning", text)
        }
        None => Answer::empty(204),
    }
}

/// The answer to a request of which nothing is stored.
pub fn refused(problem: &Problem) -> Answer {
    plain(status_of(problem.kind), &problem.message)
}
