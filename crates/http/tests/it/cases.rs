//! Cases that need more than a scenario can say: exact bytes, sizes, cancelled requests, what is stored behind them.

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use axum::body::Body;
use axum::http::{Request, Version};
use serde_json::{Value, json};
use tidegauge_admission::config::FirstStart;
use tidegauge_app::jobs::prune_tokens;
use tidegauge_app::service::first_start;
use tidegauge_catalog::{Catalog, Change, SealKey};
use tidegauge_model::{Action, Capabilities, Clock, DatasetArea, Org, OrgArea, OrgId, PaymentStatus, Role};

use crate::app::{Answer, BODY_MAX, KEY_BYTE, TestApp};
use crate::role_edits::nobody_gains_by_edits;
use crate::waiting::WAIT_MAX;

pub(crate) type Case = fn(TestApp) -> Pin<Box<dyn Future<Output = ()>>>;

/// Every case with its name.
pub(crate) const ALL: &[(&str, Case)] = &[
    ("a_put_and_the_gets_after_it_are_equal_in_every_byte", |app| Box::pin(same_bytes(app))),
    ("documents_come_back_digit_by_digit", |app| Box::pin(same_digits(app))),
    ("a_body_over_the_limit_is_refused", |app| Box::pin(too_large(app))),
    ("a_token_cannot_hand_out_more_than_it_holds", |app| Box::pin(no_escalation(app))),
    ("nobody_gains_or_loses_rights_by_edits_of_others", |app| Box::pin(nobody_gains_by_edits(app))),
    ("refused_calls_are_in_the_audit_trail", |app| Box::pin(audited_refusals(app))),
    ("a_cancelled_reader_takes_no_refusal_along", |app| Box::pin(refusals_survive_a_cancelled_reader(app))),
    ("being_added_by_others_does_not_decide_where_a_token_acts", |app| Box::pin(added_by_others(app))),
    ("no_secret_is_in_the_audit_trail_or_the_metrics", |app| Box::pin(no_secret_shown(app))),
    ("the_first_token_works_and_is_not_made_again", |app| Box::pin(first_token(app))),
    ("answers_carry_the_ids_of_the_request", |app| Box::pin(request_ids(app))),
    ("a_head_that_can_be_read_in_two_ways_is_refused", |app| Box::pin(ambiguous_heads(app))),
    ("what_leaves_no_change_behind_is_in_the_audit_trail_too", |app| Box::pin(audited_reads(app))),
    ("ended_tokens_are_forgotten_after_a_month", |app| Box::pin(ended_tokens_are_forgotten(app))),
    ("last_uses_reach_the_catalogue", |app| Box::pin(last_uses(app))),
    ("one_organisation_has_half_of_the_places", |app| Box::pin(half_of_the_places(app))),
    ("what_another_process_changes_counts_after_a_moment", |app| Box::pin(changed_elsewhere(app))),
    ("roles_and_groups_have_a_largest_size", |app| Box::pin(largest_roles(app))),
    ("the_first_organisation_alone_makes_others_where_that_is_set", |app| Box::pin(made_by_the_first(app))),
    ("who_has_only_blocked_organisations_makes_no_other", |app| Box::pin(none_while_blocked(app))),
    ("tools_have_names_of_their_own_and_every_argument_is_described", |app| Box::pin(described_tools(app))),
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

/// Documents are kept as text, so numbers come back digit by digit.
async fn same_digits(app: TestApp) {
    let headers = [
        ("authorization".to_owned(), format!("Bearer {}", app.owner_token)),
        ("content-type".to_owned(), "application/json".to_owned()),
    ];
    let metadata = r#"{"z": 1e3, "a":1.10, "big":123456789012345678901234}"#;
    let variables = r#"{"v":100000000000000000001}"#;
    let options = r#"{"own":1.0, "maxSeries": 5}"#;
    let body = format!(
        r#"{{"kind":"apl","name":"n","who":"w","metadata":{metadata},
            "query":{{"apl":"x","variables":{variables},"queryOptions":{options}}}}}"#
    );
    let created = app.send_raw("POST", "/v2/apl-starred-queries", &headers, body.into_bytes()).await;
    assert_eq!(created.status, 200, "{created:?}");
    let path = format!("/v2/apl-starred-queries/{}", created.json()["id"].as_str().unwrap());
    let read = app.send_raw("GET", &path, &headers, Vec::new()).await;
    assert_eq!(read.text, created.text);
    for document in [metadata, variables, options] {
        assert!(read.text.contains(document), "{document} in {}", read.text);
    }
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
    let weak = app.api_token(Capabilities::default(), None).await;
    assert_eq!(app.send("POST", "/v2/notifiers?token=geheim", Some(&weak), Some(&body)).await.status, 403);
    assert_eq!(app.send("GET", "/v2/notifiers?token=geheim", Some("xaat-geheim"), None).await.status, 401);
    let of_org = app.send("GET", "/v2/audit", owner, None).await.text;
    let beginning = tidegauge_model::Timestamp::from_micros(0);
    let of_none = app.app.catalog.list_audit(None, beginning, i64::MAX, 10).await.unwrap();
    assert!(of_org.contains("POST /v2/notifiers") && !of_none.is_empty(), "both refusals are recorded");
    let metrics = app.send("GET", "/metrics", None, None).await.text;
    for text in [of_org, format!("{of_none:?}"), metrics] {
        for secret in ["geheim", &app.owner_token, &weak] {
            assert!(!text.contains(secret), "{text}");
        }
    }
}

