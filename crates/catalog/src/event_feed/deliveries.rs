//! What is told of messages on their way to notifiers: of each attempt to send one, and of its end.

use serde_json::json;
use tidegauge_model::Timestamp;
use tidegauge_model::message::DeliveryState;

use super::EntryKind;
use super::entry::{NewEntry, SERVICE};
use crate::audit::detail::cut;
use crate::outbox::attempts::Attempt;

/// A message as its row has it.
pub(crate) struct Sending<'a> {
    pub(crate) org: &'a str,
    pub(crate) delivery: &'a str,
    pub(crate) notifier: &'a str,
    pub(crate) monitor: &'a str,
    /// How many attempts there were.
    pub(crate) attempts: i64,
    /// What it came to.
    pub(crate) state: DeliveryState,
}

/// What is told of an attempt to send a message.
pub(crate) fn of_attempt(sending: &Sending<'_>, attempt: &Attempt) -> NewEntry {
    let outcome = match sending.state {
        DeliveryState::Waiting => "failed",
        ended => ended.name(),
    };
    let mut details = json!({
        "notifier": sending.notifier,
        "monitor": sending.monitor,
        "attempt": sending.attempts,
        "latencyMs": u64::try_from(attempt.latency.as_millis()).unwrap_or(u64::MAX),
    });
    if let Some(status) = attempt.status {
        details["status"] = status.into();
    }
    let detail = cut(attempt.error.clone().unwrap_or_default());
    NewEntry { outcome, detail, ..ended("delivery.attempt", sending, attempt.at, details.to_string()) }
}

/// What is told of a message that nobody could send in time.
pub(crate) fn of_expiry(sending: &Sending<'_>, at: Timestamp) -> NewEntry {
    let details =
        json!({"notifier": sending.notifier, "monitor": sending.monitor, "attempt": sending.attempts})
            .to_string();
    ended("delivery.expire", sending, at, details)
}

fn ended(action: &str, sending: &Sending<'_>, at: Timestamp, details: String) -> NewEntry {
    NewEntry {
        org: sending.org.to_owned(),
        kind: EntryKind::Delivery,
        at,
        actor: SERVICE.to_owned(),
        action: action.to_owned(),
        target: sending.delivery.to_owned(),
        outcome: sending.state.name(),
        detail: String::new(),
        request_id: String::new(),
        times: 1,
        details,
    }
}
