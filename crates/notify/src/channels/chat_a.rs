//! chatA: a bot writes into a channel of the chat service. Its nonce keeps a message that is sent again from appearing
//! twice.

use serde_json::{Value, json};
use tidegauge_model::message::Message;
use tidegauge_model::monitor::AlertState;

use super::outbound::below;
use super::{Configured, Context, Request, Unwritable};
use crate::text::{facts, short};

const RED: u32 = 0x00d9_3025;
const GREEN: u32 = 0x001e_8e3e;
const GREY: u32 = 0x0080_8080;

/// Longest nonce that the service takes.
const NONCE_CHARACTERS: usize = 25;

const TITLE_CHARACTERS: usize = 256;
const TEXT_CHARACTERS: usize = 2_000;
const FACTS_MAX: usize = 10;
const NAME_CHARACTERS: usize = 100;
const VALUE_CHARACTERS: usize = 200;

pub(super) fn write(
    configured: &Configured,
    message: &Message,
    context: &Context<'_>,
) -> Result<Request, Unwritable> {
    let channel = configured.text("chatAChannel");
    // A channel is a number; dots would lead elsewhere on the service.
    if channel.is_empty() || !channel.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return Err(Unwritable("the channel must be the number of a channel".to_owned()));
    }
    let url = below(&context.bases.chat_a, &["channels", channel, "messages"])?;
    let mut body = content(message, context);
    let id = context.id.as_str();
    body["nonce"] = json!(&id[id.len().saturating_sub(NONCE_CHARACTERS)..]);
    body["enforce_nonce"] = json!(true);
    let request = Request::json(url, &body);
    Ok(request.with_header("authorization", format!("Bot {}", configured.text("chatAToken"))))
}

/// What bots and webhooks of the service have in common. Nobody is mentioned, whatever an event holds.
pub(super) fn content(message: &Message, context: &Context<'_>) -> Value {
    let fields: Vec<Value> = facts(message)
        .into_iter()
        .take(FACTS_MAX)
        .filter(|(name, value)| !name.is_empty() && !value.is_empty())
        .map(|(name, value)| {
            let (name, value) =
                (short(&escaped(&name), NAME_CHARACTERS), short(&escaped(&value), VALUE_CHARACTERS));
            json!({"name": name, "value": value, "inline": true})
        })
        .collect();
    let color = match message.state {
        _ if message.is_test => GREY,
        AlertState::Open => RED,
        AlertState::Closed => GREEN,
    };
    let text = [message.body.as_str(), message.description.as_str()]
        .into_iter()
        .filter(|text| !text.is_empty())
        .collect::<Vec<_>>()
        .join("\n\n");
    json!({
        "content": short(&escaped(&message.title), TITLE_CHARACTERS),
        "embeds": [{
            "title": short(&escaped(&message.title), TITLE_CHARACTERS),
            "description": short(&escaped(&text), TEXT_CHARACTERS),
            "color": color,
            "timestamp": message.timestamp.to_string(),
            "fields": fields,
            "footer": {"text": context.id.as_str()},
        }],
        "allowed_mentions": {"parse": []},
    })
}

/// The text without the signs that the service would take for markup or for a link.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, '\\' | '*' | '_' | '~' | '`' | '|' | '[' | ']' | '(' | ')' | '<' | '>' | '#' | '@') {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}