async fn first_token(app: TestApp) {
    let user = app.send("GET", "/v2/user", Some(&app.owner_token), None).await.json();
    assert_eq!(user["role"]["id"], "owner");
    let settings = FirstStart {
        token_file: tempfile::tempdir().unwrap().path().join("first-token"),
        token: None,
        org_name: "Again".to_owned(),
        owner_email: "again@example.com".to_owned(),
    };
    let again = first_start::set_up(&app.app.catalog, &settings, &*app.app.rng, app.app.now()).await.unwrap();
    assert!(again.is_none());
    assert!(!settings.token_file.try_exists().unwrap());
    assert_eq!(app.app.catalog.list_all_orgs().await.unwrap().len(), 2);
}

/// Reading the trail writes what was refused; a reader who goes away in the middle must not take it along.
async fn refusals_survive_a_cancelled_reader(app: TestApp) {
    let weak = app.api_token(Capabilities::default(), None).await;
    const READERS: u32 = 40;
    for reader in 0..READERS {
        app.send("GET", "/v2/notifiers", Some(&weak), None).await;
        // Each goes away a little later than the one before, so that some do in the middle of the write.
        let patience = reader * Duration::from_micros(50);
        let _ =
            tokio::time::timeout(patience, app.send("GET", "/v2/audit", Some(&app.owner_token), None)).await;
    }
    let trail = app.send("GET", "/v2/audit", Some(&app.owner_token), None).await.json();
    let refused = trail.as_array().unwrap().iter().filter(|entry| entry["outcome"] == "refused");
    assert_eq!(refused.map(|entry| entry["count"].as_i64().unwrap()).sum::<i64>(), i64::from(READERS));
}

async fn added_by_others(app: TestApp) {
    // Somebody else's organisation adds a newcomer first, then ours does.
    let newcomer = json!({"name": "Chosen by others", "email": "ceo@example.com", "role": "user"});
    let theirs = app.send("POST", "/v2/users", Some(&app.other_token), Some(&newcomer)).await;
    assert_eq!(theirs.status, 200);
    let ours = app.send("POST", "/v2/users", Some(&app.owner_token), Some(&newcomer)).await.json();
    let id = ours["id"].as_str().unwrap().into();
    let token = app.personal_token(&id).await;
    let notifier = notifier("secret");
    let unnamed = app.send("POST", "/v2/notifiers", Some(&token), Some(&notifier)).await;
    assert_eq!(unnamed.status, 403, "neither was accepted: {unnamed:?}");
    app.accept(&id).await;
    assert_eq!(app.send("POST", "/v2/notifiers", Some(&token), Some(&notifier)).await.status, 200);
    assert_eq!(app.send("GET", "/v2/notifiers", Some(&app.other_token), None).await.text, "[]");
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

    // Anything that could be read as something else where it stands later is left out of account.
    for id in ["<b>mine</b>", "a b", "mine\"", "x".repeat(129).as_str()] {
        let headers = [("x-request-id".to_owned(), id.to_owned())];
        let answer = app.send_raw("GET", "/v2/notifiers", &headers, Vec::new()).await;
        assert_eq!(answer.headers["x-request-id"].len(), 32, "{id}");
    }

    let first = app.send("GET", "/healthz", None, None).await;
    let second = app.send("GET", "/healthz", None, None).await;
    assert_eq!(first.headers["x-axiom-trace-id"].len(), 32);
    assert_ne!(first.headers["x-axiom-trace-id"], second.headers["x-axiom-trace-id"]);
}

