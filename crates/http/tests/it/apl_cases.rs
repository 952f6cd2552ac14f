//! Queries in text where a scenario of single answers does not reach: server-sent events, waiting for events, limits.

use std::time::Duration;

use serde_json::{Value, json};

use crate::app::{Answer, TestApp};
use crate::cases::Case;

/// Every case with its name.
pub(crate) const ALL: &[(&str, Case)] = &[
    ("a_batch_tells_of_each_query", |app| Box::pin(batch(app))),
    ("a_batch_has_no_more_queries_than_allowed", |app| Box::pin(large_batch(app))),
    ("queries_of_a_batch_count_as_requests", |app| Box::pin(batch_rate(app))),
    ("a_stream_keeps_its_place_until_it_ends", |app| Box::pin(stream_keeps_its_place(app))),
    ("a_watched_query_ends_with_its_answer", |app| Box::pin(watched(app))),
    ("a_query_in_text_waits_for_its_first_row", |app| Box::pin(waits(app))),
    ("many_events_are_cut_at_the_default_limit", |app| Box::pin(default_limit(app))),
    ("events_of_one_moment_are_paged_by_their_cursors", |app| Box::pin(one_moment(app))),
    ("files_are_not_read_unless_allowed", |app| Box::pin(no_files(app))),
    ("an_answer_has_fifty_thousand_rows_at_most_and_says_so", |app| Box::pin(most_rows(app))),
];

async fn ask(app: &TestApp, path: &str, body: &Value, accept: &str) -> Answer {
    let headers = [("content-type", "application/json"), ("accept", accept)];
    app.send_bytes(path, &headers, body.to_string().into_bytes()).await
}

async fn asked(app: &TestApp, body: &Value) -> Value {
    let answer = ask(app, "/v1/query/_apl?format=tabular", body, "*/*").await;
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.json()
}

async fn send(app: &TestApp, events: &Value) {
    let answer = app.send("POST", "/v1/datasets/d/ingest", Some(&app.owner_token), Some(events)).await;
    assert_eq!(answer.status, 200, "{answer:?}");
}

/// The names and the data of server-sent events.
fn events(text: &str) -> Vec<(String, Value)> {
    let of = |block: &str| {
        let part = |name: &str| block.lines().find_map(|line| line.strip_prefix(name));
        let data = part("data: ")?;
        Some((part("event: ").unwrap_or_default().to_owned(), serde_json::from_str(data).unwrap()))
    };
    text.split("\n\n").filter_map(of).collect()
}

async fn batch(app: TestApp) {
    send(&app, &json!([{"n": 1}, {"n": 2}])).await;
    let body = json!([
        {"queryId": "good", "aplRequest": {"apl": "['d'] | count", "startTime": null}},
        {"queryId": "a \"name\"", "aplRequest": {"apl": "['d'] | where"}},
        {"queryId": "missing", "aplRequest": {"apl": "nowhere"}},
        {"queryId": "empty", "aplRequest": {"apl": ""}},
        {"queryId": "metrics", "mplRequest": {"mpl": "m"}},
    ]);
    let answer = ask(&app, "/v1/query/batch?maxConcurrency=2", &body, "text/event-stream").await;
    assert_eq!(answer.status, 200, "{answer:?}");
    let events = events(&answer.text);
    assert_eq!(events.len(), 5);
    let of = |id: &str| {
        let found = events.iter().find(|(_, data)| data["queryId"] == id);
        found.unwrap_or_else(|| panic!("no event of {id:?}")).1.clone()
    };
    let good = of("good");
    assert_eq!((&good["kind"], &good["error"]), (&json!("apl"), &Value::Null));
    assert!(good["cost"].as_u64().unwrap() >= 1, "{good}");
    assert_eq!(good["data"]["tables"][0]["columns"], json!([[2]]));
    let wrong = of("a \"name\"");
    assert_eq!((&wrong["error"]["code"], &wrong["error"]["detail"]["line"]), (&json!(400), &json!(1)));
    assert!(wrong["data"].is_null() && wrong["error"]["requestId"].is_string());
    assert_eq!(of("missing")["error"]["code"], 404);
    assert_eq!(of("empty")["error"]["code"], 602);
    assert_eq!((&of("metrics")["kind"], &of("metrics")["error"]["code"]), (&json!("mpl"), &json!(400)));
}

async fn large_batch(app: TestApp) {
    let entry = |number: usize| json!({"queryId": number.to_string(), "aplRequest": {"apl": "print 1"}});
    let of = |count: usize| Value::Array((0..count).map(entry).collect());
    let answer = ask(&app, "/v1/query/batch", &of(100), "*/*").await;
    assert_eq!(events(&answer.text).len(), 100);
    let answer = ask(&app, "/v1/query/batch", &of(101), "*/*").await;
    assert_eq!(answer.status, 422);
    assert_eq!(answer.json()["code"], 611);
}

async fn batch_rate(app: TestApp) {
    app.operate(|org| org.licence.limits.api_rate_limit_per_second = 3).await;
    let entry = |number: usize| json!({"queryId": number.to_string(), "aplRequest": {"apl": "print 1"}});
    let body = Value::Array((0..5).map(entry).collect());
    let answer = ask(&app, "/v1/query/batch", &body, "*/*").await;
    let all = events(&answer.text);
    let refused = all.iter().filter(|(_, data)| data["error"]["code"] == 429).count();
    assert_eq!((all.len(), refused), (5, 2), "{}", answer.text);
}

