//! Events that are followed as they arrive, whatever their own times are.

use axum::body::Body;
use http_body_util::BodyExt;
use serde_json::{Value, json};

use crate::app::TestApp;
use crate::cases::Case;

/// Every case with its name.
pub(crate) const ALL: &[(&str, Case)] = &[
    ("events_are_followed_in_the_order_of_arrival", |app| Box::pin(in_order(app))),
    ("what_is_left_out_of_many_events_is_counted", |app| Box::pin(many(app))),
];

async fn follow(app: &TestApp, apl: &str, after: Option<&str>) -> Body {
    let headers = [
        ("authorization".to_owned(), format!("Bearer {}", app.owner_token)),
        ("content-type".to_owned(), "application/json".to_owned()),
    ];
    let body = json!({ "apl": apl, "after": after }).to_string().into_bytes();
    let response = app.respond("POST", "/v1/query/tail", &headers, body).await;
    assert_eq!(response.status(), 200);
    assert_eq!(response.headers()["content-type"], "text/event-stream");
    response.into_body()
}

async fn send(app: &TestApp, events: &Value) {
    let answer = app.send("POST", "/v1/datasets/d/ingest", Some(&app.owner_token), Some(events)).await;
    assert_eq!(answer.status, 200, "{answer:?}");
}

/// The next event of a stream with its data.
async fn next(body: &mut Body) -> Value {
    loop {
        let frame = body.frame().await.unwrap().unwrap();
        let bytes = frame.into_data().unwrap();
        let text = String::from_utf8(bytes.to_vec()).unwrap();
        let Some(data) = text.lines().find_map(|line| line.strip_prefix("data: ")) else { continue };
        assert!(text.starts_with("event: events"), "{text}");
        return serde_json::from_str(data).unwrap();
    }
}

/// The next event of a stream while others are sent: what was sent before the stream began is not told.
async fn next_while_sending(app: &TestApp, body: &mut Body, events: &Value) -> Value {
    let sending = async {
        loop {
            send(app, events).await;
        }
    };
    tokio::select! {
        told = next(body) => told,
        () = sending => unreachable!(),
    }
}

fn column(told: &Value, name: &str) -> Vec<Value> {
    let table = &told["answer"]["tables"][0];
    let fields = table["fields"].as_array().unwrap();
    let place = fields.iter().position(|field| field["name"] == name).unwrap();
    table["columns"][place].as_array().unwrap().clone()
}

async fn in_order(app: TestApp) {
    send(&app, &json!([{"n": 0, "old": true}])).await;
    let mut body = follow(&app, "['d'] | where n > 0", None).await;
    // The first of them is the newest of its time, the second is a month late.
    let both = json!([{"n": 1, "_time": "2026-06-01T11:00:00Z"}, {"n": 2, "_time": "2026-05-01T11:00:00Z"}]);
    let told = next_while_sending(&app, &mut body, &both).await;
    let numbers = column(&told, "n");
    assert!(numbers.len() >= 2 && numbers.chunks(2).all(|pair| *pair == [json!(1), json!(2)]), "{numbers:?}");
    assert_eq!(column(&told, "_cursor").len(), numbers.len());
    assert_eq!(told["dropped"], 0);

    // Nothing is told twice, and nothing is missed between two looks, also when it moved to a segment meanwhile.
    send(&app, &json!([{"n": 7, "_time": "2026-05-02T11:00:00Z"}])).await;
    app.app.store.flush_all().await.unwrap();
    let mut seen = Vec::new();
    let position = told["position"].as_str().unwrap();
    while !seen.contains(&json!(7)) {
        seen.extend(column(&next(&mut body).await, "n"));
    }
    // Another stream goes on where the first was.
    let mut other = follow(&app, "['d'] | where n == 7", Some(position)).await;
    assert_eq!(column(&next(&mut other).await, "n"), [json!(7)]);
    assert_eq!(seen.iter().filter(|number| **number == json!(7)).count(), 1, "{seen:?}");
}

async fn many(app: TestApp) {
    send(&app, &json!([{"n": 0}])).await;
    let mut body = follow(&app, "['d'] | where n > 0", None).await;
    let events: Vec<Value> = (1..=700).map(|n| json!({ "n": n })).collect();
    let told = next_while_sending(&app, &mut body, &json!(events)).await;
    let (shown, dropped) = (column(&told, "n").len() as u64, told["dropped"].as_u64().unwrap());
    assert_eq!(shown, 500);
    assert_eq!((shown + dropped) % 700, 0, "{dropped}");
}
