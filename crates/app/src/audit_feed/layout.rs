//! How an entry looks as an event. The list of fields is part of the interface: it only grows, and what a field means
//! stays. `docs/reference/audit-events.md` has it for people.

use serde_json::{Map, Value};
use tidegauge_catalog::event_feed::{EntryKind, FeedEntry};
use tidegauge_model::{EndpointId, MonitorId, Timestamp, TokenId, UserId};

/// Every field that an event can have beside its time. One that has nothing to say is absent.
pub const FIELDS: [&str; 18] = [
    "kind",
    "action",
    "actor",
    "actorKind",
    "person",
    "credential",
    "target",
    "dataset",
    "monitor",
    "notifier",
    "outcome",
    "status",
    "detail",
    "requestId",
    "times",
    "seq",
    "changed",
    "details",
];

/// The body of a request that would send these entries.
pub fn body(entries: &[FeedEntry]) -> String {
    Value::Array(entries.iter().map(event).collect()).to_string()
}

fn event(entry: &FeedEntry) -> Value {
    let mut details: Map<String, Value> = serde_json::from_str(&entry.details).unwrap_or_default();
    let mut event = Map::new();
    let time = Timestamp::from_micros(entry.at).to_string();
    event.insert("_time".to_owned(), time.into());
    let (person, credential) = parts(&entry.actor);
    let is_run = entry.kind == EntryKind::MonitorRun.name();
    let monitor = match is_run {
        true => Some(entry.target.clone()),
        false => details.remove("monitor").and_then(|monitor| monitor.as_str().map(str::to_owned)),
    };
    let notifier = details.remove("notifier").and_then(|notifier| notifier.as_str().map(str::to_owned));
    let texts = [
        ("kind", Some(entry.kind.as_str())),
        ("action", Some(entry.action.as_str())),
        ("actor", Some(entry.actor.as_str())),
        ("actorKind", Some(actor_kind(&entry.actor))),
        ("person", person),
        ("credential", credential),
        ("target", Some(entry.target.as_str())),
        ("dataset", dataset(entry)),
        ("monitor", monitor.as_deref()),
        ("notifier", notifier.as_deref()),
        ("outcome", Some(entry.outcome.as_str())),
        ("detail", Some(entry.detail.as_str())),
        ("requestId", Some(entry.request_id.as_str())),
    ];
    for (name, text) in texts {
        if let Some(text) = text.filter(|text| !text.is_empty()) {
            event.insert(name.to_owned(), text.into());
        }
    }
    for name in ["status", "changed"] {
        if let Some(value) = details.remove(name) {
            event.insert(name.to_owned(), value);
        }
    }
    event.insert("times".to_owned(), entry.times.into());
    event.insert("seq".to_owned(), entry.seq.into());
    if !details.is_empty() {
        event.insert("details".to_owned(), Value::Object(details));
    }
    Value::Object(event)
}

/// The person of an actor, and what they came with: `user_… (token_…)`.
fn parts(actor: &str) -> (Option<&str>, Option<&str>) {
    let (person, credential) = match actor.split_once(" (") {
        Some((person, rest)) => (person, rest.strip_suffix(')')),
        None => (actor, None),
    };
    (Some(person).filter(|person| UserId::parse(person).is_some()), credential)
}

fn actor_kind(actor: &str) -> &'static str {
    match parts(actor) {
        (_, Some(token)) if TokenId::parse(token).is_some() => "token",
        (_, Some(endpoint)) if EndpointId::parse(endpoint).is_some() => "endpoint",
        (_, Some(_)) => "client",
        (Some(_), None) => "person",
        (None, None) if MonitorId::parse(actor).is_some() => "monitor",
        (None, None) if ["service", "first start"].contains(&actor) => "service",
        (None, None) if actor == "operator" => "operator",
        (None, None) => "unknown",
    }
}

