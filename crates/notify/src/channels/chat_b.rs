//! chatB: an incoming webhook of the chat service, with blocks and a text for those who see none.

use serde_json::{Value, json};
use tidegauge_model::message::Message;
use tidegauge_model::monitor::AlertState;

use super::{Configured, Context, Request};
use crate::text::{facts, short};

const TITLE_CHARACTERS: usize = 150;
const TEXT_CHARACTERS: usize = 2_500;
const FACTS_MAX: usize = 10;
const FACT_CHARACTERS: usize = 1_500;

pub(super) fn write(configured: &Configured, message: &Message, context: &Context<'_>) -> Request {
    let color = match message.state {
        _ if message.is_test => "#808080",
        AlertState::Open => "#d93025",
        AlertState::Closed => "#1e8e3e",
    };
    let mut blocks = vec![json!({
        "type": "header",
        "text": {"type": "plain_text", "text": short(&message.title, TITLE_CHARACTERS), "emoji": false},
    })];
    for text in [&message.body, &message.description] {
        if !text.is_empty() {
            blocks.push(json!({"type": "section", "text": marked(text, TEXT_CHARACTERS)}));
        }
    }
    let fields: Vec<Value> = facts(message)
        .iter()
        .take(FACTS_MAX)
        .map(|(name, value)| {
            let text = format!("*{}*\n{}", escaped(name), escaped(value));
            json!({"type": "mrkdwn", "text": short(&text, FACT_CHARACTERS), "verbatim": true})
        })
        .collect();
    blocks.push(json!({"type": "section", "fields": fields}));
    blocks.push(json!({"type": "context", "elements": [
        {"type": "plain_text", "text": context.id.as_str(), "emoji": false},
    ]}));
    let text = short(&escaped(&format!("{}: {}", message.title, message.body)), TEXT_CHARACTERS);
    let body = json!({"text": text, "attachments": [{"color": color, "blocks": blocks}]});
    Request::json(configured.text("chatBUrl"), &body)
}

fn marked(text: &str, characters_max: usize) -> Value {
    json!({"type": "mrkdwn", "text": short(&escaped(text), characters_max), "verbatim": true})
}

/// The three signs that begin links and mentions, as the service documents them.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
