//! Answers that are kept as they were seen go with the events that they may show, however those go.

use serde_json::{Value, json};
use tidegauge_model::Timestamp;

use crate::app::{Answer, TestApp};
use crate::cases::Case;

/// Every case with its name.
pub(crate) const ALL: &[(&str, Case)] = &[
    ("kept_answers_go_with_deleted_events", |app| Box::pin(deleted(app))),
    ("kept_answers_go_with_old_events", |app| Box::pin(trimmed_and_expired(app))),
    ("what_is_deleted_while_a_query_runs_is_not_kept", |app| Box::pin(deleted_meanwhile(app))),
];

const ANSWERED: &str = "tidegauge_queries_total{outcome=\"answered\"} 1";

async fn post(app: &TestApp, path: &str, body: &Value) -> Answer {
    app.send("POST", path, Some(&app.owner_token), Some(body)).await
}

async fn posted(app: &TestApp, path: &str, body: &Value) -> Value {
    let answer = post(app, path, body).await;
    assert_eq!(answer.status, 200, "{path} {body}: {answer:?}");
    answer.json()
}

/// Keeps what a dataset has between two times, and gives the id.
async fn keep(app: &TestApp, dataset: &str, range: Option<(&str, &str)>) -> String {
    let mut body = json!({"apl": format!("['{dataset}'] | summarize make_list(mail)")});
    if let Some((start, end)) = range {
        (body["startTime"], body["endTime"]) = (json!(start), json!(end));
    }
    posted(app, "/v2/answers", &body).await["id"].as_str().unwrap().to_owned()
}

/// Whether an answer is still there, for who asks and in the catalogue alike.
async fn is_kept(app: &TestApp, id: &str) -> bool {
    let found = app.send("GET", &format!("/v2/answers/{id}"), Some(&app.owner_token), None).await;
    let is_stored = app.app.catalog.find_frozen_answer(&app.org, id).await.unwrap().is_some();
    assert_eq!(found.status, if is_stored { 200 } else { 404 }, "{found:?}");
    if !is_stored {
        let hint = found.json()["hint"].as_str().unwrap_or_default().to_owned();
        assert!(hint.contains("are deleted or expire"), "{found:?}");
    }
    is_stored
}

async fn deleted(app: TestApp) {
    let events = json!([
        {"_time": "2026-06-01T10:30:00Z", "mail": "ann@example.com"},
        {"_time": "2026-06-01T11:30:00Z", "mail": "bob@example.com"},
    ]);
    posted(&app, "/v1/datasets/d/ingest", &events).await;
    posted(&app, "/v1/datasets/d-2/ingest", &events).await;
    let then = ("2026-06-01T10:00:00Z", "2026-06-01T11:00:00Z");
    let (with_it, with_all) = (keep(&app, "d", Some(then)).await, keep(&app, "d", None).await);
    let later = keep(&app, "d", Some(("2026-06-01T11:00:00Z", "2026-06-01T12:00:00Z"))).await;
    let of_another = keep(&app, "d-2", Some(then)).await;

    let delete = async |is_committed: bool| {
        let body = json!({"apl": "['d'] | where mail == 'ann@example.com'", "commit": is_committed});
        posted(&app, "/v2/datasets/_apl/delete", &body).await["rowsDeleted"].clone()
    };
    assert_eq!(delete(false).await, 0);
    assert!(is_kept(&app, &with_it).await, "a dry run deletes nothing");
    assert_eq!(delete(true).await, 1);
    for (id, is_left) in [(&with_it, false), (&with_all, false), (&later, true), (&of_another, true)] {
        assert_eq!(is_kept(&app, id).await, is_left, "{id}");
    }
    // What is asked now is kept again.
    assert!(is_kept(&app, &keep(&app, "d", Some(then)).await).await);
    // One change for people who look back.
    let beginning = Timestamp::from_micros(0);
    let trail = app.app.catalog.list_audit(Some(&app.org), beginning, i64::MAX, 100).await.unwrap();
    assert_eq!(trail.iter().filter(|entry| entry.action == "dataset.delete-events").count(), 1);
}

async fn trimmed_and_expired(app: TestApp) {
    for dataset in ["trimmed", "expired"] {
        for time in ["2026-05-25T11:59:59Z", "2026-05-25T12:00:01Z"] {
            let events = json!([{"_time": time, "mail": "ann@example.com"}]);
            posted(&app, &format!("/v1/datasets/{dataset}/ingest"), &events).await;
            app.app.store.flush_all().await.unwrap();
        }
        let end = "2026-06-01T00:00:00Z";
        let around = keep(&app, dataset, Some(("2026-05-25T00:00:00Z", end))).await;
        let behind = keep(&app, dataset, Some(("2026-05-25T12:00:00Z", end))).await;
        let remove = async || {
            if dataset == "trimmed" {
                let trimmed = post(&app, "/v2/datasets/trimmed/trim", &json!({"maxDuration": "168h"})).await;
                assert_eq!(trimmed.status, 204, "{trimmed:?}");
                return;
            }
            let rule = json!({"useRetentionPeriod": true, "retentionDays": 7});
            let path = format!("/v2/datasets/{dataset}");
            assert_eq!(app.send("PUT", &path, Some(&app.owner_token), Some(&rule)).await.status, 200);
            app.app.store.enforce_retention().await.unwrap();
        };
        remove().await;
        assert!(!is_kept(&app, &around).await, "{dataset}");
        assert!(is_kept(&app, &behind).await, "{dataset}");
        // What removes nothing takes nothing along.
        let anew = keep(&app, dataset, Some(("2026-05-25T00:00:00Z", end))).await;
        remove().await;
        assert!(is_kept(&app, &anew).await, "{dataset}");
    }
}

/// A deletion holds back whoever would keep an answer, and refuses what was read before it had ended.
async fn deleted_meanwhile(app: TestApp) {
    posted(&app, "/v1/datasets/d/ingest", &json!([{"mail": "ann@example.com"}])).await;
    let erasing = app.app.store.erasures().begin_deletion(&app.org, "d").await;
    let ends = async {
        // When the query has its answer, it is still to be kept.
        while !app.send("GET", "/metrics", None, None).await.text.contains(ANSWERED) {
            tokio::task::yield_now().await;
        }
        erasing.done();
    };
    let body = json!({"apl": "['d']"});
    let (answer, ()) = tokio::join!(post(&app, "/v2/answers", &body), ends);
    assert_eq!(answer.status, 409, "{answer:?}");
    assert!(answer.json()["message"].as_str().unwrap().contains("while it ran"), "{answer:?}");
    assert!(is_kept(&app, &keep(&app, "d", None).await).await);
}
