//! Sessions of browsers: how long they last, which cookies carry them, and when they count as a credential of the
//! interface.

use std::time::Duration;

use serde_json::json;
use tidegauge_app::jobs::prune_sign_ins;

use crate::app::{Answer, PUBLIC_URL, TestApp};
use crate::browser::{Browser, PASSWORD, set_cookies};
use crate::cases::Case;
use crate::database::Backend;

pub(crate) const ALL: &[(&str, Case)] = &[
    ("a_session_ends_unused_or_old", |app| Box::pin(ends_by_time(app))),
    ("ended_sessions_links_and_failures_are_dropped", |app| Box::pin(pruned(app))),
    ("people_see_and_end_their_own_sessions", |app| Box::pin(ended_by_hand(app))),
    ("a_session_is_a_credential_of_own_pages_only", |app| Box::pin(credential(app))),
    ("a_session_has_all_rights_of_its_person", |app| Box::pin(rights(app))),
    ("the_page_of_the_interface_is_for_who_is_signed_in", |app| Box::pin(shell(app))),
];

/// Cases that start a service of their own, which is reached by HTTPS.
pub(crate) async fn behind_tls(backend: Backend) {
    let app = TestApp::start_at(backend, "https://events.example.com").await;
    let mut browser = Browser::new(&app);
    let path = format!("/setup/{}", app.owner_link);
    let page = browser.get(&path).await;
    let answer = browser.submit(&path, &path, &[("password", PASSWORD)]).await;
    let mut lines: Vec<&str> = set_cookies(&page);
    lines.extend(set_cookies(&answer));
    assert!(lines.len() >= 2);
    for line in lines {
        assert!(line.starts_with("__Host-tidegauge-"), "{line}");
        for attribute in ["; Secure", "; HttpOnly", "; SameSite=Lax", "; Path=/"] {
            assert!(line.contains(attribute), "{line}");
        }
        assert!(!line.contains("Domain"), "{line}");
    }
    assert!(browser.is_signed_in().await);

    // The same secret under the name that is also sent by plain HTTP.
    let secret = browser.cookies["__Host-tidegauge-session"].clone();
    let mut plain = Browser::new(&app);
    plain.cookies.insert("tidegauge-session".to_owned(), secret.clone());
    assert!(!plain.is_signed_in().await);
    // By the word of the proxy, the browser came by plain HTTP.
    browser.headers.push(("x-forwarded-proto", "http".to_owned()));
    assert!(!browser.is_signed_in().await);
    let own = ("sec-fetch-site", "same-origin");
    assert_eq!(browser.send("GET", "/v2/user", &[own], String::new()).await.status, 401);
    browser.headers = vec![("x-forwarded-proto", "https".to_owned())];
    assert!(browser.is_signed_in().await);
    assert_eq!(browser.send("GET", "/v2/user", &[own], String::new()).await.status, 200);
    let http = ("origin", "http://events.example.com");
    assert_eq!(browser.send("GET", "/v2/user", &[http], String::new()).await.status, 401);
}

async fn ends_by_time(app: TestApp) {
    let mut browser = Browser::of_owner(&app).await;
    let mut unused = Browser::new(&app);
    unused.sign_in("owner@example.com", PASSWORD).await;
    let hours = |hours: u64| Duration::from_secs(hours * 60 * 60);
    app.clock.advance(hours(11));
    assert!(browser.is_signed_in().await);
    app.clock.advance(hours(1));
    assert!(!unused.is_signed_in().await, "not used for twelve hours");
    assert!(browser.is_signed_in().await);
    for _ in 0..29 {
        app.clock.advance(hours(11));
        assert!(browser.is_signed_in().await);
    }
    // 331 hours have passed; a fortnight has 336.
    app.clock.advance(hours(5));
    assert!(!browser.is_signed_in().await, "a fortnight old, and used all the time");
}

async fn pruned(app: TestApp) {
    let mut browser = Browser::of_owner(&app).await;
    let newcomer = json!({"name": "N", "email": "n@example.com", "role": "user"});
    let id = app.send("POST", "/v2/users", Some(&app.owner_token), Some(&newcomer)).await.json();
    let id = id["id"].as_str().unwrap().to_owned();
    let link = app.send("POST", &format!("/v2/users/{id}/invitation"), Some(&app.owner_token), None).await;
    assert_eq!(link.status, 200);
    Browser::new(&app).sign_in("nobody@example.com", "a guess").await;
    prune_sign_ins::step(&app.app).await.unwrap();
    assert!(browser.is_signed_in().await, "what is in force stays");
    app.clock.advance(Duration::from_secs(8 * 24 * 60 * 60));
    prune_sign_ins::step(&app.app).await.unwrap();
    assert!(app.app.catalog.list_sessions(&app.owner).await.unwrap().is_empty());
    assert_eq!(app.app.catalog.prune_links(app.app.now()).await.unwrap(), 0);
    assert_eq!(app.app.catalog.prune_attempts(app.app.now()).await.unwrap(), 0);
}

