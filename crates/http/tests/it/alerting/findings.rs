//! What runs have found is for those who could have found it, and goes nowhere else.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use tidegauge_app::service::alerting::run::{Ran, run_as_read};
use tidegauge_model::message::DeliveryState;
use tidegauge_model::time::Clock;
use tidegauge_model::{MonitorId, NotifierId};

use super::support::{MINUTE, create, messages, monitor, next_minute, notifier, run_due, send};
use crate::app::TestApp;
use crate::cases::Case;

pub(crate) const ALL: &[(&str, Case)] = &[
    ("alerting::what_was_found_is_for_those_who_may_query_it", |app| Box::pin(values(app))),
    ("alerting::why_a_run_failed_is_for_those_who_may_query_it", |app| Box::pin(failures(app))),
    ("alerting::a_used_notifier_is_pointed_elsewhere_by_who_may_choose_it", |app| Box::pin(elsewhere(app))),
    ("alerting::what_waits_does_not_follow_a_notifier_to_a_stranger", |app| Box::pin(waiting(app))),
    ("alerting::what_is_being_found_does_not_follow_a_notifier_to_a_stranger", |app| {
        Box::pin(in_flight(app))
    }),
    ("alerting::what_was_given_up_does_not_follow_a_notifier_to_a_stranger", |app| Box::pin(given_up(app))),
];

/// A token of the owner's with these rights.
pub(super) async fn token(app: &TestApp, rights: Value) -> String {
    let mut body = json!({"name": "some rights"});
    body.as_object_mut().unwrap().extend(rights.as_object().unwrap().clone());
    let made = app.send("POST", "/v2/tokens", Some(&app.owner_token), Some(&body)).await;
    assert_eq!(made.status, 200, "{made:?}");
    made.json()["token"].as_str().unwrap().to_owned()
}

pub(super) async fn get(app: &TestApp, path: &str, token: &str) -> Value {
    let answer = app.send("GET", path, Some(token), None).await;
    assert_eq!(answer.status, 200, "{path}: {answer:?}");
    answer.json()
}

async fn values(app: TestApp) {
    send(&app, &json!([{"status": 200, "host": "a"}])).await;
    let different = json!({
        "aplQuery": "['web'] | where status >= 500 | summarize count() by host",
        "notifyByGroup": true,
    });
    let id = create(&app, &monitor(different)).await;
    next_minute(&app).await;
    send(&app, &json!([{"status": 500, "host": "secret-host"}, {"status": 500, "host": "secret-host"}]))
        .await;
    next_minute(&app).await;
    let may_query = json!({"web": {"query": ["read"]}});
    let org = json!({"monitors": ["read"], "annotations": ["read", "update"]});
    let sees = token(&app, json!({"orgCapabilities": org, "datasetCapabilities": may_query})).await;
    let blind = token(&app, json!({"orgCapabilities": org})).await;
    let elsewhere = json!({"other": {"query": ["read"]}});
    let other = token(&app, json!({"orgCapabilities": org, "datasetCapabilities": elsewhere})).await;
    let paths = [format!("/v2/monitors/{id}/runs"), "/v2/annotations".into(), "/v2/monitors/states".into()];
    for path in paths {
        assert!(get(&app, &path, &sees).await.to_string().contains("secret-host"), "{path}");
        for token in [&blind, &other] {
            let told = get(&app, &path, token).await;
            assert!(!told.to_string().contains("secret-host"), "{path}: {told}");
            assert!(!told.as_array().unwrap().is_empty(), "that something was found is no secret");
        }
    }
    let runs = get(&app, &format!("/v2/monitors/{id}/runs"), &blind).await;
    assert!(runs.as_array().unwrap().iter().all(|run| run["value"].is_null() && run.get("group").is_none()));
    // An id that is made of the values would let them be guessed.
    let seen = get(&app, &format!("/v2/monitors/{id}/runs"), &sees).await;
    let (seen, runs) = (seen.as_array().unwrap(), runs.as_array().unwrap());
    assert!(seen.len() == runs.len() && seen.iter().any(|run| !run["group"].is_null()), "{seen:?}");
    for (seen, hidden) in seen.iter().zip(runs) {
        assert_eq!(seen["checkId"] == hidden["checkId"], seen["group"].is_null(), "{seen} {hidden}");
    }
    let ids: BTreeSet<&str> = runs.iter().map(|run| run["checkId"].as_str().unwrap()).collect();
    assert_eq!(ids.len(), runs.len());
    // Nor does an annotation tell more when it is moved to a dataset that its reader may query.
    let mark = get(&app, "/v2/annotations", &other).await[0]["id"].as_str().unwrap().to_owned();
    let path = format!("/v2/annotations/{mark}");
    let moved = app.send("PUT", &path, Some(&other), Some(&json!({"datasets": ["other"]}))).await;
    assert_eq!(moved.status, 200, "{moved:?}");
    assert!(!moved.json().to_string().contains("secret-host"));
    assert!(!get(&app, &path, &other).await.to_string().contains("secret-host"));
    assert!(get(&app, &path, &sees).await.to_string().contains("secret-host"));
}

