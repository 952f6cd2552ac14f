//! Clients: those that an organisation keeps, those that register themselves, and what the metadata says to all.

use std::time::Duration;

use serde_json::{Value, json};
use tidegauge_admission::config;
use tidegauge_model::{Action, Capabilities, OrgArea};

use super::flow::*;
use crate::app::{PUBLIC_URL, TestApp};

pub(super) async fn metadata(app: TestApp) {
    let answer = app.send("GET", "/.well-known/oauth-authorization-server", None, None).await;
    assert_eq!(
        (answer.status.as_u16(), &answer.headers["access-control-allow-origin"]),
        (200, &"*".parse().unwrap())
    );
    let document = answer.json();
    assert_eq!(document["issuer"], PUBLIC_URL);
    assert_eq!(document["code_challenge_methods_supported"], json!(["S256"]));
    assert!(document.get("registration_endpoint").is_none());
    assert!(document["scopes_supported"].as_array().unwrap().contains(&json!("query|read")));
    // Each address that it names is one.
    for (name, value) in document.as_object().unwrap() {
        let Some(path) = value.as_str().and_then(|text| text.strip_prefix(PUBLIC_URL)) else { continue };
        if !path.is_empty() {
            let method = if name == "jwks_uri" || name == "authorization_endpoint" { "GET" } else { "POST" };
            assert_ne!(app.send(method, path, None, None).await.status, 404, "{name}");
        }
    }
    let keys = app.send("GET", "/oauth/jwks", None, None).await.json();
    let key = &keys["keys"][0];
    assert_eq!(
        (&key["kty"], &key["crv"], &key["use"], &key["alg"]),
        (&json!("EC"), &json!("P-256"), &json!("sig"), &json!("ES256"))
    );
    assert!(key["kid"].is_string() && key.get("d").is_none());
}

pub(super) async fn kept(app: TestApp) {
    let owner = Some(app.owner_token.as_str());
    let body = json!({"name": "Web", "redirectUris": [WEB_REDIRECT], "grants": ["authorization_code"]});
    let made = app.send("POST", "/v2/oauth/clients", owner, Some(&body)).await.json();
    let path = format!("/v2/oauth/clients/{}", text(&made, "id"));
    assert_eq!(made["clientSecret"].as_str().map(str::len), Some(43));
    let found = app.send("GET", &path, owner, None).await;
    assert!(!found.text.contains(text(&made, "clientSecret")) && found.json()["isPublic"] == false);
    let listed = app.send("GET", "/v2/oauth/clients", owner, None).await.json();
    assert_eq!(listed, json!([found.json()]));
    let renamed =
        json!({"name": "Other", "redirectUris": ["https://a.example/"], "grants": ["authorization_code"]});
    let renamed = app.send("PUT", &path, owner, Some(&renamed)).await.json();
    assert_eq!(
        (&renamed["name"], &renamed["redirectUris"]),
        (&json!("Other"), &json!(["https://a.example/"]))
    );

    let wrong = |changes: Value| {
        let mut body = body.clone();
        for (name, value) in changes.as_object().unwrap() {
            body[name] = value.clone();
        }
        body
    };
    for changes in [
        json!({"name": ""}),
        json!({"grants": []}),
        json!({"grants": ["password"]}),
        json!({"grants": ["refresh_token", "refresh_token"]}),
        json!({"redirectUris": []}),
        json!({"redirectUris": ["http://example.com/"]}),
        json!({"redirectUris": ["https://example.com/#x"]}),
        json!({"redirectUris": ["https://*.example.com/"]}),
        json!({"redirectUris": ["https://me@example.com/"]}),
        json!({"redirectUris": ["com.example.app:/back"]}),
        json!({"redirectUris": vec!["https://example.com/"; 21]}),
        json!({"orgCapabilities": {"notifiers": ["read"]}}),
        json!({"isPublic": true, "grants": ["client_credentials"]}),
    ] {
        let answer = app.send("POST", "/v2/oauth/clients", owner, Some(&wrong(changes.clone()))).await;
        assert_eq!(answer.status, 422, "{changes}: {answer:?}");
    }
    let public = wrong(json!({"isPublic": true, "redirectUris": ["com.example.app:/back"]}));
    let public = app.send("POST", "/v2/oauth/clients", owner, Some(&public)).await.json();
    assert!(public.get("clientSecret").is_none());
    let turned = app.send("PUT", &path, owner, Some(&wrong(json!({"isPublic": true})))).await;
    assert_eq!(turned.status, 422, "{turned:?}");
    let secret = format!("/v2/oauth/clients/{}/secret", text(&public, "id"));
    assert_eq!(app.send("POST", &secret, owner, Some(&json!({}))).await.status, 409);
    assert_eq!(app.send("DELETE", &path, owner, None).await.status, 204);
    assert_eq!(app.send("GET", &path, owner, None).await.status, 404);
}

