//! Pieces of text that several channels share: times, numbers, and texts cut to what a receiver takes.

use aws_lc_rs::digest::{SHA256, digest};
use serde_json::Value as Json;
use tidegauge_model::message::Message;
use tidegauge_model::{Timestamp, hex};

/// A time as Go prints it, which is how receivers of webhooks know it.
pub(crate) fn go_time(time: Timestamp) -> String {
    let text = time.to_string();
    match text.strip_suffix('Z') {
        Some(civil) => format!("{} +0000 UTC", civil.replacen('T', " ", 1)),
        None => text,
    }
}

/// A number as JSON: whole ones without a fraction, and null for what is no number.
pub(crate) fn number(value: f64) -> Json {
    const WHOLE_MAX: f64 = 9_007_199_254_740_992.0;
    if value.fract() == 0.0 && value.abs() <= WHOLE_MAX {
        #[expect(clippy::cast_possible_truncation, reason = "a whole number below 2^53 is exact in both")]
        return Json::from(value as i64);
    }
    serde_json::Number::from_f64(value).map_or(Json::Null, Json::Number)
}

/// The text, or its beginning with a sign that something is missing.
pub(crate) fn short(text: &str, characters_max: usize) -> String {
    if text.chars().count() <= characters_max {
        return text.to_owned();
    }
    let mut cut: String = text.chars().take(characters_max.saturating_sub(1)).collect();
    cut.push('…');
    cut
}

/// The incident's name, or its digest where the receiver takes no text of that length.
pub(crate) fn key(incident: &str, bytes_max: usize) -> String {
    if incident.len() <= bytes_max {
        return incident.to_owned();
    }
    hex::encode(digest(&SHA256, incident.as_bytes()).as_ref())
}

/// One line of text, or the other if there is none.
pub(crate) fn or<'a>(text: &'a str, other: &'a str) -> &'a str {
    if text.is_empty() { other } else { text }
}

/// What is known beside title and text, as names and values for people to read.
pub(crate) fn facts(message: &Message) -> Vec<(String, String)> {
    let mut facts: Vec<(String, String)> = message.group.clone();
    if message.value.is_finite() && message.matched_event.is_none() {
        facts.push(("Value".to_owned(), number(message.value).to_string()));
    }
    facts.push(("From".to_owned(), message.query_start.to_string()));
    facts.push(("To".to_owned(), message.query_end.to_string()));
    facts.push(("Monitor".to_owned(), message.monitor.to_string()));
    if let Some(event) = &message.matched_event {
        facts.push(("Event".to_owned(), event.clone()));
    }
    facts
}
