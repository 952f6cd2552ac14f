//! Attacks on the embedded server, each through HTTP. What is tried must fail, and where it shows that something was
//! stolen, what was granted must end.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};

use super::flow::*;
use crate::app::TestApp;

pub(super) async fn replayed_code(app: TestApp) {
    let browser = Browser::of(&app, &app.owner).await;
    let code = browser.code(&cli_request()).await;
    let tokens = token(&app, &redemption(&code)).await.json();
    assert_eq!(status(&app, text(&tokens, "access_token")).await, 200);
    refused(&token(&app, &redemption(&code)).await, 400, "invalid_grant");
    assert_eq!(status(&app, text(&tokens, "access_token")).await, 401);
    refused(&token(&app, &refreshing(text(&tokens, "refresh_token"))).await, 400, "invalid_grant");

    // A code is good for a minute.
    let code = browser.code(&cli_request()).await;
    app.clock.advance(Duration::from_secs(60));
    refused(&token(&app, &redemption(&code)).await, 400, "invalid_grant");
}

pub(super) async fn replayed_refresh(app: TestApp) {
    let tokens = tokens_for(&app, &app.owner, "*").await;
    let first = text(&tokens, "refresh_token");
    let second = token(&app, &refreshing(first)).await.json();
    assert_eq!(status(&app, text(&second, "access_token")).await, 200);
    // Whoever comes second with the same one, thief or owner, ends it for both.
    refused(&token(&app, &refreshing(first)).await, 400, "invalid_grant");
    for access in [&tokens, &second] {
        assert_eq!(status(&app, text(access, "access_token")).await, 401);
    }
    refused(&token(&app, &refreshing(text(&second, "refresh_token"))).await, 400, "invalid_grant");
    let audit = app.send("GET", "/v2/user/grants", Some(&app.owner_token), None).await;
    assert_eq!(audit.json(), json!([]));
}

pub(super) async fn pkce_downgrade(app: TestApp) {
    let browser = Browser::of(&app, &app.owner).await;
    for changes in [
        vec![("code_challenge", ""), ("code_challenge_method", "")],
        vec![("code_challenge", "")],
        vec![("code_challenge_method", "")],
        vec![("code_challenge_method", "plain")],
        vec![("code_challenge_method", "s256")],
        vec![("code_challenge", "short")],
    ] {
        let answer = browser.ask(&with(&cli_request(), &changes)).await;
        assert_eq!(redirected(&answer)["error"], "invalid_request", "{changes:?}");
    }
    for verifier in ["", CHALLENGE, "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXx", "short"] {
        let code = browser.code(&cli_request()).await;
        let wrong = token(&app, &with(&redemption(&code), &[("code_verifier", verifier)])).await;
        refused(&wrong, 400, "invalid_grant");
        // There is no second guess.
        refused(&token(&app, &redemption(&code)).await, 400, "invalid_grant");
    }
}

pub(super) async fn redirects(app: TestApp) {
    let (id, _) = web_client(&app).await;
    let browser = Browser::of(&app, &app.owner).await;
    let tricks = [
        (id.as_str(), "https://client.example.com/back/"),
        (id.as_str(), "https://client.example.com/back.evil"),
        (id.as_str(), "https://client.example.com/back?x=1"),
        (id.as_str(), "https://client.example.com/back#x"),
        (id.as_str(), "https://client.example.com/x/../back"),
        (id.as_str(), "https://client.example.com/%62ack"),
        (id.as_str(), "https://client.example.com:443/back"),
        (id.as_str(), "https://CLIENT.example.com/back"),
        (id.as_str(), "https://client.example.com@evil.example/back"),
        (id.as_str(), "https://client.example.com.evil.example/back"),
        (id.as_str(), "https://evil.example\\@client.example.com/back"),
        (id.as_str(), "http://client.example.com/back"),
        (id.as_str(), "javascript:alert(1)//https://client.example.com/back"),
        (CLI, "http://127.0.0.1:4567/callback/"),
        (CLI, "http://127.0.0.1:4567/CALLBACK"),
        (CLI, "http://127.0.0.1:4567@evil.example/callback"),
        (CLI, "http://127.0.0.1.evil.example/callback"),
        (CLI, "http://localhost:4567/callback"),
        (CLI, "https://127.0.0.1:4567/callback"),
        (CLI, "http://127.0.0.1:99999/callback"),
    ];
    for (client, redirect) in tricks {
        let asked = with(&cli_request(), &[("client_id", client), ("redirect_uri", redirect)]);
        let answer = browser.ask(&asked).await;
        assert_eq!(answer.status, 400, "{redirect}: {answer:?}");
        assert!(!answer.headers.contains_key("location") && answer.text.contains("Nothing was sent back"));
    }
    for redirect in ["http://127.0.0.1:1/callback", "http://[::1]:65535/callback", "http://127.0.0.1"] {
        assert_eq!(browser.ask(&with(&cli_request(), &[("redirect_uri", redirect)])).await.status, 200);
    }
    // The one that the code was sent to must be named again.
    for redirect in ["", "http://127.0.0.1:4568/callback", "https://client.example.com/back"] {
        let code = browser.code(&cli_request()).await;
        let answer = token(&app, &with(&redemption(&code), &[("redirect_uri", redirect)])).await;
        refused(&answer, 400, "invalid_grant");
    }
}