async fn ended_by_hand(app: TestApp) {
    let mut browser = Browser::of_owner(&app).await;
    let [mut one, mut two] = [Browser::new(&app), Browser::new(&app)];
    one.headers.push(("user-agent", "Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0".to_owned()));
    for other in [&mut one, &mut two] {
        app.clock.advance(Duration::from_secs(1));
        other.sign_in("owner@example.com", PASSWORD).await;
    }
    let page = browser.get("/account").await;
    assert!(page.text.contains("Firefox on Linux") && page.text.contains("Unknown browser"), "{}", page.text);
    let sessions = app.app.catalog.list_sessions(&app.owner).await.unwrap();
    assert_eq!(sessions.len(), 3);
    let id = sessions[1].id.as_str();
    let (page, action) = ("/account", "/account/sessions/end");
    let answer = browser.submit(page, action, &[("session", id)]).await;
    assert_eq!(answer.status, 303, "{answer:?}");
    assert!(!one.is_signed_in().await && two.is_signed_in().await && browser.is_signed_in().await);

    // Nobody ends the session of somebody else.
    let theirs = other_session(&app).await;
    for id in [theirs.as_str(), "session_0", ""] {
        assert_eq!(browser.submit(page, action, &[("session", id)]).await.status, 303);
    }
    assert_eq!(app.app.catalog.list_sessions(&app.other_owner).await.unwrap().len(), 1);
    browser.submit(page, action, &[]).await;
    assert!(!two.is_signed_in().await && browser.is_signed_in().await);
    assert_eq!(app.app.catalog.list_sessions(&app.other_owner).await.unwrap().len(), 1);
}

/// A session of somebody else.
async fn other_session(app: &TestApp) -> String {
    let arrival = tidegauge_app::service::sessions::Arrival {
        address: None,
        agent: String::new(),
        request_id: String::new(),
        now: app.app.now(),
    };
    let begun = tidegauge_app::service::sessions::begin(&app.app, &app.other_owner, &arrival).await.unwrap();
    begun.id.into_string()
}

async fn credential(app: TestApp) {
    let mut browser = Browser::of_owner(&app).await;
    let token = browser.form_token("/account").await;
    let (token, wrong) = (("x-tidegauge-form-token", token.as_str()), ("x-tidegauge-form-token", "0"));
    let json = ("content-type", "application/json");
    let form = ("content-type", "application/x-www-form-urlencoded");
    let site = |value| ("sec-fetch-site", value);
    let (own, other) = (("origin", PUBLIC_URL), ("origin", "https://evil.example"));
    for (headers, is_let_in) in [
        (vec![site("same-origin")], true),
        (vec![site("none")], true),
        (vec![own], true),
        (vec![token], true),
        (vec![], false),
        (vec![wrong], false),
        (vec![site("cross-site")], false),
        (vec![site("same-site")], false),
        (vec![site("cross-site"), own, token], false),
        (vec![other], false),
        (vec![("origin", "null")], false),
    ] {
        let answer = browser.send("GET", "/v2/user", &headers, String::new()).await;
        expect(&answer, is_let_in, &headers);
    }
    for (headers, is_let_in) in [
        (vec![site("same-origin"), json], true),
        (vec![site("same-origin"), own, ("content-type", "Application/JSON; charset=utf-8")], true),
        (vec![own, json], true),
        (vec![own, token], true),
        (vec![site("same-origin"), token], true),
        (vec![site("same-origin")], false),
        (vec![site("same-origin"), form], false),
        (vec![site("none"), json], false),
        (vec![json], false),
        (vec![token], false),
        (vec![own], false),
        (vec![own, wrong], false),
        (vec![site("cross-site"), own, json, token], false),
        (vec![other, json, token], false),
        (vec![("origin", "null"), json, token], false),
        // Opened by another address of the service, where the browser says no site.
        (vec![("host", "10.0.0.5:8080"), ("origin", "http://10.0.0.5:8080"), token], true),
        (vec![("host", "10.0.0.5:8080"), ("origin", "http://10.0.0.5:8080"), json], false),
        (vec![("host", "10.0.0.5:8080"), ("origin", "http://10.0.0.5:8080"), wrong, json], false),
        (vec![("host", "10.0.0.5:8080"), ("origin", "http://10.0.0.5"), token], false),
        (vec![("host", "10.0.0.5:8080"), ("origin", "https://10.0.0.5:8080"), token], false),
        (vec![("host", ""), ("origin", "http://"), token], false),
    ] {
        let answer = browser.send("PUT", "/v2/user", &headers, json!({"name": "N"}).to_string()).await;
        expect(&answer, is_let_in, &headers);
    }
    // Who sends a token means the token.
    let bad = [site("same-origin"), ("authorization", "Bearer xapt-1")];
    assert_eq!(browser.send("GET", "/v2/user", &bad, String::new()).await.status, 401);
    let secret = browser.session_cookie().to_owned();
    assert_eq!(app.send("GET", "/v2/user", Some(&secret), None).await.status, 401, "it is no bearer token");
}

