//! What Alertmanager speaks: the body of its webhook receivers (version 4), so that what was written for them takes our
//! messages unchanged, and the list of alerts that it takes itself (`/api/v2/alerts`). An alert is known by its labels,
//! so they are the same from the opening to the end: groups, of which other ones may be open at the end, are annotations.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Value, json};
use tidegauge_model::Timestamp;
use tidegauge_model::message::Message;
use tidegauge_model::monitor::AlertState;

use super::Context;
use crate::text::{number, or, short};

/// The values of a webhook's `format`.
pub(super) const RECEIVER: &str = "alertmanager";
pub(super) const API: &str = "alertmanagerApi";

/// An alert that nobody repeats ends by itself in Alertmanager, unless it says itself when; ours are not repeated until
/// they end, which is told.
const OPEN_FOR: Duration = Duration::from_secs(30 * 24 * 3600);

/// What stands for no time.
const NO_TIME: &str = "0001-01-01T00:00:00Z";

const TEXT_CHARACTERS: usize = 8 * 1024;
const NAME_CHARACTERS: usize = 128;

type Pairs = BTreeMap<String, String>;

/// A message as a receiver of webhooks takes it.
pub(super) fn received(message: &Message, context: &Context<'_>) -> Value {
    let status = match message.state {
        AlertState::Open => "firing",
        AlertState::Closed => "resolved",
    };
    let (labels, annotations) = (labels(message), annotations(message, context));
    let ends = match message.state {
        AlertState::Open => NO_TIME.to_owned(),
        AlertState::Closed => message.timestamp.to_string(),
    };
    let [name, monitor] = [&labels["alertname"], &labels["monitor"]].map(|value| json!(value));
    json!({
        "version": "4",
        "groupKey": format!("{{}}:{{alertname={name}, monitor={monitor}}}"),
        "truncatedAlerts": 0,
        "status": status,
        "receiver": "tidegauge",
        "groupLabels": {"alertname": name, "monitor": monitor},
        "commonLabels": labels,
        "commonAnnotations": annotations,
        "externalURL": "",
        "alerts": [{
            "status": status,
            "labels": labels,
            "annotations": annotations,
            "startsAt": began(message).to_string(),
            "endsAt": ends,
            "generatorURL": "",
            "fingerprint": fingerprint(&labels),
        }],
    })
}

/// A message as Alertmanager itself takes it.
pub(super) fn posted(message: &Message, context: &Context<'_>) -> Value {
    let mut alert = json!({
        "labels": labels(message),
        "annotations": annotations(message, context),
        "startsAt": began(message).to_string(),
    });
    // Of what has no end that will be told, Alertmanager decides when it is over.
    let ends_by_itself = message.is_test || message.matched_event.is_some();
    match message.state {
        AlertState::Closed => alert["endsAt"] = json!(message.timestamp.to_string()),
        AlertState::Open if !ends_by_itself => {
            alert["endsAt"] = json!(message.timestamp.plus(OPEN_FOR).to_string());
        }
        AlertState::Open => {}
    }
    json!([alert])
}

fn labels(message: &Message) -> Pairs {
    let title = message.title.as_str();
    let name = title.strip_suffix(" Triggered").or_else(|| title.strip_suffix(" Resolved")).unwrap_or(title);
    let pairs = [
        ("alertname", short(or(name, "Tidegauge"), NAME_CHARACTERS)),
        ("incident", message.incident.clone()),
        ("monitor", message.monitor.to_string()),
        ("severity", if message.is_test { "info" } else { "critical" }.to_owned()),
    ];
    pairs.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

fn annotations(message: &Message, context: &Context<'_>) -> Pairs {
    let mut pairs = Pairs::new();
    for (name, value) in &message.group {
        // Of two names that become one, the first stays.
        pairs.entry(format!("group_{}", plain(name))).or_insert_with(|| short(value, TEXT_CHARACTERS));
    }
    let summary = short(&message.title, TEXT_CHARACTERS);
    let told = [
        ("summary", summary.as_str()),
        ("description", message.body.as_str()),
        ("notes", message.description.as_str()),
        ("event", message.matched_event.as_deref().unwrap_or_default()),
    ];
    for (name, text) in told.into_iter().filter(|(_, text)| !text.is_empty()) {
        pairs.insert(name.to_owned(), short(text, TEXT_CHARACTERS));
    }
    if message.value.is_finite() {
        pairs.insert("value".to_owned(), number(message.value).to_string());
    }
    pairs.insert("query_start".to_owned(), message.query_start.to_string());
    pairs.insert("query_end".to_owned(), message.query_end.to_string());
    pairs.insert("message".to_owned(), context.id.to_string());
    pairs
}

/// A name as Prometheus has them.
fn plain(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    name.chars().take(NAME_CHARACTERS).map(plain).collect()
}

/// When the alert opened, which its incident is named after; an event is told when it came.
fn began(message: &Message) -> Timestamp {
    let named = message.incident.rsplit_once('-').and_then(|(_, at)| at.parse::<i64>().ok());
    let named = named.map(Timestamp::from_micros).filter(|at| *at > message.timestamp.minus(OPEN_FOR * 12));
    named.filter(|at| *at <= message.timestamp).unwrap_or(message.timestamp)
}

/// What Alertmanager knows an alert by: FNV-1a over the labels in order.
fn fingerprint(labels: &Pairs) -> String {
    const BASIS: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0100_0000_01b3;
    const BETWEEN: u8 = 0xff;
    let step = |sum: u64, byte: u8| (sum ^ u64::from(byte)).wrapping_mul(PRIME);
    let sum = labels.iter().fold(BASIS, |sum, (name, value)| {
        let bytes = name.bytes().chain([BETWEEN]).chain(value.bytes()).chain([BETWEEN]);
        bytes.fold(sum, step)
    });
    format!("{sum:016x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fingerprint_is_that_of_prometheus() {
        assert_eq!(fingerprint(&Pairs::new()), "cbf29ce484222325");
        // From the tests of the library that Alertmanager uses.
        let labels = [("name", "garland, briggs"), ("fear", "love is not enough")];
        let labels = labels.map(|(name, value)| (name.to_owned(), value.to_owned())).into_iter().collect();
        assert_eq!(u64::from_str_radix(&fingerprint(&labels), 16), Ok(5_799_056_148_416_392_346));
    }
}