async fn ambiguous_heads(app: TestApp) {
    let authorization = format!("Bearer {}", app.owner_token);
    let status = async |version: Version, headers: &[(&str, &str)]| {
        let mut request = Request::builder().uri("/v2/notifiers").version(version);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let answer = Answer::read(app.serve_as_is(request.body(Body::empty()).unwrap()).await).await;
        if answer.status == 400 {
            assert_eq!(answer.json()["code"], 400, "{answer:?}");
        }
        answer.status.as_u16()
    };
    let (host, owner) = (("host", "tide.example.com"), ("authorization", authorization.as_str()));
    assert_eq!(status(Version::HTTP_11, &[host, owner]).await, 200);
    assert_eq!(status(Version::HTTP_11, &[host, owner, owner]).await, 400);
    let other = format!("Bearer {}", app.other_token);
    assert_eq!(status(Version::HTTP_11, &[host, ("authorization", &other), owner]).await, 400);
    assert_eq!(status(Version::HTTP_11, &[host, host, owner]).await, 400);
    assert_eq!(status(Version::HTTP_11, &[owner]).await, 400);
    let (ours, theirs) = (app.org.as_str(), app.other_org.as_str());
    let (old, new) = ("x-axiom-org-id", "x-tidegauge-org-id");
    assert_eq!(status(Version::HTTP_11, &[host, owner, (old, ours), (new, ours)]).await, 200);
    for wrong in [
        [(old, ours), (old, ours)],
        [(new, theirs), (new, ours)],
        [(old, theirs), (new, ours)],
        [("idempotency-key", "a"), ("idempotency-key", "b")],
        [("content-length", "0"), ("transfer-encoding", "chunked")],
    ] {
        assert_eq!(status(Version::HTTP_11, &[host, owner, wrong[0], wrong[1]]).await, 400, "{wrong:?}");
    }
    // There it stands elsewhere, or need not.
    assert_eq!(status(Version::HTTP_2, &[owner]).await, 200);
    assert_eq!(status(Version::HTTP_10, &[owner]).await, 200);
}

async fn audited_reads(app: TestApp) {
    let owner = Some(app.owner_token.as_str());
    let id = app.send("POST", "/v2/notifiers", owner, Some(&notifier("n"))).await.json()["id"].clone();
    let path = format!("/v2/notifiers/{}", id.as_str().unwrap());
    let name = json!({"name": "Another"});
    assert_eq!(app.send("GET", &format!("{path}/signing-secret"), owner, None).await.status, 200);
    assert_eq!(app.send("POST", &format!("{path}/test"), owner, None).await.status, 200);
    // A person of several organisations is renamed in the trail of each, whichever is named.
    let second = json!({"name": "Second"});
    let second = app.send("POST", "/v2/orgs", owner, Some(&second)).await.json()["id"].clone();
    let headers = [
        ("authorization".to_owned(), format!("Bearer {}", app.owner_token)),
        ("content-type".to_owned(), "application/json".to_owned()),
    ];
    let renamed = app.send_raw("PUT", "/v2/user", &headers, name.to_string().into_bytes()).await;
    assert_eq!(renamed.status, 200, "{renamed:?}");
    let entry = async |org: &str, action: &str| {
        let headers = [headers[0].clone(), ("x-axiom-org-id".to_owned(), org.to_owned())];
        let trail = app.send_raw("GET", "/v2/audit", &headers, Vec::new()).await.json();
        let entries = trail.as_array().unwrap().iter();
        entries.filter(|entry| entry["action"] == action).map(|entry| entry["resource"].clone()).next()
    };
    assert_eq!(entry(app.org.as_str(), "notifier.signing-secret").await, Some(id.clone()));
    assert_eq!(entry(app.org.as_str(), "notifier.test").await, Some(id));
    for org in [app.org.as_str(), second.as_str().unwrap()] {
        assert_eq!(entry(org, "user.update").await, Some(json!(app.owner.as_str())), "{org}");
    }
}

