//! Talks to the service through axiom-rs as it is on crates.io, and checks every value that comes back.
//!
//! Usage: tidegauge-client-test [quota|rate-limit]. The environment comes from scripts/clients.sh. The client neither trims
//! datasets nor makes tokens or saved queries, and asks in text and in the tabular format alone. It knows no monitors.

mod boards;
mod checks;
mod ingest;
mod marks;

use axiom_rs::datasets::QueryOptions;
use axiom_rs::{Client, Error};
use serde_json::json;

use checks::{check_refusal, owner, query, rows, time, variable, with_token};

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let client = owner();
    match std::env::args().nth(1).as_deref() {
        Some("quota") => quota(&client).await,
        Some("rate-limit") => rate_limit(&client).await,
        _ => everything(&client).await,
    }
}

async fn everything(client: &Client) {
    datasets(client).await;
    user(client).await;
    marks::annotations(client).await;
    boards::dashboards(client).await;
    ingest::formats(client).await;
    ingest::values(client).await;
    ingest::labels(client).await;
    ingest::streams(client).await;
    ingest::refusals(client).await;
    figures(client).await;
    groups(client).await;
    ranges(client).await;
    paging(client).await;
    one_moment(client).await;
    edge().await;
    refusals(client).await;
    deletion(client).await;
}

async fn datasets(client: &Client) {
    let made = client.datasets().create("rust-web", "Requests").await.expect("a dataset");
    assert_eq!((made.name.as_str(), made.description.as_str()), ("rust-web", "Requests"));
    assert_eq!(made.created_by, client.users().current().await.expect("a user").id);
    let got = client.datasets().get("rust-web").await.expect("the dataset");
    assert_eq!((got.name, got.created_by, got.created_at), (made.name, made.created_by, made.created_at));
    let listed = client.datasets().list().await.expect("a list");
    assert_eq!(listed.iter().filter(|dataset| dataset.name == "rust-web").count(), 1);
    let changed = client.datasets().update("rust-web", "Requests to the shop").await.expect("a change");
    assert_eq!(changed.description, "Requests to the shop");
    let got = client.datasets().get("rust-web").await.expect("the dataset");
    assert_eq!((got.description, got.created_at), (changed.description, made.created_at));
}

async fn user(client: &Client) {
    let user = client.users().current().await.expect("a user");
    assert!(user.id.starts_with("user_") && !user.name.is_empty(), "{user:?}");
    assert!(user.emails.len() == 1 && user.emails[0].contains('@'), "{user:?}");
}

#[expect(deprecated, reason = "the client still has it, and the service answers it")]
async fn figures(client: &Client) {
    let info = client.datasets().info("rust-stream").await.expect("figures");
    assert_eq!(
        (info.stat.name.as_str(), info.stat.num_events, info.stat.num_fields),
        ("rust-stream", 2501, 3)
    );
    assert_eq!(info.stat.min_time, Some(time("2026-06-01T12:00:00Z")));
    assert_eq!(info.stat.max_time, Some(time("2026-06-01T12:00:01Z")));
    let mut fields: Vec<_> = info.fields.iter().map(ToString::to_string).collect();
    fields.sort();
    assert_eq!(fields, ["_sysTime: datetime", "_time: datetime", "n: integer"]);
}

