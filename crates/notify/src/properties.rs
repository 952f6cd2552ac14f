//! Checks the `properties` of a notifier against the table of channels: exactly one channel, with its fields.

use serde_json::{Map, Value};
use tidegauge_model::address::{check_email, check_url};
use tidegauge_model::notifier::{CHANNELS, Channel, Field, FieldKind};
use tidegauge_model::{Rule, Violation};

/// Longest configuration of a channel, in bytes of JSON; templates of message bodies are the long ones.
pub const PROPERTIES_BYTES_MAX: usize = 32 * 1024;

const EMAILS_MAX: usize = 100;
const HEADERS_MAX: usize = 50;

/// The headers of `customWebhook` that are for nobody to read but who may change the notifier, in any case of letters, and
/// what stands for their values.
const SECRET_HEADERS: &str = "secretHeaders";
const HIDDEN: &str = "********";

/// The properties of a notifier for who may look at it and not change it: of secret headers only the names are there.
pub fn without_secret_headers(properties: &str) -> String {
    let mut properties: Map<String, Value> = serde_json::from_str(properties).unwrap_or_default();
    let channels = properties.values_mut().filter_map(Value::as_object_mut);
    let fields = channels.flat_map(Map::iter_mut);
    for (_, value) in fields.filter(|(name, _)| name.eq_ignore_ascii_case(SECRET_HEADERS)) {
        match value {
            Value::Object(headers) => headers.values_mut().for_each(|value| *value = HIDDEN.into()),
            other => *other = Value::Null,
        }
    }
    Value::Object(properties).to_string()
}

/// Finds the one channel that is configured and checks its fields.
pub fn check(properties: &Map<String, Value>) -> Result<&'static Channel, Violation> {
    let mut configured = properties.iter().filter(|(_, value)| !value.is_null());
    let Some((key, value)) = configured.next() else {
        return Err(not_one("must configure a channel"));
    };
    if let Some((second, _)) = configured.next() {
        return Err(not_one(&format!("must configure exactly one channel, not both {key} and {second}")));
    }
    let Some(channel) = Channel::by_key(key) else {
        return Err(not_one(&format!("has no channel {:?}", key.chars().take(64).collect::<String>())));
    };
    let path = format!("properties.{key}");
    let Value::Object(fields) = value else {
        return Err(Violation::wrong_type(path, "an object"));
    };
    for field in channel.fields {
        check_field(&path, channel, channel.spelling(key, field), field, fields)?;
    }
    Ok(channel)
}

fn not_one(problem: &str) -> Violation {
    let known: Vec<&str> = CHANNELS.iter().map(Channel::canonical_key).collect();
    Violation::new("properties", Rule::OneOf, format!("{problem}; the channels are [{}]", known.join(" ")))
}

fn check_field(
    path: &str,
    channel: &Channel,
    spelling: &str,
    field: &Field,
    fields: &Map<String, Value>,
) -> Result<(), Violation> {
    let mut spelled = fields.iter().filter(|(name, value)| channel.spells(field, name) && !value.is_null());
    let Some((name, value)) = spelled.next() else {
        return if field.required { Err(Violation::required(format!("{path}.{spelling}"))) } else { Ok(()) };
    };
    if let Some((again, _)) = spelled.next() {
        let problem = format!("stands for the same as {name}: give one of them");
        return Err(Violation::new(format!("{path}.{again}"), Rule::Unique, problem));
    }
    let path = format!("{path}.{name}");
    match field.kind {
        FieldKind::Flag => match value {
            Value::Bool(_) => Ok(()),
            _ => Err(Violation::wrong_type(path, "true or false")),
        },
        FieldKind::Text => check_text(&path, text(&path, value)?, field.required),
        FieldKind::Url => check_url(&path, text(&path, value)?),
        FieldKind::Emails => check_emails(&path, value),
        FieldKind::Headers => check_headers(&path, value),
        FieldKind::Word(words) if !words.contains(&text(&path, value)?) => {
            Err(Violation::one_of(path, words))
        }
        FieldKind::Word(_) => Ok(()),
    }
}

fn text<'a>(path: &str, value: &'a Value) -> Result<&'a str, Violation> {
    value.as_str().ok_or_else(|| Violation::wrong_type(path, "a string"))
}

fn check_text(path: &str, text: &str, required: bool) -> Result<(), Violation> {
    if required && text.is_empty() {
        return Err(Violation::new(path, Rule::TooShort, "should be at least 1 chars long"));
    }
    Ok(())
}

fn check_emails(path: &str, value: &Value) -> Result<(), Violation> {
    let Value::Array(emails) = value else {
        return Err(Violation::wrong_type(path, "a list of e-mail addresses"));
    };
    if emails.is_empty() {
        return Err(Violation::new(path, Rule::TooFewItems, "should have at least 1 items"));
    }
    if emails.len() > EMAILS_MAX {
        let problem = format!("should have at most {EMAILS_MAX} items");
        return Err(Violation::new(path, Rule::TooManyItems, problem));
    }
    for (index, email) in emails.iter().enumerate() {
        let path = format!("{path}.{index}");
        check_email(&path, text(&path, email)?)?;
    }
    Ok(())
}

