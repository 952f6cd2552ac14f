//! Signing in on a device: the device asks and waits, a person types and decides.

use std::time::Duration;

use serde_json::{Value, json};
use tidegauge_app::service::invite_links;
use tidegauge_catalog::Change;
use tidegauge_catalog::passwords::NewPassword;

use super::flow::*;
use crate::app::{Answer, PUBLIC_URL, TestApp};

const DEVICE_GRANT: &str = "urn:ietf:params:oauth:grant-type:device_code";

async fn begin(app: &TestApp) -> Value {
    let pairs = [("client_id", CLI), ("scope", "notifiers|read")];
    let answer = send(app, "/oauth/device_authorization", &pairs, None).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.json()
}

async fn poll(app: &TestApp, begun: &Value) -> Answer {
    let code = text(begun, "device_code");
    token(app, &[("grant_type", DEVICE_GRANT), ("client_id", CLI), ("device_code", code)]).await
}

/// Types a code, and decides where the page asks.
async fn decide(browser: &Browser<'_>, typed: &str, decision: &str) -> Answer {
    let page = browser.get("/device").await;
    let form_token = fields(&page.text).remove(0).1;
    let entered = [("form_token", form_token.as_str()), ("user_code", typed)];
    let page = browser.post("/device", &entered, &[]).await;
    if page.status != 200 {
        return page;
    }
    let shown = fields(&page.text);
    let mut sent: Pairs<'_> = shown.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    sent.push(("decision", decision));
    browser.post("/device", &sent, &[]).await
}

pub(super) async fn flow(app: TestApp) {
    let begun = begin(&app).await;
    let code = text(&begun, "user_code");
    assert_eq!(text(&begun, "verification_uri"), format!("{PUBLIC_URL}/device"));
    assert!(text(&begun, "verification_uri_complete").ends_with(&format!("?user_code={code}")));
    refused(&poll(&app, &begun).await, 400, "authorization_pending");
    refused(&poll(&app, &begun).await, 400, "slow_down");
    app.clock.advance(Duration::from_secs(6));
    refused(&poll(&app, &begun).await, 400, "slow_down");
    app.clock.advance(Duration::from_secs(15));
    refused(&poll(&app, &begun).await, 400, "authorization_pending");

    let nobody = Browser::of_nobody(&app).get(&format!("/device?user_code={code}")).await;
    assert!(location(&nobody).starts_with("/login?return_to=%2Fdevice%3Fuser_code"), "{nobody:?}");
    let browser = Browser::of(&app, &app.owner).await;
    let page = browser.get(&format!("/device?user_code={code}")).await;
    for shown in [code, "Tidegauge command line", "See notifiers", "owner@example.com"] {
        assert!(page.text.contains(shown), "{shown}: {}", page.text);
    }
    // A form of another browser decides nothing.
    let shown = fields(&page.text);
    let form_token = shown[0].1.as_str();
    let sent = [("form_token", form_token), ("user_code", code), ("decision", "allow")];
    let thief = Browser::of(&app, &app.other_owner).await;
    assert_eq!(thief.post("/device", &sent, &[]).await.status, 403);
    let typed = code.to_lowercase().replace('-', " ");
    assert!(decide(&browser, &typed, "allow").await.text.contains("Allowed"));
    // What was decided cannot be decided again.
    assert_eq!(decide(&browser, &typed, "deny").await.status, 422);

    app.clock.advance(Duration::from_secs(60));
    // It is for the device that asked alone.
    let other = [("grant_type", DEVICE_GRANT), ("client_id", CLI), ("device_code", "other")];
    refused(&token(&app, &other).await, 400, "invalid_grant");
    let tokens = poll(&app, &begun).await;
    assert_eq!(tokens.status, 200, "{tokens:?}");
    let tokens = tokens.json();
    assert_eq!(
        (status(&app, text(&tokens, "access_token")).await, text(&tokens, "scope")),
        (200, "notifiers|read")
    );
    assert_eq!(token(&app, &refreshing(text(&tokens, "refresh_token"))).await.status, 200);
    app.clock.advance(Duration::from_secs(60));
    refused(&poll(&app, &begun).await, 400, "invalid_grant");

    let denied = begin(&app).await;
    assert!(decide(&browser, text(&denied, "user_code"), "deny").await.text.contains("Denied"));
    refused(&poll(&app, &denied).await, 400, "access_denied");
    let late = begin(&app).await;
    app.clock.advance(Duration::from_secs(600));
    assert_eq!(decide(&browser, text(&late, "user_code"), "allow").await.status, 422);
    refused(&poll(&app, &late).await, 400, "expired_token");
    // A client that was not made for it.
    let (web, secret) = web_client(&app).await;
    let pairs = [("client_id", web.as_str()), ("client_secret", secret.as_str())];
    refused(&send(&app, "/oauth/device_authorization", &pairs, None).await, 400, "unauthorized_client");
}