async fn groups(client: &Client) {
    let events =
        (0..10).map(|n| json!({"_time": format!("2026-06-01T12:0{n}:00Z"), "n": n, "even": n % 2 == 0}));
    client.ingest("rust-web", events).await.expect("events are taken");
    let apl =
        "['rust-web'] | summarize count(), sum(n) by bin(_time, 5m), even | sort by _time asc, even asc";
    let options = QueryOptions { save: true, no_cache: true, ..QueryOptions::default() };
    let result = client.query(apl, options).await.expect("an answer");
    assert!(result.saved_query_id.is_some_and(|id| !id.is_empty()), "the id of the query in the history");
    assert!(result.trace_id.is_some_and(|id| !id.is_empty()), "a trace id");
    assert_eq!((result.status.num_groups, result.status.rows_matched), (2, 10));
    assert!(result.status.elapsed_time > 0, "{:?}", result.status);

    let [table, totals] = result.tables.as_slice() else { panic!("{:?}", result.tables) };
    assert_eq!((table.name(), totals.name()), ("0", "_totals"));
    let names: Vec<_> = table.groups().iter().map(ToString::to_string).collect();
    assert_eq!(names, ["_time", "even"]);
    let buckets = table.buckets().expect("buckets");
    assert_eq!((buckets.field(), buckets.size()), ("_time", 300_000_000_000));
    let aggregations: Vec<_> =
        table.fields().iter().filter_map(|field| field.agg()).map(ToString::to_string).collect();
    assert_eq!(aggregations, ["count()", "sum(n)"]);
    let (first, second) = (json!("2026-06-01T12:00:00Z"), json!("2026-06-01T12:05:00Z"));
    assert_eq!(
        table.columns(),
        [
            vec![first.clone(), first, second.clone(), second],
            vec![json!(false), json!(true), json!(false), json!(true)],
            vec![json!(2), json!(3), json!(3), json!(2)],
            vec![json!(4), json!(6), json!(21), json!(14)],
        ]
    );
    assert_eq!(totals.len(), 2);
}

async fn ranges(client: &Client) {
    let options = QueryOptions {
        start_time: Some(time("2026-06-01T12:02:00Z")),
        end_time: Some(time("2026-06-01T12:05:00Z")),
        ..QueryOptions::default()
    };
    let result =
        client.query("['rust-web'] | sort by _time asc | project n", options).await.expect("an answer");
    assert_eq!(rows(&result), [[json!(2)], [json!(3)], [json!(4)]]);
    let range = result.tables[0].range().expect("a range");
    assert_eq!(range.to_string(), "_time[2026-06-01 12:02:00 UTC..2026-06-01 12:05:00 UTC]");
    assert!(query(client, "['rust-web'] | where n > 100").await.tables[0].is_empty());

    let all = query(client, "['rust-stream']").await;
    assert_eq!((all.tables[0].len(), all.status.rows_matched), (1000, 2501));
}

/// Pages by the cursor in the status, over events of the same moment.
async fn paging(client: &Client) {
    let mut seen = Vec::new();
    let mut options = QueryOptions::default();
    loop {
        let apl = "['rust-stream'] | sort by _time desc | project n | take 700";
        let result = client.query(apl, options.clone()).await.expect("a page");
        let page = rows(&result);
        if page.is_empty() {
            break;
        }
        seen.extend(page.into_iter().map(|row| row[0].as_i64().expect("a number")));
        options.cursor = result.status.min_cursor;
    }
    assert_eq!(seen.len(), 2501);
    seen.sort_unstable();
    assert!(seen.into_iter().eq(0..=2500), "every event once");
}

/// A thousand events of one moment: from the cursor of a row on, with that row itself.
async fn one_moment(client: &Client) {
    let events = (0..1000).map(|n| json!({"_time": "2026-06-01T12:00:00Z", "n": n}));
    client.ingest("rust-moment", events).await.expect("events are taken");
    let apl = "['rust-moment'] | sort by _time desc";
    let options = QueryOptions { include_cursor_field: true, ..QueryOptions::default() };
    let result = client.query(apl, options).await.expect("a page");
    assert_eq!(result.tables[0].len(), 1000);
    let row = result.tables[0].get_row(500).expect("a row");
    let cursor = row.get_field("_cursor").and_then(|cursor| cursor.as_str()).expect("a cursor").to_owned();
    let options = QueryOptions { cursor: Some(cursor), include_cursor: true, ..QueryOptions::default() };
    let rest = client.query(apl, options).await.expect("a page");
    assert_eq!(rest.tables[0].len(), 500);
    assert_eq!(rest.tables[0].get_row(0).expect("a row").get_field("n"), row.get_field("n"));
}