/// No error sends anybody to an address that is not known to belong to a client.
pub(super) async fn open_redirect(app: TestApp) {
    let browser = Browser::of(&app, &app.owner).await;
    let evil = "https://evil.example/";
    for changes in [
        vec![("redirect_uri", evil)],
        vec![("redirect_uri", evil), ("response_type", "token")],
        vec![("redirect_uri", evil), ("client_id", "unknown")],
        vec![("redirect_uri", evil), ("client_id", "")],
        vec![("redirect_uri", "")],
        vec![("client_id", "unknown")],
    ] {
        for visitor in [&browser, &Browser::of_nobody(&app)] {
            let answer = visitor.ask(&with(&cli_request(), &changes)).await;
            assert_eq!(answer.status, 400, "{changes:?}");
            assert!(!answer.headers.contains_key("location"), "{changes:?}");
        }
    }
    // Nor does the sign-in page.
    for target in ["https://evil.example/", "//evil.example/", "/\\evil.example"] {
        let answer = browser.get(&format!("/login?{}", encode(&[("return_to", target)]))).await;
        assert!(!location(&answer).contains("evil"), "{answer:?}");
    }
}

pub(super) async fn csrf(app: TestApp) {
    let browser = Browser::of(&app, &app.owner).await;
    let page = browser.ask(&cli_request()).await;
    let fields = fields(&page.text);
    let own: Pairs<'_> = fields.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    let sent = with(&own, &[("decision", "allow")]);
    let other_page = Browser::of(&app, &app.other_owner).await.ask(&cli_request()).await;
    let others = self::fields(&other_page.text);
    let foreign = &others.iter().find(|(name, _)| name == "form_token").unwrap().1;
    for wrong in ["", "x", foreign] {
        let answer = browser.post("/oauth/authorize", &with(&sent, &[("form_token", wrong)]), &[]).await;
        assert_eq!(answer.status, 403, "{wrong}");
    }
    for header in [("sec-fetch-site", "cross-site"), ("origin", "https://evil.example")] {
        assert_eq!(browser.post("/oauth/authorize", &sent, &[header]).await.status, 403, "{header:?}");
    }
    assert_eq!(Browser::of_nobody(&app).post("/oauth/authorize", &sent, &[]).await.status, 403);
    // What was asked for cannot be changed into another address on the way.
    let turned = with(&sent, &[("redirect_uri", "https://evil.example/")]);
    assert_eq!(browser.post("/oauth/authorize", &turned, &[]).await.status, 400);
    assert!(redirected(&browser.post("/oauth/authorize", &sent, &[]).await).contains_key("code"));
}

pub(super) async fn mix_up(app: TestApp) {
    let (id, secret) = web_client(&app).await;
    let browser = Browser::of(&app, &app.owner).await;
    let code = browser.code(&cli_request()).await;
    let stolen = with(&redemption(&code), &[("client_id", &id), ("client_secret", &secret)]);
    refused(&token(&app, &stolen).await, 400, "invalid_grant");
    // It may be in wrong hands, so it is spoilt for its own client too.
    refused(&token(&app, &redemption(&code)).await, 400, "invalid_grant");

    let tokens = tokens_for(&app, &app.owner, "*").await;
    let refresh = text(&tokens, "refresh_token");
    let stolen = with(&refreshing(refresh), &[("client_id", &id), ("client_secret", &secret)]);
    refused(&token(&app, &stolen).await, 400, "invalid_grant");
    assert_eq!(token(&app, &refreshing(refresh)).await.status, 200);
}

