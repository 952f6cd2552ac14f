//! Tokens that only their issuer can read.

use std::io::Write;
use std::time::Duration;

use futures_util::future::join_all;
use serde_json::{Value, json};
use tempfile::NamedTempFile;
use tidegauge_admission::config::oauth::IntrospectionClient;

use super::Case;
use super::fake_issuer::Mood;
use super::world::World;
use crate::app::PUBLIC_URL;
use crate::database::Backend;

pub(super) const ALL: &[(&str, Case)] = &[
    ("an_issuer_is_asked_about_a_token_once_a_minute", |backend| Box::pin(remembered(backend))),
    ("what_the_issuer_does_not_say_does_not_count", |backend| Box::pin(said(backend))),
    ("the_secret_is_sent_as_it_is_set", |backend| Box::pin(secrets(backend))),
    ("an_issuer_that_cannot_be_asked_is_no_yes", |backend| Box::pin(unavailable(backend))),
    ("an_issuer_is_asked_fifty_times_a_second_at_most", |backend| Box::pin(bounded(backend))),
];

/// The service with an issuer that is asked about tokens.
async fn start(backend: Backend, sends_basic: bool, secret: &str) -> (World, NamedTempFile) {
    let mut file = NamedTempFile::new().unwrap();
    writeln!(file, "{secret}").unwrap();
    let client = IntrospectionClient {
        id: "logs:service".to_owned(),
        secret_file: file.path().to_owned(),
        sends_basic,
    };
    (World::start_with(backend, |config| config.introspection = Some(client)).await, file)
}

/// What the issuer says about a good token.
fn active(world: &World) -> Value {
    json!({
        "active": true, "sub": "owner", "client_id": "console", "aud": PUBLIC_URL, "scope": "notifiers|read",
        "exp": world.seconds() + 600, "org": world.app.org.as_str(),
    })
}

fn tell(world: &World, token: &str, said: Value) {
    world.issuer.change(|behaviour| drop(behaviour.tokens.insert(token.to_owned(), said)));
}

async fn remembered(backend: Backend) {
    let (world, _file) = start(backend, true, "s%crét").await;
    tell(&world, "opaque-1", active(&world));
    let all = join_all((0..8).map(|_| world.get("opaque-1"))).await;
    assert!(all.iter().all(|answer| answer.status == 200), "{all:?}");
    assert_eq!(world.issuer.count("introspect"), 1, "one question for all");
    // Revoked: it ends when the answer is a minute old.
    tell(&world, "opaque-1", json!({"active": false}));
    assert_eq!(world.get("opaque-1").await.status, 200);
    world.app.clock.advance(Duration::from_secs(60));
    assert_eq!((world.get("opaque-1").await.status.as_u16(), world.issuer.count("introspect")), (401, 2));
    // A no counts for ten seconds.
    tell(&world, "opaque-1", active(&world));
    assert_eq!((world.get("opaque-1").await.status.as_u16(), world.issuer.count("introspect")), (401, 2));
    world.app.clock.advance(Duration::from_secs(10));
    assert_eq!((world.get("opaque-1").await.status.as_u16(), world.issuer.count("introspect")), (200, 3));
    // A yes counts no longer than the token.
    let mut short = active(&world);
    short["exp"] = (world.seconds() + 5).into();
    tell(&world, "opaque-2", short);
    assert_eq!(world.get("opaque-2").await.status, 200);
    world.app.clock.advance(Duration::from_secs(35));
    assert_eq!(world.get("opaque-2").await.status, 401);
}

async fn said(backend: Backend) {
    let (world, _file) = start(backend, true, "s%crét").await;
    let changes = [
        ("active", json!("true"), 401),
        ("active", json!(null), 401),
        ("aud", json!(null), 401),
        ("aud", json!("https://other.example"), 401),
        ("iss", json!("https://evil.example"), 401),
        ("exp", json!(1), 401),
        ("cnf", json!({"x5t#S256": "x"}), 401),
        ("scope", json!("openid"), 403),
        ("sub", json!("stranger"), 403),
        ("org", json!("org_00000000000000000000000000000000"), 403),
        ("iat", json!(null), 200),
    ];
    for (number, (claim, value, status)) in changes.into_iter().enumerate() {
        let mut answer = active(&world);
        match value {
            Value::Null => drop(answer.as_object_mut().unwrap().remove(claim)),
            value => answer[claim] = value,
        }
        let token = format!("opaque-{number}");
        tell(&world, &token, answer);
        assert_eq!(world.get(&token).await.status, status, "{claim}");
    }
    assert_eq!(world.get("nobody-knows-it").await.status, 401);
    // A signed token of this issuer is asked about too: its signature alone does not let it in.
    let signed = world.token("owner", &world.app.org, "*");
    assert_eq!(world.get(&signed).await.status, 401);
    let fresh = world.token("owner", &world.app.org, "notifiers|read");
    tell(&world, &fresh, active(&world));
    assert_eq!(world.get(&fresh).await.status, 200);
}

async fn secrets(backend: Backend) {
    let (world, _file) = start(backend, false, "s%crét").await;
    tell(&world, "opaque", active(&world));
    assert_eq!(world.get("opaque").await.status, 200);
    let (world, _file) = start(backend, true, "wrong").await;
    tell(&world, "opaque", active(&world));
    assert_eq!(world.get("opaque").await.status, 503);
}

async fn unavailable(backend: Backend) {
    let (world, file) = start(backend, true, "s%crét").await;
    tell(&world, "opaque", active(&world));
    world.issuer.change(|behaviour| behaviour.mood = Mood::Fails);
    assert_eq!(world.get("opaque").await.status, 503);
    world.issuer.change(|behaviour| behaviour.mood = Mood::Well);
    world.app.clock.advance(Duration::from_secs(5));
    file.close().unwrap();
    assert_eq!(world.get("opaque").await.status, 503, "the secret is gone");
    // Made-up tokens are not all passed on.
    let answers = join_all((0..80).map(|number| {
        let token = format!("made-up-{number}");
        let world = &world;
        async move { world.get(&token).await.status.as_u16() }
    }))
    .await;
    assert!(answers.iter().all(|status| *status == 503));
}

async fn bounded(backend: Backend) {
    let (world, _file) = start(backend, true, "s%crét").await;
    let mut answers = Vec::new();
    for number in 0..60 {
        answers.push(world.get(&format!("made-up-{number}")).await.status.as_u16());
    }
    assert_eq!((&answers[..50], &answers[50..]), (&[401; 50][..], &[503; 10][..]));
    assert_eq!(world.issuer.count("introspect"), 50);
    world.app.clock.advance(Duration::from_secs(1));
    assert_eq!(world.get("made-up-60").await.status, 401);
}
