//! What attackers try on the way in: guessing, finding out who is known, other sites' forms, planted cookies, addresses
//! that lead elsewhere, and names with markup in them.

use std::time::Duration;

use serde_json::json;
use tidegauge_app::service::invite_links;

use crate::app::{Answer, PUBLIC_URL, TestApp};
use crate::browser::{Browser, PASSWORD, location, problem};
use crate::cases::Case;

pub(crate) const ALL: &[(&str, Case)] = &[
    ("failures_lock_an_account_for_a_growing_time", |app| Box::pin(lock_out(app))),
    ("a_link_unlocks", |app| Box::pin(link_unlocks(app))),
    ("a_guesser_of_the_present_password_is_locked_out", |app| Box::pin(account_lock_out(app))),
    ("failures_lock_an_address", |app| Box::pin(address_lock_out(app))),
    ("callers_behind_a_trusted_proxy_are_told_apart", |app| Box::pin(behind_a_proxy(app))),
    ("who_is_known_does_not_show", |app| Box::pin(unknown_address(app))),
    ("a_form_of_another_site_does_nothing", |app| Box::pin(cross_site_forms(app))),
    ("signing_in_gives_a_new_session_whatever_was_planted", |app| Box::pin(fixation(app))),
    ("signing_in_leads_nowhere_else", |app| Box::pin(open_redirect(app))),
    ("markup_in_names_and_addresses_is_text", |app| Box::pin(markup(app))),
    ("every_page_has_the_headers", |app| Box::pin(headers(app))),
    ("broken_forms_are_answered", |app| Box::pin(broken_forms(app))),
];

const OWNER: &str = "owner@example.com";

fn seconds(answer: &Answer) -> u64 {
    answer.headers["retry-after"].to_str().unwrap().parse().unwrap()
}

async fn lock_out(app: TestApp) {
    let mut browser = Browser::of_owner(&app).await;
    browser.submit("/account", "/logout", &[]).await;
    for _ in 0..5 {
        assert_eq!(browser.sign_in(OWNER, "a guess").await.status, 401);
    }
    for expected in [30, 60, 120, 240, 480, 900, 900] {
        let computed = app.app.passwords.computed();
        let locked = browser.sign_in(OWNER, PASSWORD).await;
        assert_eq!(locked.status, 429, "the right password is not tried either");
        assert!(
            problem(&locked).starts_with("There were too many failed attempts. Try again in "),
            "{locked:?}"
        );
        assert_eq!(seconds(&locked), expected + 1);
        assert_eq!(app.app.passwords.computed(), computed);
        app.clock.advance(Duration::from_secs(expected) - Duration::from_micros(1));
        assert_eq!(browser.sign_in(OWNER, PASSWORD).await.status, 429);
        app.clock.advance(Duration::from_micros(1));
        assert_eq!(browser.sign_in(OWNER, "a guess").await.status, 401);
    }
    app.clock.advance(Duration::from_secs(900));
    assert_eq!(browser.sign_in(OWNER, PASSWORD).await.status, 303);
    browser.submit("/account", "/logout", &[]).await;
    assert_eq!(browser.sign_in(OWNER, "a guess").await.status, 401, "a success forgets the failures");
    assert_eq!(browser.sign_in(OWNER, PASSWORD).await.status, 303);
}

async fn link_unlocks(app: TestApp) {
    Browser::of_owner(&app).await;
    let mut browser = Browser::new(&app);
    for _ in 0..5 {
        browser.sign_in(OWNER, "a guess").await;
    }
    assert_eq!(browser.sign_in(OWNER, PASSWORD).await.status, 429);
    let person = app.app.catalog.find_person(&app.owner).await.unwrap().unwrap();
    let change = tidegauge_catalog::Change {
        org: None,
        actor: "operator".to_owned(),
        at: app.app.now(),
        request_id: String::new(),
    };
    let made = invite_links::make(&app.app.catalog, &*app.app.rng, &person, &change).await.unwrap();
    let path = format!("/setup/{}", made.secret.reveal());
    assert_eq!(browser.submit(&path, &path, &[("password", "a whole new one")]).await.status, 303);
    assert_eq!(Browser::new(&app).sign_in(OWNER, "a whole new one").await.status, 303);
}

