//! The audit trail as events: each entry is stored once, whatever fails or starts again in between, and nobody reads it who
//! may not read the audit trail, on none of the ways to events.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::{Value, json};
use tidegauge_app::audit_feed::{self, AuditFeed};
use tidegauge_app::jobs::prune_audit;
use tidegauge_catalog::datasets::Dataset;
use tidegauge_model::dataset::{AUDIT_DATASET, AUDIT_KIND, EVENTS_KIND};
use tidegauge_model::{Capabilities, OrgArea, OrgId, Role, Timestamp};
use tidegauge_store::StoredValue;

use crate::app::{Answer, TestApp};
use crate::cases::Case;

/// Every case with its name.
pub(crate) const ALL: &[(&str, Case)] = &[
    ("entries_become_events_exactly_once", |app| Box::pin(exactly_once(app))),
    ("entries_become_events_after_a_disk_that_failed", |app| Box::pin(failing_disk(app))),
    ("batches_are_known_again_however_long_the_service_stood_still", |app| Box::pin(long_pause(app))),
    ("two_feeds_at_once_store_each_entry_once", |app| Box::pin(at_once(app))),
    ("nobody_reads_audit_events_without_the_right_on_the_audit_trail", |app| Box::pin(matrix(app))),
    ("a_dataset_of_the_same_name_from_before_stays_as_it_is", |app| Box::pin(from_before(app))),
    ("audit_events_are_kept_as_long_as_the_licence_says", |app| Box::pin(window(app))),
];

const DAY: Duration = Duration::from_secs(86_400);

/// Makes a few entries: a change, and a refused call.
async fn act(app: &TestApp, name: &str) {
    let body = json!({"name": name});
    let made = app.send("POST", "/v2/datasets", Some(&app.owner_token), Some(&body)).await;
    assert_eq!(made.status, 200, "{made:?}");
    let weak = app.api_token(Capabilities::default(), None).await;
    assert_eq!(app.send("GET", "/v2/notifiers", Some(&weak), None).await.status, 403);
    // Reading the trail writes what was refused.
    assert_eq!(app.send("GET", "/v2/audit", Some(&app.owner_token), None).await.status, 200);
}

/// The numbers of all entries in the dataset, which are as many as there are events.
async fn numbers(app: &TestApp) -> BTreeSet<i64> {
    let rows = app.rows(AUDIT_DATASET).await;
    let mut numbers = BTreeSet::new();
    for row in &rows {
        let number = row.fields.iter().find(|(name, _)| &**name == "seq").map(|(_, value)| value.clone());
        let Some(StoredValue::Integer(number)) = number else { panic!("{row:?}") };
        assert!(numbers.insert(number), "the entry {number} is there twice");
    }
    numbers
}

/// How many entries the audit trail of the organisation has.
async fn entries(app: &TestApp, org: &OrgId) -> usize {
    app.app.catalog.list_audit(Some(org), Timestamp::from_micros(0), i64::MAX, 1_000).await.unwrap().len()
}

async fn flush(app: &TestApp) {
    let dataset = app.app.store.find(&app.org, AUDIT_DATASET).unwrap();
    app.app.store.flush(&dataset).await.unwrap();
}

/// All that was written is there once. The making of the dataset is an entry too, which the second step hands on.
async fn check_whole(app: &TestApp, feed: &AuditFeed) {
    feed.step(&app.app).await.unwrap();
    feed.step(&app.app).await.unwrap();
    assert_eq!(numbers(app).await.len(), entries(app, &app.org).await);
}

async fn exactly_once(app: TestApp) {
    let feed = AuditFeed::default();
    act(&app, "a").await;
    check_whole(&app, &feed).await;
    // A step again, a start again, and again with the events in a segment.
    check_whole(&app, &feed).await;
    check_whole(&app, &AuditFeed::default()).await;
    flush(&app).await;
    // The segment is there and the batch is still in the catalogue, as if the process had ended in between.
    assert!(!app.app.catalog.feed_batches(&app.org).await.unwrap().is_empty());
    check_whole(&app, &AuditFeed::default()).await;
    assert!(app.app.catalog.feed_batches(&app.org).await.unwrap().is_empty());
    act(&app, "b").await;
    check_whole(&app, &feed).await;
    flush(&app).await;
    check_whole(&app, &feed).await;
    assert!(app.app.catalog.feed_batches(&app.org).await.unwrap().is_empty());
    // The other organisation has its own.
    let other = app.app.store.find(&app.other_org, AUDIT_DATASET).unwrap();
    let rows = app.app.store.rows(&other).await.unwrap();
    assert_eq!(rows.len(), entries(&app, &app.other_org).await);
}

