//! Cases of queries that need more than a scenario can say: requests at the same time, what is counted and kept behind
//! them, exact bytes, large answers.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use serde_json::{Value, json};
use tidegauge_app::jobs::{Jobs, prune_queries};
use tidegauge_app::service::query::definitions::Definition;
use tidegauge_app::service::query::meter;
use tidegauge_catalog::Change;
use tidegauge_catalog::frozen_answers::FrozenAnswer;
use tidegauge_catalog::query_history::SavedQuery;
use tidegauge_catalog::usage::QueryCost;
use tidegauge_http::resources::query::ROUTES;

use crate::app::{Answer, BODY_MAX, TestApp};
use crate::cases::Case;

/// Every case with its name.
pub(crate) const ALL: &[(&str, Case)] = &[
    ("a_query_waits_for_its_first_event", |app| Box::pin(waits(app))),
    ("queries_that_wait_take_no_place", |app| Box::pin(waits_without_a_place(app))),
    ("a_query_does_not_wait_longer_than_asked_or_with_aggregations", |app| Box::pin(waits_no_longer(app))),
    ("a_stopping_service_answers_who_waits", |app| Box::pin(stops_waiting(app))),
    ("a_query_that_nobody_waits_for_is_counted", |app| Box::pin(counts_cancelled(app))),
    ("a_large_answer_comes_whole_and_says_that_it_was_limited", |app| Box::pin(large_answer(app))),
    ("numbers_come_back_digit_by_digit", |app| Box::pin(same_digits(app))),
    ("events_of_one_moment_are_paged_one_by_one", |app| Box::pin(one_moment(app))),
    ("what_queries_cost_is_kept", |app| Box::pin(keeps_costs(app))),
    ("queries_without_an_answer_cost_too", |app| Box::pin(counts_what_failed(app))),
    ("queries_that_ran_out_of_time_cost_too", |app| Box::pin(counts_what_was_too_slow(app))),
    ("costs_are_written_at_the_end", |app| Box::pin(writes_costs_at_the_end(app))),
    ("kept_queries_are_forgotten_after_a_month", |app| Box::pin(forgets_queries(app))),
    ("a_query_that_is_too_large_is_refused", |app| Box::pin(too_large(app))),
    ("the_route_with_its_own_limit_of_time_is_there", |app| Box::pin(route_is_there(app))),
    ("queries_are_in_the_metrics", |app| Box::pin(in_metrics(app))),
    ("what_is_defined_for_a_name_is_known_at_once", |app| Box::pin(knows_definitions(app))),
    ("what_is_older_than_a_dataset_is_not_of_it", |app| Box::pin(older_than_its_dataset(app))),
];

fn last_hour() -> Value {
    json!({"startTime": "now-1h", "endTime": "now+1h", "resolution": "auto"})
}

async fn ask(app: &TestApp, parameters: &str, body: &Value) -> Answer {
    let path = format!("/v1/datasets/d/query{parameters}");
    app.send("POST", &path, Some(&app.owner_token), Some(body)).await
}

async fn asked(app: &TestApp, parameters: &str, body: &Value) -> Value {
    let answer = ask(app, parameters, body).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.json()
}

async fn send(app: &TestApp, events: &Value) {
    let answer = app.send("POST", "/v1/datasets/d/ingest", Some(&app.owner_token), Some(events)).await;
    assert_eq!(answer.status, 200, "{answer:?}");
}

fn found(answer: &Value) -> usize {
    answer["matches"].as_array().unwrap().len()
}

async fn waits(app: TestApp) {
    send(&app, &json!([{"n": 0}])).await;
    let mut wanted = last_hour();
    wanted["filter"] = json!({"op": "==", "field": "n", "value": 2});
    let sender = async {
        // The first is not what is waited for.
        send(&app, &json!([{"n": 1}])).await;
        send(&app, &json!([{"n": 2}])).await;
    };
    let (answer, ()) = tokio::join!(asked(&app, "?streaming-duration=5m", &wanted), sender);
    assert_eq!(found(&answer), 1);
    assert_eq!(answer["matches"][0]["data"]["n"], 2);
}

