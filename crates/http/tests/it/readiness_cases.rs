//! What `/readyz` and callers are told while something fails that requests depend on, and when that has come back.

use std::time::Duration;

use serde_json::{Value, json};

use crate::app::TestApp;
use crate::cases::Case;
use crate::database::Backend;

/// Every case with its name.
pub(crate) const ALL: &[(&str, Case)] = &[
    ("readiness_tells_of_a_log_that_cannot_be_written", |app| Box::pin(log_fails(app))),
    ("readiness_warns_of_events_that_cannot_be_moved_to_segments", |app| Box::pin(segments_fail(app))),
    ("readiness_tells_of_a_catalogue_that_is_away", |app| Box::pin(catalogue_is_away(app))),
    ("a_catalogue_that_cannot_be_read_is_told_to_callers", |app| Box::pin(unreadable_catalogue(app))),
];

async fn send(app: &TestApp) -> u16 {
    let answer = app.send_bytes("/v1/datasets/d/ingest", &[], b"[{\"a\":1}]".to_vec()).await;
    answer.status.as_u16()
}

/// The status, and what the answer says.
async fn readiness(app: &TestApp) -> (u16, Value) {
    let answer = app.send("GET", "/readyz", None, None).await;
    (answer.status.as_u16(), answer.json())
}

fn ready() -> (u16, Value) {
    (200, json!({"ready": true, "reasons": [], "warnings": []}))
}

fn not_ready(reason: &str) -> (u16, Value) {
    (503, json!({"ready": false, "reasons": [reason], "warnings": []}))
}

async fn log_fails(app: TestApp) {
    assert_eq!(send(&app).await, 200);
    assert_eq!(readiness(&app).await, ready());
    app.disk.fill(true);
    assert_eq!(send(&app).await, 507);
    assert_eq!(readiness(&app).await, not_ready("log: the disk is full: free space or add some"));
    app.disk.fill(false);
    // A balancer sends nothing to who is not ready, so that the service has to try by itself.
    app.app.store.mend_wal().await.unwrap();
    assert_eq!(readiness(&app).await, ready());
    app.disk.fail_syncs(true);
    assert_eq!(send(&app).await, 503);
    assert_eq!(readiness(&app).await, not_ready("log: cannot sync the write-ahead log"));
    app.disk.fail_syncs(false);
    assert_eq!(send(&app).await, 200);
    assert_eq!(readiness(&app).await, ready());
    assert_eq!(app.rows("d").await.len(), 2);
}

async fn segments_fail(app: TestApp) {
    assert_eq!(send(&app).await, 200);
    app.clock.advance(Duration::from_secs(3_600));
    app.disk.fail_syncs(true);
    app.app.store.flush_due().await.unwrap_err();
    let (status, said) = readiness(&app).await;
    // Events are taken all the same.
    assert_eq!((status, &said["ready"], &said["reasons"]), (200, &json!(true), &json!([])), "{said}");
    let warnings: Vec<&str> = said["warnings"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    assert!(warnings.len() == 1 && warnings[0].starts_with("segments: "), "{said}");
    assert!(!warnings[0].contains('/'), "no path is told: {said}");
    app.disk.fail_syncs(false);
    app.app.store.flush_due().await.unwrap();
    assert_eq!(readiness(&app).await, ready());
}

async fn catalogue_is_away(app: TestApp) {
    app.app.catalog.close().await;
    app.app.store.renew_lease().await.unwrap_err();
    // Once, although two attempts have failed.
    assert_eq!(readiness(&app).await, not_ready("catalogue: the catalogue database cannot be reached"));
}

/// The files of a PostgreSQL server are out of reach.
async fn unreadable_catalogue(app: TestApp) {
    if app.backend == Backend::Postgres {
        return;
    }
    const UNREADABLE: &str =
        "the catalogue database cannot be read: look at its disk, and whether its files are damaged";
    let list = async || app.send("GET", "/v2/notifiers", Some(&app.owner_token), None).await;
    assert_eq!(list().await.status, 200);
    // From now on everything is in the file, and what connections remember of it does not count.
    assert!(app.app.catalog.wipe_forgotten().await.unwrap());
    let file = app.data().join("catalog.sqlite");
    let mut bytes = std::fs::read(&file).unwrap();
    bytes[4096..].fill(0xff);
    std::fs::write(&file, bytes).unwrap();
    let answer = list().await;
    assert_eq!(answer.status, 503, "{answer:?}");
    assert_eq!(answer.json()["message"], UNREADABLE);
    assert!(answer.headers.contains_key("retry-after"), "{answer:?}");
    assert_eq!(readiness(&app).await, not_ready(&format!("catalogue: {UNREADABLE}")));
}
