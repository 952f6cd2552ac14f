//! What organisations use, beyond what a scenario can say: the same figures before and after they are written down, and
//! costs that are divided among datasets.

use std::time::Duration;

use serde_json::{Value, json};
use tidegauge_app::jobs::prune_usage;
use tidegauge_app::service::query::meter;

use crate::app::TestApp;
use crate::cases::Case;

/// Every case with its name.
pub(crate) const ALL: &[(&str, Case)] = &[
    ("use_is_the_same_before_and_after_it_is_written", |app| Box::pin(same_when_written(app))),
    ("the_cost_of_a_query_is_divided_among_its_datasets", |app| Box::pin(divided(app))),
    ("use_of_a_day_is_dropped_when_it_is_old", |app| Box::pin(dropped(app))),
];

async fn send(app: &TestApp, dataset: &str, events: &Value) {
    let path = format!("/v1/datasets/{dataset}/ingest");
    let answer = app.send("POST", &path, Some(&app.owner_token), Some(events)).await;
    assert_eq!(answer.status, 200, "{answer:?}");
}

async fn ask(app: &TestApp, text: &str) -> u64 {
    let body = json!({"apl": text});
    let answer = app.send("POST", "/v1/query/_apl?format=tabular", Some(&app.owner_token), Some(&body)).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.headers["x-tidegauge-query-cost-gbms"].to_str().unwrap().parse().unwrap()
}

async fn usage(app: &TestApp, parameters: &str) -> Value {
    let path = format!("/v2/orgs/{}/usage{parameters}", app.org);
    let answer = app.send("GET", &path, Some(&app.owner_token), None).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.json()
}

fn sum(usage: &Value, key: &str) -> u64 {
    usage["days"].as_array().unwrap().iter().map(|day| day[key].as_u64().unwrap()).sum()
}

async fn same_when_written(app: TestApp) {
    send(&app, "web", &json!([{"n": 1}])).await;
    app.clock.advance(Duration::from_secs(24 * 60 * 60));
    send(&app, "web", &json!([{"n": 2}, {"n": 3}])).await;
    let cost = ask(&app, "web | count").await + ask(&app, "print 1").await;
    let before = usage(&app, "").await;
    assert_eq!(sum(&before, "ingestedBytes"), 9 + 17);
    assert_eq!(sum(&before, "queryCost"), cost);
    assert_eq!(before["month"]["ingestedBytes"]["used"], 26);
    assert_eq!(before["month"]["queryCost"]["used"], cost);

    app.app.store.flush_all().await.unwrap();
    meter::write(&app.app.queries.meter, &app.app.catalog).await.unwrap();
    let after = usage(&app, "").await;
    assert_eq!(after["days"], before["days"]);
    assert_eq!(after["month"]["ingestedBytes"], before["month"]["ingestedBytes"]);
    assert_eq!(after["month"]["queryCost"], before["month"]["queryCost"]);
    assert!(after["month"]["storedBytes"]["used"].as_u64().unwrap() > 0, "{after}");
    assert_eq!(after["datasets"][0]["events"], 3);
    assert_eq!(app.app.catalog.usage(&app.org, "2026-06").await.unwrap(), 26);
}

async fn divided(app: TestApp) {
    let large: Vec<Value> = (0..3_000).map(|n| json!({"n": n, "text": "x".repeat(1_000)})).collect();
    for part in large.chunks(500) {
        send(&app, "large", &json!(part)).await;
    }
    send(&app, "small", &json!([{"n": 1}])).await;
    let mut cost = 0;
    for _ in 0..20 {
        cost += ask(&app, "union large, small | summarize count(), dcount(text)").await;
    }
    let told = usage(&app, "").await;
    let of = |dataset: &str| {
        let days = told["days"].as_array().unwrap();
        days.iter().find(|day| day["dataset"] == dataset).map_or(0, |day| day["queryCost"].as_u64().unwrap())
    };
    assert_eq!(of("large") + of("small"), cost, "{told}");
    assert!(of("large") > of("small"), "{told}");
}

async fn dropped(app: TestApp) {
    send(&app, "web", &json!([{"n": 1}])).await;
    app.app.store.flush_all().await.unwrap();
    app.clock.advance(Duration::from_secs(399 * 24 * 60 * 60));
    prune_usage::step(&app.app).await.unwrap();
    assert_eq!(sum(&usage(&app, "?from=2026-06-01").await, "ingestedBytes"), 9);
    app.clock.advance(Duration::from_secs(24 * 60 * 60));
    prune_usage::step(&app.app).await.unwrap();
    let left = app.app.catalog.usage_by_day(&app.org, "2026-01-01", "2028-01-01").await.unwrap();
    assert!(left.is_empty(), "{left:?}");
    assert_eq!(app.app.catalog.usage(&app.org, "2026-06").await.unwrap(), 9);
}