fn check_headers(path: &str, value: &Value) -> Result<(), Violation> {
    let Value::Object(headers) = value else {
        return Err(Violation::wrong_type(path, "an object of header names and values"));
    };
    if headers.len() > HEADERS_MAX {
        let problem = format!("should have at most {HEADERS_MAX} items");
        return Err(Violation::new(path, Rule::TooManyItems, problem));
    }
    for (name, value) in headers {
        let path = format!("{path}.{name}");
        let is_token = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
        if name.is_empty() || !name.chars().all(is_token) {
            return Err(Violation::new(path, Rule::Pattern, "is not a name that a header can have"));
        }
        if text(&path, value)?.chars().any(|c| c.is_control() && c != '\t') {
            return Err(Violation::new(path, Rule::Pattern, "must not contain control characters"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check_json(value: Value) -> Result<&'static str, String> {
        let Value::Object(properties) = value else { panic!("an object") };
        check(&properties).map(Channel::canonical_key).map_err(|violation| violation.to_string())
    }

    #[test]
    fn of_secret_headers_the_names_are_shown() {
        let text = r#"{"customWebhook":{"URL":"https://a.example","SecretHeaders":{"X-B":"s3cret","X-A":"s3cret"},"headers":{"X":"y"}}}"#;
        let shown = r#"{"customWebhook":{"URL":"https://a.example","SecretHeaders":{"X-B":"********","X-A":"********"},"headers":{"X":"y"}}}"#;
        assert_eq!(without_secret_headers(text), shown);
        let twice = r#"{"customWebhook":{"secretHeaders":{"X-B":"s3cret"},"secretHeaders":null}}"#;
        assert!(!without_secret_headers(twice).contains("s3cret"));
    }

    #[test]
    fn every_channel_is_accepted_in_both_spellings() {
        let url = "https://example.com/hook";
        let cases = [
            (json!({"chatA": {"chatAChannel": "1", "chatAToken": "t"}}), "chatA"),
            (json!({"discord": {"discordChannel": "1", "discordToken": "t"}}), "chatA"),
            (json!({"chatAWebhook": {"chatAWebhookUrl": url}}), "chatAWebhook"),
            (json!({"discordWebhook": {"discordWebhookUrl": url}}), "chatAWebhook"),
            (json!({"email": {"emails": ["a@example.com"]}}), "email"),
            (json!({"chatC": {"chatCUrl": url}}), "chatC"),
            (json!({"microsoftTeams": {"microsoftTeamsUrl": url}}), "chatC"),
            (json!({"incidentA": {"apiKey": "k", "isEU": true}}), "incidentA"),
            (json!({"opsgenie": {"apiKey": "k"}}), "incidentA"),
            (json!({"incidentB": {"routingKey": "k", "token": ""}}), "incidentB"),
            (json!({"pagerduty": {"routingKey": "k", "token": "t"}}), "incidentB"),
            (json!({"chatB": {"chatBUrl": url}}), "chatB"),
            (json!({"slack": {"slackUrl": url}, "email": null}), "chatB"),
            (json!({"webhook": {"url": url}}), "webhook"),
            (json!({"webhook": {"url": url, "format": "alertmanager"}}), "webhook"),
            (json!({"webhook": {"url": url, "format": null}}), "webhook"),
            (json!({"customWebhook": {"URL": url, "Body": "{}", "Headers": {"X-A": "b"}}}), "customWebhook"),
            (
                json!({"customWebhook": {"url": url, "body": "{}", "secretHeaders": {"X": "y"}}}),
                "customWebhook",
            ),
        ];
        for (properties, channel) in cases {
            assert_eq!(check_json(properties.clone()), Ok(channel), "{properties}");
        }
    }

    #[test]
    fn each_mistake_names_its_field() {
        let cases = [
            (json!({}), "properties in body must configure a channel"),
            (json!({"email": null}), "properties in body must configure a channel"),
            (
                json!({"webhook": {"url": "https://a.b"}, "email": {"emails": ["a@b.c"]}}),
                "not both webhook and email",
            ),
            (json!({"telegram": {}}), "properties in body has no channel \"telegram\""),
            (json!({"email": []}), "properties.email in body must be an object"),
            (json!({"slack": {}}), "properties.slack.slackUrl in body is required"),
            (json!({"chatB": {"chatBUrl": null}}), "properties.chatB.chatBUrl in body is required"),
            (json!({"chatB": {"chatBUrl": 5}}), "properties.chatB.chatBUrl in body must be a string"),
            (
                json!({"webhook": {"url": "example"}}),
                "properties.webhook.url in body must be an http or https URL",
            ),
            (
                json!({"webhook": {"url": "https://a.b", "format": "xml"}}),
                "properties.webhook.format in body must be one of [default alertmanager alertmanagerApi]",
            ),
            (
                json!({"email": {"emails": []}}),
                "properties.email.emails in body should have at least 1 items",
            ),
            (
                json!({"email": {"emails": ["a@b.c", "nobody"]}}),
                "properties.email.emails.1 in body must be an e-mail",
            ),
            (
                json!({"incidentA": {"apiKey": "k", "isEU": "yes"}}),
                "properties.incidentA.isEU in body must be true",
            ),
            (
                json!({"incidentA": {"apiKey": ""}}),
                "properties.incidentA.apiKey in body should be at least 1",
            ),
            (
                json!({"customWebhook": {"url": "https://a.b", "URL": "x", "body": "b"}}),
                "URL in body stands for the same as url",
            ),
            (
                json!({"customWebhook": {"url": "https://a.b", "body": "", "headers": {"a b": "c"}}}),
                "properties.customWebhook.body in body should be at least 1",
            ),
            (
                json!({"customWebhook": {"url": "https://a.b", "body": "x", "headers": {"a b": "c"}}}),
                "properties.customWebhook.headers.a b in body is not a name",
            ),
        ];
        for (properties, expected) in cases {
            let message = check_json(properties.clone()).unwrap_err();
            assert!(message.contains(expected), "{properties}: {message}");
        }
    }
}