async fn account_lock_out(app: TestApp) {
    let mut browser = Browser::of_owner(&app).await;
    let fields = [("present_password", "a guess"), ("new_password", "a whole new one")];
    for _ in 0..5 {
        assert_eq!(browser.submit("/account", "/account/password", &fields).await.status, 422);
    }
    let fields = [("present_password", PASSWORD), ("new_password", "a whole new one")];
    let locked = browser.submit("/account", "/account/password", &fields).await;
    assert_eq!((locked.status.as_u16(), seconds(&locked)), (429, 31));
    assert_eq!(Browser::new(&app).sign_in(OWNER, PASSWORD).await.status, 429);
}

async fn address_lock_out(app: TestApp) {
    Browser::of_owner(&app).await;
    let mut guesser = Browser::new(&app);
    guesser.peer = Some("203.0.113.9:1000".parse().unwrap());
    for number in 0..20 {
        let answer = guesser.sign_in(&format!("somebody{number}@example.com"), "a guess").await;
        assert_eq!(answer.status, 401, "{number}");
    }
    guesser.peer = Some("203.0.113.9:2000".parse().unwrap());
    // What a proxy may have written is believed from nobody.
    guesser.headers.push(("x-forwarded-for", "198.51.100.1".to_owned()));
    let locked = guesser.sign_in(OWNER, PASSWORD).await;
    assert_eq!((locked.status.as_u16(), seconds(&locked)), (429, 6));
    let mut other = Browser::new(&app);
    other.peer = Some("203.0.113.10:1000".parse().unwrap());
    assert_eq!(other.sign_in(OWNER, PASSWORD).await.status, 303);
    app.clock.advance(Duration::from_secs(5));
    assert_eq!(guesser.sign_in(OWNER, PASSWORD).await.status, 303);
}

/// Behind a trusted proxy a caller is locked by the address that the proxy has seen, whatever they claim beside it.
async fn behind_a_proxy(app: TestApp) {
    let app = TestApp::start_behind(app.backend, "10.1.0.0/16, 127.0.0.1").await;
    Browser::of_owner(&app).await;
    let from = |peer: &str, forwarded: &str| {
        let mut browser = Browser::new(&app);
        browser.peer = Some(peer.parse().unwrap());
        browser.headers.push(("x-forwarded-for", forwarded.to_owned()));
        browser
    };
    for number in 0..20 {
        let mut guesser = from("10.1.0.5:1000", &format!("198.51.100.{number}, 203.0.113.9"));
        let answer = guesser.sign_in(&format!("somebody{number}@example.com"), "a guess").await;
        assert_eq!(answer.status, 401, "{number}");
    }
    for (peer, forwarded) in [
        ("10.1.0.5:1000", "203.0.113.9"),
        ("127.0.0.1:1000", "198.51.100.77, 203.0.113.9, 10.1.2.3"),
        // Without the proxy the header says nothing.
        ("203.0.113.9:1000", "198.51.100.77"),
    ] {
        let locked = from(peer, forwarded).sign_in(OWNER, PASSWORD).await;
        assert_eq!((locked.status.as_u16(), seconds(&locked)), (429, 6), "{peer} {forwarded}");
    }
    let huge = "x, ".repeat(20_000);
    for forwarded in ["203.0.113.10", "203.0.113.9, 203.0.113.10:4711", "nonsense", "", &huge] {
        let mut other = from("10.1.0.5:1000", forwarded);
        assert_eq!(other.sign_in(OWNER, PASSWORD).await.status, 303, "{forwarded}");
        let shown = if forwarded.contains("113.10") { "203.0.113.10" } else { "10.1.0.5" };
        assert!(other.get("/account").await.text.contains(shown), "{forwarded}");
    }
    // Wrong secrets of clients are counted in the same way.
    let form = ("content-type", "application/x-www-form-urlencoded");
    let wrong = "grant_type=client_credentials&client_id=tidegauge-cli&client_secret=wrong";
    let tried = async |forwarded: &str| {
        let mut client = from("10.1.0.5:1000", forwarded);
        client.send("POST", "/oauth/token", &[form], wrong.to_owned()).await.status.as_u16()
    };
    for _ in 0..10 {
        assert_eq!(tried("203.0.113.9").await, 401);
    }
    assert_eq!((tried("203.0.113.9").await, tried("203.0.113.10").await), (429, 401));
}