async fn failing_disk(app: TestApp) {
    act(&app, "first").await;
    check_whole(&app, &app.app.audit_feed).await;
    let before = numbers(&app).await;
    act(&app, "a").await;
    app.disk.fail_syncs(true);
    for _ in 0..2 {
        assert!(audit_feed::step(&app.app).await.is_err());
    }
    assert!(AuditFeed::default().step(&app.app).await.is_err());
    assert_eq!(numbers(&app).await, before);
    act(&app, "b").await;
    app.disk.fail_syncs(false);
    check_whole(&app, &app.app.audit_feed).await;
    check_whole(&app, &AuditFeed::default()).await;
    assert!(numbers(&app).await.len() > before.len());
}

async fn long_pause(app: TestApp) {
    act(&app, "a").await;
    check_whole(&app, &AuditFeed::default()).await;
    // In the log alone, for longer than any key of a client counts.
    app.clock.advance(3 * DAY);
    check_whole(&app, &AuditFeed::default()).await;
    flush(&app).await;
    app.clock.advance(3 * DAY);
    // The keys of clients are dropped before the feed has looked.
    app.app.catalog.prune_ingest_keys(app.app.now().minus(2 * DAY)).await.unwrap();
    check_whole(&app, &AuditFeed::default()).await;
    assert!(app.app.catalog.feed_batches(&app.org).await.unwrap().is_empty());
}

async fn at_once(app: TestApp) {
    for name in ["a", "b", "c"] {
        act(&app, name).await;
        let (one, other) = (AuditFeed::default(), AuditFeed::default());
        let steps = tokio::join!(one.step(&app.app), other.step(&app.app), app.app.audit_feed.step(&app.app));
        // Both may make the dataset; the one that came second finds it the next time.
        drop(steps);
    }
    check_whole(&app, &AuditFeed::default()).await;
}

fn without_audit() -> Capabilities {
    Capabilities::where_allowed(|area, _| area != OrgArea::AuditLog, |_, _| true, |_, _| true)
}

/// Texts that read the audit trail, each in another place of a query.
const TEXTS: [&str; 10] = [
    "['tidegauge-audit'] | count",
    "['tidegauge-audit'] | take 5",
    "['web'] | union ['tidegauge-audit'] | count",
    "union ['web'], ['tidegauge-audit'] | count",
    "['web'] | join kind=inner (['tidegauge-audit'] | extend n = times) on n",
    "['web'] | where n in ((['tidegauge-audit'] | project times)) | count",
    "search in (['tidegauge-audit']) 'done' | count",
    "let a = ['tidegauge-audit']; a | count",
    "table('tidegauge-audit') | count",
    "trail | count",
];

/// The requests that must tell nothing to who may not read the audit trail, with what must be there for who may.
fn requests() -> Vec<(&'static str, String, Option<Value>)> {
    let text = "['tidegauge-audit'] | take 5";
    let range =
        json!({"startTime": "2026-06-01T11:00:00Z", "endTime": "2026-06-01T13:00:00Z", "resolution": "1m"});
    let monitor = json!({
        "name": "m", "type": "Threshold", "aplQuery": "['tidegauge-audit'] | summarize count()", "operator": "Above",
        "threshold": 1, "intervalMinutes": 5, "rangeMinutes": 5, "notifierIds": [],
    });
    let asked = json!({"apl": text, "startTime": "2026-06-01T11:00:00Z", "endTime": "2026-06-01T13:00:00Z"});
    let with = |key: &str, value: Value| {
        let mut asked = asked.clone();
        asked[key] = value;
        Some(asked)
    };
    let mut fields = with("fields", json!(["action"])).unwrap();
    fields["apl"] = json!("['tidegauge-audit']");
    let mut all = vec![
        ("POST", "/v1/datasets/tidegauge-audit/query".to_owned(), Some(range)),
        ("GET", "/v1/datasets/tidegauge-audit/patterns?field=action".to_owned(), None),
        ("GET", "/v2/datasets/tidegauge-audit".to_owned(), None),
        ("GET", "/v1/datasets/tidegauge-audit/info".to_owned(), None),
        ("GET", "/v2/datasets/tidegauge-audit/fields".to_owned(), None),
        ("POST", "/v1/query/estimate".to_owned(), Some(asked.clone())),
        ("POST", "/v1/query/fields".to_owned(), Some(fields)),
        ("POST", "/v2/exports".to_owned(), with("format", json!("csv"))),
        ("POST", "/v2/answers".to_owned(), Some(asked.clone())),
        ("POST", "/v2/monitors".to_owned(), Some(monitor)),
    ];
    for text in TEXTS {
        let query = Some(
            json!({"apl": text, "startTime": "2026-06-01T11:00:00Z", "endTime": "2026-06-01T13:00:00Z"}),
        );
        all.push(("POST", "/v1/query/_apl?format=tabular".to_owned(), query.clone()));
        all.push(("POST", "/v1/datasets/_apl?format=tabular".to_owned(), query));
    }
    all
}