/// What is wrong with a query names fields that there are.
async fn failures(app: TestApp) {
    send(&app, &json!([{"status": 200}])).await;
    let set = async |method: &str, path: &str, text: &str| {
        let view = json!({"name": "shown", "aplQuery": text});
        let answer = app.send(method, path, Some(&app.owner_token), Some(&view)).await;
        assert_eq!(answer.status, 200, "{answer:?}");
    };
    set("POST", "/v2/views", "['web'] | project weight = status").await;
    let id = create(&app, &monitor(json!({"aplQuery": "shown | summarize count() by weight"}))).await;
    set("PUT", "/v2/views/shown", "['web'] | project secret_name = status").await;
    next_minute(&app).await;
    let may_query = json!({"web": {"query": ["read"]}});
    let may_use = json!({"shown": {"query": ["read"]}});
    let org = json!({"monitors": ["read"]});
    let sees = json!({"orgCapabilities": org, "datasetCapabilities": may_query, "viewCapabilities": may_use});
    let (sees, blind) = (token(&app, sees).await, token(&app, json!({"orgCapabilities": org})).await);
    for path in [format!("/v2/monitors/{id}/runs"), "/v2/monitors/states".into()] {
        let told = get(&app, &path, &sees).await.to_string();
        assert!(told.contains("secret_name"), "{path}: {told}");
        let told = get(&app, &path, &blind).await.to_string();
        assert!(told.contains("the query failed") && !told.contains("secret_name"), "{path}: {told}");
    }
}

async fn elsewhere(app: TestApp) {
    send(&app, &json!([{"status": 200}])).await;
    let hook = notifier(&app).await;
    create(&app, &monitor(json!({"notifierIds": [hook.as_str()]}))).await;
    let path = format!("/v2/notifiers/{hook}");
    let present = get(&app, &path, &app.owner_token).await;
    let mut pointed = present.clone();
    pointed["properties"] = json!({"webhook": {"url": "https://elsewhere.test/hook"}});
    let mut renamed = present.clone();
    renamed["name"] = json!("another name");
    let notifiers = json!({"notifiers": ["read", "update"]});
    let both = json!({"notifiers": ["read", "update"], "monitors": ["update"]});
    let may_query = json!({"web": {"query": ["read"]}});
    for (rights, expected) in [
        (json!({"orgCapabilities": notifiers}), 403),
        (json!({"orgCapabilities": notifiers, "datasetCapabilities": may_query}), 403),
        (json!({"orgCapabilities": both}), 403),
        (json!({"orgCapabilities": both, "datasetCapabilities": may_query}), 200),
    ] {
        let token = token(&app, rights.clone()).await;
        let answer = app.send("PUT", &path, Some(&token), Some(&renamed)).await;
        assert_eq!(answer.status, 200, "a name says nothing of where messages go: {answer:?}");
        let answer = app.send("PUT", &path, Some(&token), Some(&pointed)).await;
        assert_eq!(answer.status, expected, "{rights}: {answer:?}");
        let answer = app.send("PUT", &path, Some(&app.owner_token), Some(&present)).await;
        assert_eq!(answer.status, 200, "{answer:?}");
    }
    // One that no monitor uses is as free as before.
    let unused = notifier(&app).await;
    let token = token(&app, json!({"orgCapabilities": notifiers})).await;
    let answer = app.send("PUT", &format!("/v2/notifiers/{unused}"), Some(&token), Some(&pointed)).await;
    assert_eq!(answer.status, 200, "{answer:?}");
}

/// A monitor whose finding waits for a notifier that a token has paused. Gives the notifier as it stands, too.
async fn paused_finding(app: &TestApp, pauses: &str) -> (MonitorId, NotifierId, Value) {
    send(app, &json!([{"status": 200}])).await;
    let hook = notifier(app).await;
    let watching = create(app, &monitor(json!({"notifierIds": [hook.as_str()]}))).await;
    let path = format!("/v2/notifiers/{hook}");
    let mut paused = get(app, &path, &app.owner_token).await;
    paused["disabledUntil"] = json!("2030-01-01T00:00:00Z");
    let answer = app.send("PUT", &path, Some(pauses), Some(&paused)).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    next_minute(app).await;
    send(app, &json!([{"status": 500}, {"status": 500}])).await;
    next_minute(app).await;
    assert_eq!(states(app, &hook).await, [DeliveryState::Waiting]);
    (watching, hook, paused)
}

async fn states(app: &TestApp, notifier: &NotifierId) -> Vec<DeliveryState> {
    messages(app, notifier).await.into_iter().map(|message| message.state).collect()
}

/// Points a notifier to a place of the caller's.
async fn point(app: &TestApp, hook: &NotifierId, present: &Value, token: &str) -> u16 {
    let mut pointed = present.clone();
    pointed["properties"] = json!({"webhook": {"url": "https://elsewhere.test/hook"}});
    pointed["disabledUntil"] = Value::Null;
    app.send("PUT", &format!("/v2/notifiers/{hook}"), Some(token), Some(&pointed)).await.status.as_u16()
}

