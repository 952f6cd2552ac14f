//! Tokens after they were given out: machines, revocation, introspection, and what they allow.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use tidegauge_model::Role;

use super::flow::*;
use crate::app::{PUBLIC_URL, TestApp};
use crate::browser::{self, PASSWORD};

fn basic(id: &str, secret: &str) -> String {
    format!("Basic {}", STANDARD.encode(format!("{id}:{secret}")))
}

pub(super) async fn credentials(app: TestApp) {
    let (id, secret) = machine(&app).await;
    let auth = basic(&id, &secret);
    let ask = async |scope: &str| {
        let pairs = with(&[("grant_type", "client_credentials")], &[("scope", scope)]);
        send(&app, "/oauth/token", &pairs, Some(&auth)).await
    };
    let tokens = ask("").await.json();
    assert!(tokens.get("refresh_token").is_none() && tokens["scope"] == "*");
    let access = text(&tokens, "access_token");
    assert_eq!(status(&app, access).await, 200);
    // It holds what the client holds and nothing else, and is no person.
    assert_eq!(app.send("GET", "/v2/users", Some(access), None).await.status, 403);
    assert_eq!(app.send("GET", "/v2/user", Some(access), None).await.status, 403);
    let narrow = ask("notifiers|create").await.json();
    assert_eq!(status(&app, text(&narrow, "access_token")).await, 403);
    let beyond = ask("users|read").await.json();
    assert_eq!(app.send("GET", "/v2/users", Some(text(&beyond, "access_token")), None).await.status, 403);
    refused(&ask("all").await, 400, "invalid_scope");

    // Less for the client is less for its tokens, and no client is none.
    let path = format!("/v2/oauth/clients/{id}");
    let body = json!({"name": "M", "grants": ["client_credentials"], "orgCapabilities": {"users": ["read"]}});
    assert_eq!(app.send("PUT", &path, Some(&app.owner_token), Some(&body)).await.status, 200);
    assert_eq!(status(&app, access).await, 403);
    assert_eq!(app.send("DELETE", &path, Some(&app.owner_token), None).await.status, 204);
    assert_eq!(status(&app, access).await, 401);
    refused(&ask("").await, 401, "invalid_client");
    // A client cannot use what it was not made for.
    let (web, secret) = web_client(&app).await;
    let pairs = [("grant_type", "client_credentials"), ("client_id", &web), ("client_secret", &secret)];
    refused(&token(&app, &pairs).await, 400, "unauthorized_client");
    let pairs = with(&pairs, &[("grant_type", "password")]);
    refused(&token(&app, &pairs).await, 400, "unsupported_grant_type");
}

/// A machine's token cannot make what lasts longer than it; a person's can, because the person could sign in again.
pub(super) async fn lasting(app: TestApp) {
    let held = json!({"apiTokens": ["create"], "notifiers": ["read"]});
    let body = json!({"name": "M", "grants": ["client_credentials"], "orgCapabilities": held});
    let (id, secret) = client(&app, body).await;
    let asked = [("grant_type", "client_credentials")];
    let machine = send(&app, "/oauth/token", &asked, Some(&basic(&id, &secret))).await.json();
    let person = tokens_for(&app, &app.owner, "apiTokens|create notifiers|read").await;
    let make = async |tokens: &Value, expires_at: Option<&str>| {
        let body = json!({"name": "t", "orgCapabilities": {"notifiers": ["read"]}, "expiresAt": expires_at});
        app.send("POST", "/v2/tokens", Some(text(tokens, "access_token")), Some(&body)).await
    };
    // Both last ten minutes from noon on.
    for later in [None, Some("2026-06-01T12:10:01Z")] {
        let refused = make(&machine, later).await;
        assert_eq!(refused.status, 403, "{refused:?}");
        assert!(refused.text.contains("would outlive"), "{refused:?}");
        assert_eq!(make(&person, later).await.status, 200);
    }
    for tokens in [&machine, &person] {
        assert_eq!(make(tokens, Some("2026-06-01T12:10:00Z")).await.status, 200);
    }
}

/// Whoever accepts an invitation stays, so machines make none; what a client of a person made ends with its grant.
pub(super) async fn inviting(app: TestApp) {
    let body =
        json!({"name": "M", "grants": ["client_credentials"], "orgCapabilities": {"users": ["create"]}});
    let (id, secret) = client(&app, body).await;
    let asked = [("grant_type", "client_credentials")];
    let machine = send(&app, "/oauth/token", &asked, Some(&basic(&id, &secret))).await.json();
    let person = tokens_for(&app, &app.owner, "users|create").await;
    let access = text(&person, "access_token");
    let user = json!({"name": "Mallory", "email": "mallory@x.test", "role": "none"});
    let user = app.send("POST", "/v2/users", Some(access), Some(&user)).await.json();
    let path = format!("/v2/users/{}/invitation", text(&user, "id"));
    let refused = app.send("POST", &path, Some(text(&machine, "access_token")), None).await;
    assert_eq!(refused.status, 403, "{refused:?}");
    assert!(refused.text.contains("would stay longer"), "{refused:?}");

    let made = app.send("POST", &path, Some(access), None).await.json();
    let link = text(&made, "link").strip_prefix(PUBLIC_URL).unwrap();
    let is_good = async || app.send("GET", link, None, None).await.status == 200;
    assert!(is_good().await);
    // The owner could give more, but the client could not.
    let role = format!("/v2/users/{}/role", text(&user, "id"));
    for (role_id, good) in [("admin", false), ("none", true)] {
        let body = json!({"role": role_id});
        assert_eq!(app.send("PUT", &role, Some(&app.owner_token), Some(&body)).await.status, 200);
        assert_eq!(is_good().await, good, "{role_id}");
    }
    let own = [("token", access), ("client_id", CLI)];
    assert_eq!(send(&app, "/oauth/revoke", &own, None).await.status, 200);
    assert!(!is_good().await);
}

