//! Events in the form of Honeycomb: one with its time in a header, or a batch in which each has its time, its rate and
//! a state of its own.

use std::borrow::Cow;

use tidegauge_ingest::{Events, JsonWalk};

use crate::answer::{Answer, Problem, json_error};
use crate::json_text::JsonText;
use crate::slot::Slot;

const SAMPLE_RATE: &str = "samplerate";

/// A batch has no more events: each has a state, also one of two bytes that fails.
const EVENTS_MAX: usize = 100_000;

/// What headers say about a single event.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Headers<'a> {
    /// `X-Honeycomb-Event-Time`.
    pub time: Option<&'a str>,
    /// `X-Honeycomb-Samplerate`.
    pub sample_rate: Option<&'a str>,
}

/// What became of each event of a batch: the reason of one that failed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct States(Vec<Option<Cow<'static, str>>>);

/// Reads a single event.
pub fn read_event(body: &[u8], headers: Headers<'_>, events: &mut Events<'_>) -> Result<(), Problem> {
    events.take_unreadable_times();
    events.start();
    events.json_object(body)?;
    if let Some(time) = headers.time.filter(|time| !time.is_empty()) {
        events.time_text(time);
    }
    if let Some(rate) = headers.sample_rate.and_then(|rate| rate.trim().parse().ok()) {
        write_rate(rate, &mut Slot::new(SAMPLE_RATE), events);
    }
    if events.end()? {
        return Ok(());
    }
    let reason = events.failures().first().map_or(String::new(), |failure| failure.error.clone());
    Err(Problem::malformed(reason))
}

/// Reads a batch.
pub fn read_batch(body: &[u8], events: &mut Events<'_>) -> Result<States, Problem> {
    events.take_unreadable_times();
    let mut walk = JsonWalk::new(body);
    let mut rate = Slot::new(SAMPLE_RATE);
    let mut states = Vec::new();
    walk.array(|walk| {
        if states.len() >= EVENTS_MAX {
            return Err(Problem::too_large(format!(
                "the batch has more than {EVENTS_MAX} events; send it in smaller parts"
            )));
        }
        states.push(element(walk, &mut rate, events)?);
        Ok::<_, Problem>(())
    })?;
    if !walk.is_at_end() {
        return Err(walk.wrong("there is more after the batch").into());
    }
    Ok(States(states))
}

fn element(
    walk: &mut JsonWalk<'_>,
    rate: &mut Slot,
    events: &mut Events<'_>,
) -> Result<Option<Cow<'static, str>>, Problem> {
    let mut has_data = false;
    events.start();
    if walk.peek() == Some(b'{') {
        walk.object(|walk, name| {
            match name {
                "data" if walk.peek() == Some(b'{') => {
                    has_data = true;
                    events.json_object(walk.value()?)?;
                }
                "time" if walk.peek() != Some(b'n') => events.time_text(&walk.text()?),
                "samplerate" => {
                    if let Ok(value) = walk.text()?.parse() {
                        write_rate(value, rate, events);
                    }
                }
                _ => {
                    walk.value()?;
                }
            }
            Ok::<_, Problem>(())
        })?;
    } else {
        walk.value()?;
    }
    if !has_data {
        events.fail(|| "it has no object \"data\"".to_owned());
    }
    if events.end()? {
        return Ok(None);
    }
    let index = events.ended() - 1;
    let listed = events.failures().last().filter(|failure| failure.index == index);
    Ok(Some(listed.map_or(Cow::Borrowed("one of many events that failed"), |it| it.error.clone().into())))
}

/// Every event stands for itself, unless it is said otherwise.
fn write_rate(rate: i64, slot: &mut Slot, events: &mut Events<'_>) {
    if rate > 1 {
        slot.integer(rate, events);
    }
}

/// The answer to a single event that is stored.
pub fn accepted_event() -> Answer {
    Answer::empty(200)
}

/// The answer to a batch whose events are stored, as far as they did not fail.
pub fn accepted_batch(states: &States) -> Answer {
    let mut text = JsonText::default();
    text.open('[');
    for state in &states.0 {
        text.separate();
        text.open('{');
        text.name("status");
        text.unsigned(if state.is_some() { 400 } else { 202 });
        if let Some(reason) = state {
            text.name("error");
            text.string(reason);
        }
        text.close('}');
    }
    text.close(']');
    Answer::json(200, text.into_bytes())
}

/// The answer to a request of which nothing is stored.
pub fn refused(problem: &Problem) -> Answer {
    json_error(problem)
}