pub(super) async fn duplicates(app: TestApp) {
    let browser = Browser::of(&app, &app.owner).await;
    for (name, value) in cli_request() {
        let mut twice = cli_request();
        twice.push((name, value));
        let answer = browser.ask(&twice).await;
        if ["client_id", "redirect_uri"].contains(&name) {
            assert_eq!(answer.status, 400, "{name}");
        } else {
            assert_eq!(redirected(&answer)["error"], "invalid_request", "{name}");
        }
    }
    for name in ["grant_type", "client_id", "code", "redirect_uri", "code_verifier", "anything"] {
        let code = browser.code(&cli_request()).await;
        let mut twice = redemption(&code);
        let value = twice.iter().find(|(known, _)| *known == name).map_or("x", |(_, value)| *value);
        twice.extend([(name, value), (name, value)]);
        refused(&token(&app, &twice).await, 400, "invalid_request");
    }
    let audiences = with(&cli_request(), &[("resource", "https://elsewhere.example")]);
    assert_eq!(redirected(&browser.ask(&audiences).await)["error"], "invalid_target");
}

pub(super) async fn other_org(app: TestApp) {
    let tokens = tokens_for(&app, &app.other_owner, "*").await;
    let access = text(&tokens, "access_token");
    let named = |org: &str| {
        vec![
            ("authorization".to_owned(), format!("Bearer {access}")),
            ("x-axiom-org-id".to_owned(), org.to_owned()),
        ]
    };
    let own = app.send_raw("GET", "/v2/notifiers", &named(app.other_org.as_str()), Vec::new()).await;
    assert_eq!(own.status, 200, "{own:?}");
    let foreign = app.send_raw("GET", "/v2/notifiers", &named(app.org.as_str()), Vec::new()).await;
    assert_eq!(foreign.status, 403, "{foreign:?}");

    // A machine acts in the organisation of its client alone.
    let (id, secret) = machine(&app).await;
    let pairs = [("grant_type", "client_credentials"), ("client_id", &id), ("client_secret", &secret)];
    let access = text(&token(&app, &pairs).await.json(), "access_token").to_owned();
    let headers = vec![
        ("authorization".to_owned(), format!("Bearer {access}")),
        ("x-axiom-org-id".to_owned(), app.other_org.to_string()),
    ];
    assert_eq!(app.send_raw("GET", "/v2/notifiers", &headers, Vec::new()).await.status, 403);
    // Another organisation neither sees nor changes the client.
    for (method, path) in [("GET", ""), ("DELETE", ""), ("POST", "/secret")] {
        let body = (method == "POST").then(|| json!({}));
        let path = format!("/v2/oauth/clients/{id}{path}");
        let answer = app.send(method, &path, Some(&app.other_token), body.as_ref()).await;
        assert_eq!(answer.status, 404, "{method} {path}");
    }
}

pub(super) async fn scope_escalation(app: TestApp) {
    let tokens = tokens_for(&app, &app.owner, "notifiers|read query|read").await;
    let refresh = text(&tokens, "refresh_token");
    for more in ["*", "notifiers|read users|read", "notifiers|create"] {
        let answer = token(&app, &with(&refreshing(refresh), &[("scope", more)])).await;
        refused(&answer, 400, "invalid_scope");
    }
    let narrowed = token(&app, &with(&refreshing(refresh), &[("scope", "query|read")])).await.json();
    assert_eq!(narrowed["scope"], "query|read");
    assert_eq!(status(&app, text(&narrowed, "access_token")).await, 403);
    // The grant still has all of it.
    let whole = token(&app, &refreshing(text(&narrowed, "refresh_token"))).await.json();
    assert_eq!(whole["scope"], "notifiers|read query|read");
    assert_eq!(status(&app, text(&whole, "access_token")).await, 200);
}

pub(super) async fn guessed_secret(app: TestApp) {
    let (id, secret) = machine(&app).await;
    let attempt = async |secret: &str| {
        let pairs =
            [("grant_type", "client_credentials"), ("client_id", id.as_str()), ("client_secret", secret)];
        token(&app, &pairs).await
    };
    for _ in 0..10 {
        let answer = attempt("wrong").await;
        refused(&answer, 401, "invalid_client");
        assert_eq!(answer.headers["www-authenticate"], "Basic realm=\"tidegauge\"");
    }
    let answer = attempt("wrong").await;
    assert_eq!((answer.status.as_u16(), &answer.headers["retry-after"]), (429, &"60".parse().unwrap()));
    // Nobody can lock a client out by wrong secrets in its name.
    assert_eq!(attempt(&secret).await.status, 200);
    app.clock.advance(Duration::from_secs(600));
    refused(&attempt("wrong").await, 401, "invalid_client");
    // A public client has no secret that could be right, and a confidential one is nobody without.
    let cli = [("grant_type", "client_credentials"), ("client_id", CLI), ("client_secret", secret.as_str())];
    refused(&token(&app, &cli).await, 401, "invalid_client");
    refused(&attempt("").await, 401, "invalid_client");
}

