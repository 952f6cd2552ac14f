//! A browser and clients for the tests: what a person clicks, and what a program sends.

use serde_json::{Value, json};
use tidegauge_app::service::sessions::{self, Arrival};
use tidegauge_model::UserId;
use url::form_urlencoded;

use crate::app::{Answer, TestApp};

/// The example of RFC 7636, appendix B.
pub(super) const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
pub(super) const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

pub(super) const CLI: &str = "tidegauge-cli";
pub(super) const CLI_REDIRECT: &str = "http://127.0.0.1:4567/callback";
pub(super) const WEB_REDIRECT: &str = "https://client.example.com/back";

pub(super) type Pairs<'a> = Vec<(&'a str, &'a str)>;

pub(super) fn encode(pairs: &[(&str, &str)]) -> String {
    form_urlencoded::Serializer::new(String::new()).extend_pairs(pairs).finish()
}

/// Some pairs with others in the place of those of the same name; an empty value takes a pair away.
pub(super) fn with<'a>(pairs: &[(&'a str, &'a str)], changes: &[(&'a str, &'a str)]) -> Pairs<'a> {
    let is_changed = |name: &str| changes.iter().any(|(changed, _)| *changed == name);
    let kept = pairs.iter().copied().filter(|(name, _)| !is_changed(name));
    kept.chain(changes.iter().copied().filter(|(_, value)| !value.is_empty())).collect()
}

/// What the command line asks for.
pub(super) fn cli_request() -> Pairs<'static> {
    vec![
        ("client_id", CLI),
        ("redirect_uri", CLI_REDIRECT),
        ("response_type", "code"),
        ("scope", "*"),
        ("state", "s t&a=te"),
        ("code_challenge", CHALLENGE),
        ("code_challenge_method", "S256"),
    ]
}

/// A browser in which a person has signed in, or nobody.
pub(super) struct Browser<'a> {
    app: &'a TestApp,
    cookie: Option<String>,
}

impl<'a> Browser<'a> {
    pub(super) async fn of(app: &'a TestApp, person: &UserId) -> Self {
        let arrival = Arrival {
            address: None,
            agent: "test".to_owned(),
            request_id: String::new(),
            now: app.app.now(),
        };
        let session = sessions::begin(&app.app, person, &arrival).await.unwrap();
        Self { app, cookie: Some(format!("tidegauge-session={}", session.secret().reveal())) }
    }

    pub(super) fn of_nobody(app: &'a TestApp) -> Self {
        Self { app, cookie: None }
    }

    fn headers(&self) -> Vec<(String, String)> {
        self.cookie.iter().map(|cookie| ("cookie".to_owned(), cookie.clone())).collect()
    }

    pub(super) async fn get(&self, path: &str) -> Answer {
        self.app.send_raw("GET", path, &self.headers(), Vec::new()).await
    }

    pub(super) async fn ask(&self, pairs: &[(&str, &str)]) -> Answer {
        self.get(&format!("/oauth/authorize?{}", encode(pairs))).await
    }