/// Where the interface was not built, the page says what to install instead.
async fn shell(app: TestApp) {
    let mut browser = Browser::of_owner(&app).await;
    let page = browser.get("/explore?q=web").await;
    assert_eq!((page.status.as_u16(), &page.headers["cache-control"]), (200, &"no-store".parse().unwrap()));
    let policy = page.headers["content-security-policy"].to_str().unwrap().to_owned();
    assert!(policy.starts_with("default-src 'none';") && !policy.contains("unsafe"), "{policy}");
    let Some(built) = tidegauge_webui::page() else {
        assert!(page.text.contains("Install Node"), "{}", page.text);
        return;
    };
    assert!(policy.contains("require-trusted-types-for 'script'"), "{policy}");
    let token = browser.form_token("/account").await;
    assert!(page.text.contains(&format!("name=\"tidegauge-form-token\" content=\"{token}\"")));
    assert!(!page.text.contains("{{"), "{}", page.text);
    let again = browser.get("/explore?q=web").await;
    assert_ne!(again.headers["content-security-policy"], policy, "each page has a nonce of its own");

    let (_, script) = built.split_once("src=\"/ui/").unwrap();
    let script = format!("/ui/{}", script.split('"').next().unwrap());
    for (taken, coding) in [("gzip, br", Some("br")), ("gzip", Some("gzip")), ("", None), ("br;q=0", None)] {
        let headers = [("accept-encoding".to_owned(), taken.to_owned())];
        let file = app.send_raw("GET", &script, &headers, Vec::new()).await;
        assert_eq!((file.status.as_u16(), &file.headers["vary"]), (200, &"accept-encoding".parse().unwrap()));
        assert_eq!(file.headers.get("content-encoding").map(|value| value.to_str().unwrap()), coding);
        assert_eq!(file.headers["cache-control"], "public, max-age=31536000, immutable");
        assert_eq!(file.headers["content-type"], "text/javascript; charset=utf-8");
    }
}

fn expect(answer: &Answer, is_let_in: bool, headers: &[(&str, &str)]) {
    if is_let_in {
        assert_eq!(answer.status, 200, "{headers:?}: {answer:?}");
        return;
    }
    assert_eq!(answer.status, 401, "{headers:?}: {answer:?}");
    let detail = answer.json()["detail"].as_str().unwrap_or_default().to_owned();
    assert!(detail.starts_with("no access token"), "{headers:?}: {answer:?}");
}

async fn rights(app: TestApp) {
    let mut browser = Browser::of_owner(&app).await;
    let own = [("sec-fetch-site", "same-origin"), ("content-type", "application/json")];
    let notifier = json!({"name": "n", "properties": {"email": {"emails": ["ops@example.com"]}}});
    let made = browser.send("POST", "/v2/notifiers", &own, notifier.to_string()).await;
    assert_eq!(made.status, 200, "{made:?}");
    let trail = app.send("GET", "/v2/audit", Some(&app.owner_token), None).await.json();
    assert_eq!(
        (trail[0]["action"].as_str(), trail[0]["actor"].as_str()),
        (Some("notifier.create"), Some(app.owner.as_str()))
    );
    // Elsewhere the person is nobody.
    let named = [own[0], own[1], ("x-axiom-org-id", app.other_org.as_str())];
    assert_eq!(browser.send("GET", "/v2/notifiers", &named, String::new()).await.status, 403);
    browser.submit("/account", "/logout", &[]).await;
    assert_eq!(browser.send("GET", "/v2/user", &own, String::new()).await.status, 401);
    // Neither does an old cookie come back to life.
    let mut idle = Browser::new(&app);
    idle.sign_in("owner@example.com", PASSWORD).await;
    app.clock.advance(Duration::from_secs(12 * 60 * 60));
    assert_eq!(idle.send("GET", "/v2/user", &own, String::new()).await.status, 401);
}
