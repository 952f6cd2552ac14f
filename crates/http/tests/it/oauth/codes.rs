//! The authorization code flow as it should go, and the page that asks.

use std::time::Duration;

use serde_json::json;

use super::flow::*;
use crate::app::{PUBLIC_URL, TestApp};

pub(super) async fn code_and_refresh(app: TestApp) {
    let browser = Browser::of(&app, &app.owner).await;
    let page = browser.ask(&cli_request()).await;
    assert_eq!(page.status, 200, "{page:?}");
    for shown in ["Tidegauge command line", "owner@example.com", "Home", "Everything that you may do"] {
        assert!(page.text.contains(shown), "{shown} is not in {}", page.text);
    }
    let policy = page.headers["content-security-policy"].to_str().unwrap();
    assert!(policy.contains("form-action 'self' http://127.0.0.1:4567;"), "{policy}");
    assert!(policy.contains("frame-ancestors 'none'") && !page.text.contains("<script"));
    assert_eq!(page.headers["cache-control"], "no-store");

    let answer = browser.decide(&cli_request(), "allow").await;
    assert!(location(&answer).starts_with("http://127.0.0.1:4567/callback?code="), "{answer:?}");
    assert_eq!(answer.headers["referrer-policy"], "no-referrer");
    let query = redirected(&answer);
    assert_eq!((query["state"].as_str(), query["iss"].as_str()), ("s t&a=te", PUBLIC_URL));

    let answer = token(&app, &redemption(&query["code"])).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    for (header, value) in [("cache-control", "no-store"), ("access-control-allow-origin", "*")] {
        assert_eq!(answer.headers[header], value);
    }
    let tokens = answer.json();
    assert_eq!((&tokens["token_type"], &tokens["expires_in"]), (&json!("Bearer"), &json!(600)));
    assert_eq!(status(&app, text(&tokens, "access_token")).await, 200);
    let user = app.send("GET", "/v2/user", Some(text(&tokens, "access_token")), None).await;
    assert_eq!(user.json()["id"], app.owner.as_str());

    // The access token ends after ten minutes, the refresh token goes on.
    app.clock.advance(Duration::from_secs(620));
    assert_eq!(status(&app, text(&tokens, "access_token")).await, 401);
    let next = token(&app, &refreshing(text(&tokens, "refresh_token"))).await;
    assert_eq!(next.status, 200, "{next:?}");
    let next = next.json();
    assert_ne!(next["refresh_token"], tokens["refresh_token"]);
    assert_eq!(status(&app, text(&next, "access_token")).await, 200);
    refresh_ends(&app, text(&next, "refresh_token")).await;
}

/// A refresh token that is used now and then lives for ninety days, one that is not for thirty.
async fn refresh_ends(app: &TestApp, refresh: &str) {
    let day = Duration::from_secs(24 * 60 * 60);
    let mut refresh = refresh.to_owned();
    for _ in 0..3 {
        app.clock.advance(29 * day);
        let next = token(app, &refreshing(&refresh)).await;
        assert_eq!(next.status, 200, "{next:?}");
        refresh = text(&next.json(), "refresh_token").to_owned();
    }
    app.clock.advance(4 * day);
    refused(&token(app, &refreshing(&refresh)).await, 400, "invalid_grant");

    let tokens = tokens_for(app, &app.owner, "*").await;
    app.clock.advance(30 * day);
    refused(&token(app, &refreshing(text(&tokens, "refresh_token"))).await, 400, "invalid_grant");
}

pub(super) async fn consent(app: TestApp) {
    let browser = Browser::of(&app, &app.owner).await;
    let denied = redirected(&browser.decide(&cli_request(), "deny").await);
    assert_eq!((denied["error"].as_str(), denied["state"].as_str()), ("access_denied", "s t&a=te"));
    assert!(!denied.contains_key("code"));

    // People are asked each time about a program that could be any other.
    browser.code(&cli_request()).await;
    assert_eq!(browser.ask(&cli_request()).await.status, 200);

    // A confidential client is known by its secret, so that once is enough, for the same or less.
    let (id, _) = web_client(&app).await;
    let changes = [("client_id", id.as_str()), ("redirect_uri", WEB_REDIRECT)];
    let asked = with(&cli_request(), &changes);
    let asked = with(&asked, &[("scope", "query|read ingest|create")]);
    let page = browser.ask(&asked).await;
    assert!(page.text.contains("Read the events of every dataset"), "{}", page.text);
    assert!(page.text.contains("set up by an organisation of yours: Home."), "{}", page.text);
    browser.code(&asked).await;
    for scope in ["query|read ingest|create", "ingest|create"] {
        let answer = browser.ask(&with(&asked, &[("scope", scope)])).await;
        assert!(redirected(&answer).contains_key("code"), "{answer:?}");
    }
    assert_eq!(browser.ask(&with(&asked, &[("scope", "*")])).await.status, 200);
    assert_eq!(browser.ask(&with(&asked, &[("prompt", "consent")])).await.status, 200);
    // Somebody else has not allowed anything.
    assert_eq!(Browser::of(&app, &app.other_owner).await.ask(&asked).await.status, 200);
}

pub(super) async fn prompts(app: TestApp) {
    let nobody = Browser::of_nobody(&app);
    let answer = nobody.ask(&cli_request()).await;
    assert!(location(&answer).starts_with("/login?return_to=%2Foauth%2Fauthorize%3F"), "{answer:?}");
    let quiet = with(&cli_request(), &[("prompt", "none")]);
    assert_eq!(redirected(&nobody.ask(&quiet).await)["error"], "login_required");

    let browser = Browser::of(&app, &app.owner).await;
    assert_eq!(redirected(&browser.ask(&quiet).await)["error"], "consent_required");
    app.clock.advance(Duration::from_secs(10));
    let answer = browser.ask(&with(&cli_request(), &[("prompt", "login")])).await;
    let back = redirected(&answer)["return_to"].clone();
    assert!(back.contains("signed_in_after=") && !back.contains("prompt"), "{back}");
    // The old session is not enough, a new one is.
    assert!(location(&browser.get(&back).await).starts_with("/login?"));
    assert_eq!(Browser::of(&app, &app.owner).await.get(&back).await.status, 200);
    for wrong in ["none login", "sometimes"] {
        let answer = browser.ask(&with(&cli_request(), &[("prompt", wrong)])).await;
        assert_eq!(redirected(&answer)["error"], "invalid_request");
    }
}

pub(super) async fn by_form(app: TestApp) {
    let browser = Browser::of(&app, &app.owner).await;
    let answer = browser.post("/oauth/authorize", &cli_request(), &[]).await;
    let path = location(&answer).to_owned();
    assert!(path.starts_with("/oauth/authorize?client_id="), "{path}");
    assert_eq!(browser.get(&path).await.status, 200);
}