/// Sends the one message of a notifier again.
async fn replay(app: &TestApp, hook: &NotifierId, token: &str) -> u16 {
    let message = messages(app, hook).await.remove(0).id;
    let path = format!("/v2/notifiers/{hook}/deliveries/{message}/replay");
    app.send("POST", &path, Some(token), None).await.status.as_u16()
}

async fn waiting(app: TestApp) {
    let stranger = token(&app, json!({"orgCapabilities": {"notifiers": ["read", "update"]}})).await;
    let (watching, hook, paused) = paused_finding(&app, &stranger).await;
    assert_eq!(point(&app, &hook, &paused, &stranger).await, 403, "a monitor uses it");
    // The owner of the monitor has another one told.
    let other = notifier(&app).await;
    let moved = monitor(json!({"notifierIds": [other.as_str()]}));
    let path = format!("/v2/monitors/{watching}");
    let answer = app.send("PUT", &path, Some(&app.owner_token), Some(&moved)).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    // Saving it as it is drops nothing.
    let path = format!("/v2/notifiers/{hook}");
    let answer = app.send("PUT", &path, Some(&stranger), Some(&paused)).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    assert_eq!(states(&app, &hook).await, [DeliveryState::Waiting]);
    assert_eq!(point(&app, &hook, &paused, &stranger).await, 200);
    assert_eq!(states(&app, &hook).await, [DeliveryState::Withdrawn]);
    assert_eq!(replay(&app, &hook, &stranger).await, 409);
    assert_eq!(states(&app, &hook).await, [DeliveryState::Withdrawn]);
    // Who may choose a notifier for every monitor may have it sent, and it follows them.
    let answer = app.send("PUT", &path, Some(&app.owner_token), Some(&paused)).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    assert_eq!(replay(&app, &hook, &app.owner_token).await, 200);
    assert_eq!(point(&app, &hook, &paused, &app.owner_token).await, 200);
    assert_eq!(states(&app, &hook).await, [DeliveryState::Waiting]);
}

/// A run is under way while its monitor is given another notifier and a stranger takes the one before.
async fn in_flight(app: TestApp) {
    send(&app, &json!([{"status": 200}])).await;
    let stranger = token(&app, json!({"orgCapabilities": {"notifiers": ["read", "update"]}})).await;
    let hook = notifier(&app).await;
    let watching = create(&app, &monitor(json!({"notifierIds": [hook.as_str()]}))).await;
    next_minute(&app).await;
    send(&app, &json!([{"status": 500}, {"status": 500}])).await;
    app.clock.advance(MINUTE);
    let (catalog, now) = (&app.app.catalog, app.clock.now());
    let leased = catalog.lease_monitor(&app.org, &watching, "slow", now, now.plus(MINUTE)).await.unwrap();
    let as_read = catalog.monitor_to_run(&watching).await.unwrap().unwrap();

    let other = notifier(&app).await;
    let moved = monitor(json!({"notifierIds": [other.as_str()]}));
    let path = format!("/v2/monitors/{watching}");
    let answer = app.send("PUT", &path, Some(&app.owner_token), Some(&moved)).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    let present = get(&app, &format!("/v2/notifiers/{hook}"), &app.owner_token).await;
    assert_eq!(point(&app, &hook, &present, &stranger).await, 200);

    let ran = run_as_read(&app.app, as_read, leased.unwrap(), "slow").await.unwrap();
    assert_eq!(ran, Ran::Lost);
    assert_eq!(states(&app, &hook).await, []);
    // The run is made anew, and tells whom the monitor tells now.
    run_due(&app).await;
    assert_eq!(states(&app, &hook).await, []);
    assert_eq!(states(&app, &other).await, [DeliveryState::Waiting]);
}

async fn given_up(app: TestApp) {
    let rights = json!({"notifiers": ["read", "update"], "monitors": ["delete", "update"]});
    let may_query = json!({"other": {"query": ["read"]}});
    let rights = json!({"orgCapabilities": rights, "datasetCapabilities": may_query});
    let stranger = token(&app, rights).await;
    let (watching, hook, paused) = paused_finding(&app, &stranger).await;
    let now = app.clock.now();
    assert_eq!(app.app.catalog.expire_deliveries(now.plus(MINUTE), now).await.unwrap(), 1);
    assert_eq!(states(&app, &hook).await, [DeliveryState::Dead]);
    let path = format!("/v2/monitors/{watching}");
    let answer = app.send("DELETE", &path, Some(&stranger), None).await;
    assert_eq!(answer.status, 204, "{answer:?}");
    assert_eq!(point(&app, &hook, &paused, &stranger).await, 200);
    assert_eq!(states(&app, &hook).await, [DeliveryState::Withdrawn]);
    assert_eq!(replay(&app, &hook, &stranger).await, 409);
    assert_eq!(states(&app, &hook).await, [DeliveryState::Withdrawn]);
}
