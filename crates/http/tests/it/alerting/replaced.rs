//! A monitor that is given something else to watch: what the old query found stays for those who could query that, and
//! nobody else is told of its alerts.

use serde_json::{Value, json};
use tidegauge_model::monitor::AlertState::{Closed, Open};
use tidegauge_model::{MonitorId, NotifierId};

use super::findings::{get, token};
use super::support::{create, messages, monitor, next_minute, notifier, send};
use crate::app::TestApp;
use crate::cases::Case;

pub(crate) const ALL: &[(&str, Case)] = &[
    ("alerting::a_monitor_is_replaced_by_who_may_query_what_it_reads", |app| Box::pin(guarded(app))),
    ("alerting::what_an_earlier_query_found_stays_for_those_who_may_query_that", |app| {
        Box::pin(remembered(app))
    }),
    ("alerting::nobody_new_is_told_of_the_alerts_of_an_earlier_query", |app| Box::pin(forgotten(app))),
    ("alerting::alerts_go_on_while_the_same_is_watched", |app| Box::pin(goes_on(app))),
];

/// A monitor of two groups, one of which has an alert.
pub(super) async fn with_alert(app: &TestApp, hook: &NotifierId) -> (MonitorId, Value) {
    send(app, &json!([{"status": 200, "host": "a"}])).await;
    let definition = monitor(json!({
        "aplQuery": "['web'] | where status >= 500 | summarize count(), max(status) by host",
        "columnName": "count_",
        "notifyByGroup": true,
        "notifierIds": [hook.as_str()],
    }));
    let id = create(app, &definition).await;
    next_minute(app).await;
    let event = json!({"status": 500, "host": "secret-host"});
    send(app, &json!([event, event])).await;
    next_minute(app).await;
    assert_eq!(messages(app, hook).await.len(), 1);
    (id, definition)
}

/// An event of another dataset.
async fn send_other(app: &TestApp) {
    let (path, events) = ("/v1/datasets/other/ingest", json!([{"a": 1}]));
    let answer = app.send("POST", path, Some(&app.owner_token), Some(&events)).await;
    assert_eq!(answer.status, 200, "{answer:?}");
}

/// A definition with what is different.
fn but(definition: &Value, different: Value) -> Value {
    let mut changed = definition.clone();
    changed.as_object_mut().unwrap().extend(different.as_object().unwrap().clone());
    changed
}

async fn replace(app: &TestApp, id: &MonitorId, token: &str, definition: &Value) -> u16 {
    let path = format!("/v2/monitors/{id}");
    app.send("PUT", &path, Some(token), Some(definition)).await.status.as_u16()
}

/// All that anybody can ask about what the runs of a monitor have found.
pub(super) async fn all_that_is_told(app: &TestApp, id: &MonitorId, token: &str) -> String {
    let mut told = String::new();
    let stretch = "startTime=2026-06-01T00:00:00Z&endTime=2026-06-02T00:00:00Z";
    for path in [
        format!("/v2/monitors/{id}/runs"),
        format!("/v2/monitors/{id}/history?{stretch}"),
        "/v2/monitors/states".to_owned(),
        "/v2/annotations".to_owned(),
    ] {
        told += &get(app, &path, token).await.to_string();
    }
    for (tool, arguments) in [("getMonitorHistory", json!({"id": id.as_str()})), ("checkMonitors", json!({}))]
    {
        let call = json!({
            "jsonrpc": "2.0",
            "id": 1,
            "method": "tools/call",
            "params": {"name": tool, "arguments": arguments},
        });
        let answer = app.send("POST", "/mcp", Some(token), Some(&call)).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        told += &answer.json()["result"]["structuredContent"].to_string();
    }
    told
}

async fn guarded(app: TestApp) {
    let hook = notifier(&app).await;
    let (id, present) = with_alert(&app, &hook).await;
    send_other(&app).await;
    let org =
        json!({"monitors": ["read", "update"], "notifiers": ["read", "create"], "annotations": ["read"]});
    let nothing = token(&app, json!({"orgCapabilities": org})).await;
    let may_query = json!({"other": {"query": ["read"]}});
    let other = token(&app, json!({"orgCapabilities": org, "datasetCapabilities": may_query})).await;
    let own = notifier(&app).await;
    for different in [
        json!({"aplQuery": "print x = 1", "columnName": ""}),
        json!({"aplQuery": "['other'] | count", "columnName": "", "notifierIds": [own.as_str()]}),
        json!({"notifierIds": [own.as_str()]}),
        json!({"notifierIds": []}),
        json!({"threshold": 1_000}),
    ] {
        for token in [&nothing, &other] {
            assert_eq!(
                replace(&app, &id, token, &but(&present, different.clone())).await,
                403,
                "{different}"
            );
        }
    }
    // Who may query what it is to read as well as what it reads may do all of it.
    let may_query = json!({"web": {"query": ["read"]}, "other": {"query": ["read"]}});
    let both = token(&app, json!({"orgCapabilities": org, "datasetCapabilities": may_query})).await;
    let moved = but(&present, json!({"aplQuery": "['other'] | count", "columnName": ""}));
    assert_eq!(replace(&app, &id, &both, &moved).await, 200);
    // It is the same way back.
    assert_eq!(replace(&app, &id, &other, &present).await, 403);
    next_minute(&app).await;
    for token in [&nothing, &other] {
        let told = all_that_is_told(&app, &id, token).await;
        assert!(!told.contains("secret-host"), "{told}");
    }
    assert_eq!(messages(&app, &own).await.len(), 0);
}

