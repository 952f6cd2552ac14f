//! incidentB: events of the second version that trigger and resolve an incident by its key.

use serde_json::{Value, json};
use tidegauge_model::message::Message;
use tidegauge_model::monitor::AlertState;

use super::{Configured, Context, Request, webhook};
use crate::text::{key, or, short};

const SUMMARY_CHARACTERS: usize = 1_024;
const KEY_BYTES: usize = 255;

pub(super) fn write(configured: &Configured, message: &Message, context: &Context<'_>) -> Request {
    let mut body = json!({
        "routing_key": configured.text("routingKey"),
        "event_action": match message.state {
            AlertState::Open => "trigger",
            AlertState::Closed => "resolve",
        },
        "dedup_key": key(&message.incident, KEY_BYTES),
    });
    if message.state == AlertState::Open {
        body["payload"] = payload(message, context);
        body["client"] = json!("Tidegauge");
    }
    Request::json(format!("{}/v2/enqueue", context.bases.incident_b.trim_end_matches('/')), &body)
}

fn payload(message: &Message, context: &Context<'_>) -> Value {
    let summary = match message.body.as_str() {
        "" => message.title.clone(),
        body => format!("{}: {body}", message.title),
    };
    let mut details = webhook::event(message);
    details["messageID"] = json!(context.id.as_str());
    json!({
        "summary": short(or(&summary, "Tidegauge"), SUMMARY_CHARACTERS),
        "source": "Tidegauge",
        "severity": if message.is_test { "info" } else { "critical" },
        "timestamp": message.timestamp.to_string(),
        "component": message.monitor.as_str(),
        "custom_details": details,
    })
}
