//! What the background jobs do that keep events, what they leave alone when the service stops or fields are forgotten,
//! and what they drop when its time is over.

use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::Request;
use serde_json::json;
use tidegauge_app::jobs::{deliver, prune_audit, store_maintenance};
use tidegauge_catalog::outbox::NewDelivery;
use tidegauge_model::message::Message;
use tidegauge_model::monitor::AlertState;
use tidegauge_model::{NotifierId, OrgId, Timestamp};
use tokio_util::sync::CancellationToken;

use crate::app::{Answer, TestApp};
use crate::cases::Case;

/// Every case with its name.
pub(crate) const ALL: &[(&str, Case)] = &[
    ("merging_ends_when_the_service_stops", |app| Box::pin(merging_stops(app))),
    ("a_request_that_was_under_way_while_fields_were_forgotten_brings_none_back", |app| {
        Box::pin(forgotten_fields(app))
    }),
    ("the_audit_trail_goes_as_far_back_as_the_licence_says", |app| Box::pin(audit_window(app))),
    ("messages_that_have_ended_are_dropped_after_a_month", |app| Box::pin(old_messages(app))),
    ("of_messages_that_have_ended_the_newest_thousand_are_kept", |app| Box::pin(many_messages(app))),
];

const PATH: &str = "/v1/datasets/d/ingest";

async fn send(app: &TestApp, body: &str) -> u64 {
    let answer = app.send_bytes(PATH, &[], body.as_bytes().to_vec()).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.json()["ingested"].as_u64().unwrap()
}

async fn make(app: &TestApp) {
    let made = app.send("POST", "/v2/datasets", Some(&app.owner_token), Some(&json!({"name": "d"}))).await;
    assert!(made.status.is_success(), "{made:?}");
}

async fn merging_stops(app: TestApp) {
    make(&app).await;
    let store = &app.app.store;
    let dataset = store.find(&app.org, "d").unwrap();
    for _ in 0..6 {
        send(&app, "[{\"a\":1}]").await;
        store.flush(&dataset).await.unwrap();
    }
    app.clock.advance(Duration::from_secs(3 * 86_400));
    let stop = CancellationToken::new();
    stop.cancel();
    store_maintenance::compact(&app.app, &stop).await.unwrap();
    assert_eq!(dataset.info().segments, 6, "nothing is begun after the signal");
    // The pace is measured from one call to the next.
    app.clock.advance(Duration::from_secs(5));
    store_maintenance::compact(&app.app, &CancellationToken::new()).await.unwrap();
    assert_eq!(dataset.info().segments, 1);
}

async fn forgotten_fields(app: TestApp) {
    make(&app).await;
    app.operate(|org| org.licence.limits.max_fields = 3).await;
    assert_eq!(send(&app, "[{\"a\":1,\"b\":1,\"c\":1}]").await, 1);
    let store = &app.app.store;
    let dataset = store.find(&app.org, "d").unwrap();
    // A request that takes its time has a reader that knows the three.
    let (pieces, body) = tokio::sync::mpsc::channel::<Result<Bytes, std::io::Error>>(1);
    let body = futures_util::stream::unfold(body, |mut body| async move {
        let piece = body.recv().await?;
        Some((piece, body))
    });
    let request = Request::post(PATH)
        .header("authorization", format!("Bearer {}", app.owner_token))
        .header("x-axiom-org-id", app.org.to_string())
        .header("content-type", "application/json")
        .body(Body::from_stream(body))
        .unwrap();
    let forgetting = async {
        pieces.send(Ok(Bytes::from_static(b"[{\"a\":"))).await.unwrap();
        // Room for another piece: the first has been taken.
        pieces.reserve().await.unwrap();
        store.trim(&dataset, app.app.now().plus(Duration::from_secs(86_400))).await.unwrap();
        store.vacuum(&dataset).await.unwrap();
        assert_eq!(dataset.field_count(), 0);
        pieces.send(Ok(Bytes::from_static(b"1}]"))).await.unwrap();
        drop(pieces);
    };
    let (response, ()) = tokio::join!(app.serve(request), forgetting);
    let answer = Answer::read(response).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    assert_eq!(answer.json()["ingested"], 1, "{answer:?}");

    assert_eq!(send(&app, "[{\"p\":1,\"q\":1}]").await, 1);
    assert_eq!(dataset.field_count(), 3);
    send(&app, "[{\"b\":1,\"c\":1}]").await;
    let fields = dataset.fields();
    assert_eq!(fields.len(), 3, "{fields:?}");
}

