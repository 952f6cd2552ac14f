//! Whom a token acts for: people who are known, linked or new, and machines.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use tidegauge_app::service::invite_links;
use tidegauge_catalog::Change;
use tidegauge_model::Role;

use super::Case;
use super::world::World;
use crate::app::Answer;
use crate::browser::{Browser, PASSWORD};
use crate::database::Backend;

pub(super) const ALL: &[(&str, Case)] = &[
    ("unknown_people_get_an_account_only_where_it_is_allowed", |backend| Box::pin(provision(backend))),
    ("an_account_is_linked_by_a_verified_address_where_it_is_allowed", |backend| Box::pin(link(backend))),
    ("a_verified_address_accepts_what_waits_for_it", |backend| Box::pin(verified_accepts(backend))),
    ("a_verified_address_is_compared_by_its_letters", |backend| Box::pin(disguised(backend))),
    ("what_a_linked_account_had_open_ends", |backend| Box::pin(link_ends(backend))),
    ("a_mapped_role_bounds_what_a_token_can_do", |backend| Box::pin(roles(backend))),
    ("machines_act_within_their_scopes_and_the_role_that_is_set", |backend| Box::pin(machines(backend))),
    ("who_was_removed_does_not_come_back", |backend| Box::pin(removed(backend))),
    ("what_access_tokens_do_is_in_the_audit_trail", |backend| Box::pin(audited(backend))),
];

async fn with(world: &World, subject: &str, more: Value) -> Answer {
    let mut claims = world.claims(subject, &world.app.org, "*");
    for (claim, value) in more.as_object().unwrap() {
        claims[claim] = value.clone();
    }
    world.app.send("GET", "/v2/user", Some(&world.signed(&claims)), None).await
}

async fn provision(backend: Backend) {
    let world = World::start(backend).await;
    let refused = with(&world, "ada", json!({})).await;
    assert_eq!(refused.status, 403);
    assert!(refused.json()["message"].as_str().unwrap().contains("no account here"), "{refused:?}");

    let world = World::start_with(backend, |config| config.provision = Some(Role::User)).await;
    let verified = json!({"email": "ada@example.com", "email_verified": true, "name": "Ada"});
    // Two first requests at once end with one account.
    let (one, two) =
        tokio::join!(with(&world, "ada", verified.clone()), with(&world, "ada", verified.clone()));
    assert_eq!((one.status.as_u16(), two.status.as_u16()), (200, 200), "{one:?} {two:?}");
    let ada = one.json();
    assert_eq!(
        (ada["id"].clone(), ada["email"].clone()),
        (two.json()["id"].clone(), json!("ada@example.com"))
    );
    assert_eq!(world.get(&world.token("ada", &world.app.org, "*")).await.status, 200);
    // An address that nobody verified is not taken over, and one that is taken is not given again.
    let unverified = with(&world, "eve", json!({"email": "owner@example.com"})).await;
    assert_eq!(unverified.status, 200);
    assert!(unverified.json()["email"].as_str().unwrap().ends_with("@identity.invalid"));
    let taken = json!({"email": "owner@example.com", "email_verified": true});
    assert_eq!(with(&world, "mallory", taken).await.status, 403);
    // Nobody gets an account in an organisation that the token does not name, or that is not there.
    assert_eq!(with(&world, "bob", json!({"org": "org_00000000000000000000000000000000"})).await.status, 403);
}

async fn link(backend: Backend) {
    let world = World::start_with(backend, |config| config.links_verified_email = true).await;
    let address = |verified: bool| json!({"email": "owner@example.com", "email_verified": verified});
    assert_eq!(with(&world, "boss", address(false)).await.status, 403);
    let linked = with(&world, "boss", address(true)).await;
    assert_eq!((linked.status.as_u16(), linked.json()["id"].as_str()), (200, Some(world.app.owner.as_str())));
    // From then on the subject counts, whatever the address is.
    assert_eq!(with(&world, "boss", json!({})).await.json()["id"], world.app.owner.as_str());
}

/// The sign for Kelvin is no `k`, though Unicode has the same lower case for both.
async fn disguised(backend: Backend) {
    let world = World::start_with(backend, |config| config.links_verified_email = true).await;
    let app = &world.app;
    let kim = json!({"name": "Kim", "email": "Kim@x.test", "role": "admin"});
    let kim = app.send("POST", "/v2/users", Some(&app.owner_token), Some(&kim)).await.json();
    let address = |email: &str| json!({"email": email, "email_verified": true});
    for other in ["\u{212a}im@x.test", "\u{ff4b}im@x.test"] {
        assert_eq!(with(&world, "mallory", address(other)).await.status, 403, "{other}");
    }
    let linked = with(&world, "kim", address("KIM@x.test")).await;
    assert_eq!((linked.status.as_u16(), &linked.json()["id"]), (200, &kim["id"]), "{linked:?}");
}

