//! chatC: a webhook of a workflow, which takes an adaptive card. Texts are runs, in which no markup has a meaning.

use serde_json::{Value, json};
use tidegauge_model::message::Message;
use tidegauge_model::monitor::AlertState;

use super::{Configured, Context, Request};
use crate::text::{facts, short};

/// The service takes 28 KB in all.
const TEXT_CHARACTERS: usize = 2_000;
const FACTS_MAX: usize = 10;
const FACT_CHARACTERS: usize = 500;

pub(super) fn write(configured: &Configured, message: &Message, context: &Context<'_>) -> Request {
    let color = match message.state {
        _ if message.is_test => "default",
        AlertState::Open => "attention",
        AlertState::Closed => "good",
    };
    let title = json!({
        "type": "TextRun", "text": short(&message.title, TEXT_CHARACTERS),
        "size": "large", "weight": "bolder", "color": color,
    });
    let mut body = vec![row(title)];
    for text in [&message.body, &message.description] {
        if !text.is_empty() {
            body.push(row(json!({"type": "TextRun", "text": short(text, TEXT_CHARACTERS)})));
        }
    }
    for (name, value) in facts(message).iter().take(FACTS_MAX) {
        let text = short(&format!("{name}: {value}"), FACT_CHARACTERS);
        body.push(row(json!({"type": "TextRun", "text": text, "isSubtle": true})));
    }
    body.push(row(
        json!({"type": "TextRun", "text": context.id.as_str(), "isSubtle": true, "size": "small"}),
    ));
    let card = json!({
        "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
        "type": "AdaptiveCard",
        "version": "1.4",
        "body": body,
    });
    let message = json!({"type": "message", "attachments": [{
        "contentType": "application/vnd.microsoft.card.adaptive",
        "contentUrl": null,
        "content": card,
    }]});
    Request::json(configured.text("chatCUrl"), &message)
}

fn row(run: Value) -> Value {
    json!({"type": "RichTextBlock", "inlines": [run]})
}