async fn audit_window(app: TestApp) {
    make(&app).await;
    app.operate(|org| org.licence.limits.max_audit_window_seconds = 3_600).await;
    let kept = async |org: &OrgId| {
        let beginning = Timestamp::from_micros(0);
        app.app.catalog.list_audit(Some(org), beginning, i64::MAX, 100).await.unwrap().len()
    };
    let (ours, theirs) = (kept(&app.org).await, kept(&app.other_org).await);
    assert!(ours > 0 && theirs > 0);
    app.clock.advance(Duration::from_secs(3_600));
    prune_audit::step(&app.app).await.unwrap();
    assert_eq!(kept(&app.org).await, ours);
    app.clock.advance(Duration::from_secs(1));
    prune_audit::step(&app.app).await.unwrap();
    assert_eq!((kept(&app.org).await, kept(&app.other_org).await), (0, theirs));
}

async fn old_messages(app: TestApp) {
    const MONTH: Duration = Duration::from_secs(30 * 24 * 60 * 60);
    let owner = Some(app.owner_token.as_str());
    let hook = json!({"name": "hook", "properties": {"webhook": {"url": "https://hooks.example/x"}}});
    let made = app.send("POST", "/v2/notifiers", owner, Some(&hook)).await.json();
    let path = format!("/v2/notifiers/{}", made["id"].as_str().unwrap());
    // Nobody knows the host, so that a test has ended at once.
    let tried = app.send("POST", &format!("{path}/test"), owner, None).await;
    assert_eq!(tried.json()["state"], "dead", "{tried:?}");
    let listed = async || {
        let list = app.send("GET", &format!("{path}/deliveries"), owner, None).await.json();
        list.as_array().unwrap().len()
    };
    app.clock.advance(MONTH);
    deliver::prune(&app.app).await.unwrap();
    assert_eq!(listed().await, 1);
    app.clock.advance(Duration::from_secs(1));
    deliver::prune(&app.app).await.unwrap();
    assert_eq!(listed().await, 0);
}

async fn many_messages(app: TestApp) {
    const DAY: Duration = Duration::from_secs(24 * 60 * 60);
    let began = app.app.now();
    let mut notifiers = Vec::new();
    for (name, count) in [("busy", 1_003), ("quiet", 2)] {
        let hook = json!({"name": name, "properties": {"webhook": {"url": "https://hooks.example/x"}}});
        let made = app.send("POST", "/v2/notifiers", Some(&app.owner_token), Some(&hook)).await.json();
        let id = NotifierId::from(made["id"].as_str().unwrap());
        let messages: Vec<NewDelivery> = (0..count)
            .map(|number| NewDelivery {
                id: format!("msg_{name}_{number:04}").as_str().into(),
                org: app.org.clone(),
                notifier: id.clone(),
                message: message(&format!("{name} {number}"), began),
                due: began.plus(Duration::from_millis(number)),
            })
            .collect();
        assert_eq!(app.app.catalog.enqueue_deliveries(&messages).await.unwrap(), count);
        notifiers.push(id);
    }
    // Nobody sent them in time, so that all have ended.
    app.clock.advance(DAY + Duration::from_secs(60));
    deliver::prune(&app.app).await.unwrap();
    let size = app.app.catalog.outbox_size().await.unwrap();
    assert_eq!((size.waiting, size.dead), (0, 1_000 + 2));
    let is_kept = async |number: u64| {
        let id = format!("msg_busy_{number:04}").as_str().into();
        app.app.catalog.find_delivery(&app.org, &notifiers[0], &id).await.unwrap().is_some()
    };
    assert_eq!((is_kept(2).await, is_kept(3).await, is_kept(1_002).await), (false, true, true));
}

fn message(incident: &str, at: Timestamp) -> Message {
    Message {
        state: AlertState::Open,
        monitor: "mon_1".into(),
        incident: incident.to_owned(),
        title: "Errors Triggered".to_owned(),
        body: String::new(),
        description: String::new(),
        query_start: at,
        query_end: at,
        timestamp: at,
        value: 12.5,
        matched_event: None,
        group: Vec::new(),
        is_test: false,
    }
}
