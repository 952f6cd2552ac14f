//! How often background work is done: not before its period has passed, and then.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tidegauge_app::jobs::Jobs;
use tidegauge_model::dataset::AUDIT_DATASET;
use tidegauge_model::{Capabilities, Timestamp};

use crate::app::TestApp;
use crate::cases::Case;
use crate::pace::ManualPace;

/// Every case with its name.
pub(crate) const ALL: &[(&str, Case)] = &[
    ("refusals_are_written_each_second", |app| Box::pin(refusals(app))),
    ("costs_of_queries_are_written_each_three_seconds", |app| Box::pin(costs(app))),
    ("uses_of_tokens_are_written_each_half_minute", |app| Box::pin(uses(app))),
    ("files_and_the_log_are_looked_at_each_minute", |app| Box::pin(files(app))),
];

const MOMENT: Duration = Duration::from_millis(1);

/// Starts the jobs. Each has done its first step.
async fn start(app: &TestApp) -> (ManualPace, Jobs) {
    let pace = ManualPace::new();
    let jobs = Jobs::start_at(&app.app, Arc::new(pace.clone()));
    pace.settle().await;
    (pace, jobs)
}

async fn refusals(app: TestApp) {
    const PERIOD: Duration = Duration::from_secs(1);
    let weak = app.api_token(Capabilities::default(), None).await;
    let (pace, jobs) = start(&app).await;
    let written = async || {
        let beginning = Timestamp::from_micros(0);
        let entries = app.app.catalog.list_audit(Some(&app.org), beginning, i64::MAX, 100).await.unwrap();
        entries.iter().filter(|entry| entry.outcome == "refused").count()
    };
    for (before, path) in ["/v2/notifiers", "/v2/tokens"].into_iter().enumerate() {
        assert_eq!(app.send("GET", path, Some(&weak), None).await.status, 403);
        pace.advance(PERIOD - MOMENT).await;
        assert_eq!(written().await, before, "it is too early for {path}");
        pace.advance(MOMENT).await;
        assert_eq!(written().await, before + 1, "it is time for {path}");
    }
    jobs.stop(&app.app).await;
}

async fn costs(app: TestApp) {
    const PERIOD: Duration = Duration::from_secs(3);
    let (pace, jobs) = start(&app).await;
    let written = async || app.app.catalog.query_usage(&app.org, "2026-06").await.unwrap();
    let body = json!({"apl": "print 1"});
    let asked = app.send("POST", "/v1/query/_apl?format=tabular", Some(&app.owner_token), Some(&body)).await;
    assert_eq!(asked.status, 200, "{asked:?}");
    pace.advance(PERIOD - MOMENT).await;
    assert_eq!(written().await, 0);
    pace.advance(MOMENT).await;
    assert!(written().await > 0);
    jobs.stop(&app.app).await;
}

async fn uses(app: TestApp) {
    const PERIOD: Duration = Duration::from_secs(30);
    let token = app.api_token(Capabilities::all(), None).await;
    let (pace, jobs) = start(&app).await;
    let written = async || app.app.catalog.list_tokens(&app.org).await.unwrap()[0].last_used_at;
    assert_eq!(app.send("GET", "/v2/notifiers", Some(&token), None).await.status, 200);
    pace.advance(PERIOD - MOMENT).await;
    assert_eq!(written().await, None);
    pace.advance(MOMENT).await;
    assert_eq!(written().await, Some(app.app.now()));
    jobs.stop(&app.app).await;
}

/// Events that were removed leave their file after the grace time, and the log.
async fn files(app: TestApp) {
    const PERIOD: Duration = Duration::from_secs(60);
    const GRACE: Duration = Duration::from_secs(3_600);
    let store = &app.app.store;
    let sent = app.send_bytes("/v1/datasets/d/ingest", &[], b"[{\"a\":1}]".to_vec()).await;
    assert_eq!(sent.status, 200, "{sent:?}");
    let dataset = store.find(&app.org, "d").unwrap();
    let (pace, jobs) = start(&app).await;
    store.trim(&dataset, app.app.now().plus(GRACE)).await.unwrap();
    // The audit trail has events in the same file of the log.
    for org in [&app.org, &app.other_org] {
        if let Some(audit) = store.find(org, AUDIT_DATASET) {
            store.flush(&audit).await.unwrap();
        }
    }
    let segments = || {
        let folder = app.data().join("segments/datasets").join(dataset.id().as_str());
        std::fs::read_dir(folder).map_or(0, Iterator::count)
    };
    let logged = store.stats().wal_bytes;
    app.clock.advance(GRACE + MOMENT);
    pace.advance(PERIOD - MOMENT).await;
    assert_eq!((segments(), store.stats().wal_bytes), (1, logged));
    pace.advance(MOMENT).await;
    assert_eq!(segments(), 0);
    assert!(store.stats().wal_bytes < logged, "{:?}", store.stats());
    jobs.stop(&app.app).await;
}
