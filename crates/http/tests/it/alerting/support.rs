//! Events, monitors and runs in few words.

use std::time::Duration;

use serde_json::{Value, json};
use tidegauge_app::jobs::alerting::{RunPermits, step};
use tidegauge_catalog::monitor_checks::MonitorCheck;
use tidegauge_catalog::outbox::list::Delivery;
use tidegauge_model::time::Clock;
use tidegauge_model::{MonitorId, NotifierId, Timestamp};
use tokio_util::task::TaskTracker;

use crate::app::TestApp;

pub(crate) const MINUTE: Duration = Duration::from_secs(60);

/// Sends events of one dataset at the present moment, or where their `_time` says.
pub(crate) async fn send(app: &TestApp, events: &Value) {
    let answer = app.send("POST", "/v1/datasets/web/ingest", Some(&app.owner_token), Some(events)).await;
    assert_eq!(answer.status, 200, "{answer:?}");
}

/// A monitor that counts errors each minute, with what is different.
pub(crate) fn monitor(different: Value) -> Value {
    let mut monitor = json!({
        "name": "errors",
        "type": "Threshold",
        "aplQuery": "['web'] | where status >= 500 | summarize count()",
        "operator": "AboveOrEqual",
        "threshold": 2,
        "intervalMinutes": 1,
        "rangeMinutes": 1,
    });
    if let (Value::Object(monitor), Value::Object(different)) = (&mut monitor, different) {
        monitor.extend(different);
    }
    monitor
}

pub(crate) async fn create(app: &TestApp, monitor: &Value) -> MonitorId {
    let answer = app.send("POST", "/v2/monitors", Some(&app.owner_token), Some(monitor)).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    MonitorId::from(answer.json()["id"].as_str().unwrap())
}

pub(crate) async fn notifier(app: &TestApp) -> NotifierId {
    let body = json!({"name": "hook", "properties": {"webhook": {"url": "https://example.com/hook"}}});
    let answer = app.send("POST", "/v2/notifiers", Some(&app.owner_token), Some(&body)).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    NotifierId::from(answer.json()["id"].as_str().unwrap())
}

/// Makes all runs that are due now.
pub(crate) async fn run_due(app: &TestApp) {
    let permits = RunPermits::default();
    while {
        let runs = TaskTracker::new();
        let started = step(&app.app, &permits, &runs).await.unwrap();
        runs.close();
        runs.wait().await;
        started > 0
    } {}
}

/// Moves the clock by a minute, to after the moment at which every monitor is run, and makes the runs.
pub(crate) async fn next_minute(app: &TestApp) {
    let second = Duration::from_secs(1);
    let past = app.clock.now().as_micros().rem_euclid(60_000_000);
    let rest = Duration::from_micros(u64::try_from(60_000_000 - past).unwrap());
    app.clock.advance(rest + 31 * second);
    run_due(app).await;
}

pub(crate) async fn checks(app: &TestApp, monitor: &MonitorId) -> Vec<MonitorCheck> {
    let (start, end) = (Timestamp::from_micros(0), Timestamp::from_micros(i64::MAX));
    let mut checks =
        app.app.catalog.list_monitor_checks(&app.org, monitor, start, end, 10_000).await.unwrap();
    checks.reverse();
    checks
}

/// The messages to a notifier, the oldest first.
pub(crate) async fn messages(app: &TestApp, notifier: &NotifierId) -> Vec<Delivery> {
    let mut messages = app.app.catalog.list_deliveries(&app.org, notifier, 10_000, 0).await.unwrap();
    messages.reverse();
    messages
}