pub(super) async fn no_escalation(app: TestApp) {
    let all = [Action::Create, Action::Read, Action::Update];
    let weak = Capabilities { org: [(OrgArea::ApiTokens, all.to_vec())].into(), ..Capabilities::default() };
    let weak = app.api_token(weak, None).await;
    let body =
        json!({"name": "M", "grants": ["client_credentials"], "orgCapabilities": {"users": ["create"]}});
    let refused = app.send("POST", "/v2/oauth/clients", Some(&weak), Some(&body)).await;
    assert_eq!(refused.status, 403, "{refused:?}");
    // Nor can the secret of a stronger client be had.
    let (id, _) = machine(&app).await;
    let path = format!("/v2/oauth/clients/{id}");
    let secret = app.send("POST", &format!("{path}/secret"), Some(&weak), Some(&json!({}))).await;
    assert_eq!(secret.status, 403, "{secret:?}");
    let weaker = json!({"name": "M", "grants": ["client_credentials"]});
    assert_eq!(app.send("PUT", &path, Some(&weak), Some(&weaker)).await.status, 403);
}

pub(super) async fn secrets(app: TestApp) {
    let (id, first) = machine(&app).await;
    let works = async |secret: &str| {
        let pairs =
            [("grant_type", "client_credentials"), ("client_id", id.as_str()), ("client_secret", secret)];
        token(&app, &pairs).await.status == 200
    };
    let path = format!("/v2/oauth/clients/{id}/secret");
    let renew = async |seconds: i64| {
        let body = json!({"formerSecretSeconds": seconds});
        app.send("POST", &path, Some(&app.owner_token), Some(&body)).await
    };
    let second = text(&renew(60).await.json(), "clientSecret").to_owned();
    assert!(works(&first).await && works(&second).await);
    app.clock.advance(Duration::from_secs(60));
    assert!(!works(&first).await && works(&second).await);
    let third = text(&renew(0).await.json(), "clientSecret").to_owned();
    assert!(!works(&second).await && works(&third).await);
    for wrong in [-1, 2_592_001] {
        assert_eq!(renew(wrong).await.status, 422);
    }
}

async fn with_settings(app: TestApp, oauth: config::oauth::Oauth) -> TestApp {
    let backend = app.backend;
    drop(app);
    TestApp::start_with(backend, oauth).await
}

pub(super) async fn registration(app: TestApp) {
    let body = json!({"client_name": "Agent", "redirect_uris": ["http://127.0.0.1/cb"],
        "grant_types": ["authorization_code", "refresh_token"], "token_endpoint_auth_method": "none"});
    assert_eq!(app.send("POST", "/oauth/register", None, Some(&body)).await.status, 404);

    let settings = config::oauth::Oauth {
        is_embedded: true,
        takes_registrations: true,
        ..config::oauth::Oauth::default()
    };
    let app = with_settings(app, settings).await;
    let answer = app.send("POST", "/oauth/register", None, Some(&body)).await;
    assert_eq!(answer.status, 201, "{answer:?}");
    let made = answer.json();
    assert!(made.get("client_secret").is_none() && made["grant_types"] == body["grant_types"]);
    let changes = [("client_id", text(&made, "client_id")), ("redirect_uri", "http://127.0.0.1:9/cb")];
    let page = Browser::of(&app, &app.owner).await.ask(&with(&cli_request(), &changes)).await;
    assert!(page.text.contains("Agent") && page.text.contains("registered itself"), "{page:?}");

    app.clock.advance(Duration::from_secs(1));
    for (changes, error) in [
        (json!({"redirect_uris": ["http://example.com/"]}), "invalid_redirect_uri"),
        (json!({"redirect_uris": []}), "invalid_redirect_uri"),
        (json!({"grant_types": ["client_credentials"]}), "invalid_client_metadata"),
        (json!({"grant_types": ["implicit"]}), "invalid_client_metadata"),
        (json!({"token_endpoint_auth_method": "private_key_jwt"}), "invalid_client_metadata"),
    ] {
        let mut wrong = body.clone();
        wrong.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
        refused(&app.send("POST", "/oauth/register", None, Some(&wrong)).await, 400, error);
        app.clock.advance(Duration::from_secs(1));
    }
    app.send("POST", "/oauth/register", None, Some(&body)).await;
    assert_eq!(app.send("POST", "/oauth/register", None, Some(&body)).await.status, 429);
}

pub(super) async fn off(app: TestApp) {
    let app = with_settings(app, config::oauth::Oauth::default()).await;
    let paths = ["/.well-known/oauth-authorization-server", "/oauth/jwks", "/oauth/authorize", "/device"];
    for path in paths {
        assert_eq!(app.send("GET", path, None, None).await.status, 404, "{path}");
    }
    for path in ["authorize", "token", "device_authorization", "revoke", "introspect", "register"] {
        let answer = send(&app, &format!("/oauth/{path}"), &cli_request(), None).await;
        assert_eq!(answer.status, 404, "{path}");
    }
}
