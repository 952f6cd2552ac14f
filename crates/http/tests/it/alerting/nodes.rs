//! Who makes a run: one node of several, and another one when that one is gone.

use std::time::Duration;

use serde_json::json;
use tidegauge_app::service::alerting::run::{Ran, run};
use tidegauge_model::Clock;

use super::support::{MINUTE, checks, create, messages, monitor, notifier, run_due, send};
use crate::app::TestApp;
use crate::cases::Case;

pub(crate) const ALL: &[(&str, Case)] = &[
    ("alerting::a_due_run_is_made_by_one_node", |app| Box::pin(one_node(app))),
    ("alerting::a_run_that_lost_its_lease_writes_nothing", |app| Box::pin(lost_lease(app))),
    ("alerting::a_run_that_is_repeated_tells_the_same_once", |app| Box::pin(repeated(app))),
];

const LEASE: Duration = Duration::from_secs(90);

async fn one_node(app: TestApp) {
    send(&app, &json!([{"status": 500}, {"status": 500}])).await;
    let mut ids = Vec::new();
    for _ in 0..20 {
        ids.push(create(&app, &monitor(json!({}))).await);
    }
    run_due(&app).await;
    app.clock.advance(MINUTE * 2);
    let now = app.clock.now();
    let catalog = &app.app.catalog;
    let claims =
        ["a", "b", "c"].map(|owner| catalog.lease_due_monitors(owner, now, now.plus(LEASE), 20, 1_000));
    let mut leased = Vec::new();
    for claim in futures_util::future::join_all(claims).await {
        leased.extend(claim.unwrap().into_iter().map(|monitor| monitor.id));
    }
    leased.sort();
    ids.sort();
    assert_eq!(leased, ids);
}

async fn lost_lease(app: TestApp) {
    send(&app, &json!([{"status": 200}])).await;
    let id = create(&app, &monitor(json!({}))).await;
    run_due(&app).await;
    app.clock.advance(MINUTE * 2);
    let catalog = &app.app.catalog;
    let lease = |owner: &'static str| {
        let now = app.clock.now();
        catalog.lease_due_monitors(owner, now, now.plus(LEASE), 10, 1_000)
    };
    let first = lease("first").await.unwrap().remove(0);
    assert_eq!(lease("second").await.unwrap(), []);
    app.clock.advance(LEASE);
    let second = lease("second").await.unwrap().remove(0);
    assert_eq!(run(&app.app, first, "first").await.unwrap(), Ran::Lost);
    assert_eq!(checks(&app, &id).await.len(), 0);
    let ran = run(&app.app, second, "second").await.unwrap();
    assert_eq!(ran, Ran::Recorded { told: 0, is_failed: false });
    assert_eq!(checks(&app, &id).await.len(), 1);
}

/// A node is gone after it made the run and before it was recorded: the next one finds and tells the same, and where the
/// record was written and only its answer was lost, nothing is told twice.
async fn repeated(app: TestApp) {
    let hook = notifier(&app).await;
    send(&app, &json!([{"status": 200}])).await;
    let id = create(&app, &monitor(json!({"notifierIds": [hook.as_str()]}))).await;
    run_due(&app).await;
    send(&app, &json!([{"status": 500}, {"status": 500}])).await;
    app.clock.advance(MINUTE);
    let now = app.clock.now();
    let leased = app.app.catalog.lease_due_monitors("gone", now, now.plus(LEASE), 10, 1_000).await.unwrap();
    app.clock.advance(Duration::from_secs(31));
    let leased = match leased.is_empty() {
        true => app
            .app
            .catalog
            .lease_due_monitors("gone", app.clock.now(), app.clock.now().plus(LEASE), 10, 1_000)
            .await
            .unwrap(),
        false => leased,
    };
    let before = leased[0].clone();
    assert_eq!(
        run(&app.app, before.clone(), "gone").await.unwrap(),
        Ran::Recorded { told: 1, is_failed: false }
    );
    let told = messages(&app, &hook).await;
    assert_eq!(told.len(), 1);
    // The same lease once more, as if the first record had been made by a process that died with it.
    let again = app
        .app
        .catalog
        .lease_monitor(&app.org, &id, "again", app.clock.now(), app.clock.now().plus(LEASE))
        .await;
    assert!(again.unwrap().is_some());
    let ran = run(&app.app, before, "again").await.unwrap();
    assert_eq!(ran, Ran::Recorded { told: 1, is_failed: false });
    assert_eq!(messages(&app, &hook).await.len(), 1);
    assert_eq!(checks(&app, &id).await.len(), 1);
}