/// More wait than may run at once, and another one is answered meanwhile.
async fn waits_without_a_place(app: TestApp) {
    send(&app, &json!([{"n": 0}])).await;
    let mut wanted = last_hour();
    wanted["filter"] = json!({"op": "==", "field": "n", "value": 2});
    let waiting = join_all((0..8).map(|_| asked(&app, "?streaming-duration=5m", &wanted)));
    let other = async {
        for _ in 0..3 {
            assert_eq!(found(&asked(&app, "", &last_hour()).await), 1);
        }
        send(&app, &json!([{"n": 2}])).await;
    };
    let (answers, ()) = tokio::join!(waiting, other);
    assert_eq!(answers.iter().map(found).sum::<usize>(), 8);
}

async fn waits_no_longer(app: TestApp) {
    send(&app, &json!([{"n": 0}])).await;
    let mut none = last_hour();
    none["filter"] = json!({"op": "==", "field": "n", "value": 2});
    assert_eq!(found(&asked(&app, "?streaming-duration=50ms", &none).await), 0);
    assert_eq!(found(&asked(&app, "?streaming-duration=0s", &none).await), 0);
    none["aggregations"] = json!([{"op": "count", "field": "*"}]);
    assert_eq!(found(&asked(&app, "?streaming-duration=5m", &none).await), 0);
}

async fn stops_waiting(app: TestApp) {
    send(&app, &json!([{"n": 0}])).await;
    let mut none = last_hour();
    none["filter"] = json!({"op": "==", "field": "n", "value": 2});
    app.app.begin_draining();
    assert_eq!(found(&asked(&app, "?streaming-duration=5m", &none).await), 0);
}

async fn counts_cancelled(app: TestApp) {
    send(&app, &json!([{"n": 0}])).await;
    let mut none = last_hour();
    none["filter"] = json!({"op": "==", "field": "n", "value": 2});
    // Each waits longer before it goes away, until one had come as far as a query that runs.
    let mut patience = Duration::from_millis(50);
    loop {
        let waiting = ask(&app, "?streaming-duration=5m", &none);
        assert!(tokio::time::timeout(patience, waiting).await.is_err());
        let metrics = app.send("GET", "/metrics", None, None).await.text;
        if metrics.contains("tidegauge_queries_total{outcome=\"cancelled\"} 1") {
            break;
        }
        patience *= 2;
    }
}

async fn large_answer(app: TestApp) {
    for part in 0..3 {
        let events: Vec<Value> = (0..1_500)
            .map(|n| json!({"n": part * 1_500 + n, "text": "x".repeat(50), "a": 1, "b": 2, "c": true}))
            .collect();
        send(&app, &Value::Array(events)).await;
    }
    let answer = asked(&app, "", &last_hour()).await;
    assert_eq!((found(&answer), &answer["status"]["rowsMatched"]), (1_000, &json!(4_500)));
    assert_eq!(answer["status"]["messages"][0]["code"], "default_limit_warning");
    let mut all = last_hour();
    all["limit"] = json!(50_000);
    let answer = asked(&app, "", &all).await;
    assert_eq!((found(&answer), &answer["status"]["messages"]), (4_500, &json!([])));
    let table = asked(&app, "?format=tabular", &all).await["tables"][0].clone();
    let lengths: Vec<usize> =
        table["columns"].as_array().unwrap().iter().map(|column| column.as_array().unwrap().len()).collect();
    assert_eq!(lengths, [4_500; 7]);
}

