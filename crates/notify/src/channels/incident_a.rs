//! incidentA: alerts that are opened and closed under an alias. An alert that is open already only counts up when the
//! same message comes again.

use serde_json::{Map, Value, json};
use tidegauge_model::message::Message;
use tidegauge_model::monitor::AlertState;

use super::outbound::below;
use super::{Configured, Context, Request, Unwritable};
use crate::text::{facts, key, or, short};

const TITLE_CHARACTERS: usize = 130;
const TEXT_CHARACTERS: usize = 10_000;
const ALIAS_BYTES: usize = 512;
const FACTS_MAX: usize = 20;
const FACT_CHARACTERS: usize = 300;

pub(super) fn write(
    configured: &Configured,
    message: &Message,
    context: &Context<'_>,
) -> Result<Request, Unwritable> {
    let base = if configured.flag("isEU") { &context.bases.incident_a_eu } else { &context.bases.incident_a };
    let alias = key(&message.incident, ALIAS_BYTES);
    let request = match message.state {
        AlertState::Open => Request::json(below(base, &["v2", "alerts"])?, &opened(message, &alias, context)),
        AlertState::Closed => {
            let mut url = below(base, &["v2", "alerts", &alias, "close"])?;
            url.set_query(Some("identifierType=alias"));
            let note = short(or(&message.body, &message.title), TEXT_CHARACTERS);
            Request::json(url, &json!({"source": "Tidegauge", "note": note}))
        }
    };
    Ok(request.with_header("authorization", format!("GenieKey {}", configured.text("apiKey"))))
}

fn opened(message: &Message, alias: &str, context: &Context<'_>) -> Value {
    let mut details = Map::new();
    for (name, value) in facts(message).into_iter().take(FACTS_MAX) {
        details.insert(short(&name, FACT_CHARACTERS), json!(short(&value, FACT_CHARACTERS)));
    }
    details.insert("Message".to_owned(), json!(context.id.as_str()));
    let text = format!("{}\n\n{}", message.body, message.description);
    json!({
        "message": short(&message.title, TITLE_CHARACTERS),
        "alias": alias,
        "description": short(text.trim(), TEXT_CHARACTERS),
        "source": "Tidegauge",
        "priority": if message.is_test { "P5" } else { "P3" },
        "details": details,
    })
}