pub(super) async fn token_confusion(app: TestApp) {
    let tokens = tokens_for(&app, &app.owner, "*").await;
    let access = text(&tokens, "access_token").to_owned();
    let browser = Browser::of(&app, &app.owner).await;
    let code = browser.code(&cli_request()).await;
    for other in [text(&tokens, "refresh_token"), code.as_str()] {
        assert_eq!(status(&app, other).await, 401);
    }
    refused(&token(&app, &refreshing(&access)).await, 400, "invalid_grant");
    let parts: Vec<&str> = access.split('.').collect();
    let header: Value = serde_json::from_slice(&URL_SAFE_NO_PAD.decode(parts[0]).unwrap()).unwrap();
    assert_eq!((&header["typ"], &header["alg"]), (&json!("at+jwt"), &json!("ES256")));
    let forged = |changes: Value| {
        let mut header = header.clone();
        for (name, value) in changes.as_object().unwrap() {
            header[name] = value.clone();
        }
        URL_SAFE_NO_PAD.encode(header.to_string())
    };
    for changes in [
        json!({"alg": "none"}),
        json!({"alg": "HS256"}),
        json!({"typ": "JWT"}),
        json!({"typ": "dpop+jwt"}),
        json!({"kid": "other"}),
        json!({"crit": ["x"]}),
    ] {
        let header = forged(changes.clone());
        for signature in [parts[2], ""] {
            assert_eq!(status(&app, &format!("{header}.{}.{signature}", parts[1])).await, 401, "{changes}");
        }
    }
    // Another person in the same token, with the signature of the first.
    let mut claims: Value = serde_json::from_slice(&URL_SAFE_NO_PAD.decode(parts[1]).unwrap()).unwrap();
    claims["sub"] = json!(app.other_owner.as_str());
    let body = URL_SAFE_NO_PAD.encode(claims.to_string());
    assert_eq!(status(&app, &format!("{}.{body}.{}", parts[0], parts[2])).await, 401);
    assert_eq!(status(&app, &access).await, 200);
}

/// Who may change a client must not get at people who allowed it when it was another's.
pub(super) async fn moved_redirect(app: TestApp) {
    let (id, _) = web_client(&app).await;
    let browser = Browser::of(&app, &app.owner).await;
    let request = with(&cli_request(), &[("client_id", &id), ("redirect_uri", WEB_REDIRECT)]);
    browser.code(&request).await;
    assert!(redirected(&browser.ask(&request).await).contains_key("code"), "it was allowed before");

    let moved = "https://elsewhere.example.com/back";
    let grants = ["authorization_code", "refresh_token"];
    let body = json!({"name": "Web", "redirectUris": [WEB_REDIRECT, moved], "grants": grants});
    let path = format!("/v2/oauth/clients/{id}");
    assert_eq!(app.send("PUT", &path, Some(&app.owner_token), Some(&body)).await.status, 200);
    for redirect in [moved, WEB_REDIRECT] {
        let page = browser.ask(&with(&request, &[("redirect_uri", redirect)])).await;
        assert_eq!(page.status, 200, "asks again: {page:?}");
    }

    browser.code(&request).await;
    let body = json!({"formerSecretSeconds": 60});
    let renewed = app.send("POST", &format!("{path}/secret"), Some(&app.owner_token), Some(&body)).await;
    assert_eq!(renewed.status, 200, "{renewed:?}");
    assert_eq!(browser.ask(&request).await.status, 200, "asks again");
}

pub(super) async fn many_parameters(app: TestApp) {
    let names: Vec<String> = (0..100).map(|number| format!("p{number}")).collect();
    let mut pairs: Pairs<'_> = vec![("client_id", CLI), ("grant_type", "refresh_token")];
    pairs.extend(names.iter().map(|name| (name.as_str(), "1")));
    refused(&token(&app, &pairs).await, 400, "invalid_request");
}