async fn same_digits(app: TestApp) {
    let events = r#"[{"i": 9007199254740993, "f": 1.0, "small": 5e-324, "array": [1.50, 9007199254740993], "s": "\u0000\u001f\"\\é",
        "unsigned": 18446744073709551615, "long": -123456789012345678901234567890, "zero": -0, "tenth": 1.10, "thousand": 1e3}]"#;
    let sent = app.send_bytes("/v1/datasets/d/ingest", &[], events.as_bytes().to_vec()).await;
    assert_eq!(sent.status, 200, "{sent:?}");
    let text = ask(&app, "", &last_hour()).await.text;
    for part in [
        r#""i":9007199254740993"#,
        r#""f":1.0"#,
        r#""small":5e-324"#,
        r#""unsigned":18446744073709551615"#,
        r#""long":-123456789012345678901234567890"#,
        r#""zero":-0}"#,
        r#""tenth":1.1,"#,
        r#""thousand":1000.0"#,
        r#"9007199254740993]"#,
        r#""s":"\u0000\u001f\"\\é""#,
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
    let fields = asked(&app, "?format=tabular", &last_hour()).await["tables"][0]["fields"].clone();
    let told = |name: &str| fields.as_array().unwrap().iter().find(|field| field["name"] == name).cloned();
    assert_eq!(told("long").unwrap()["type"], "integer");
}

async fn one_moment(app: TestApp) {
    let events: Vec<Value> = (0..1_000).map(|n| json!({"_time": "2026-06-01T11:59:00Z", "n": n})).collect();
    send(&app, &Value::Array(events)).await;
    let first = asked(&app, "", &last_hour()).await;
    assert_eq!(found(&first), 1_000);
    let mut rest = last_hour();
    rest["cursor"] = first["matches"][500]["_rowId"].clone();
    rest["includeCursor"] = json!(true);
    let rest = asked(&app, "", &rest).await;
    assert_eq!(rest["matches"].as_array().unwrap()[..], first["matches"].as_array().unwrap()[500..]);
    let (mut page, mut seen) = (last_hour(), Vec::new());
    page["limit"] = json!(300);
    loop {
        let answer = asked(&app, "", &page).await;
        let rows = answer["matches"].as_array().unwrap();
        seen.extend(rows.iter().map(|row| row["data"]["n"].as_i64().unwrap()));
        if rows.len() < 300 {
            break;
        }
        page["cursor"] = rows[299]["_rowId"].clone();
    }
    // Those of one moment come as they were sent, though the newest are first.
    assert_eq!(seen, (0..1_000).collect::<Vec<i64>>());
}

async fn keeps_costs(app: TestApp) {
    send(&app, &json!([{"n": 0}])).await;
    let mut cost = 0;
    for _ in 0..3 {
        let answer = ask(&app, "", &last_hour()).await;
        let number = |name: &str| answer.headers[name].to_str().unwrap().parse::<u64>().unwrap();
        cost += number("x-tidegauge-query-cost-gbms");
        assert_eq!(number("x-querylimit-remaining"), number("x-querylimit-limit") - cost);
    }
    assert!(cost >= 3);
    let kept = || async { app.app.catalog.query_usage(&app.org, "2026-06").await.unwrap() };
    assert_eq!(kept().await, 0);
    for _ in 0..2 {
        meter::write(&app.app.queries.meter, &app.app.catalog).await.unwrap();
        assert_eq!(kept().await, cost);
    }
    let answer = ask(&app, "", &last_hour()).await;
    let left =
        |answer: &Answer| answer.headers["x-querylimit-remaining"].to_str().unwrap().parse::<u64>().unwrap();
    assert!(left(&answer) < 3_600_000_000_000 - cost);
    // What other nodes write is noticed after a while.
    app.app
        .catalog
        .add_query_usage(&[QueryCost {
            org: app.org.clone(),
            day: "2026-06-01".to_owned(),
            dataset: "d".to_owned(),
            cost: 3_600_000_000_000,
        }])
        .await
        .unwrap();
    app.clock.advance(Duration::from_secs(11));
    assert_eq!(ask(&app, "", &last_hour()).await.status, 430);
    app.clock.advance(Duration::from_secs(30 * 24 * 60 * 60));
    assert_eq!(ask(&app, "", &last_hour()).await.status, 200);
}

