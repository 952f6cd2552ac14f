//! Events that are followed as they arrive, whatever their own times are.

use axum::body::Body;
use http_body_util::BodyExt;
use serde_json::{Value, json};
use tidegauge_model::{Role, TokenId};

use crate::app::{HANGS, TestApp};
use crate::cases::Case;

/// Every case with its name.
pub(crate) const ALL: &[(&str, Case)] = &[
    ("events_are_followed_in_the_order_of_arrival", |app| Box::pin(in_order(app))),
    ("what_is_left_out_of_many_events_is_counted", |app| Box::pin(many(app))),
    ("who_may_not_any_more_follows_no_further", |app| Box::pin(withdrawn(app))),
    ("who_may_not_any_more_waits_no_longer", |app| Box::pin(withdrawn_waiting(app))),
];

async fn follow(app: &TestApp, apl: &str, after: Option<&str>) -> Body {
    follow_as(app, &app.owner_token, apl, after).await
}

async fn follow_as(app: &TestApp, token: &str, apl: &str, after: Option<&str>) -> Body {
    let headers = [
        ("authorization".to_owned(), format!("Bearer {token}")),
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

/// The id and the secret of a token that may query the dataset.
async fn token(app: &TestApp) -> (String, String) {
    let asked = json!({"name": "follower", "datasetCapabilities": {"d": {"query": ["read"]}}});
    let made = app.send("POST", "/v2/tokens", Some(&app.owner_token), Some(&asked)).await;
    assert_eq!(made.status, 200, "{made:?}");
    let text = |key: &str| made.json()[key].as_str().unwrap().to_owned();
    (text("id"), text("token"))
}

async fn delete(app: &TestApp, id: &str) {
    let deleted = app.send("DELETE", &format!("/v2/tokens/{id}"), Some(&app.owner_token), None).await;
    assert_eq!(deleted.status, 204, "{deleted:?}");
}

/// Why a stream ended, and all that it told before.
async fn end(body: &mut Body) -> (String, Value) {
    let mut told = String::new();
    let reading = async {
        while let Some(frame) = body.frame().await {
            let text = String::from_utf8(frame.unwrap().into_data().unwrap().to_vec()).unwrap();
            if text.starts_with("event: error") {
                let data = text.lines().find_map(|line| line.strip_prefix("data: ")).unwrap();
                return serde_json::from_str::<Value>(data).unwrap();
            }
            told.push_str(&text);
        }
        panic!("it ended without a word");
    };
    let error = tokio::time::timeout(HANGS, reading).await.unwrap();
    (told, error)
}

async fn withdrawn(app: TestApp) {
    send(&app, &json!([{"n": 0}])).await;
    let (id, secret) = token(&app).await;
    let mut body = follow_as(&app, &secret, "['d'] | where n > 0", None).await;
    next_while_sending(&app, &mut body, &json!([{"n": 1}])).await;
    delete(&app, &id).await;
    send(&app, &json!([{"n": 4711}])).await;
    let (told, error) = end(&mut body).await;
    assert!(!told.contains("4711"), "{told}");
    assert_eq!(error["code"], 401, "{error}");
    assert!(error["detail"].as_str().unwrap().contains("it was deleted"), "{error}");

    // Also where nothing comes any more, and where it is a role that goes.
    let member = app.member_token(Role::User).await;
    let mut body = follow_as(&app, &member, "['d'] | where n > 0", None).await;
    next_while_sending(&app, &mut body, &json!([{"n": 1}])).await;
    let people = app.send("GET", "/v2/users", Some(&app.owner_token), None).await.json();
    let is_member = |person: &&Value| person["email"] == "user@example.com";
    let id = people.as_array().unwrap().iter().find(is_member).unwrap()["id"].as_str().unwrap().to_owned();
    let path = format!("/v2/users/{id}/role");
    let lowered = app.send("PUT", &path, Some(&app.owner_token), Some(&json!({"role": "none"}))).await;
    assert_eq!(lowered.status, 200, "{lowered:?}");
    let (_, error) = end(&mut body).await;
    assert_eq!(error["code"], 403, "{error}");
}

/// Waits until a request has come in with a token.
async fn was_let_in(app: &TestApp, token: &TokenId) {
    while app.app.last_uses.last(token, None).is_none() {
        tokio::task::yield_now().await;
    }
}

async fn withdrawn_waiting(app: TestApp) {
    send(&app, &json!([{"n": 0}])).await;
    let in_text = json!({"apl": "['d'] | where n == 5"});
    let filter = json!({"op": "==", "field": "n", "value": 5});
    let in_json = json!({"startTime": "now-1h", "endTime": "now", "resolution": "auto", "filter": filter});
    for (path, question) in [("/v1/query/_apl?format=tabular&", in_text), ("/v1/datasets/d/query?", in_json)]
    {
        let (id, secret) = token(&app).await;
        // Longer than it takes to notice that the token is gone: who waits to the end is answered with 200.
        let path = format!("{path}streaming-duration=5m");
        let asking = app.send("POST", &path, Some(&secret), Some(&question));
        let (answer, ()) = tokio::join!(asking, async {
            was_let_in(&app, &TokenId::from(id.as_str())).await;
            delete(&app, &id).await;
        });
        assert_eq!(answer.status, 401, "{path}");
    }
}
