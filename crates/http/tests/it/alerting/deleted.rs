//! A dataset or a view that monitors read goes, and another one gets its name: what was found in the first is not shown to
//! who may query the second, and what is found in the second goes on as if it were the first.

use serde_json::{Value, json};
use tidegauge_app::service::alerting::run::{Ran, run_as_read};
use tidegauge_model::MonitorId;
use tidegauge_model::time::Clock;

use super::findings::{get, token};
use super::replaced::{all_that_is_told, with_alert};
use super::support::{MINUTE, create, messages, monitor, next_minute, notifier, send};
use crate::app::TestApp;
use crate::cases::Case;

pub(crate) const ALL: &[(&str, Case)] = &[
    ("alerting::what_was_found_in_a_deleted_dataset_is_not_shown_with_another", |app| Box::pin(dataset(app))),
    ("alerting::what_was_found_by_a_view_of_a_deleted_dataset_is_not_shown_with_another", |app| {
        Box::pin(read_by_view(app))
    }),
    ("alerting::what_was_found_by_a_deleted_view_is_not_shown_with_another", |app| Box::pin(view(app))),
    ("alerting::what_was_found_by_a_view_is_not_shown_with_another_text", |app| Box::pin(text(app))),
    ("alerting::what_is_being_found_in_a_deleted_dataset_is_not_kept", |app| Box::pin(under_way(app))),
];

async fn delete(app: &TestApp, path: &str) {
    let answer = app.send("DELETE", path, Some(&app.owner_token), None).await;
    assert_eq!(answer.status, 204, "{answer:?}");
}

async fn set(app: &TestApp, method: &str, path: &str, token: &str, body: &Value) -> Value {
    let answer = app.send(method, path, Some(token), Some(body)).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.json()
}

async fn dataset(app: TestApp) {
    let hook = notifier(&app).await;
    let (id, _) = with_alert(&app, &hook).await;
    let rights = json!({
        "orgCapabilities": {"monitors": ["read"], "annotations": ["read"]},
        "datasetCapabilities": {"web": {"query": ["read"]}},
    });
    let sees = token(&app, rights).await;
    assert!(all_that_is_told(&app, &id, &sees).await.contains("secret-host"));
    delete(&app, "/v2/datasets/web").await;
    send(&app, &json!([{"status": 200, "host": "a"}])).await;
    for _ in 0..2 {
        let told = all_that_is_told(&app, &id, &sees).await;
        assert!(!told.contains("secret-host"), "{told}");
        let states = get(&app, "/v2/monitors/states", &sees).await;
        assert_eq!((&states[0]["state"], &states[0]["open"]), (&json!("closed"), &json!(0)), "{states}");
        next_minute(&app).await;
    }
    assert_eq!(messages(&app, &hook).await.len(), 1, "nobody is told that it has ended");
    // It stays for who may query everything.
    assert!(all_that_is_told(&app, &id, &app.owner_token).await.contains("secret-host"));
    let event = json!({"status": 500, "host": "new-host"});
    send(&app, &json!([event, event])).await;
    next_minute(&app).await;
    let told = all_that_is_told(&app, &id, &sees).await;
    assert!(told.contains("new-host") && !told.contains("secret-host"), "{told}");
}

/// A monitor that has found something by a view, which is said to read something else than it does, and a token that may
/// query the view alone.
async fn found_by_view(app: &TestApp) -> (MonitorId, String) {
    send(app, &json!([{"status": 200, "host": "a"}])).await;
    let text = "let source = web; source | where status >= 500";
    let view = json!({"name": "failures", "aplQuery": text, "datasets": ["other"]});
    set(app, "POST", "/v2/views", &app.owner_token, &view).await;
    let rights = json!({
        "orgCapabilities": {"monitors": ["create", "read"], "annotations": ["read"]},
        "viewCapabilities": {"failures": {"query": ["read"]}},
    });
    let sees = token(app, rights).await;
    let definition =
        monitor(json!({"aplQuery": "failures | summarize count() by host", "notifyByGroup": true}));
    let made = set(app, "POST", "/v2/monitors", &sees, &definition).await;
    let id = MonitorId::from(made["id"].as_str().unwrap());
    next_minute(app).await;
    let event = json!({"status": 500, "host": "secret-host"});
    send(app, &json!([event, event])).await;
    next_minute(app).await;
    assert!(all_that_is_told(app, &id, &sees).await.contains("secret-host"));
    (id, sees)
}

async fn is_told_no_more(app: &TestApp, id: &MonitorId, sees: &str) {
    for _ in 0..2 {
        let told = all_that_is_told(app, id, sees).await;
        assert!(!told.contains("secret-host"), "{told}");
        next_minute(app).await;
    }
}

async fn read_by_view(app: TestApp) {
    let (id, sees) = found_by_view(&app).await;
    delete(&app, "/v2/datasets/web").await;
    send(&app, &json!([{"status": 200, "host": "a"}])).await;
    is_told_no_more(&app, &id, &sees).await;
}

async fn view(app: TestApp) {
    let (id, sees) = found_by_view(&app).await;
    delete(&app, "/v2/views/failures").await;
    let another = json!({"name": "failures", "aplQuery": "print host = 'a'"});
    set(&app, "POST", "/v2/views", &app.owner_token, &another).await;
    is_told_no_more(&app, &id, &sees).await;
}

async fn text(app: TestApp) {
    let (id, sees) = found_by_view(&app).await;
    let described = json!({
        "name": "failures",
        "aplQuery": "let source = web; source | where status >= 500",
        "description": "What has failed",
    });
    set(&app, "PUT", "/v2/views/failures", &app.owner_token, &described).await;
    assert!(all_that_is_told(&app, &id, &sees).await.contains("secret-host"), "it reads the same");
    let another = json!({"name": "failures", "aplQuery": "print host = 'a'"});
    set(&app, "PUT", "/v2/views/failures", &app.owner_token, &another).await;
    is_told_no_more(&app, &id, &sees).await;
}

async fn under_way(app: TestApp) {
    send(&app, &json!([{"status": 200}])).await;
    let hook = notifier(&app).await;
    let watching = create(&app, &monitor(json!({"notifierIds": [hook.as_str()]}))).await;
    next_minute(&app).await;
    send(&app, &json!([{"status": 500}, {"status": 500}])).await;
    app.clock.advance(MINUTE);
    let (catalog, now) = (&app.app.catalog, app.clock.now());
    let leased = catalog.lease_monitor(&app.org, &watching, "slow", now, now.plus(MINUTE)).await.unwrap();
    let as_read = catalog.monitor_to_run(&watching).await.unwrap().unwrap();
    delete(&app, "/v2/datasets/web").await;
    send(&app, &json!([{"status": 200}])).await;
    let ran = run_as_read(&app.app, as_read, leased.unwrap(), "slow").await.unwrap();
    assert_eq!(ran, Ran::Lost);
    assert_eq!(messages(&app, &hook).await.len(), 0);
}
