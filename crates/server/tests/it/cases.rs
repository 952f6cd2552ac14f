//! Cases that need more than a scenario can say: concurrency, exact bytes, limits of size, panics.

use std::future::Future;
use std::pin::Pin;

use serde_json::json;
use tidegauge_model::{Action, Capabilities, DatasetArea, OrgArea};

use crate::app::{BODY_MAX, TestApp};

pub(crate) type Case = fn(TestApp) -> Pin<Box<dyn Future<Output = ()>>>;

/// Every case with its name.
pub(crate) const ALL: &[(&str, Case)] = &[
    ("a_put_and_the_gets_after_it_are_equal_in_every_byte", |app| Box::pin(same_bytes(app))),
    ("a_body_over_the_limit_is_refused", |app| Box::pin(too_large(app))),
    ("a_token_cannot_hand_out_more_than_it_holds", |app| Box::pin(no_escalation(app))),
    ("refused_calls_are_in_the_audit_trail", |app| Box::pin(audited_refusals(app))),
    ("no_secret_is_in_the_audit_trail_or_the_metrics", |app| Box::pin(no_secret_shown(app))),
    ("the_first_token_works_and_is_not_made_again", |app| Box::pin(first_token(app))),
    ("answers_carry_the_ids_of_the_request", |app| Box::pin(request_ids(app))),
    ("last_uses_reach_the_catalogue", |app| Box::pin(last_uses(app))),
];

async fn same_bytes(app: TestApp) {
    let owner = Some(app.owner_token.as_str());
    let created = app.send("POST", "/v2/notifiers", owner, Some(&notifier("before"))).await.json();
    let path = format!("/v2/notifiers/{}", created["id"].as_str().unwrap());
    let body = json!({
        "disabledUntil": "2031-02-03T04:05:06.789+05:30",
        "properties": {"customWebhook": {"URL": "https://example.com/ä?x=1", "Body": "{{.Title}}\n", "Headers": {"X-B": "2", "X-A": "1"}}},
        "name": "Ünï \"quoted\" \u{1F30A}",
    });
    let put = app.send("PUT", &path, owner, Some(&body)).await;
    assert_eq!(put.status, 200, "{put:?}");
    let value = put.json();
    for key in ["name", "properties", "disabledUntil"] {
        assert_eq!(value[key].to_string(), body[key].to_string(), "{key} is echoed, in its order");
    }
    for path in [path.clone(), path.replace("/v2/", "/v1/")] {
        assert_eq!(app.send("GET", &path, owner, None).await.text, put.text);
    }
    let list = app.send("GET", "/v2/notifiers", owner, None).await;
    assert_eq!(list.text, format!("[{}]", put.text));
}

async fn too_large(app: TestApp) {
    let mut body = notifier("x");
    body["padding"] = json!("x".repeat(BODY_MAX));
    let answer = app.send("POST", "/v2/notifiers", Some(&app.owner_token), Some(&body)).await;
    assert_eq!(answer.status, 413);
    assert_eq!(answer.json()["code"], 413);
    assert_eq!(app.send("GET", "/v2/notifiers", Some(&app.owner_token), None).await.text, "[]");
}

async fn no_escalation(app: TestApp) {
    let strong = json!({
        "name": "strong",
        "orgCapabilities": {"notifiers": ["create"]},
        "datasetCapabilities": {"*": {"query": ["read"]}},
    });
    let strong = app.send("POST", "/v2/tokens", Some(&app.owner_token), Some(&strong)).await;
    let strong_id = strong.json()["id"].as_str().unwrap().to_owned();
    let weak = app.api_token(token_maker(), None).await;
    let more = [
        json!({"name": "x", "orgCapabilities": {"notifiers": ["read"]}}),
        json!({"name": "x", "datasetCapabilities": {"*": {"query": ["read"]}}}),
        json!({"name": "x", "datasetCapabilities": {"other": {"query": ["read"]}}}),
        json!({"name": "x", "viewCapabilities": {"v": {"query": ["read"]}}}),
    ];
    for body in more {
        let answer = app.send("POST", "/v2/tokens", Some(&weak), Some(&body)).await;
        assert_eq!(answer.status, 403, "{body}");
    }
    let regenerate = json!({"existingTokenExpiresAt": "2030-01-01T00:00:00Z"});
    let path = format!("/v2/tokens/{strong_id}/regenerate");
    assert_eq!(app.send("POST", &path, Some(&weak), Some(&regenerate)).await.status, 403);

    let same = json!({"name": "x", "datasetCapabilities": {"logs": {"query": ["read"]}}, "orgCapabilities": {"apiTokens": ["create"]}});
    assert_eq!(app.send("POST", "/v2/tokens", Some(&weak), Some(&same)).await.status, 200);
    let friend = json!({"name": "x", "email": "friend@example.com", "role": "owner"});
    assert_eq!(app.send("POST", "/v2/users", Some(&weak), Some(&friend)).await.status, 403);
}