/// The same answers after the same number of attempts, and as much work for each.
async fn unknown_address(app: TestApp) {
    Browser::of_owner(&app).await;
    let without_password = json!({"name": "N", "email": "pending@example.com", "role": "user"});
    app.send("POST", "/v2/users", Some(&app.owner_token), Some(&without_password)).await;
    let mut seen = Vec::new();
    for email in [OWNER, "nobody@example.com", "pending@example.com", "no address", "nul\0@example.com"] {
        let mut browser = Browser::new(&app);
        let mut answers = Vec::new();
        for _ in 0..7 {
            let computed = app.app.passwords.computed();
            let answer = browser.sign_in(email, "a guess").await;
            let names: Vec<String> = answer.headers.keys().map(ToString::to_string).collect();
            let computed = app.app.passwords.computed() - computed;
            answers.push((answer.status.as_u16(), problem(&answer).to_owned(), names, computed));
        }
        assert_eq!(
            answers.iter().map(|answer| answer.3).collect::<Vec<_>>(),
            [1, 1, 1, 1, 1, 0, 0],
            "{email}"
        );
        seen.push(answers);
    }
    assert!(seen.iter().all(|answers| *answers == seen[0]), "{seen:?}");
}

async fn cross_site_forms(app: TestApp) {
    let mut owner = Browser::of_owner(&app).await;
    let own = owner.form_token("/account").await;
    let mut stranger = Browser::new(&app);
    let strange = stranger.form_token("/login").await;
    assert_ne!(own, strange);
    let wrong = "0".repeat(64);
    let change = |token: &'static str| {
        [("present_password", PASSWORD), ("new_password", "a whole new one"), ("form_token", token)]
    };
    for token in ["", Box::leak(wrong.into_boxed_str()), Box::leak(strange.clone().into_boxed_str())] {
        for path in ["/account/password", "/account/sessions/end", "/logout"] {
            let answer = owner.post(path, &change(token)).await;
            assert_eq!(answer.status, 403, "{path} {token:?}");
        }
    }
    let token: &'static str = Box::leak(own.into_boxed_str());
    // The right token, but the browser says that another site sends it.
    for (name, value) in [
        ("sec-fetch-site", "cross-site"),
        ("sec-fetch-site", "same-site"),
        ("origin", "https://evil.example"),
        ("origin", "http://127.0.0.1:8081"),
        ("origin", "https://127.0.0.1:8080"),
    ] {
        owner.headers = vec![(name, value.to_owned())];
        for path in ["/account/password", "/account/sessions/end", "/logout"] {
            assert_eq!(owner.post(path, &change(token)).await.status, 403, "{path} {name}: {value}");
        }
        let mut fresh = Browser::new(&app);
        let login = fresh.form_token("/login").await;
        fresh.headers = vec![(name, value.to_owned())];
        let fields = [("email", OWNER), ("password", PASSWORD), ("form_token", login.as_str())];
        assert_eq!(fresh.post("/login", &fields).await.status, 403, "{name}: {value}");
        assert!(!fresh.cookies.contains_key("tidegauge-session"));
    }
    owner.headers.clear();
    assert!(owner.is_signed_in().await, "nothing was done");
    assert_eq!(Browser::new(&app).sign_in(OWNER, PASSWORD).await.status, 303, "nor changed");

    // A token of another browser, with or without its cookie.
    let mut victim = Browser::new(&app);
    let fields = [("email", OWNER), ("password", PASSWORD), ("form_token", strange.as_str())];
    assert_eq!(victim.post("/login", &fields).await.status, 403);
    victim.get("/login").await;
    assert_eq!(victim.post("/login", &fields).await.status, 403);
    // What the service's own pages send: their origin is not told.
    for (name, value) in [("origin", "null"), ("origin", PUBLIC_URL), ("sec-fetch-site", "same-origin")] {
        let mut browser = Browser::new(&app);
        browser.headers = vec![(name, value.to_owned())];
        assert_eq!(browser.sign_in(OWNER, PASSWORD).await.status, 303, "{name}: {value}");
    }
}