async fn ended_tokens_are_forgotten(app: TestApp) {
    let soon = app.clock.now().plus(Duration::from_secs(60));
    app.api_token(Capabilities::default(), Some(soon)).await;
    app.api_token(Capabilities::default(), None).await;
    app.clock.advance(Duration::from_secs(29 * 24 * 60 * 60));
    prune_tokens::step(&app.app).await.unwrap();
    assert_eq!(app.app.catalog.list_tokens(&app.org).await.unwrap().len(), 2);
    app.clock.advance(Duration::from_secs(2 * 24 * 60 * 60));
    prune_tokens::step(&app.app).await.unwrap();
    assert_eq!(app.app.catalog.list_tokens(&app.org).await.unwrap().len(), 1);
}

async fn last_uses(app: TestApp) {
    let token = app.api_token(Capabilities::all(), None).await;
    app.send("GET", "/v2/notifiers", Some(&token), None).await;
    tidegauge_app::audit_buffer::write_last_uses(&app.app.last_uses, &app.app.catalog).await.unwrap();
    let tokens = app.app.catalog.list_tokens(&app.org).await.unwrap();
    assert_eq!(tokens[0].last_used_at, Some(app.app.now()));
}

/// Answers that are still being sent keep their places, and those of one organisation are at most half of all.
async fn half_of_the_places(app: TestApp) {
    let ask = async || {
        let headers = [
            ("authorization".to_owned(), format!("Bearer {}", app.owner_token)),
            ("content-type".to_owned(), "application/json".to_owned()),
            ("accept".to_owned(), "text/event-stream".to_owned()),
        ];
        let body = json!({"apl": "print 1"}).to_string().into_bytes();
        app.respond("POST", "/v1/query/_apl?format=tabular", &headers, body).await
    };
    let mut held = Vec::new();
    for _ in 0..app.app.http.max_requests_in_flight / 2 {
        held.push(ask().await);
    }
    assert!(held.iter().all(|response| response.status() == 200));
    let refused = Answer::read(ask().await).await;
    assert_eq!(refused.status, 503, "{refused:?}");
    assert!(refused.headers.contains_key("retry-after"), "{refused:?}");
    assert_eq!(app.send("GET", "/v2/user", Some(&app.other_token), None).await.status, 200);
    held.pop();
    assert_eq!(ask().await.status(), 200);
}

/// As `tidegauge token delete` does beside a service that has just looked the token up.
async fn changed_elsewhere(app: TestApp) {
    let token = app.api_token(Capabilities::all(), None).await;
    let status = async || app.send("GET", "/v2/notifiers", Some(&token), None).await.status;
    assert_eq!(status().await, 200);
    let key = SealKey::new(&[KEY_BYTE; SealKey::LENGTH]);
    let elsewhere = Catalog::open_waiting(&app.location, key, WAIT_MAX).await.unwrap();
    let id = elsewhere.list_tokens(&app.org).await.unwrap()[0].id.clone();
    let change =
        Change { org: None, actor: "operator".to_owned(), at: app.clock.now(), request_id: String::new() };
    assert!(elsewhere.revoke_token(&id, &change).await.unwrap());
    elsewhere.close().await;
    app.clock.advance(Duration::from_millis(250));
    assert_eq!(status().await, 401);
}

