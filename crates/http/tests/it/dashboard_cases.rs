//! Dashboards beyond what a scenario can say: documents that come back byte for byte, and many who write at once.

use futures_util::future::join_all;
use serde_json::{Value, json};
use tidegauge_model::dashboard::ChartKind;

use crate::app::{Answer, TestApp};
use crate::cases::Case;

/// Every case with its name.
pub(crate) const ALL: &[(&str, Case)] = &[
    ("dashboards_come_back_byte_for_byte", |app| Box::pin(same_bytes(app))),
    ("a_changed_chart_leaves_every_other_byte", |app| Box::pin(other_bytes_stay(app))),
    ("of_many_who_change_one_version_one_wins", |app| Box::pin(one_of_many_wins(app))),
    ("of_many_who_choose_one_uid_one_creates", |app| Box::pin(one_of_many_creates(app))),
];

/// Charts of all kinds as the Go client's suite has them, with the numbers, the order and the spaces of somebody who
/// writes by hand.
fn charts() -> String {
    let query = r#"{"apl":"['d'] | summarize count()","queryOptions":{ "aggChartOpts":"{\"a\":1.0}" }}"#;
    let chart = |kind: &ChartKind| {
        let (id, name) = (kind.name().to_lowercase(), kind.name());
        let rest = match kind {
            ChartKind::Note => r##","text":"# Title\n\u00e9 ü \ud83c\udf0a \/ <b>""##.to_owned(),
            ChartKind::MonitorList => {
                let columns = r#"{"status":true,"history":false,"dataset":false,"type":false,"notifiers":false}"#;
                format!(r#", "name":"M", "selectedMonitors":["mon_1"], "columns":{columns}"#)
            }
            ChartKind::SmartFilter => {
                r#","filters":[{"type":"search","id":"s"},{"id":"l","type":"select","selectType":"list","options":[{"key":"All","value":"","default":true}]}]"#
                    .to_owned()
            }
            ChartKind::Spacer | ChartKind::Placeholder => String::new(),
            _ => format!(r#","datasetId":"d","query":{query}"#),
        };
        format!(r#"{{"type":"{name}","id":"{id}-1"{rest}}}"#)
    };
    ChartKind::ALL.iter().map(chart).collect::<Vec<_>>().join(",\n    ")
}

/// A document whose numbers every reader writes differently.
fn document(name: &str, owner: &str) -> String {
    let charts = charts();
    format!(
        r#"{{
  "timeWindowEnd":"qr-now", "timeWindowStart" : "qr-now-1h",
  "schemaVersion":2.0, "refreshTime":6e1,
  "overrides":{{"rowHeight":40.50,"big":123456789012345678901234,"small":1E-7, "none":null}},
  "layout":[{{"i":"note-1","x":0,"y":0,"w":4,"h":4,"minH":0.50}}],
  "charts":[{charts}],
  "owner":"{owner}","name":"{name}", "description":""}}"#
    )
}

fn envelope(document: &str, rest: &str) -> String {
    format!(r#"{{"dashboard": {document} , {rest}}}"#)
}

async fn send(app: &TestApp, method: &str, path: &str, body: &str) -> Answer {
    app.send_text(method, path, Some(&app.owner_token), body).await
}

/// What the Go client's suite does: create, update, read, list, delete.
async fn same_bytes(app: TestApp) {
    let path = "/v2/dashboards/uid/dash-all-charts";
    let first = document("all chart types", app.owner.as_str());
    let rest = r#""uid": "dash-all-charts", "overwrite": true, "message": "create""#;
    let created = send(&app, "POST", "/v2/dashboards", &envelope(&first, rest)).await;
    assert_eq!(created.status, 201, "{created:?}");
    assert_eq!(created.json()["dashboard"]["uid"], "dash-all-charts");
    check_document(&created.text, &first);

    let read = app.send("GET", path, Some(&app.owner_token), None).await;
    check_document(&read.text, &first);
    let kinds = read.json()["dashboard"]["charts"].as_array().unwrap().clone();
    let kinds: Vec<&str> = kinds.iter().map(|chart| chart["type"].as_str().unwrap()).collect();
    assert_eq!(kinds, ChartKind::names());
    assert_eq!(
        created.text,
        format!(r#"{{"status":"created","dashboard":{},"overwritten":false}}"#, read.text)
    );

    let second = document("all chart types, updated", "");
    let updated =
        send(&app, "PUT", path, &envelope(&second, r#""overwrite": true, "message": "update""#)).await;
    assert_eq!(updated.status, 200, "{updated:?}");
    check_document(&updated.text, &second);
    let read = app.send("GET", path, Some(&app.owner_token), None).await;
    check_document(&read.text, &second);
    let list = app.send("GET", "/v2/dashboards", Some(&app.owner_token), None).await;
    assert_eq!(list.text, format!("[{}]", read.text));

    let before = app.send("GET", &format!("{path}/versions/1"), Some(&app.owner_token), None).await;
    check_document(&before.text, &first);
    let restored = send(&app, "POST", &format!("{path}/versions/1/restore"), r#"{"version": 2}"#).await;
    assert_eq!(restored.status, 200, "{restored:?}");
    check_document(&restored.text, &first);

    assert_eq!(app.send("DELETE", path, Some(&app.owner_token), None).await.status, 204);
    assert_eq!(app.send("GET", path, Some(&app.owner_token), None).await.status, 404);
}

fn check_document(answer: &str, document: &str) {
    assert!(answer.contains(&format!(r#""dashboard":{document},"#)), "{document} in {answer}");
}

/// A merge patch of one chart writes what it names, and copies the text of all else.
async fn other_bytes_stay(app: TestApp) {
    let before = r#"{"name":"n" , "charts":[{"id":"a", "type":"Spacer" }, {"type":"Statistic","decimals":1.50,"query":{"apl" : "x", "queryOptions":{"v":1e2}},"id":"b"}],
        "layout":[], "refreshTime":60.0,"schemaVersion":2,"timeWindowStart":"1704067200000","timeWindowEnd":"qr-now"}"#;
    let created = send(&app, "POST", "/v2/dashboards", &envelope(before, r#""uid": "d""#)).await;
    assert_eq!(created.status, 201, "{created:?}");
    let patch = r#"{"version": 1, "chart": {"query": {"queryOptions": {"w": 2.0}}, "unit": "Percent"}}"#;
    let patched = send(&app, "PATCH", "/v2/dashboards/uid/d/charts/b", patch).await;
    assert_eq!(patched.status, 200, "{patched:?}");
    let after = concat!(
        r#"{"name":"n","charts":[{"id":"a", "type":"Spacer" },{"type":"Statistic","decimals":1.50,"#,
        r#""query":{"apl":"x","queryOptions":{"v":1e2,"w":2.0}},"id":"b","unit":"Percent"}],"#,
        r#""layout":[],"refreshTime":60.0,"schemaVersion":2,"timeWindowStart":"1704067200000","timeWindowEnd":"qr-now"}"#
    );
    check_document(&patched.text, after);
}

/// How many write at once.
const WRITERS: usize = 12;

fn plain(name: &str) -> Value {
    json!({
        "name": name, "charts": [], "layout": [], "refreshTime": 60, "schemaVersion": 2,
        "timeWindowStart": "qr-now-1h", "timeWindowEnd": "qr-now",
    })
}

fn count(answers: &[Answer], status: u16) -> usize {
    answers.iter().filter(|answer| answer.status == status).count()
}

async fn one_of_many_wins(app: TestApp) {
    let body = json!({"uid": "busy", "dashboard": plain("first")});
    assert_eq!(app.send("POST", "/v2/dashboards", Some(&app.owner_token), Some(&body)).await.status, 201);
    let writes = (0..WRITERS).map(|number| {
        let app = &app;
        async move {
            let body = json!({"version": 1, "dashboard": plain(&format!("of {number}"))});
            app.send("PUT", "/v2/dashboards/uid/busy", Some(&app.owner_token), Some(&body)).await
        }
    });
    let answers = join_all(writes).await;
    assert_eq!((count(&answers, 200), count(&answers, 412)), (1, WRITERS - 1), "{answers:?}");
    let winner = answers.iter().find(|answer| answer.status == 200).unwrap().json();
    let read = app.send("GET", "/v2/dashboards/uid/busy", Some(&app.owner_token), None).await.json();
    assert_eq!((&read["version"], &read["dashboard"]), (&json!(2), &winner["dashboard"]["dashboard"]));
    let lost = answers.iter().find(|answer| answer.status == 412).unwrap().json();
    assert_eq!((&lost["currentVersion"], &lost["uid"]), (&json!(2), &json!("busy")));
}

async fn one_of_many_creates(app: TestApp) {
    let writes = (0..WRITERS).map(|number| {
        let app = &app;
        async move {
            let body = json!({"uid": "wanted", "dashboard": plain(&format!("of {number}"))});
            app.send("POST", "/v2/dashboards", Some(&app.owner_token), Some(&body)).await
        }
    });
    let answers = join_all(writes).await;
    assert_eq!((count(&answers, 201), count(&answers, 409)), (1, WRITERS - 1), "{answers:?}");
    // Those who overwrite all get through, one after the other.
    let writes = (0..WRITERS).map(|number| {
        let app = &app;
        async move {
            let body =
                json!({"uid": "wanted", "overwrite": true, "dashboard": plain(&format!("again {number}"))});
            app.send("POST", "/v2/dashboards", Some(&app.owner_token), Some(&body)).await
        }
    });
    let answers = join_all(writes).await;
    assert_eq!(count(&answers, 200), WRITERS, "{answers:?}");
    let read = app.send("GET", "/v2/dashboards/uid/wanted", Some(&app.owner_token), None).await.json();
    assert_eq!(read["version"], WRITERS + 1);
}
