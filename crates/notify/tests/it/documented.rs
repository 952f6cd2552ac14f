//! The examples of docs/reference/notifiers.md are what is sent. `BLESS=1` writes them anew: read them before you
//! commit.

use std::fmt::Write;
use std::path::Path;

use serde_json::{Value, json};
use tidegauge_model::message::Message;
use tidegauge_notify::channels::Outbound;

use crate::samples::{closed, grouped, matched, opened, write};

fn examples() -> Vec<(&'static str, Value, Message)> {
    let url = "https://hooks.example/T000/B000";
    let chat_a = json!({"chatA": {"chatAChannel": "1234", "chatAToken": "TOKEN"}});
    let incident_a = json!({"incidentA": {"apiKey": "KEY"}});
    let incident_b = json!({"incidentB": {"routingKey": "KEY"}});
    let template = "{\n  \"text\": \"{{.Title}}: {{.Body}}\",\n  {{- if .MatchedEvent}}\n  \"event\": {{jsonObject .MatchedEvent}},\n  {{- end}}\n  \"isOpen\": {{eq .Action \"Open\"}}\n}";
    let custom = json!({"customWebhook": {
        "url": url, "body": template, "headers": {"X-Team": "payments"}, "secretHeaders": {"Authorization": "Bearer SECRET"},
    }});
    vec![
        ("chatA open", chat_a, grouped()),
        ("chatAWebhook open", json!({"chatAWebhook": {"chatAWebhookUrl": url}}), opened()),
        ("chatB open", json!({"chatB": {"chatBUrl": url}}), grouped()),
        ("chatC closed", json!({"chatC": {"chatCUrl": url}}), closed()),
        ("incidentA open", incident_a.clone(), opened()),
        ("incidentA closed", incident_a, closed()),
        ("incidentB open", incident_b.clone(), grouped()),
        ("incidentB closed", incident_b, closed()),
        ("email open", json!({"email": {"emails": ["ops@example.com", "oncall@example.com"]}}), grouped()),
        ("webhook open", json!({"webhook": {"url": url}}), grouped()),
        ("webhook closed", json!({"webhook": {"url": url}}), closed()),
        ("webhook alertmanager", json!({"webhook": {"url": url, "format": "alertmanager"}}), grouped()),
        (
            "webhook alertmanagerApi",
            json!({"webhook": {"url": format!("{url}/api/v2/alerts"), "format": "alertmanagerApi"}}),
            closed(),
        ),
        ("customWebhook matched", custom, matched()),
    ]
}

/// A message as it goes out, for people to read.
fn shown(properties: &Value, message: &Message) -> String {
    match write(properties, message).unwrap() {
        Outbound::Http(request) => {
            let mut text = format!("```text\nPOST {}\n", request.url);
            for (name, value) in &request.headers {
                writeln!(text, "{name}: {value}").unwrap();
            }
            // Signatures are over the bytes as they are sent; here they are indented.
            let body: Value = serde_json::from_str(&request.body).unwrap();
            format!("{text}\n{}\n```\n", serde_json::to_string_pretty(&body).unwrap())
        }
        Outbound::Mail(mail) => format!(
            "```text\nTo: {}\nSubject: {}\nMessage-ID: <{}@example.com>\nReferences: <{}@example.com>\n\n{}```\n",
            mail.to.join(", "),
            mail.subject,
            mail.id,
            mail.thread,
            mail.text
        ),
    }
}

#[test]
#[expect(clippy::disallowed_methods, reason = "a test binary has no settings but this one")]
fn the_examples_of_the_reference_are_what_is_sent() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/notifiers.md");
    let before = std::fs::read_to_string(&path).unwrap();
    let mut page = before.clone();
    for (name, properties, message) in examples() {
        let mark = format!("<!-- example: {name} -->\n");
        let (head, rest) = page.split_once(&mark).unwrap_or_else(|| panic!("the page has no {mark}"));
        let rest = match rest.strip_prefix("```") {
            Some(block) => block.split_once("\n```\n").unwrap().1,
            None => rest,
        };
        page = format!("{head}{mark}{}{rest}", shown(&properties, &message));
    }
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, &page).unwrap();
        return;
    }
    assert!(page == before, "the page differs\nBLESS=1 writes what is sent into it: read it before");
}