/// An issuer's word for an address counts as the link of an organisation does, and reaches no account that others took.
async fn verified_accepts(backend: Backend) {
    let world = World::start_with(backend, |config| config.links_verified_email = true).await;
    let app = &world.app;
    let ceo = json!({"name": "Chief", "email": "ceo@x.test", "role": "admin"});
    // The other organisation takes the account in advance.
    let taken = app.send("POST", "/v2/users", Some(&app.other_token), Some(&ceo)).await.json();
    let path = format!("/v2/users/{}/invitation", taken["id"].as_str().unwrap());
    let link = app.send("POST", &path, Some(&app.other_token), None).await.json();
    let path = link["link"].as_str().unwrap().strip_prefix(crate::app::PUBLIC_URL).unwrap().to_owned();
    let mut taker = Browser::new(app);
    assert_eq!(taker.submit(&path, &path, &[("password", PASSWORD)]).await.status, 303);
    let token = app.personal_token(&taken["id"].as_str().unwrap().into()).await;

    let address = |verified: bool| json!({"email": "ceo@x.test", "email_verified": verified});
    assert_eq!(with(&world, "chief", address(true)).await.status, 403, "nothing waits yet");
    let ours = app.send("POST", "/v2/users", Some(&app.owner_token), Some(&ceo)).await.json();
    assert_eq!(with(&world, "chief", address(false)).await.status, 403);
    let linked = with(&world, "chief", address(true)).await;
    assert_eq!((linked.status.as_u16(), &linked.json()["id"]), (200, &ours["id"]), "{linked:?}");
    assert_eq!(linked.json()["accepted"], true);
    let headers = [
        ("authorization".to_owned(), format!("Bearer {token}")),
        ("x-axiom-org-id".to_owned(), app.org.to_string()),
    ];
    assert_eq!(app.send_raw("GET", "/v2/notifiers", &headers, Vec::new()).await.status, 403);
    assert!(taker.is_signed_in().await, "the other account is left alone");

    // A further organisation that waits for the same address is joined by who is known already.
    let third = app.send("POST", "/v2/orgs", Some(&app.owner_token), Some(&json!({"name": "Third"}))).await;
    let third = third.json()["id"].as_str().unwrap().to_owned();
    let headers = [
        ("authorization".to_owned(), format!("Bearer {}", app.owner_token)),
        ("x-axiom-org-id".to_owned(), third.clone()),
        ("content-type".to_owned(), "application/json".to_owned()),
    ];
    let added = app.send_raw("POST", "/v2/users", &headers, ceo.to_string().into_bytes()).await;
    assert_eq!(added.status, 200, "{added:?}");
    let there = |verified: bool| {
        let mut claims = address(verified);
        claims["org"] = third.clone().into();
        claims
    };
    assert_eq!(with(&world, "chief", there(false)).await.status, 403);
    let joined = with(&world, "chief", there(true)).await;
    assert_eq!((joined.status.as_u16(), &joined.json()["id"]), (200, &ours["id"]), "{joined:?}");
}

/// Somebody else may have set the account up in the name of who owns the address.
async fn link_ends(backend: Backend) {
    let world = World::start_with(backend, |config| config.links_verified_email = true).await;
    let app = &world.app;
    let person = app.app.catalog.find_person(&app.owner).await.unwrap().unwrap();
    let change =
        Change { org: None, actor: "operator".to_owned(), at: app.app.now(), request_id: String::new() };
    let made = invite_links::make(&app.app.catalog, &*app.app.rng, &person, &change).await.unwrap();
    let path = format!("/setup/{}", made.secret.reveal());
    let mut browser = Browser::new(app);
    assert_eq!(browser.submit(&path, &path, &[("password", PASSWORD)]).await.status, 303);
    assert!(browser.is_signed_in().await);

    let address = json!({"email": "owner@example.com", "email_verified": true});
    let linked = with(&world, "boss", address).await;
    assert_eq!((linked.status.as_u16(), linked.json()["id"].as_str()), (200, Some(app.owner.as_str())));
    assert!(!browser.is_signed_in().await, "the session has ended");
    assert_eq!(Browser::new(app).sign_in("owner@example.com", PASSWORD).await.status, 401);
}