async fn fixation(app: TestApp) {
    Browser::of_owner(&app).await;
    let planted = "A".repeat(43);
    let mut victim = Browser::new(&app);
    victim.cookies.insert("tidegauge-session".to_owned(), planted.clone());
    assert!(!victim.is_signed_in().await);
    assert_eq!(victim.sign_in(OWNER, PASSWORD).await.status, 303);
    assert_ne!(victim.session_cookie(), planted);
    let mut attacker = Browser::new(&app);
    attacker.cookies.insert("tidegauge-session".to_owned(), planted);
    assert!(!attacker.is_signed_in().await);

    // Signing in again ends the session that the browser had.
    let first = victim.session_cookie().to_owned();
    let token = victim.form_token("/account").await;
    let fields = [("email", OWNER), ("password", PASSWORD), ("form_token", token.as_str())];
    assert_eq!(victim.post("/login", &fields).await.status, 303);
    assert_ne!(victim.session_cookie(), first);
    attacker.cookies.insert("tidegauge-session".to_owned(), first);
    assert!(!attacker.is_signed_in().await && victim.is_signed_in().await);
    // Two cookies of the name are none: one of them may be planted.
    let two = format!("tidegauge-session={}; tidegauge-session={}", victim.session_cookie(), "A".repeat(43));
    let headers = [("cookie".to_owned(), two)];
    assert_eq!(app.send_raw("GET", "/account", &headers, Vec::new()).await.status, 303);
}

async fn open_redirect(app: TestApp) {
    Browser::of_owner(&app).await;
    let long = format!("/{}", "x".repeat(10_000));
    for trick in [
        "https://evil.example",
        "//evil.example",
        "///evil.example",
        "/\\evil.example",
        "\\\\evil.example",
        "\\/evil.example",
        "http:evil.example",
        "javascript:alert(1)",
        "data:text/html,x",
        " //evil.example",
        "/\t/evil.example",
        "\n//evil.example",
        "/\r\nlocation: //evil.example",
        "evil.example",
        "@evil.example",
        "?x",
        "/ä",
        "/a\\..\\b",
        &long,
    ] {
        let mut browser = Browser::new(&app);
        let query = url::form_urlencoded::byte_serialize(trick.as_bytes()).collect::<String>();
        let page = browser.get(&format!("/login?return_to={query}")).await;
        assert_eq!(page.status, 200, "{trick:?}");
        assert!(page.text.contains("name=\"return_to\" value=\"\""), "{trick:?}: {}", page.text);
        let fields = [("email", OWNER), ("password", PASSWORD), ("return_to", trick)];
        let answer = browser.submit("/login", "/login", &fields).await;
        assert_eq!((answer.status.as_u16(), location(&answer)), (303, "/"), "{trick:?}");
        let signed_in = browser.get(&format!("/login?return_to={query}")).await;
        assert_eq!(location(&signed_in), "/", "{trick:?}");
    }
}

async fn markup(app: TestApp) {
    const MARKUP: &str = "<script>alert(1)</script>\"'><img src=x>&amp;";
    let mut browser = Browser::of_owner(&app).await;
    let name = json!({"name": MARKUP});
    assert_eq!(app.send("PUT", "/v2/user", Some(&app.owner_token), Some(&name)).await.status, 200);
    browser.headers.push(("user-agent", MARKUP.to_owned()));
    browser.submit("/account", "/logout", &[]).await;
    assert_eq!(browser.sign_in(OWNER, PASSWORD).await.status, 303);
    let account = browser.get("/account").await;
    let mut stranger = Browser::new(&app);
    let failed = stranger.sign_in(MARKUP, "a guess").await;
    let path = "/%3Cscript%3Ealert(1)%3C/script%3E";
    let login = Browser::new(&app).get(&format!("/login?return_to={path}%22%3E%3Cimg%20src=x%3E")).await;
    for page in [account, failed, login] {
        for mark in ["<script", "<img", "\"'>", "&amp;&amp;"] {
            assert!(!page.text.contains(mark), "{mark} in {}", page.text);
        }
    }
}

