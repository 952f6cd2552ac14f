//! The stored form of a message: JSON text with a version, so that a message outlives the program that made it.

use serde::{Deserialize, Serialize};
use tidegauge_model::message::Message;
use tidegauge_model::monitor::AlertState;
use tidegauge_model::{ErrorKind, Timestamp};

use crate::{Error, Result};

const VERSION: u32 = 1;

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Stored {
    version: u32,
    state: String,
    monitor: String,
    incident: String,
    title: String,
    body: String,
    description: String,
    query_start: i64,
    query_end: i64,
    timestamp: i64,
    /// JSON has no number that is none; absent stands for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    value: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    matched_event: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    group: Vec<(String, String)>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    is_test: bool,
}

pub(crate) fn write_message(message: &Message) -> Result<String> {
    let stored = Stored {
        version: VERSION,
        state: message.state.name().to_owned(),
        monitor: message.monitor.as_str().to_owned(),
        incident: message.incident.clone(),
        title: message.title.clone(),
        body: message.body.clone(),
        description: message.description.clone(),
        query_start: message.query_start.as_micros(),
        query_end: message.query_end.as_micros(),
        timestamp: message.timestamp.as_micros(),
        value: message.value.is_finite().then_some(message.value),
        matched_event: message.matched_event.clone(),
        group: message.group.clone(),
        is_test: message.is_test,
    };
    serde_json::to_string(&stored)
        .map_err(|cause| Error::caused(ErrorKind::Internal, "a message could not be written", cause))
}

pub(crate) fn read_message(text: &str) -> Result<Message> {
    let stored: Stored = serde_json::from_str(text).map_err(|cause| {
        Error::caused(ErrorKind::Corrupt, "the catalogue holds a message that cannot be read", cause)
    })?;
    if stored.version != VERSION {
        return Err(Error::corrupt("a message of the version", &stored.version.to_string()));
    }
    let state = AlertState::from_name(&stored.state)
        .ok_or_else(|| Error::corrupt("a message with the state", &stored.state))?;
    Ok(Message {
        state,
        monitor: stored.monitor.into(),
        incident: stored.incident,
        title: stored.title,
        body: stored.body,
        description: stored.description,
        query_start: Timestamp::from_micros(stored.query_start),
        query_end: Timestamp::from_micros(stored.query_end),
        timestamp: Timestamp::from_micros(stored.timestamp),
        value: stored.value.unwrap_or(f64::NAN),
        matched_event: stored.matched_event,
        group: stored.group,
        is_test: stored.is_test,
    })
}