async fn roles(backend: Backend) {
    let world = World::start_with(backend, |config| {
        config.provision = Some(Role::ReadOnly);
        config.rules.role_claim = Some("groups".to_owned());
        config.rules.roles =
            BTreeMap::from([("admins".to_owned(), Role::Admin), ("viewers".to_owned(), Role::ReadOnly)]);
    })
    .await;
    let make = json!({"name": "n", "properties": {"webhook": {"url": "https://example.com"}}});
    let post = async |subject: &str, groups: Value, scope: &str| {
        let mut claims = world.claims(subject, &world.app.org, scope);
        claims["groups"] = groups;
        let token = world.signed(&claims);
        world.app.send("POST", "/v2/notifiers", Some(&token), Some(&make)).await.status.as_u16()
    };
    assert_eq!(post("owner", json!(["admins"]), "*").await, 200);
    assert_eq!(post("owner", json!(["viewers"]), "*").await, 403, "the claim bounds the owner");
    assert_eq!(post("owner", json!([]), "*").await, 403);
    assert_eq!(post("owner", json!(["admins"]), "notifiers|read").await, 403, "scopes bound too");
    assert_eq!(post("owner", json!(["admins"]), "openid").await, 200, "a role stands in for scopes");
    assert_eq!(post("nobody", json!(["admins"]), "*").await, 403, "the claim gives nothing");
    // A newcomer has the role of the claim, and is not raised by a later one.
    assert_eq!(post("ada", json!(["viewers"]), "*").await, 403);
    assert_eq!(post("ada", json!(["admins"]), "*").await, 403);
    assert_eq!(post("grace", json!(["admins"]), "*").await, 200);
    assert_eq!(post("eve", json!(["unmapped"]), "*").await, 403);
}

async fn machines(backend: Backend) {
    let world = World::start(backend).await;
    let claims = |world: &World, scope: &str| world.claims("console", &world.app.org, scope);
    let refused = world.get(&world.signed(&claims(&world, "*"))).await;
    assert_eq!(refused.status, 403);
    assert!(refused.json()["message"].as_str().unwrap().contains("act for no person"), "{refused:?}");

    let world = World::start_with(backend, |config| config.rules.machine_role = Some(Role::User)).await;
    assert_eq!(world.get(&world.signed(&claims(&world, "notifiers|read"))).await.status, 200);
    assert_eq!(world.get(&world.signed(&claims(&world, "monitors|read"))).await.status, 403);
    let everything = world.signed(&claims(&world, "*"));
    for (path, status) in [("/v2/notifiers", 200), ("/v2/tokens", 403), ("/v2/user", 403), ("/v2/orgs", 200)]
    {
        assert_eq!(world.app.send("GET", path, Some(&everything), None).await.status, status, "{path}");
    }
    let make = json!({"name": "n", "properties": {"webhook": {"url": "https://example.com"}}});
    let made = world.app.send("POST", "/v2/notifiers", Some(&everything), Some(&make)).await;
    assert_eq!(made.status, 200, "{made:?}");
    // It is no member, and does not act elsewhere.
    let members = world.app.app.catalog.list_members(&world.app.org).await.unwrap();
    assert!(members.iter().all(|member| member.person.name != "console"));
    let mut elsewhere = claims(&world, "*");
    elsewhere["org"] = "org_00000000000000000000000000000000".into();
    assert_eq!(world.get(&world.signed(&elsewhere)).await.status, 403);
    elsewhere.as_object_mut().unwrap().remove("org");
    assert_eq!(world.get(&world.signed(&elsewhere)).await.status, 403);
}

async fn removed(backend: Backend) {
    let world = World::start_with(backend, |config| config.provision = Some(Role::User)).await;
    let token = world.token("ada", &world.app.org, "*");
    assert_eq!(world.get(&token).await.status, 200);
    let ada = world.app.send("GET", "/v2/user", Some(&token), None).await.json();
    let path = format!("/v2/users/{}", ada["id"].as_str().unwrap());
    assert_eq!(world.app.send("DELETE", &path, Some(&world.app.owner_token), None).await.status, 204);
    assert_eq!(world.get(&token).await.status, 403);
}

async fn audited(backend: Backend) {
    let world = World::start_with(backend, |config| config.provision = Some(Role::ReadOnly)).await;
    assert_eq!(world.get(&world.token("ada", &world.app.org, "*")).await.status, 200);
    assert_eq!(world.get(&world.token("ada", &world.app.org, "openid")).await.status, 403);
    let trail = world.app.send("GET", "/v2/audit", Some(&world.app.owner_token), None).await.text;
    assert!(trail.contains("user.provision") && trail.contains("(console)"), "{trail}");
    assert!(trail.contains("token does not have access to resource: notifiers"), "{trail}");
    assert!(!trail.contains("eyJ"), "a token is in the audit trail");
}