async fn stream_keeps_its_place(app: TestApp) {
    let headers = [
        ("authorization".to_owned(), format!("Bearer {}", app.owner_token)),
        ("content-type".to_owned(), "application/json".to_owned()),
        ("accept".to_owned(), "text/event-stream".to_owned()),
    ];
    let free = app.app.load.available_permits();
    let body = json!({"apl": "print 1"}).to_string().into_bytes();
    let batch = json!([{"queryId": "a", "aplRequest": {"apl": "print 1"}}]).to_string().into_bytes();
    for (path, body) in [("/v1/query/_apl?format=tabular", body), ("/v1/query/batch", batch)] {
        let response = app.respond("POST", path, &headers, body).await;
        assert_eq!(app.app.load.available_permits(), free - 1, "{path}");
        drop(response);
        assert_eq!(app.app.load.available_permits(), free, "{path}");
    }
}

async fn watched(app: TestApp) {
    send(&app, &json!([{"n": 1}])).await;
    let path = "/v1/query/_apl?format=tabular";
    let answer = ask(&app, path, &json!({"apl": "['d'] | count"}), "text/event-stream").await;
    assert_eq!(answer.headers["x-accel-buffering"], "no");
    let all = events(&answer.text);
    let [.., (name, data), (last, done)] = all.as_slice() else { panic!("{all:?}") };
    assert_eq!((name.as_str(), &data["tables"][0]["columns"]), ("result", &json!([[1]])));
    assert_eq!((last.as_str(), &done["historyId"]), ("done", &Value::Null));
    let number = |name: &str| done[name].as_u64().unwrap();
    assert!(number("cost") >= 1 && number("remaining") < number("limit"), "{done}");
    assert_eq!(number("reset"), 1_782_864_000, "the first of July");
    let kept = format!("{path}&saveAsKind=apl");
    let answer = ask(&app, &kept, &json!({"apl": "['d'] | count"}), "text/event-stream").await;
    let id = events(&answer.text).last().unwrap().1["historyId"].as_str().unwrap().to_owned();
    let found = app.send("GET", &format!("/v1/datasets/_history/{id}"), Some(&app.owner_token), None).await;
    assert_eq!(found.status, 200, "{found:?}");
    let answer = ask(&app, path, &json!({"apl": "nowhere"}), "text/event-stream").await;
    let all = events(&answer.text);
    let (name, data) = all.last().unwrap();
    assert_eq!((name.as_str(), &data["code"]), ("error", &json!(404)));
}

async fn waits(app: TestApp) {
    send(&app, &json!([{"n": 0}])).await;
    let body = json!({"apl": "['d'] | where n == 2 | project n"});
    let waiting = ask(&app, "/v1/query/_apl?format=tabular&streaming-duration=5m", &body, "*/*");
    let sending = async {
        send(&app, &json!([{"n": 1}])).await;
        send(&app, &json!([{"n": 2}])).await;
    };
    let (answer, ()) = tokio::join!(waiting, sending);
    assert_eq!(answer.json()["tables"][0]["columns"], json!([[2]]));
}

async fn default_limit(app: TestApp) {
    let many: Vec<Value> = (0..1_200).map(|n| json!({"n": n})).collect();
    send(&app, &Value::Array(many)).await;
    let answer = asked(&app, &json!({"apl": "['d']"})).await;
    assert_eq!(answer["tables"][0]["columns"][2].as_array().unwrap().len(), 1_000);
    assert_eq!(answer["status"]["rowsMatched"], 1_200);
    assert_eq!(answer["status"]["messages"][0]["code"], "default_limit_warning");
    let answer = asked(&app, &json!({"apl": "['d'] | take 1100"})).await;
    assert_eq!(answer["tables"][0]["columns"][2].as_array().unwrap().len(), 1_100);
    assert_eq!(answer["status"]["messages"], json!([]));
    let answer = asked(&app, &json!({"apl": "['d'] | summarize count() by n"})).await;
    assert_eq!(answer["tables"][0]["columns"][0].as_array().unwrap().len(), 1_200);
}

async fn one_moment(app: TestApp) {
    let many: Vec<Value> = (0..1_000).map(|n| json!({"_time": "2026-06-01T11:00:00Z", "n": n})).collect();
    send(&app, &Value::Array(many)).await;
    let mut body = json!({"apl": "['d'] | sort by _time desc", "includeCursorField": true});
    let answer = asked(&app, &body).await;
    let fields = answer["tables"][0]["fields"].as_array().unwrap();
    let place = fields.iter().position(|field| field["name"] == "_cursor").unwrap();
    body["cursor"] = answer["tables"][0]["columns"][place][500].clone();
    body["includeCursor"] = json!(true);
    app.clock.advance(Duration::from_secs(1));
    let answer = asked(&app, &body).await;
    assert_eq!(answer["tables"][0]["columns"][place].as_array().unwrap().len(), 500);
}

async fn no_files(app: TestApp) {
    let body = json!({"apl": "externaldata(a:long)[\"https://example.com/a.csv\"] | count"});
    let answer = ask(&app, "/v1/query/_apl?format=tabular", &body, "*/*").await;
    assert_eq!(answer.status, 400, "{answer:?}");
}

async fn most_rows(app: TestApp) {
    for (wanted, shown, is_told) in [(49_999, 49_999, false), (60_000, 50_000, true)] {
        let text = format!("print x = range(1, 60000) | mv-expand x | take {wanted}");
        let answer = asked(&app, &json!({ "apl": text })).await;
        assert_eq!(answer["tables"][0]["columns"][0].as_array().unwrap().len(), shown);
        let messages = answer["status"]["messages"].as_array().unwrap();
        let codes = messages.iter().filter_map(|message| message["code"].as_str());
        assert_eq!(
            codes.filter(|code| code.starts_with("apl_")).count(),
            usize::from(is_told),
            "{messages:?}"
        );
    }
}
