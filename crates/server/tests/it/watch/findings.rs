//! What runs have found is for those who could have found it, and goes nowhere else.

use serde_json::{Value, json};

use super::support::{create, monitor, next_minute, notifier, send};
use crate::app::TestApp;
use crate::cases::Case;

pub(crate) const ALL: &[(&str, Case)] = &[
    ("watch::what_was_found_is_for_those_who_may_query_it", |app| Box::pin(values(app))),
    ("watch::a_used_notifier_is_pointed_elsewhere_by_who_may_choose_it", |app| Box::pin(elsewhere(app))),
];

/// A token of the owner's with these rights.
async fn token(app: &TestApp, rights: Value) -> String {
    let mut body = json!({"name": "some rights"});
    body.as_object_mut().unwrap().extend(rights.as_object().unwrap().clone());
    let made = app.send("POST", "/v2/tokens", Some(&app.owner_token), Some(&body)).await;
    assert_eq!(made.status, 200, "{made:?}");
    made.json()["token"].as_str().unwrap().to_owned()
}

async fn get(app: &TestApp, path: &str, token: &str) -> Value {
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
    for path in [format!("/v2/monitors/{id}/runs"), "/v2/annotations".to_owned()] {
        assert!(get(&app, &path, &sees).await.to_string().contains("secret-host"), "{path}");
        for token in [&blind, &other] {
            let told = get(&app, &path, token).await;
            assert!(!told.to_string().contains("secret-host"), "{path}: {told}");
            assert!(!told.as_array().unwrap().is_empty(), "that something was found is no secret");
        }
    }
    let runs = get(&app, &format!("/v2/monitors/{id}/runs"), &blind).await;
    assert!(runs.as_array().unwrap().iter().all(|run| run["value"].is_null() && run.get("group").is_none()));
    // Nor does an annotation tell more when it is moved to a dataset that its reader may query.
    let mark = get(&app, "/v2/annotations", &other).await[0]["id"].as_str().unwrap().to_owned();
    let path = format!("/v2/annotations/{mark}");
    let moved = app.send("PUT", &path, Some(&other), Some(&json!({"datasets": ["other"]}))).await;
    assert_eq!(moved.status, 200, "{moved:?}");
    assert!(!moved.json().to_string().contains("secret-host"));
    assert!(!get(&app, &path, &other).await.to_string().contains("secret-host"));
    assert!(get(&app, &path, &sees).await.to_string().contains("secret-host"));
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