pub(super) async fn revocation(app: TestApp) {
    let (id, secret) = machine(&app).await;
    for kind in ["access_token", "refresh_token"] {
        let tokens = tokens_for(&app, &app.owner, "*").await;
        // Another client cannot end it.
        let foreign = [("token", text(&tokens, kind))];
        let answer = send(&app, "/oauth/revoke", &foreign, Some(&basic(&id, &secret))).await;
        refused(&answer, 400, "invalid_grant");
        assert_eq!(status(&app, text(&tokens, "access_token")).await, 200);
        let own = [("token", text(&tokens, kind)), ("client_id", CLI), ("token_type_hint", "nonsense")];
        assert_eq!(send(&app, "/oauth/revoke", &own, None).await.status, 200);
        assert_eq!(status(&app, text(&tokens, "access_token")).await, 401);
        refused(&token(&app, &refreshing(text(&tokens, "refresh_token"))).await, 400, "invalid_grant");
        assert_eq!(send(&app, "/oauth/revoke", &own, None).await.status, 200);
    }
    let unknown = [("token", "nobody's"), ("client_id", CLI)];
    assert_eq!(send(&app, "/oauth/revoke", &unknown, None).await.status, 200);
    refused(&send(&app, "/oauth/revoke", &[("client_id", CLI)], None).await, 400, "invalid_request");
}

pub(super) async fn introspection(app: TestApp) {
    let (web, web_secret) = web_client(&app).await;
    let (other, other_secret) = machine(&app).await;
    let changes = [("client_id", web.as_str()), ("redirect_uri", WEB_REDIRECT), ("scope", "query|read")];
    let browser = Browser::of(&app, &app.owner).await;
    let code = browser.code(&with(&cli_request(), &changes)).await;
    let changes =
        [("client_id", web.as_str()), ("client_secret", web_secret.as_str()), ("redirect_uri", WEB_REDIRECT)];
    let tokens = token(&app, &with(&redemption(&code), &changes)).await.json();
    let ask = async |token: &str, auth: &str| {
        send(&app, "/oauth/introspect", &[("token", token)], Some(auth)).await.json()
    };
    for auth in [basic(&web, &web_secret), basic(&other, &other_secret)] {
        let found = ask(text(&tokens, "access_token"), &auth).await;
        assert_eq!((&found["active"], &found["client_id"]), (&json!(true), &json!(web)), "{found}");
        assert_eq!((&found["sub"], &found["scope"]), (&json!(app.owner.as_str()), &json!("query|read")));
        assert_eq!((&found["iss"], &found["token_type"]), (&json!(PUBLIC_URL), &json!("Bearer")));
        assert_eq!(ask(text(&tokens, "refresh_token"), &auth).await["active"], true);
    }
    let nothing = json!({"active": false});
    let auth = basic(&web, &web_secret);
    assert_eq!(ask("nobody's", &auth).await, nothing);
    // A token of a client that is not of the organisation, and one that was revoked.
    let cli = tokens_for(&app, &app.owner, "*").await;
    assert_eq!(ask(text(&cli, "access_token"), &auth).await, nothing);
    let body = json!({"name": "Theirs", "grants": ["client_credentials"]});
    let theirs = app.send("POST", "/v2/oauth/clients", Some(&app.other_token), Some(&body)).await.json();
    let theirs = basic(text(&theirs, "id"), text(&theirs, "clientSecret"));
    assert_eq!(ask(text(&tokens, "access_token"), &theirs).await, nothing);
    let own = [("token", text(&tokens, "refresh_token"))];
    assert_eq!(send(&app, "/oauth/revoke", &own, Some(&auth)).await.status, 200);
    assert_eq!(ask(text(&tokens, "access_token"), &auth).await, nothing);
    // Whoever cannot prove who they are learns nothing.
    let public = [("token", text(&cli, "access_token")), ("client_id", CLI)];
    refused(&send(&app, "/oauth/introspect", &public, None).await, 401, "invalid_client");
    refused(&send(&app, "/oauth/introspect", &own, None).await, 401, "invalid_client");
}

