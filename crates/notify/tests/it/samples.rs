//! Messages and settings to begin with.

use tidegauge_model::message::Message;
use tidegauge_model::monitor::AlertState;
use tidegauge_model::{DeliveryId, Timestamp};
use tidegauge_notify::channels::{Bases, Configured, Context, Outbound, Request, Unwritable};
use tidegauge_notify::signature::SigningKey;

pub(crate) const DELIVERY: &str = "msg_01890a5dac96774bbcceb302099a8057";

/// 2026-06-28T14:55:57.631364Z and some seconds.
pub(crate) fn at(seconds: i64) -> Timestamp {
    Timestamp::parse("2026-06-28T14:55:57.631364Z").unwrap().minus_seconds(-seconds)
}

pub(crate) fn opened() -> Message {
    Message {
        state: AlertState::Open,
        monitor: "mon_01890a5dac96774bbcceb302099a8057".into(),
        incident: "mon_01890a5dac96774bbcceb302099a8057.1782658500".to_owned(),
        title: "Errors Triggered".to_owned(),
        body: "Current value of 57347 is above or equal to the threshold value of 0".to_owned(),
        description: "More errors than on a quiet day".to_owned(),
        query_start: at(-300),
        query_end: at(0),
        timestamp: at(1),
        value: 57_347.0,
        matched_event: None,
        group: Vec::new(),
        is_test: false,
    }
}

pub(crate) fn closed() -> Message {
    Message {
        state: AlertState::Closed,
        title: "Errors Resolved".to_owned(),
        body: "Current value of 0 is below the threshold value of 1".to_owned(),
        value: 0.0,
        timestamp: at(61),
        ..opened()
    }
}

pub(crate) fn grouped() -> Message {
    let pair = |key: &str, value: &str| (key.to_owned(), value.to_owned());
    Message { group: vec![pair("service", "checkout"), pair("region", "eu-1")], ..opened() }
}

pub(crate) fn matched() -> Message {
    Message {
        title: "Errors Triggered".to_owned(),
        body: "An event matched".to_owned(),
        matched_event: Some(r#"{"_time":"2026-06-28T14:55:57Z","status":500,"path":"/pay"}"#.to_owned()),
        value: 1.0,
        ..opened()
    }
}

/// A message that tries to leave wherever it is put.
pub(crate) fn hostile() -> Message {
    let text = "\"},\"x\":\"\\\" <!channel> @everyone [a](http://evil) *b* `c` {{.Title}}\n\u{0}\u{202e}";
    Message {
        title: text.to_owned(),
        body: text.to_owned(),
        description: text.to_owned(),
        incident: text.to_owned(),
        matched_event: Some(serde_json::json!({"text": text}).to_string()),
        group: vec![(text.to_owned(), text.to_owned())],
        value: f64::NAN,
        ..opened()
    }
}

pub(crate) fn bases() -> Bases {
    Bases {
        chat_a: "https://chat-a.example/api/v10".to_owned(),
        incident_a: "https://incident-a.example".to_owned(),
        incident_a_eu: "https://eu.incident-a.example".to_owned(),
        incident_b: "https://incident-b.example".to_owned(),
    }
}

pub(crate) fn write(properties: &serde_json::Value, message: &Message) -> Result<Outbound, Unwritable> {
    let id = DeliveryId::from(DELIVERY);
    let secret = SigningKey::new(&[7; 32]).secret(&"org_1".into(), &"notify_1".into());
    let context = Context { id: &id, now: at(2), bases: &bases(), secret: &secret };
    Configured::read(&properties.to_string()).unwrap().write(message, &context)
}

pub(crate) fn request(properties: &serde_json::Value, message: &Message) -> Request {
    match write(properties, message).unwrap() {
        Outbound::Http(request) => request,
        Outbound::Mail(mail) => panic!("{mail:?}"),
    }
}