/// The other pair of paths, for API tokens.
async fn edge() {
    let (url, token) = (variable("AXIOM_URL"), variable("TEST_API_TOKEN"));
    let near = Client::builder()
        .no_env()
        .with_url(&url)
        .with_edge_url(&url)
        .with_token(token)
        .build()
        .expect("a client");
    assert!(near.uses_edge());
    let status = near.ingest("rust-edge", [json!({"n": i64::MAX})]).await.expect("an event is taken");
    assert_eq!(status.ingested, 1);
    assert_eq!(rows(&query(&near, "['rust-edge'] | project n").await), [[json!(i64::MAX)]]);
}

async fn refusals(client: &Client) {
    let stranger = with_token("xapt-123");
    check_refusal(stranger.datasets().list().await, 401, "forbidden");
    check_refusal(stranger.users().current().await, 401, "forbidden");

    let sender = with_token(&variable("TEST_INGEST_TOKEN"));
    let denied = "token does not have access to resource: query with action: read";
    check_refusal(sender.query("['rust-web']", QueryOptions::default()).await, 403, denied);
    let denied = "token does not have access to resource: datasets with action: create";
    check_refusal(sender.datasets().create("x", "").await, 403, denied);
    check_refusal(sender.ingest("rust-unknown", [json!({"n": 1})]).await, 404, "dataset not found");

    let datasets = client.datasets();
    check_refusal(datasets.get("rust-unknown").await, 404, "dataset not found");
    check_refusal(datasets.update("rust-unknown", "").await, 404, "dataset not found");
    check_refusal(datasets.delete("rust-unknown").await, 404, "dataset not found");
    let unknown = client.query("['rust-unknown']", QueryOptions::default()).await;
    check_refusal(unknown, 404, "dataset not found: \"rust-unknown\"");
    check_refusal(datasets.create("rust-web", "").await, 409, "there is a dataset with this name");
    check_refusal(datasets.create("", "").await, 422, "name in body must be a dataset's name");
    let options = QueryOptions { cursor: Some("somewhere".to_owned()), ..QueryOptions::default() };
    check_refusal(client.query("['rust-web']", options).await, 422, "cursor in body ");
    let malformed = client.query("['rust-web'] | where", QueryOptions::default()).await;
    check_refusal(malformed, 400, "line 1, column ");
}

async fn deletion(client: &Client) {
    for dataset in client.datasets().list().await.expect("a list") {
        if dataset.name.starts_with("rust-") {
            client.datasets().delete(dataset.name).await.expect("a deletion");
        }
    }
    check_refusal(client.datasets().get("rust-web").await, 404, "dataset not found");
    client.datasets().create("rust-web", "").await.expect("the name is free");
    assert_eq!(rows(&query(client, "['rust-web'] | count").await), [[json!(0)]]);
    client.datasets().delete("rust-web").await.expect("a deletion");
}

/// The licence has nothing left for this month.
async fn quota(client: &Client) {
    client.datasets().create("rust-quota", "").await.expect("a dataset");
    match client.query("['rust-quota']", QueryOptions::default()).await {
        Err(Error::QueryLimitExceeded(limits)) => assert_eq!((limits.limit, limits.remaining), (0, 0)),
        other => panic!("expected a limit of queries, got {other:?}"),
    }
    match client.ingest("rust-quota", [json!({"n": 1})]).await {
        Err(Error::IngestLimitExceeded(limits)) => assert_eq!((limits.limit, limits.remaining), (0, 0)),
        other => panic!("expected a limit of events, got {other:?}"),
    }
}

/// The licence allows one request per second by now, so one of many in a row is refused.
async fn rate_limit(client: &Client) {
    for _ in 0..10_000 {
        match client.datasets().list().await {
            Ok(_) => {}
            Err(Error::RateLimitExceeded { scope, limits }) => {
                assert_eq!((scope.as_str(), limits.limit, limits.remaining), ("organization", 1, 0));
                return;
            }
            Err(other) => panic!("expected a rate limit, got {other:?}"),
        }
    }
    panic!("no request of 10,000 in a row was refused");
}