async fn counts_what_failed(app: TestApp) {
    send(&app, &json!([{"n": 0}])).await;
    // The right side of a join is held in memory, and this is more than a query may have.
    let text = "print k = 1 | join (print s = strrep('x', 1000), y = range(1, 50000) | mv-expand y \
        | extend t = strcat(s, tostring(y)), k = 1) on k | summarize max(strlen(t))";
    let body = json!({ "apl": text });
    let answer =
        app.send("POST", "/v1/datasets/_apl?format=tabular", Some(&app.owner_token), Some(&body)).await;
    assert_eq!(answer.status, 432, "{answer:?}");
    meter::write(&app.app.queries.meter, &app.app.catalog).await.unwrap();
    assert!(app.app.catalog.query_usage(&app.org, "2026-06").await.unwrap() > 0);
}

/// In no time a query answers nothing, and it costs what every query does at least.
async fn counts_what_was_too_slow(app: TestApp) {
    let app = TestApp::start_sized(app.backend, |sizes| sizes.query.time_max = Duration::ZERO).await;
    send(&app, &json!([{"n": 0}])).await;
    let used = async || {
        meter::write(&app.app.queries.meter, &app.app.catalog).await.unwrap();
        app.app.catalog.query_usage(&app.org, "2026-06").await.unwrap()
    };
    assert_eq!(used().await, 0);
    let groups = json!({"apl": "['d'] | summarize count() by n"});
    let text =
        app.send("POST", "/v1/datasets/_apl?format=tabular", Some(&app.owner_token), Some(&groups)).await;
    assert_eq!(text.status, 504, "{text:?}");
    let after_text = used().await;
    assert!(after_text > 0);
    let mut wanted = last_hour();
    wanted["aggregations"] = json!([{"op": "count", "field": "*"}]);
    let answer = ask(&app, "", &wanted).await;
    assert_eq!(answer.status, 504, "{answer:?}");
    assert!(used().await > after_text);
}

async fn writes_costs_at_the_end(app: TestApp) {
    send(&app, &json!([{"n": 0}])).await;
    asked(&app, "", &last_hour()).await;
    Jobs::default().stop(&app.app).await;
    assert!(app.app.catalog.query_usage(&app.org, "2026-06").await.unwrap() > 0);
}

async fn forgets_queries(app: TestApp) {
    send(&app, &json!([{"n": 0}])).await;
    let answer = ask(&app, "?saveAsKind=stream", &last_hour()).await;
    let path =
        format!("/v1/datasets/_history/{}", answer.headers["x-axiom-history-query-id"].to_str().unwrap());
    let status = || async { app.send("GET", &path, Some(&app.owner_token), None).await.status };
    app.clock.advance(Duration::from_secs(30 * 24 * 60 * 60));
    prune_queries::step(&app.app).await.unwrap();
    assert_eq!(status().await, 200);
    app.clock.advance(Duration::from_secs(1));
    prune_queries::step(&app.app).await.unwrap();
    assert_eq!(status().await, 404);
}

async fn too_large(app: TestApp) {
    send(&app, &json!([{"n": 0}])).await;
    let mut query = last_hour();
    query["own"] = json!("x".repeat(BODY_MAX));
    let answer = ask(&app, "", &query).await;
    assert_eq!(answer.status, 413, "{answer:?}");
    assert!(answer.json()["hint"].as_str().unwrap().contains("max_query_body_bytes"));
}

/// The layer that limits the time of a request knows the routes by these paths.
async fn route_is_there(app: TestApp) {
    let document = app.send("GET", "/openapi.json", None, None).await.json();
    for route in ROUTES {
        let path = &document["paths"][route];
        assert!(path["post"].is_object() || path["get"].is_object(), "{route}");
    }
}

async fn in_metrics(app: TestApp) {
    send(&app, &json!([{"n": 0}, {"n": 1}])).await;
    asked(&app, "", &last_hour()).await;
    assert_eq!(ask(&app, "", &json!({})).await.status, 422);
    let metrics = app.send("GET", "/metrics", None, None).await.text;
    for line in [
        "tidegauge_queries_total{outcome=\"answered\"} 1",
        "tidegauge_queries_total{outcome=\"refused\"} 1",
        "tidegauge_query_seconds_count 1",
        "tidegauge_query_rows_examined_total 2",
        "tidegauge_query_spill_bytes 0",
        "tidegauge_query_spilled_bytes_total 0",
        "tidegauge_query_spill_refused_total 0",
        "tidegauge_rewritten_segments_total 0",
        "tidegauge_rewritten_bytes_total 0",
        "tidegauge_object_cache_bytes 0",
        "tidegauge_object_cache_misses_total 0",
        "tidegauge_ingest_memory_bytes 0",
        "tidegauge_oauth_proofs_remembered 0",
    ] {
        assert!(metrics.contains(line), "{line} in {metrics}");
    }
    let syncs = metrics.lines().find_map(|line| line.strip_prefix("tidegauge_wal_syncs_total "));
    assert!(syncs.is_some_and(|syncs| syncs != "0"), "events were stored: {metrics}");
}