async fn matrix(app: TestApp) {
    let owner = Some(app.owner_token.as_str());
    let sent = app.send_bytes("/v1/datasets/web/ingest", &[], b"[{\"n\":1}]".to_vec()).await;
    assert_eq!(sent.status, 200, "{sent:?}");
    act(&app, "d").await;
    check_whole(&app, &app.app.audit_feed).await;
    let view = json!({"name": "trail", "aplQuery": "['tidegauge-audit']"});
    let made = app.send("POST", "/v2/views", owner, Some(&view)).await;
    assert_eq!(made.status, 200, "{made:?}");
    let (star, every) =
        (app.api_token(without_audit(), None).await, app.api_token(Capabilities::all(), None).await);
    for (method, path, body) in requests() {
        let allowed = app.send(method, &path, Some(&every), body.as_ref()).await;
        assert!(allowed.status.is_success(), "{method} {path} {body:?}: {allowed:?}");
        let refused = app.send(method, &path, Some(&star), body.as_ref()).await;
        assert!([403, 404].contains(&refused.status.as_u16()), "{method} {path} {body:?}: {refused:?}");
    }
    check_streams(&app, &star, &every).await;
    check_lists(&app, &star, &every).await;
    check_patterns(&app, &every).await;
    // The right on the audit trail alone is not the right to query.
    let auditor =
        Capabilities::where_allowed(|area, _| area == OrgArea::AuditLog, |_, _| false, |_, _| false);
    let auditor = app.api_token(auditor, None).await;
    for (method, path, body) in requests() {
        let refused = app.send(method, &path, Some(&auditor), body.as_ref()).await;
        assert!([403, 404].contains(&refused.status.as_u16()), "{method} {path} {body:?}: {refused:?}");
    }
}

/// Answers that begin before it is known how they end.
async fn check_streams(app: &TestApp, star: &str, every: &str) {
    let batch = json!([{"queryId": "a", "aplRequest": {"apl": "['tidegauge-audit'] | count"}}]);
    for (token, is_refused) in [(star, true), (every, false)] {
        let answer: Answer = app.send("POST", "/v1/query/batch", Some(token), Some(&batch)).await;
        assert_eq!(answer.text.contains("auditLog"), is_refused, "{answer:?}");
    }
    let tail = json!({"apl": "['tidegauge-audit']"});
    let refused = app.send("POST", "/v1/query/tail", Some(star), Some(&tail)).await;
    assert_eq!(refused.status, 403, "{refused:?}");
}

/// Lists of all datasets.
async fn check_lists(app: &TestApp, star: &str, every: &str) {
    for path in ["/v2/datasets", "/v1/datasets", "/v1/datasets/_stats", "/v1/datasets/_fields"] {
        for (token, is_there) in [(star, false), (every, true)] {
            let answer = app.send("GET", path, Some(token), None).await;
            assert_eq!(answer.status, 200, "{path}: {answer:?}");
            assert_eq!(answer.text.contains(AUDIT_DATASET), is_there, "{path}: {answer:?}");
        }
    }
}

/// Nobody comes upon the audit trail by a pattern.
async fn check_patterns(app: &TestApp, every: &str) {
    let ask = async |text: &str| {
        let query =
            json!({"apl": text, "startTime": "2026-06-01T11:00:00Z", "endTime": "2026-06-01T13:00:00Z"});
        app.send("POST", "/v1/query/_apl?format=tabular", Some(every), Some(&query)).await
    };
    // The one event of another dataset.
    let found = ask("union * | count").await;
    assert_eq!(found.json()["tables"][0]["columns"], json!([[1]]), "{found:?}");
    let refused = ask("union *, ['tidegauge-audit'] | count").await;
    assert_eq!(refused.status, 400, "{refused:?}");
}