/// A client can have any name; the page says who answers for it, as the page for browsers does.
pub(super) async fn named_by_its_org(app: TestApp) {
    let name = "<b>Home & Away</b>";
    app.operate(|org| org.name = name.to_owned()).await;
    let (id, _) = client(&app, json!({"name": "Sensor", "isPublic": true, "grants": [DEVICE_GRANT]})).await;
    let begun = send(&app, "/oauth/device_authorization", &[("client_id", id.as_str())], None).await;
    assert_eq!(begun.status, 200, "{begun:?}");
    let begun = begun.json();
    let browser = Browser::of(&app, &app.other_owner).await;
    let path = format!("/device?user_code={}", text(&begun, "user_code"));
    let page = browser.get(&path).await;
    let shown = page.text.replace("&#60;", "<").replace("&#62;", ">").replace("&#38;", "&");
    let strange = format!("by an organisation that you are not a member of: {name} ({}).", app.org);
    assert!(shown.contains(&strange), "{shown}");
    assert!(shown.contains("Sensor") && !page.text.contains(name), "{page:?}");
    // One that the service knows by itself needs nobody to answer for it.
    let begun = begin(&app).await;
    let page = browser.get(&format!("/device?user_code={}", text(&begun, "user_code"))).await;
    assert!(page.status == 200 && !page.text.contains("It was set up"), "{page:?}");
    // What a client that is gone has asked for cannot be allowed.
    let owner = Some(app.owner_token.as_str());
    assert_eq!(app.send("DELETE", &format!("/v2/oauth/clients/{id}"), owner, None).await.status, 204);
    assert_eq!(browser.get(&path).await.status, 422);
}

pub(super) async fn guessing(app: TestApp) {
    let begun = begin(&app).await;
    let browser = Browser::of(&app, &app.owner).await;
    for typed in ["BBBB-BBBB", "x", "BBBB-BBBC", "", "AEIO-UAEI", "BBBB-BBBD"] {
        assert_eq!(decide(&browser, typed, "allow").await.status, 422, "{typed}");
    }
    for _ in 0..4 {
        assert_eq!(browser.get("/device?user_code=BBBB-BBBB").await.status, 422);
    }
    // The right one comes too late, and another person is not held up.
    assert_eq!(decide(&browser, text(&begun, "user_code"), "allow").await.status, 429);
    let other = Browser::of(&app, &app.other_owner).await;
    assert_eq!(other.get(&format!("/device?user_code={}", text(&begun, "user_code"))).await.status, 200);
    app.clock.advance(Duration::from_secs(600));
    assert_eq!(decide(&browser, "BBBB-BBBB", "allow").await.status, 422);
}

/// What was allowed and not fetched yet ends with the password of who allowed it.
pub(super) async fn password_change(app: TestApp) {
    let begun = begin(&app).await;
    let browser = Browser::of(&app, &app.owner).await;
    assert_eq!(decide(&browser, text(&begun, "user_code"), "allow").await.status, 200);
    let code = browser.code(&cli_request()).await;

    let change = Change { org: None, actor: "test".to_owned(), at: app.app.now(), request_id: String::new() };
    let catalog = &app.app.catalog;
    let person = catalog.find_person(&app.owner).await.unwrap().unwrap();
    let link = invite_links::make(catalog, &*app.app.rng, &person, &change).await.unwrap();
    let new = NewPassword { hash: "a hash", account: "an account" };
    assert!(catalog.use_link(&link.secret.digest(), new, &change).await.unwrap());
    app.clock.advance(Duration::from_secs(6));
    refused(&poll(&app, &begun).await, 400, "invalid_grant");
    refused(&token(&app, &redemption(&code)).await, 400, "invalid_grant");
}