async fn knows_definitions(app: TestApp) {
    let make = async |path: &str, body: Value| {
        let answer = app.send("POST", path, Some(&app.owner_token), Some(&body)).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        format!("{path}/{}", answer.json()["id"].as_str().unwrap())
    };
    let defined = async |name: &str| {
        let (state, now) = (&app.app, app.app.now());
        state.queries.definitions.of(state.source(), &app.org, name, now).await.unwrap()
    };
    make("/v2/datasets", json!({"name": "d"})).await;
    for name in ["d", "v", "none"] {
        assert_eq!(*defined(name).await, Definition::default());
    }
    let second = make("/v2/vfields", json!({"dataset": "d", "name": "b", "expression": "1"})).await;
    make("/v2/vfields", json!({"dataset": "d", "name": "a", "expression": "b + 1"})).await;
    let view = make("/v2/views", json!({"name": "v", "aplQuery": "['d'] | count"})).await;
    let fields = [("b", "1"), ("a", "b + 1")].map(|(name, text)| (name.to_owned(), text.to_owned()));
    assert_eq!(defined("d").await.virtual_fields, fields);
    assert_eq!(defined("v").await.view.as_deref(), Some("['d'] | count"));
    assert!(Arc::ptr_eq(&defined("v").await, &defined("v").await));

    for path in [second, view] {
        assert_eq!(app.send("DELETE", &path, Some(&app.owner_token), None).await.status, 204);
    }
    assert_eq!(defined("d").await.virtual_fields, fields[1..]);
    assert_eq!(*defined("v").await, Definition::default());
}

/// Kept while its dataset was deleted and another one of the name was made.
async fn older_than_its_dataset(app: TestApp) {
    send(&app, &json!([{"n": 1}])).await;
    let (token, catalog) = (Some(app.owner_token.as_str()), &app.app.catalog);
    let kept = app.send("POST", "/v2/answers", token, Some(&json!({"apl": "['d']"}))).await.json();
    let answer = asked_for_history(&app).await;
    let frozen = catalog.find_frozen_answer(&app.org, kept["id"].as_str().unwrap()).await.unwrap().unwrap();
    let saved = catalog.find_saved_query(&app.org, &answer).await.unwrap().unwrap();
    let (org, actor) = (Some(app.org.clone()), "test".to_owned());
    let change = Change { org, actor, at: frozen.created, request_id: String::new() };
    for (id, seconds, status) in [("same", 0, 200_u16), ("older", 1, 404)] {
        let created = frozen.created.minus_seconds(seconds);
        let frozen = FrozenAnswer { id: id.to_owned(), created, ..frozen.clone() };
        catalog.insert_frozen_answer(&app.org, &frozen, &change).await.unwrap();
        let saved = SavedQuery { id: id.to_owned(), created, ..saved.clone() };
        catalog.insert_saved_query(&app.org, &saved).await.unwrap();
        for path in ["/v2/answers", "/v1/datasets/_history"] {
            let found = app.send("GET", &format!("{path}/{id}"), token, None).await;
            assert_eq!(found.status, status, "{path}/{id}: {found:?}");
        }
    }
}

/// The id of a query over the dataset in the history.
async fn asked_for_history(app: &TestApp) -> String {
    let answer = ask(app, "?saveAsKind=analytics", &last_hour()).await;
    answer.headers["x-axiom-history-query-id"].to_str().unwrap().to_owned()
}