/// The dataset that an entry is about: that of a change, or the one in the path of a refused call.
fn dataset(entry: &FeedEntry) -> Option<&str> {
    if entry.kind == EntryKind::Audit.name() {
        return entry.action.starts_with("dataset.").then_some(entry.target.as_str());
    }
    if entry.kind != EntryKind::Refusal.name() {
        return None;
    }
    let mut path = entry.target.split('/').skip_while(|part| *part != "datasets").skip(1);
    path.next().filter(|name| !name.starts_with('_') && !name.contains('%'))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const USER: &str = "user_018bcfe56800700080000000000000b1";
    const TOKEN: &str = "token_018bcfe56800700080000000000000c2";

    fn entry(kind: EntryKind, actor: &str, action: &str, target: &str) -> FeedEntry {
        FeedEntry {
            seq: 7,
            kind: kind.name().to_owned(),
            at: 1_700_000_000_000_001,
            actor: actor.to_owned(),
            action: action.to_owned(),
            target: target.to_owned(),
            outcome: "done".to_owned(),
            detail: String::new(),
            request_id: String::new(),
            times: 1,
            details: "{}".to_owned(),
        }
    }

    #[test]
    fn a_change_says_who_what_and_where() {
        let entry = entry(EntryKind::Audit, &format!("{USER} ({TOKEN})"), "dataset.create", "logs");
        let expected = json!({
            "_time": "2023-11-14T22:13:20.000001Z", "kind": "audit", "action": "dataset.create",
            "actor": format!("{USER} ({TOKEN})"), "actorKind": "token", "person": USER, "credential": TOKEN,
            "target": "logs", "dataset": "logs", "outcome": "done", "times": 1, "seq": 7,
        });
        assert_eq!(event(&entry), expected);
    }

    #[test]
    fn details_come_out_under_names_of_their_own() {
        let details = r#"{"notifier":"notify_1","monitor":"","attempt":2,"latencyMs":5,"status":503}"#;
        let delivery = entry(EntryKind::Delivery, "service", "delivery.attempt", "msg_1");
        let event = event(&FeedEntry { details: details.to_owned(), ..delivery });
        assert_eq!((&event["status"], &event["notifier"]), (&json!(503), &json!("notify_1")));
        assert_eq!(event["details"], json!({"attempt": 2, "latencyMs": 5}));
        assert_eq!(event.get("monitor"), None);
    }

    #[test]
    fn no_event_has_a_field_that_is_not_listed() {
        let details = r#"{"notifier":"n","monitor":"m","status":1,"changed":1,"attempt":2}"#;
        for kind in [EntryKind::Audit, EntryKind::Refusal, EntryKind::Delivery, EntryKind::MonitorRun] {
            let mut all =
                entry(kind, &format!("{USER} ({TOKEN})"), "dataset.create", "/v1/datasets/logs/ingest");
            (all.details, all.detail, all.request_id) =
                (details.to_owned(), "x".to_owned(), "req".to_owned());
            for name in event(&all).as_object().unwrap().keys() {
                assert!(name == "_time" || FIELDS.contains(&name.as_str()), "{name}");
            }
        }
    }

    #[test]
    fn actors_are_told_apart() {
        for (actor, kind) in [
            (USER.to_owned(), "person"),
            (format!("{USER} ({TOKEN})"), "token"),
            (format!("{USER} (endpoint_018bcfe56800700080000000000000c2)"), "endpoint"),
            (format!("{USER} (https://client.example)"), "client"),
            ("mon_018bcfe56800700080000000000000c2".to_owned(), "monitor"),
            ("service".to_owned(), "service"),
            ("operator".to_owned(), "operator"),
            ("unknown".to_owned(), "unknown"),
            (String::new(), "unknown"),
        ] {
            assert_eq!(actor_kind(&actor), kind, "{actor}");
        }
    }

    #[test]
    fn a_refused_call_names_the_dataset_of_its_path() {
        for (path, name) in [
            ("/v1/datasets/logs/ingest", Some("logs")),
            ("/v2/datasets/logs", Some("logs")),
            ("/v2/datasets", None),
            ("/v1/datasets/_apl", None),
            ("/v2/monitors/datasets", None),
        ] {
            assert_eq!(dataset(&entry(EntryKind::Refusal, USER, "GET /x", path)), name, "{path}");
        }
    }
}
