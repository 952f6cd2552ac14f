//! Issuers that change their keys, fail, hang, lie, or answer too much.

use std::pin::pin;
use std::time::Duration;

use futures_util::future::join_all;
use serde_json::json;
use tidegauge_admission::config::oauth::Oauth;

use super::Case;
use super::fake_issuer::{FakeIssuer, Mood};
use super::world::{KEY, World, settings};
use crate::app::{PUBLIC_URL, TestApp};
use crate::database::Backend;
use crate::signer::Signer;

pub(super) const ALL: &[(&str, Case)] = &[
    ("keys_are_fetched_once_and_again_when_they_change", |backend| Box::pin(rotation(backend))),
    ("old_keys_count_on_while_the_issuer_fails", |backend| Box::pin(stale(backend))),
    ("an_issuer_that_fails_first_is_asked_again", |backend| Box::pin(fails_first(backend))),
    ("an_issuer_that_hangs_holds_nobody_else", |backend| Box::pin(hangs(backend))),
    ("an_issuer_cannot_send_us_elsewhere", |backend| Box::pin(redirects(backend))),
    ("an_issuer_at_a_private_address_must_be_allowed", |backend| Box::pin(private(backend))),
    ("an_issuer_must_call_itself_by_its_name", |backend| Box::pin(other_name(backend))),
    ("giant_answers_are_not_read", |backend| Box::pin(giant(backend))),
    ("metadata_of_openid_will_do", |backend| Box::pin(openid(backend))),
    ("clocks_may_differ_by_the_leeway", |backend| Box::pin(skew(backend))),
    ("an_unknown_issuer_is_never_asked", |backend| Box::pin(unknown(backend))),
    ("several_issuers_do_not_speak_for_each_other", |backend| Box::pin(several(backend))),
];

async fn rotation(backend: Backend) {
    let world = World::start(backend).await;
    let all: Vec<u16> = join_all((0..8).map(|_| world.status())).await;
    assert_eq!((all, world.issuer.count("keys")), (vec![200; 8], 1), "one question for all");

    // A name that is not known is asked for at most every thirty seconds.
    let next = Signer::rs256();
    let signed = || next.access_token("key-2", &world.claims("owner", &world.app.org, "*"));
    assert_eq!(world.get(&signed()).await.status, 401);
    assert_eq!(world.issuer.count("keys"), 1, "the keys were fetched a moment ago");
    world.issuer.change(|behaviour| behaviour.keys.push(next.named("key-2")));
    world.app.clock.advance(Duration::from_secs(30));
    assert_eq!(world.get(&signed()).await.status, 200);
    assert_eq!((world.status().await, world.issuer.count("keys")), (200, 2));
    for number in 0..20 {
        let made_up = Signer::es256()
            .access_token(&format!("made-up-{number}"), &world.claims("a", &world.app.org, "*"));
        assert_eq!(world.get(&made_up).await.status, 401);
    }
    assert_eq!(world.issuer.count("keys"), 2);

    // The old key is withdrawn: it ends when the keys are fetched again.
    world.issuer.change(|behaviour| drop(behaviour.keys.remove(0)));
    world.app.clock.advance(Duration::from_secs(3_600));
    assert_eq!(world.get(&signed()).await.status, 200);
    world.issuer.until_asked("keys", 3).await;
    while world.status().await == 200 {
        tokio::task::yield_now().await;
    }
    assert_eq!((world.status().await, world.get(&signed()).await.status.as_u16()), (401, 200));
}

async fn stale(backend: Backend) {
    let world = World::start(backend).await;
    assert_eq!(world.status().await, 200);
    world.issuer.change(|behaviour| behaviour.mood = Mood::Fails);
    world.app.clock.advance(Duration::from_secs(2 * 3_600));
    assert_eq!(world.status().await, 200);
    world.issuer.until_asked("openid", 1).await;
    assert_eq!(world.status().await, 200);
    world.app.clock.advance(Duration::from_secs(24 * 3_600));
    assert_eq!(world.status().await, 503, "keys of more than a day ago do not count");
    world.issuer.change(|behaviour| behaviour.mood = Mood::Well);
    world.app.clock.advance(Duration::from_secs(5));
    assert_eq!(world.status().await, 200);
}

async fn fails_first(backend: Backend) {
    let world = World::start(backend).await;
    world.issuer.change(|behaviour| behaviour.mood = Mood::Fails);
    let answer = world.get(&world.token("owner", &world.app.org, "*")).await;
    assert_eq!((answer.status.as_u16(), answer.headers["retry-after"].to_str().unwrap()), (503, "1"));
    let asked = world.issuer.count("metadata");
    assert_eq!((world.status().await, world.issuer.count("metadata")), (503, asked), "not for every token");
    world.issuer.change(|behaviour| behaviour.mood = Mood::Well);
    world.app.clock.advance(Duration::from_secs(5));
    assert_eq!(world.status().await, 200);
}