async fn remembered(app: TestApp) {
    let hook = notifier(&app).await;
    let (id, present) = with_alert(&app, &hook).await;
    let org = json!({"monitors": ["read"], "annotations": ["read"]});
    let blind = token(&app, json!({"orgCapabilities": org})).await;
    let may_query = json!({"web": {"query": ["read"]}});
    let sees = token(&app, json!({"orgCapabilities": org, "datasetCapabilities": may_query})).await;
    let trivial = but(&present, json!({"aplQuery": "print x = 1", "columnName": ""}));
    assert_eq!(replace(&app, &id, &app.owner_token, &trivial).await, 200);
    let states = get(&app, "/v2/monitors/states", &sees).await;
    assert_eq!((&states[0]["state"], &states[0]["open"]), (&json!("closed"), &json!(0)), "{states}");
    assert!(!states[0]["lastRun"]["value"].is_null(), "{states}");
    let states = get(&app, "/v2/monitors/states", &blind).await;
    assert!(states[0]["lastRun"]["value"].is_null(), "{states}");
    next_minute(&app).await;
    let runs = get(&app, &format!("/v2/monitors/{id}/runs"), &blind).await;
    let runs = runs.as_array().unwrap();
    // The newest is of a query that reads nothing, and the others are of the one before.
    assert_eq!(runs[0]["value"].as_f64(), Some(1.0), "{runs:?}");
    assert!(runs.len() > 2 && runs[1..].iter().all(|run| run["value"].is_null()), "{runs:?}");
    let told = all_that_is_told(&app, &id, &blind).await;
    assert!(!told.contains("secret-host"), "{told}");
    for path in [format!("/v2/monitors/{id}/runs"), "/v2/annotations".to_owned()] {
        assert!(get(&app, &path, &sees).await.to_string().contains("secret-host"), "{path}");
    }
}

async fn forgotten(app: TestApp) {
    send_other(&app).await;
    for different in [
        json!({"aplQuery": "['other'] | where a > 5 | summarize count() by a"}),
        json!({"columnName": "max_status", "threshold": 1_000}),
        json!({"notifyByGroup": false}),
        json!({"type": "MatchEvent", "aplQuery": "['web'] | where status >= 500", "columnName": ""}),
    ] {
        let hook = notifier(&app).await;
        let (id, present) = with_alert(&app, &hook).await;
        let new = notifier(&app).await;
        let changed = but(&but(&present, different.clone()), json!({"notifierIds": [new.as_str()]}));
        assert_eq!(replace(&app, &id, &app.owner_token, &changed).await, 200, "{different}");
        next_minute(&app).await;
        next_minute(&app).await;
        let told = messages(&app, &new).await;
        assert!(told.is_empty(), "{different}: {told:?}");
        assert_eq!(messages(&app, &hook).await.len(), 1, "{different}");
        let states = get(&app, "/v2/monitors/states", &app.owner_token).await;
        let state = states.as_array().unwrap().iter().find(|state| state["id"] == id.as_str()).unwrap();
        assert_eq!((&state["state"], &state["open"]), (&json!("closed"), &json!(0)), "{different}: {state}");
    }
}

async fn goes_on(app: TestApp) {
    let hook = notifier(&app).await;
    let (id, present) = with_alert(&app, &hook).await;
    // Muting and renaming needs no right to read, and changes nothing of what is open.
    let quiet = token(&app, json!({"orgCapabilities": {"monitors": ["update"]}})).await;
    assert_eq!(replace(&app, &id, &quiet, &but(&present, json!({"name": "renamed"}))).await, 200);
    let states = get(&app, "/v2/monitors/states", &app.owner_token).await;
    assert_eq!(states[0]["open"], 1, "{states}");
    next_minute(&app).await;
    let states: Vec<_> = messages(&app, &hook).await.iter().map(|one| one.message.state).collect();
    assert_eq!(states, [Open, Closed]);
}