async fn from_before(app: TestApp) {
    let name = tidegauge_model::DatasetName::parse(AUDIT_DATASET).unwrap();
    let dataset = Dataset {
        id: "dataset_018bcfe56800700080000000000000e1".into(),
        number: 0,
        org: app.org.clone(),
        name,
        description: String::new(),
        kind: EVENTS_KIND.to_owned(),
        created: app.app.now(),
        created_by: app.owner.clone(),
        modified: app.app.now(),
        use_retention: false,
        retention_days: 0,
        map_fields: Vec::new(),
        flushed: 0,
        vacuumed: None,
        region: String::new(),
        edge_deployment: String::new(),
    };
    let change = tidegauge_catalog::Change {
        org: Some(app.org.clone()),
        actor: "earlier".to_owned(),
        at: app.app.now(),
        request_id: String::new(),
    };
    app.app.catalog.insert_dataset(&app.org, &dataset, 100, &change).await.unwrap();
    let path = format!("/v1/datasets/{AUDIT_DATASET}/ingest");
    let sent = app.send_bytes(&path, &[], b"[{\"a\":1}]".to_vec()).await;
    assert_eq!(sent.status, 200, "{sent:?}");
    audit_feed::step(&app.app).await.unwrap();
    assert_eq!(app.rows(AUDIT_DATASET).await.len(), 1, "nothing was put into it");
    // What waits goes with the window of the licence.
    assert!(app.app.catalog.feed_size().await.unwrap().waiting > 0);
    app.clock.advance(366 * DAY);
    prune_audit::step(&app.app).await.unwrap();
    assert_eq!(app.app.catalog.feed_entries(&app.org, "").await.unwrap(), []);
    // When theirs is gone, the service makes its own.
    let gone =
        app.send("DELETE", &format!("/v2/datasets/{AUDIT_DATASET}"), Some(&app.owner_token), None).await;
    assert_eq!(gone.status, 204, "{gone:?}");
    audit_feed::step(&app.app).await.unwrap();
    let made = app.app.catalog.find_dataset(&app.org, AUDIT_DATASET).await.unwrap().unwrap();
    assert_eq!(made.kind, AUDIT_KIND);
}

async fn window(app: TestApp) {
    act(&app, "first").await;
    check_whole(&app, &app.app.audit_feed).await;
    let days = async || {
        let found = app.app.catalog.find_dataset(&app.org, AUDIT_DATASET).await.unwrap().unwrap();
        (found.use_retention, found.retention_days)
    };
    assert_eq!(days().await, (true, 365));
    app.operate(|org| org.licence.limits.max_audit_window_seconds = 10 * 86_400 + 1).await;
    prune_audit::step(&app.app).await.unwrap();
    assert_eq!(days().await, (true, 11));
    // Nobody shortens the trail, whatever they may, and nobody keeps it beyond the licence.
    let (admin, token) =
        (app.member_token(Role::Admin).await, app.api_token(Capabilities::all(), None).await);
    for (body, status) in [
        (json!({"useRetentionPeriod": true, "retentionDays": 12}), 422),
        (json!({"useRetentionPeriod": true, "retentionDays": 10}), 422),
        (json!({"retentionDays": 1}), 422),
        (json!({"retentionDays": 0}), 422),
        (json!({"useRetentionPeriod": false}), 422),
        (json!({"useRetentionPeriod": false, "retentionDays": 1}), 422),
        // What was read, and what says nothing of it.
        (json!({"description": "ours", "useRetentionPeriod": true, "retentionDays": 11}), 200),
        (json!({"description": "ours"}), 200),
    ] {
        for token in [&app.owner_token, &admin, &token] {
            for version in ["v1", "v2"] {
                let path = format!("/{version}/datasets/{AUDIT_DATASET}");
                let answer = app.send("PUT", &path, Some(token), Some(&body)).await;
                assert_eq!(answer.status, status, "{version} {body}: {answer:?}");
            }
        }
    }
    assert_eq!(days().await, (true, 11));
    // Where the licence is raised, so is it, and so is one that an owner shortened in an earlier version.
    app.operate(|org| org.licence.limits.max_audit_window_seconds = 365 * 86_400).await;
    prune_audit::step(&app.app).await.unwrap();
    assert_eq!(days().await, (true, 365), "a licence that is raised lets the trail reach back further");
}
