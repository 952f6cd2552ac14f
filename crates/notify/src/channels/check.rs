//! What is checked of a channel when its notifier is saved, beyond the table of channels: where its addresses lead,
//! its template, and the headers that are not its own to set.

use serde_json::Value;
use tidegauge_egress::webhook::{WebhookClient, is_transport_header};
use tidegauge_model::notifier::FieldKind;
use tidegauge_model::{Rule, Violation};

use super::Configured;
use crate::signature::HEADERS;
use crate::template::Template;

impl Configured {
    /// Refuses what could not be sent, so that people learn of it before there is something to tell.
    pub fn check(&self, webhook_client: &WebhookClient) -> Result<(), Violation> {
        for field in self.channel.fields {
            let Some(value) = self.value(field.names[0]) else {
                continue;
            };
            let path = format!("properties.{}.{}", self.key, self.channel.spelling(&self.key, field));
            match (field.kind, value) {
                (FieldKind::Url, Value::String(url)) => {
                    webhook_client
                        .check(url)
                        .map_err(|problem| Violation::new(&path, Rule::Pattern, problem.to_string()))?;
                }
                (FieldKind::Headers, Value::Object(headers)) => {
                    headers.keys().try_for_each(|name| check_header(&path, name))?;
                }
                _ => {}
            }
            if self.channel.canonical_key() == "customWebhook" && field.names[0] == "body" {
                Template::parse(value.as_str().unwrap_or_default())
                    .map_err(|mistake| Violation::new(path, Rule::Pattern, mistake.to_string()))?;
            }
        }
        Ok(())
    }
}

fn check_header(path: &str, name: &str) -> Result<(), Violation> {
    let is_signature = HEADERS.iter().any(|known| name.eq_ignore_ascii_case(known));
    if is_signature || is_transport_header(name) {
        let problem = "is set by the service and cannot be given";
        return Err(Violation::new(format!("{path}.{name}"), Rule::Pattern, problem));
    }
    Ok(())
}