    pub(super) async fn post(&self, path: &str, pairs: &[(&str, &str)], more: &[(&str, &str)]) -> Answer {
        let mut headers = self.headers();
        headers.push(("content-type".to_owned(), "application/x-www-form-urlencoded".to_owned()));
        headers.extend(more.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
        self.app.send_raw("POST", path, &headers, encode(pairs).into_bytes()).await
    }

    /// Asks, and sends the form of the page with a decision.
    pub(super) async fn decide(&self, pairs: &[(&str, &str)], decision: &str) -> Answer {
        let page = self.ask(pairs).await;
        assert_eq!(page.status, 200, "{page:?}");
        let fields = fields(&page.text);
        let mut sent: Pairs<'_> =
            fields.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        sent.push(("decision", decision));
        self.post("/oauth/authorize", &sent, &[]).await
    }

    /// The code that a client gets when the person allows what it asks for.
    pub(super) async fn code(&self, pairs: &[(&str, &str)]) -> String {
        let answer = self.decide(pairs, "allow").await;
        let query = redirected(&answer);
        query.get("code").unwrap_or_else(|| panic!("{answer:?}")).clone()
    }
}

/// The hidden fields of a page's form.
pub(super) fn fields(page: &str) -> Vec<(String, String)> {
    let unescape = |text: &str| {
        let text = text.replace("&#38;", "&").replace("&amp;", "&").replace("&#34;", "\"");
        text.replace("&#60;", "<").replace("&#62;", ">").replace("&#39;", "'")
    };
    page.split("<input type=\"hidden\" name=\"")
        .skip(1)
        .map(|rest| {
            let (name, rest) = rest.split_once("\" value=\"").unwrap();
            (unescape(name), unescape(rest.split_once("\">").unwrap().0))
        })
        .collect()
}

/// Where an answer leads.
pub(super) fn location(answer: &Answer) -> &str {
    assert_eq!(answer.status, 303, "{answer:?}");
    answer.headers["location"].to_str().unwrap()
}

/// The query of the address that an answer leads to.
pub(super) fn redirected(answer: &Answer) -> std::collections::BTreeMap<String, String> {
    let (_, query) = location(answer).split_once('?').unwrap();
    form_urlencoded::parse(query.as_bytes()).into_owned().collect()
}

/// Sends a form to an endpoint as a program does, with an Authorization header if there is one.
pub(super) async fn send(app: &TestApp, path: &str, pairs: &[(&str, &str)], auth: Option<&str>) -> Answer {
    let mut headers = vec![("content-type".to_owned(), "application/x-www-form-urlencoded".to_owned())];
    headers.extend(auth.map(|value| ("authorization".to_owned(), value.to_owned())));
    app.send_raw("POST", path, &headers, encode(pairs).into_bytes()).await
}

pub(super) async fn token(app: &TestApp, pairs: &[(&str, &str)]) -> Answer {
    send(app, "/oauth/token", pairs, None).await
}

/// What the command line redeems a code with.
pub(super) fn redemption(code: &str) -> Pairs<'_> {
    vec![
        ("grant_type", "authorization_code"),
        ("client_id", CLI),
        ("code", code),
        ("redirect_uri", CLI_REDIRECT),
        ("code_verifier", VERIFIER),
    ]
}

pub(super) fn refreshing(refresh: &str) -> Pairs<'_> {
    vec![("grant_type", "refresh_token"), ("client_id", CLI), ("refresh_token", refresh)]
}

/// Tokens of the command line for a person.
pub(super) async fn tokens_for(app: &TestApp, person: &UserId, scope: &str) -> Value {
    let browser = Browser::of(app, person).await;
    let code = browser.code(&with(&cli_request(), &[("scope", scope)])).await;
    let answer = token(app, &redemption(&code)).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.json()
}

pub(super) fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_else(|| panic!("no {key} in {value}"))
}

/// The error of an answer, which must be of a kind.
#[track_caller]
pub(super) fn refused(answer: &Answer, status: u16, error: &str) {
    assert_eq!((answer.status.as_u16(), &answer.json()["error"]), (status, &json!(error)), "{answer:?}");
    assert_eq!(answer.headers["cache-control"], "no-store");
}

/// Makes a client of the organisation; gives its id and its secret.
pub(super) async fn client(app: &TestApp, body: Value) -> (String, String) {
    let made = app.send("POST", "/v2/oauth/clients", Some(&app.owner_token), Some(&body)).await;
    assert_eq!(made.status, 200, "{made:?}");
    let made = made.json();
    (text(&made, "id").to_owned(), made["clientSecret"].as_str().unwrap_or_default().to_owned())
}

/// A confidential client that people use.
pub(super) async fn web_client(app: &TestApp) -> (String, String) {
    let grants = ["authorization_code", "refresh_token"];
    client(app, json!({"name": "Web", "redirectUris": [WEB_REDIRECT], "grants": grants})).await
}

/// A client that acts for itself.
pub(super) async fn machine(app: &TestApp) -> (String, String) {
    let body = json!({"name": "Machine", "grants": ["client_credentials"],
        "orgCapabilities": {"notifiers": ["read", "create"]}});
    client(app, body).await
}

/// What a request with an access token is answered with.
pub(super) async fn status(app: &TestApp, access: &str) -> u16 {
    app.send("GET", "/v2/notifiers", Some(access), None).await.status.as_u16()
}