async fn hangs(backend: Backend) {
    let (well, ill) = (FakeIssuer::start().await, FakeIssuer::start().await);
    let signer = Signer::es256();
    well.change(|behaviour| behaviour.keys = vec![signer.named(KEY)]);
    ill.change(|behaviour| behaviour.mood = Mood::Hangs);
    let issuers = vec![settings(&ill.url), settings(&well.url)];
    let app = TestApp::start_with(backend, Oauth { issuers, ..Oauth::default() }).await;
    let mut world = World { app, issuer: well, signer };
    world.link("owner", &world.app.owner).await;
    // What they had before ends with the link.
    world.app.owner_token = world.app.personal_token(&world.app.owner).await;

    let mut claims = world.claims("owner", &world.app.org, "*");
    claims["iss"] = ill.url.clone().into();
    let stuck = world.signed(&claims);
    let waiting = world.app.app.http.max_requests_in_flight - 4;
    let mut hanging = pin!(join_all((0..waiting).map(|_| world.get(&stuck))));
    tokio::select! {
        answers = &mut hanging => panic!("{answers:?}"),
        () = ill.until_asked("metadata", 1) => {}
    }
    // Tokens of ours and of other issuers are not held up, and those who wait are few.
    let others = async {
        assert_eq!(world.get(&world.app.owner_token).await.status, 200);
        assert_eq!(world.status().await, 200);
    };
    tokio::select! {
        answers = &mut hanging => panic!("{answers:?}"),
        () = others => {}
    }
    tokio::select! {
        answers = &mut hanging => panic!("{answers:?}"),
        answer = world.get(&stuck) => assert_eq!(answer.status, 503, "as many wait as may"),
    }
    assert_eq!(ill.count("metadata"), 1);
}

async fn redirects(backend: Backend) {
    let world = World::start(backend).await;
    let target = FakeIssuer::start().await;
    target.change(|behaviour| behaviour.keys = vec![world.signer.named(KEY)]);
    for address in [format!("{}/keys", target.url), "http://169.254.169.254/latest".to_owned()] {
        world.issuer.change(|behaviour| behaviour.mood = Mood::Redirects(address));
        assert_eq!(world.status().await, 503);
        world.app.clock.advance(Duration::from_secs(5));
    }
    assert_eq!((world.issuer.count("keys"), target.count("keys")), (2, 0));
}

async fn private(backend: Backend) {
    let world = World::start_with(backend, |config| config.allows_private_address = false).await;
    assert_eq!((world.status().await, world.issuer.count("metadata")), (503, 0));
}

async fn other_name(backend: Backend) {
    let world = World::start(backend).await;
    world.issuer.change(|behaviour| behaviour.mood = Mood::OtherIssuer);
    assert_eq!((world.status().await, world.issuer.count("keys")), (503, 0));
}

async fn giant(backend: Backend) {
    let world = World::start(backend).await;
    world.issuer.change(|behaviour| behaviour.mood = Mood::Giant(600 << 10));
    assert_eq!(world.status().await, 503);
    let key = world.signer.named(KEY);
    for keys in [vec![key.clone(); 10_000], vec![json!({"kty": "EC"}); 10_000], Vec::new()] {
        world.issuer.change(|behaviour| (behaviour.mood, behaviour.keys) = (Mood::Well, keys));
        world.app.clock.advance(Duration::from_secs(5));
        assert_eq!(world.status().await, 503);
    }
    world.issuer.change(|behaviour| behaviour.keys = vec![key]);
    world.app.clock.advance(Duration::from_secs(5));
    assert_eq!(world.status().await, 200);
}

async fn openid(backend: Backend) {
    let world = World::start(backend).await;
    world.issuer.change(|behaviour| behaviour.mood = Mood::OpenIdOnly);
    assert_eq!((world.status().await, world.issuer.count("openid")), (200, 1));
}

async fn skew(backend: Backend) {
    let world = World::start(backend).await;
    for (claim, seconds, status) in [
        ("iat", 30, 200),
        ("iat", 31, 401),
        ("nbf", 30, 200),
        ("nbf", 31, 401),
        ("exp", -29, 200),
        ("exp", -30, 401),
    ] {
        let mut claims = world.claims("owner", &world.app.org, "*");
        claims[claim] = (world.seconds() + seconds).into();
        assert_eq!(world.get(&world.signed(&claims)).await.status, status, "{claim} {seconds}");
    }
}

async fn unknown(backend: Backend) {
    let world = World::start(backend).await;
    let stranger = FakeIssuer::start().await;
    stranger.change(|behaviour| behaviour.keys = vec![world.signer.named(KEY)]);
    let mut claims = world.claims("owner", &world.app.org, "*");
    for issuer in [stranger.url.clone(), format!("{}/", world.issuer.url), PUBLIC_URL.to_owned()] {
        claims["iss"] = issuer.into();
        assert_eq!(world.get(&world.signed(&claims)).await.status, 401);
    }
    assert_eq!((stranger.count("metadata"), world.issuer.count("metadata")), (0, 0));
}

async fn several(backend: Backend) {
    let (first, second) = (FakeIssuer::start().await, FakeIssuer::start().await);
    let (one, two) = (Signer::eddsa(), Signer::ps256());
    first.change(|behaviour| behaviour.keys = vec![one.named(KEY)]);
    second.change(|behaviour| behaviour.keys = vec![two.named(KEY)]);
    let issuers = vec![settings(&first.url), settings(&second.url)];
    let app = TestApp::start_with(backend, Oauth { issuers, ..Oauth::default() }).await;
    let world = World { app, issuer: first, signer: one };
    world.link("owner", &world.app.owner).await;
    assert_eq!(world.status().await, 200);
    // The same subject at the other issuer is somebody else, and each signs for itself alone.
    let mut claims = world.claims("owner", &world.app.org, "*");
    claims["iss"] = second.url.clone().into();
    assert_eq!(world.get(&two.access_token(KEY, &claims)).await.status, 403);
    assert_eq!(world.get(&world.signed(&claims)).await.status, 401);
}