pub(super) async fn grants(app: TestApp) {
    let tokens = tokens_for(&app, &app.owner, "notifiers|read").await;
    let (owner, other) = (Some(app.owner_token.as_str()), Some(app.other_token.as_str()));
    let listed = app.send("GET", "/v2/user/grants", owner, None).await.json();
    let grant = &listed[0];
    assert_eq!(
        (&grant["clientName"], &grant["scope"]),
        (&json!("Tidegauge command line"), &json!("notifiers|read"))
    );
    assert_eq!(app.send("GET", "/v2/user/grants", other, None).await.json(), json!([]));
    let path = format!("/v2/user/grants/{}", text(grant, "id"));
    assert_eq!(app.send("DELETE", &path, other, None).await.status, 404);
    assert_eq!(status(&app, text(&tokens, "access_token")).await, 200);
    assert_eq!(app.send("DELETE", &path, owner, None).await.status, 204);
    assert_eq!(status(&app, text(&tokens, "access_token")).await, 401);
    refused(&token(&app, &refreshing(text(&tokens, "refresh_token"))).await, 400, "invalid_grant");
    assert_eq!(app.send("DELETE", &path, owner, None).await.status, 404);
    ended_on_the_page(&app).await;
    // The organisation sees what its people allow to others, and the installation what is its own.
    let of_people: &[&str] = &["oauth.authorize", "oauth.grant.create", "oauth.grant.revoke"];
    for (org, expected) in [(None, &["oauth.key.create"][..]), (Some(&app.org), of_people)] {
        let start = tidegauge_model::Timestamp::from_micros(0);
        let audit = app.app.catalog.list_audit(org, start, i64::MAX, 100).await;
        let actions: Vec<String> = audit.unwrap().into_iter().map(|entry| entry.action).collect();
        for action in expected {
            assert!(actions.iter().any(|known| known == action), "{action} is not among {actions:?}");
        }
    }
}

/// The same on the page of the account.
async fn ended_on_the_page(app: &TestApp) {
    let tokens = tokens_for(app, &app.owner, "notifiers|read").await;
    let browser = Browser::of(app, &app.owner).await;
    let page = browser.get("/account/grants").await;
    assert!(page.text.contains("Tidegauge command line") && page.text.contains("See notifiers"), "{page:?}");
    let shown = fields(&page.text);
    let sent: Pairs<'_> = shown.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    let forged = with(&sent, &[("form_token", "x")]);
    assert_eq!(browser.post("/account/grants/end", &forged, &[]).await.status, 403);
    let theirs = Browser::of(app, &app.other_owner).await;
    assert!(!theirs.get("/account/grants").await.text.contains("command line"));
    assert_eq!(status(app, text(&tokens, "access_token")).await, 200);
    assert_eq!(location(&browser.post("/account/grants/end", &sent, &[]).await), "/account/grants");
    assert_eq!(status(app, text(&tokens, "access_token")).await, 401);
}

/// Whoever knew the password before may have allowed things: a new one ends them, by a link and on the page.
pub(super) async fn passwords(app: TestApp) {
    let others = tokens_for(&app, &app.other_owner, "*").await;
    let is_over = async |tokens: &serde_json::Value| {
        assert_eq!(status(&app, text(tokens, "access_token")).await, 401);
        refused(&token(&app, &refreshing(text(tokens, "refresh_token"))).await, 400, "invalid_grant");
    };
    let before = tokens_for(&app, &app.owner, "*").await;
    assert_eq!(status(&app, text(&before, "access_token")).await, 200);
    let mut person = browser::Browser::of_owner(&app).await;
    is_over(&before).await;

    let before = tokens_for(&app, &app.owner, "*").await;
    assert_eq!(status(&app, text(&before, "access_token")).await, 200);
    let fields = [("present_password", PASSWORD), ("new_password", "a whole new one")];
    assert_eq!(person.submit("/account", "/account/password", &fields).await.status, 303);
    is_over(&before).await;
    assert_eq!(status(&app, text(&others, "access_token")).await, 200, "nobody else's");
}

pub(super) async fn rights(app: TestApp) {
    // Everything of a person who may only read is reading.
    app.member_token(Role::ReadOnly).await;
    let reader = app.app.catalog.find_person_by_email("read-only@example.com").await.unwrap().unwrap().id;
    let tokens = tokens_for(&app, &reader, "*").await;
    let access = text(&tokens, "access_token");
    assert_eq!(status(&app, access).await, 200);
    let body = json!({"name": "n", "properties": {"webhook": {"url": "https://example.com"}}});
    assert_eq!(app.send("POST", "/v2/notifiers", Some(access), Some(&body)).await.status, 403);
    // A scope that the person does not hold gives nothing.
    let tokens = tokens_for(&app, &reader, "notifiers|create").await;
    let create = text(&tokens, "access_token");
    assert_eq!(app.send("POST", "/v2/notifiers", Some(create), Some(&body)).await.status, 403);
    // Less than the person may is less.
    let tokens = tokens_for(&app, &app.owner, "query|read").await;
    assert_eq!(status(&app, text(&tokens, "access_token")).await, 403);
    // Who is no member any more has no standing.
    let path = format!("/v2/users/{reader}");
    assert_eq!(app.send("DELETE", &path, Some(&app.owner_token), None).await.status, 204);
    assert_eq!(status(&app, access).await, 403);
}
