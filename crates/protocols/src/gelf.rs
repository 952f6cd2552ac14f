//! GELF: one JSON object in a request, a frame or a datagram, compressed or not. `_x` becomes the field `x`, and
//! `short_message` is `message`. How chunks of datagrams come together is in `chunks`, where frames end in `frames`.

mod chunks;
mod frames;

use tidegauge_ingest::{Events, JsonWalk};

use crate::answer::{Answer, Problem, plain, status_of};
use crate::gzip;
use crate::slot::Slot;
use crate::syslog_words::severity;
pub use chunks::{Chunks, ChunksLimits, Datagram};
pub use frames::Frames;

/// What GELF has fields of its own for: an additional one of the same name keeps its underscore.
const OWN: [&str; 9] =
    ["version", "host", "message", "short_message", "full_message", "timestamp", "level", "severity", "id"];

/// Reads one message, whatever it is compressed with: senders name an encoding that it does not have. `source` is
/// the address that it came from, if that is worth keeping.
pub fn read(
    bytes: &[u8],
    source: Option<&str>,
    bytes_max: u64,
    events: &mut Events<'_>,
) -> Result<(), Problem> {
    events.take_unreadable_times();
    let plain;
    let text = if gzip::is_gzip(bytes) || gzip::is_zlib(bytes) {
        plain = gzip::expand(bytes, bytes_max)?;
        plain.as_slice()
    } else {
        bytes
    };
    let text = text.strip_suffix(b"\0").unwrap_or(text);
    let mut walk = JsonWalk::new(text);
    if walk.peek() != Some(b'{') {
        return Err(Problem::malformed("a GELF message must be a JSON object"));
    }
    events.start();
    events.fits(text.len());
    walk.object(|walk, name| member(walk, name, events))?;
    if !walk.is_at_end() {
        return Err(walk.wrong("there is more after the message").into());
    }
    if let Some(source) = source {
        Slot::new("source.ip").string(source, events);
    }
    if events.end()? {
        return Ok(());
    }
    let reason = events.failures().last().map_or("the event failed", |failure| &failure.error);
    Err(Problem::malformed(reason))
}

fn member(walk: &mut JsonWalk<'_>, name: &str, events: &mut Events<'_>) -> Result<(), Problem> {
    match name {
        "version" => {
            walk.value()?;
        }
        "timestamp" if walk.peek() != Some(b'n') => events.time_text(&walk.text()?),
        "short_message" => events.json("message", walk.value()?)?,
        "level" => {
            let level = walk.value()?;
            let number = std::str::from_utf8(level).ok().and_then(|text| text.trim_matches('"').parse().ok());
            if let Some(word) = number.and_then(severity) {
                Slot::new("severity").string(word, events);
            }
            events.json(name, level)?;
        }
        _ => {
            let plain = name.strip_prefix('_').filter(|plain| !plain.is_empty() && !OWN.contains(plain));
            events.json(plain.unwrap_or(name), walk.value()?)?;
        }
    }
    Ok(())
}

/// The answer to a request whose event is stored.
pub fn accepted() -> Answer {
    Answer::empty(202)
}

/// The answer to a request of which nothing is stored.
pub fn refused(problem: &Problem) -> Answer {
    plain(status_of(problem.kind), &problem.message)
}