async fn headers(app: TestApp) {
    let mut browser = Browser::new(&app);
    let setup = format!("/setup/{}", app.owner_link);
    let mut pages = vec![
        browser.get("/login").await,
        browser.get(&setup).await,
        browser.get("/setup/gone").await,
        browser.sign_in(OWNER, "a guess").await,
    ];
    let mut owner = Browser::of_owner(&app).await;
    pages.push(owner.get("/account").await);
    pages.push(owner.post("/logout", &[("form_token", "wrong")]).await);
    for page in &pages {
        let header = |name: &str| page.headers.get(name).map_or("", |value| value.to_str().unwrap());
        assert_eq!(header("content-type"), "text/html; charset=utf-8");
        let policy = "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; \
            frame-ancestors 'none'; base-uri 'none'";
        assert_eq!(header("content-security-policy"), policy);
        assert_eq!(header("cache-control"), "no-store");
        assert_eq!(header("referrer-policy"), "no-referrer");
        assert_eq!(header("x-content-type-options"), "nosniff");
        assert_eq!(header("x-frame-options"), "DENY");
        assert!(!page.text.contains("<script") && !page.text.contains(" style="), "{}", page.text);
    }
    // The answer to the form of an authorisation request leads to its client.
    let policy = async |client: &str, address: &str| {
        let asked = [("client_id", client), ("redirect_uri", address)];
        let asked = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(asked).finish();
        let path = [("return_to", format!("/oauth/authorize?{asked}"))];
        let query = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(path).finish();
        let page = Browser::new(&app).get(&format!("/login?{query}")).await;
        page.headers["content-security-policy"].to_str().unwrap().to_owned()
    };
    let to_client = policy("tidegauge-cli", "http://127.0.0.1:4000/callback").await;
    assert!(to_client.contains("form-action 'self' http://127.0.0.1:4000;"), "{to_client}");
    // But to no address that its client has not registered.
    for (client, address) in [
        ("tidegauge-cli", "https://evil.example/callback"),
        ("tidegauge-cli", "http://127.0.0.1:4000/elsewhere"),
        ("unknown", "http://127.0.0.1:4000/callback"),
        ("", "http://127.0.0.1:4000/callback"),
    ] {
        let policy = policy(client, address).await;
        assert!(policy.contains("form-action 'self';"), "{client} {address}: {policy}");
    }

    let (_, rest) = pages[0].text.split_once("rel=\"stylesheet\" href=\"").unwrap();
    let stylesheet = browser.get(rest.split('"').next().unwrap()).await;
    assert_eq!(
        (stylesheet.status.as_u16(), &stylesheet.headers["content-type"]),
        (200, &"text/css; charset=utf-8".parse().unwrap())
    );
    assert_eq!(stylesheet.headers["cache-control"], "public, max-age=31536000, immutable");
    assert_eq!(browser.get("/assets/pages-0.css").await.status, 404);
}

async fn broken_forms(app: TestApp) {
    let mut browser = Browser::new(&app);
    let form = ("content-type", "application/x-www-form-urlencoded");
    for (headers, body, expected) in [
        (vec![form], "email=a&password=b".to_owned(), 422),
        (vec![form], "email=a&password=b&password=c&form_token=d".to_owned(), 422),
        (vec![form], String::new(), 422),
        (vec![form], "%ff=%00&&&=".to_owned(), 422),
        (vec![form], "x".repeat(crate::app::BODY_MAX + 1), 413),
        (vec![("content-type", "application/json")], "{}".to_owned(), 415),
        (vec![("content-type", "text/plain")], "email=a".to_owned(), 415),
        (vec![], "email=a".to_owned(), 415),
    ] {
        let answer = browser.send("POST", "/login", &headers, body).await;
        assert_eq!(answer.status, expected, "{answer:?}");
    }
    assert_eq!(browser.get("/logout").await.status, 405);
}