async fn largest_roles(app: TestApp) {
    let ids = |kind: &str, count: usize| -> Vec<String> {
        (0..count).map(|number| format!("{kind}_{number:032x}")).collect()
    };
    let refused = async |path: &str, body: Value| {
        let answer = app.send("POST", path, Some(&app.owner_token), Some(&body)).await;
        assert_eq!(answer.status, 422, "{answer:?}");
        (answer.json()["code"].as_i64().unwrap(), answer.json()["message"].as_str().unwrap().to_owned())
    };
    // As many as there may be are looked at one by one; nobody knows these.
    for (path, key, kind, most) in [
        ("/v2/rbac/roles", "members", "user", 1_000),
        ("/v2/rbac/groups", "members", "user", 1_000),
        ("/v2/rbac/groups", "roles", "role", 50),
    ] {
        let (code, message) = refused(path, json!({"name": "x", key: ids(kind, most)})).await;
        assert!(code == 606 && message.contains(" names "), "{path}: {code} {message}");
        let more = refused(path, json!({"name": "x", key: ids(kind, most + 1)})).await;
        assert_eq!(more, (611, format!("{key} in body should have at most {most} items")), "{path}");
    }
}

fn notifier(name: &str) -> serde_json::Value {
    json!({"name": name, "properties": {"email": {"emails": ["ops@example.com"]}}})
}

async fn made_by_the_first(app: TestApp) {
    let app = TestApp::start_closed(app.backend).await;
    let admin = app.member_token(Role::Admin).await;
    for path in ["/v2/orgs", "/v1/orgs", "/v2/orgs/provision"] {
        for token in [&app.owner_token, &admin] {
            let answer = app.send("POST", path, Some(token), Some(&json!({"name": "More"}))).await;
            assert_eq!(answer.status, 200, "{path}: {answer:?}");
        }
        let answer = app.send("POST", path, Some(&app.other_token), Some(&json!({"name": "More"}))).await;
        assert_eq!(answer.status, 403, "{path}: {answer:?}");
        assert!(answer.json()["message"].as_str().unwrap().contains("the first organisation"), "{answer:?}");
    }
    let orgs = app.send("GET", "/v2/orgs", Some(&app.other_token), None).await.json();
    assert_eq!(orgs.as_array().unwrap().len(), 1);
}

/// A person of several need not name one here, and is held to all of them.
async fn none_while_blocked(app: TestApp) {
    let admin = app.member_token(Role::Admin).await;
    let more = json!({"name": "More"});
    let second = app.send("POST", "/v2/orgs", Some(&admin), Some(&more)).await.json();
    let second = OrgId::from(second["id"].as_str().unwrap());
    let now = app.app.now();
    let block = |org: &mut Org| {
        org.payment.move_to(PaymentStatus::Success, now)?;
        org.payment.move_to(PaymentStatus::Failed, now)?;
        org.payment.move_to(PaymentStatus::Blocked, now)
    };
    let change = Change { org: None, actor: "operator".to_owned(), at: now, request_id: String::new() };
    let blocked = [&app.org, &second];
    for (place, org) in blocked.into_iter().enumerate() {
        let answer = app.send("POST", "/v2/orgs", Some(&admin), Some(&more)).await;
        assert_eq!(answer.status, 200, "{place} of two are blocked: {answer:?}");
        let made = OrgId::from(answer.json()["id"].as_str().unwrap());
        app.app.catalog.update_org(org, "org.payment", &change, block).await.unwrap().unwrap().unwrap();
        app.app.catalog.update_org(&made, "org.payment", &change, block).await.unwrap().unwrap().unwrap();
    }
    let answer = app.send("POST", "/v2/orgs", Some(&admin), Some(&more)).await;
    assert_eq!(answer.status, 402, "{answer:?}");
}

/// Of the tools for language models, of which the owner is offered every one.
async fn described_tools(app: TestApp) {
    let asked = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"});
    let answer = app.send("POST", "/mcp", Some(&app.owner_token), Some(&asked)).await.json();
    let tools = answer["result"]["tools"].as_array().unwrap();
    let mut names: Vec<&str> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!((names.len(), tools.len()), (12, 12), "{names:?}");
    for tool in tools {
        let schema = &tool["inputSchema"];
        for (name, property) in schema["properties"].as_object().unwrap() {
            assert!(property["description"].is_string() && property["type"].is_string(), "{name}");
        }
        for required in schema["required"].as_array().unwrap() {
            assert!(schema["properties"].get(required.as_str().unwrap()).is_some(), "{tool}");
        }
    }
}