/// A token that may make tokens and users, and read one dataset.
fn token_maker() -> Capabilities {
    let org = |area, action| match area {
        OrgArea::ApiTokens => true,
        OrgArea::Users => action == Action::Create,
        _ => false,
    };
    let mut capabilities =
        Capabilities::where_allowed(org, |area, _| area == DatasetArea::Query, |_, _| false);
    let query = capabilities.dataset.remove("*").unwrap();
    capabilities.dataset.insert("logs".to_owned(), query);
    capabilities
}

async fn audited_refusals(app: TestApp) {
    let weak = app.api_token(Capabilities::default(), None).await;
    for _ in 0..3 {
        assert_eq!(app.send("POST", "/v2/notifiers", Some(&weak), Some(&notifier("x"))).await.status, 403);
    }
    let trail = app.send("GET", "/v2/audit", Some(&app.owner_token), None).await.json();
    let newest = &trail[0];
    assert_eq!(newest["outcome"], "refused");
    assert_eq!(newest["action"], "POST /v2/notifiers");
    assert_eq!(newest["count"], 3);
    assert_eq!(newest["detail"], "token does not have access to resource: notifiers with action: create");
}

async fn no_secret_shown(app: TestApp) {
    let owner = Some(app.owner_token.as_str());
    let body =
        json!({"name": "x", "properties": {"slack": {"slackUrl": "https://hooks.example.com/geheim"}}});
    app.send("POST", "/v2/notifiers", owner, Some(&body)).await;
    app.send("GET", "/v2/notifiers/geheim", Some("xaat-geheim"), None).await;
    app.send("GET", "/v2/notifiers?token=geheim", None, None).await;
    for path in ["/v2/audit", "/metrics"] {
        let text = app.send("GET", path, owner, None).await.text;
        assert!(!text.contains("geheim") && !text.contains(&app.owner_token), "{path}: {text}");
    }
}

async fn first_token(app: TestApp) {
    assert!(app.app.catalog.is_set_up().await.unwrap());
    let user = app.send("GET", "/v2/user", Some(&app.owner_token), None).await.json();
    assert_eq!(user["role"]["id"], "owner");
    let digest = tidegauge_auth::TokenSecret::parse(&app.owner_token).unwrap().digest();
    assert!(app.app.catalog.find_bearer(&digest).await.unwrap().is_some());
}

async fn request_ids(app: TestApp) {
    let headers = [
        ("traceparent".to_owned(), "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01".to_owned()),
        ("x-request-id".to_owned(), "mine-1".to_owned()),
    ];
    let answer = app.send_raw("GET", "/v2/notifiers", &headers, Vec::new()).await;
    assert_eq!(answer.headers["x-axiom-trace-id"], "4bf92f3577b34da6a3ce929d0e0e4736");
    assert_eq!(answer.headers["x-tidegauge-trace-id"], "4bf92f3577b34da6a3ce929d0e0e4736");
    assert_eq!(answer.headers["x-request-id"], "mine-1");
    assert_eq!(answer.json()["requestId"], "mine-1");

    let first = app.send("GET", "/healthz", None, None).await;
    let second = app.send("GET", "/healthz", None, None).await;
    assert_eq!(first.headers["x-axiom-trace-id"].len(), 32);
    assert_ne!(first.headers["x-axiom-trace-id"], second.headers["x-axiom-trace-id"]);
}

async fn last_uses(app: TestApp) {
    let token = app.api_token(Capabilities::all(), None).await;
    app.send("GET", "/v2/notifiers", Some(&token), None).await;
    tidegauge_server::jobs::collect::write_last_uses(&app.app).await.unwrap();
    let tokens = app.app.catalog.list_tokens(&app.org).await.unwrap();
    assert_eq!(tokens[0].last_used_at, Some(app.app.now()));
}

fn notifier(name: &str) -> serde_json::Value {
    json!({"name": name, "properties": {"email": {"emails": ["ops@example.com"]}}})
}
