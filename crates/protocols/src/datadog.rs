//! Logs in the form of Datadog: an object or an array of them. Tags, which stand in one text, become fields of their
//! own; a body without events is how agents ask whether they may send.

use tidegauge_ingest::{Events, JsonWalk};

use crate::answer::{Answer, Problem, TokenFault, status_of};
use crate::json_text::JsonText;
use crate::rest::TextFields;

/// The map for tags whose field the dataset does not take.
const REST: &str = "tags.custom";

/// Reads the body of a request.
pub fn read(body: &[u8], events: &mut Events<'_>) -> Result<(), Problem> {
    events.take_unreadable_times();
    let mut walk = JsonWalk::new(body);
    let mut tags = TextFields::new("tags.", REST);
    match walk.peek() {
        None => return Ok(()),
        Some(b'[') => walk.array(|walk| entry(walk, &mut tags, events))?,
        Some(_) => entry(&mut walk, &mut tags, events)?,
    }
    if !walk.is_at_end() {
        return Err(walk.wrong("there is more after the entries").into());
    }
    Ok(())
}

fn entry(walk: &mut JsonWalk<'_>, tags: &mut TextFields, events: &mut Events<'_>) -> Result<(), Problem> {
    let start = walk.offset();
    let mut is_empty = true;
    events.start();
    tags.start();
    if walk.peek() != Some(b'{') {
        walk.value()?;
        events.fail(|| "an entry must be a JSON object".to_owned());
        events.end()?;
        return Ok(());
    }
    walk.object(|walk, name| {
        is_empty = false;
        match name {
            "timestamp" if walk.peek() != Some(b'n') => events.time_text(&walk.text()?),
            "ddtags" if walk.peek() == Some(b'"') => put_tags(&walk.string()?, tags, events),
            _ => {
                let value = walk.value()?;
                events.json(name, value)?;
            }
        }
        Ok::<_, Problem>(())
    })?;
    // What an agent asks with is no event.
    if is_empty {
        return Ok(());
    }
    events.fits(walk.offset() - start);
    tags.end(events);
    events.end()?;
    Ok(())
}

/// `env:prod,team:web,beta`: a tag without a value is true.
fn put_tags(text: &str, tags: &mut TextFields, events: &mut Events<'_>) {
    for tag in text.split(',').map(str::trim).filter(|tag| !tag.is_empty()) {
        let (name, value) = tag.split_once(':').unwrap_or((tag, "true"));
        tags.put(name, value, events);
    }
}

/// The answer to a request whose events are stored, as far as they did not fail.
pub fn accepted() -> Answer {
    Answer::json(202, "{}")
}

/// The answer to a request of which nothing is stored.
pub fn refused(problem: &Problem) -> Answer {
    let status = status_of(problem.kind);
    let mut text = JsonText::default();
    text.open('{');
    text.name("errors");
    text.open('[');
    text.open('{');
    text.name("status");
    text.string(&status.to_string());
    text.name("detail");
    text.string(&problem.message);
    text.close('}');
    text.close(']');
    text.close('}');
    Answer::json(status, text.into_bytes()).with_retry_after()
}

/// The answer to `/api/v1/validate` for a key that is not known, which agents expect to be 403, or when that is not asked.
pub fn not_validated(problem: &Problem) -> Answer {
    let status = match problem.fault {
        Some(TokenFault::Malformed | TokenFault::Unknown | TokenFault::Expired) => 403,
        Some(TokenFault::Missing | TokenFault::Header) | None => status_of(problem.kind),
    };
    let mut text = JsonText::default();
    text.open('{');
    text.name("errors");
    text.open('[');
    text.string(&problem.message);
    text.close(']');
    text.close('}');
    Answer::json(status, text.into_bytes()).with_retry_after()
}

/// The answer to `/api/v1/validate` for a key that is good.
pub fn validated() -> Answer {
    Answer::json(200, r#"{"valid":true}"#)
}
