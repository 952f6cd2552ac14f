//! Dashboards, as far as the client goes: it neither changes single charts nor reads earlier versions.

use axiom_rs::dashboards::{CreateOptions, DashboardDocument, DashboardWriteStatus, UpsertOptions};
use axiom_rs::{Client, Error};
use serde_json::{Value, json};

use crate::checks::{check_refusal, variable, with_token};

/// A document with charts that the client knows and charts that it does not.
fn document(owner: &str) -> Value {
    let query = json!({"apl": "['rust-web'] | summarize count()", "queryOptions": {"displayNull": "zero"}});
    let asking = [
        "TimeSeries",
        "Heatmap",
        "LogStream",
        "Pie",
        "Scatter",
        "Table",
        "TopK",
        "Statistic",
        "SectionHeader",
    ];
    let mut charts: Vec<Value> = asking
        .iter()
        .map(|kind| json!({"id": kind.to_lowercase(), "type": kind, "name": kind, "datasetId": "rust-web", "query": query}))
        .collect();
    charts.extend([
        json!({"id": "note", "type": "Note", "text": "## Title"}),
        json!({"id": "monitors", "type": "MonitorList", "selectedMonitors": ["mon_1"], "columns": {"status": true}}),
        json!({"id": "filters", "type": "SmartFilter", "filters": [{"type": "search", "id": "s"}]}),
        json!({"id": "spacer", "type": "Spacer"}),
        json!({"id": "placeholder", "type": "Placeholder"}),
    ]);
    json!({
        "name": "Rust", "description": "Of a test", "owner": owner, "charts": charts,
        "layout": [{"i": "note", "x": 0, "w": 4, "h": 4, "minH": 0.5}, {"i": "pie", "x": 4, "y": 0, "w": 8, "h": 4}],
        "timeWindowStart": "qr-now-1h", "timeWindowEnd": "qr-now", "refreshTime": 60, "schemaVersion": 2,
    })
}

fn read(document: &Value) -> DashboardDocument {
    serde_json::from_value(document.clone()).expect("a document")
}

pub async fn dashboards(client: &Client) {
    let wanted = document("");
    let options = CreateOptions { uid: Some("rust-board".to_owned()), message: Some("made".to_owned()) };
    let made = client.dashboards().create(&read(&wanted), options).await.expect("a dashboard");
    assert_eq!((made.status, made.overwritten), (DashboardWriteStatus::Created, Some(false)));
    assert_eq!((made.dashboard.uid.as_str(), made.dashboard.version), ("rust-board", Some(1)));
    assert!(made.dashboard.id.is_some_and(|id| id.starts_with("dash_")));
    assert_eq!(made.dashboard.updated_by, Some(client.users().current().await.expect("a user").id));

    let got = client.dashboards().get("rust-board").await.expect("the dashboard");
    assert_eq!(serde_json::to_value(&got.dashboard).expect("JSON"), wanted);
    assert_eq!((got.name(), got.updated_at), (Some("Rust"), made.dashboard.updated_at));
    let listed = client.dashboards().list().await.expect("a list");
    assert_eq!(listed.iter().filter(|dashboard| dashboard.uid == "rust-board").count(), 1);

    let mut changed = got.dashboard;
    changed.name = Some("Rust II".to_owned());
    let expecting = |version| UpsertOptions { expected_version: Some(version), ..UpsertOptions::default() };
    let put = client.dashboards().put("rust-board", &changed, expecting(1)).await.expect("a change");
    assert_eq!((put.status, put.dashboard.version), (DashboardWriteStatus::Updated, Some(2)));
    for options in [Some(expecting(1)), None] {
        match client.dashboards().put("rust-board", &changed, options).await {
            Err(Error::DashboardVersionConflict { uid, current }) => {
                assert_eq!((uid.as_str(), current), ("rust-board", 2));
            }
            other => panic!("expected a version conflict, got {other:?}"),
        }
    }
    let over = UpsertOptions { overwrite: true, ..UpsertOptions::default() };
    let put = client.dashboards().put("rust-board", &changed, over).await.expect("a change");
    assert_eq!((put.overwritten, put.dashboard.version), (Some(true), Some(3)));

    let taken = CreateOptions { uid: Some("rust-board".to_owned()), message: None };
    let refused = client.dashboards().create(&read(&wanted), taken).await;
    check_refusal(refused, 409, "there is a dashboard with the uid rust-board");
    let broken = read(&json!({"name": "x"}));
    check_refusal(
        client.dashboards().create(&broken, None).await,
        400,
        "dashboard validation failed at [charts]",
    );
    client.dashboards().delete("rust-board").await.expect("a deletion");
    check_refusal(client.dashboards().get("rust-board").await, 404, "dashboard not found");
    check_refusal(client.dashboards().delete("rust-board").await, 404, "dashboard not found");
    private(client).await;
}

/// What one person has made for themselves is not there for an API token.
async fn private(client: &Client) {
    let owner = client.users().current().await.expect("a user").id;
    let made = client.dashboards().create(&read(&document(&owner)), None).await.expect("a dashboard");
    let uid = made.dashboard.uid;
    let token = with_token(&variable("TEST_API_TOKEN"));
    check_refusal(token.dashboards().get(&uid).await, 404, "dashboard not found");
    assert!(token.dashboards().list().await.expect("a list").iter().all(|dashboard| dashboard.uid != uid));
    check_refusal(
        token.dashboards().create(&read(&document(&owner)), None).await,
        403,
        "the owner of a dashboard",
    );
    client.dashboards().delete(&uid).await.expect("a deletion");
}
