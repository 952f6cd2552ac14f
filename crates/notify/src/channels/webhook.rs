//! webhook: the default body or one of those that Alertmanager speaks, signed.

use serde_json::{Value, json};
use tidegauge_model::message::Message;

use super::{Configured, Context, Request, alertmanager};
use crate::signature;
use crate::template::{action, group_keys, group_values, matched_event};
use crate::text::{go_time, number};

pub(super) fn write(configured: &Configured, message: &Message, context: &Context<'_>) -> Request {
    let body = match configured.text("format") {
        alertmanager::RECEIVER => alertmanager::received(message, context),
        alertmanager::API => alertmanager::posted(message, context),
        _ => json!({"action": action(message.state), "event": event(message)}),
    };
    let mut request = Request::json(configured.text("url"), &body);
    request.headers.extend(signature::headers(context.secret, context.id, context.now, &request.body));
    request
}

/// What the default body tells of a message.
pub(super) fn event(message: &Message) -> Value {
    json!({
        "monitorID": message.monitor.as_str(),
        "body": message.body,
        "description": message.description,
        "queryEndTime": go_time(message.query_end),
        "queryStartTime": go_time(message.query_start),
        "timestamp": go_time(message.timestamp),
        "title": message.title,
        "value": number(message.value),
        "matchedEvent": matched_event(message),
        "groupKeys": group_keys(message),
        "groupValues": group_values(message),
    })
}
