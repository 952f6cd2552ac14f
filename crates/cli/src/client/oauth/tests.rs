//! Tests of signing in against a small authorisation server of their own, which answers as it is told.

use std::collections::{BTreeMap, VecDeque};
use std::os::unix::fs::PermissionsExt;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::extract::{Form, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use reqwest::Url;
use serde_json::{Value, json};
use tempfile::TempDir;
use tidegauge_auth::embedded::pkce;
use tidegauge_model::rng::SeededRng;
use tidegauge_model::time::ManualClock;
use tidegauge_model::{Clock, Timestamp};

use super::CLIENT_ID;
use super::browser::{self, Wanted};
use super::device::{self, Instructions};
use super::discovery::{Found, discover};
use super::http::Http;
use super::signed_in::SignedIn;
use super::store::{SignIn, Store, name_of};
use super::tokens::{Tokens, refresh, revoke};

const WANTED: Wanted<'_> = Wanted { client_id: CLIENT_ID, scope: "*" };

fn start() -> Timestamp {
    Timestamp::from_micros(1_800_000_000_000_000)
}

type FormBody = BTreeMap<String, String>;

/// What the server knows, and what it has heard.
#[derive(Debug, Default)]
struct Told {
    url: String,
    /// Answers of the token endpoint in their order; after them it gives tokens.
    replies: VecDeque<(u16, Value)>,
    forms: Vec<(&'static str, FormBody)>,
    issued: usize,
    challenge: Option<String>,
}

type Shared = Arc<Mutex<Told>>;

struct Server {
    url: String,
    told: Shared,
    http: Http,
}

impl Server {
    async fn start() -> Self {
        let _ = rustls::crypto::aws_lc_rs::default_provider().install_default();
        let told = Shared::default();
        let router = Router::new()
            .route("/.well-known/oauth-authorization-server", get(metadata))
            .route("/realms/logs/.well-known/openid-configuration", get(realm))
            .route("/.well-known/oauth-protected-resource/tide", get(tide))
            .route("/token", post(token))
            .route("/device", post(device))
            .route("/revoke", post(revoked))
            .with_state(Arc::clone(&told));
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        told.lock().unwrap().url.clone_from(&url);
        tokio_util::task::TaskTracker::new().spawn(async move { axum::serve(listener, router).await });
        let http = Http::new().unwrap();
        Self { url, told, http }
    }

    async fn found(&self) -> Found {
        discover(&self.http, &format!("{}/", self.url), None).await.unwrap()
    }

    fn reply(&self, status: u16, body: Value) {
        self.told.lock().unwrap().replies.push_back((status, body));
    }

    /// What was sent to an endpoint.
    fn forms(&self, endpoint: &str) -> Vec<FormBody> {
        let told = self.told.lock().unwrap();
        told.forms.iter().filter(|(known, _)| *known == endpoint).map(|(_, form)| form.clone()).collect()
    }

    fn name(&self) -> String {
        name_of(&self.url).unwrap()
    }
}

async fn metadata(State(told): State<Shared>) -> Json<Value> {
    let url = told.lock().unwrap().url.clone();
    Json(json!({
        "issuer": url,
        "authorization_endpoint": format!("{url}/authorize?kept=1"),
        "token_endpoint": format!("{url}/token"),
        "device_authorization_endpoint": format!("{url}/device"),
        "revocation_endpoint": format!("{url}/revoke"),
        "code_challenge_methods_supported": ["S256"],
        "authorization_response_iss_parameter_supported": true,
    }))
}

/// An issuer as OpenID has it, with a path, and without a page to sign in that a code would be safe with.
async fn realm(State(told): State<Shared>) -> Json<Value> {
    let url = told.lock().unwrap().url.clone();
    Json(json!({
        "issuer": format!("{url}/realms/logs"),
        "authorization_endpoint": format!("{url}/authorize"),
        "token_endpoint": format!("{url}/token"),
        "device_authorization_endpoint": format!("{url}/device"),
        "scopes_supported": ["openid", "offline_access"],
    }))
}

/// A Tidegauge that takes tokens of that issuer, and of the server beside it.
async fn tide(State(told): State<Shared>) -> Json<Value> {
    let url = told.lock().unwrap().url.clone();
    Json(json!({
        "resource": "https://tide.example",
        "authorization_servers": [format!("{url}/realms/logs"), url],
        "tidegauge_login": [
            {"issuer": format!("{url}/realms/logs"), "client_id": "logs-cli", "resource": "api://logs", "own": 1},
            {"issuer": url, "audience": "logs"},
        ],
    }))
}

async fn token(State(told): State<Shared>, Form(form): Form<FormBody>) -> Response {
    let mut told = told.lock().unwrap();
    told.forms.push(("token", form.clone()));
    if let Some((status, body)) = told.replies.pop_front() {
        return (StatusCode::from_u16(status).unwrap(), Json(body)).into_response();
    }
    if form["grant_type"] == "authorization_code" {
        assert!(pkce::proves(&form["code_verifier"], told.challenge.as_deref().unwrap()));
    }
    told.issued += 1;
    let number = told.issued;
    let tokens = json!({"access_token": format!("access-{number}"), "token_type": "Bearer", "expires_in": 600,
        "refresh_token": format!("refresh-{number}"), "scope": "*"});
    Json(tokens).into_response()
}

async fn device(State(told): State<Shared>, Form(form): Form<FormBody>) -> Json<Value> {
    let mut told = told.lock().unwrap();
    told.forms.push(("device", form));
    Json(
        json!({"device_code": "d1", "user_code": "BCDF-GHJK", "verification_uri": format!("{}/device", told.url),
        "verification_uri_complete": format!("{}/device?user_code=BCDF-GHJK", told.url), "expires_in": 60, "interval": 5}),
    )
}

async fn revoked(State(told): State<Shared>, Form(form): Form<FormBody>) -> StatusCode {
    told.lock().unwrap().forms.push(("revoke", form));
    StatusCode::OK
}

fn refused(error: &str) -> Value {
    json!({"error": error, "error_description": "told so"})
}

/// Signs in with a browser that visits what `visits` makes of the redirect and the state, one after the other.
async fn by_browser(
    server: &Server,
    found: &Found,
    visits: impl AsyncFnOnce(String, String),
) -> anyhow::Result<Tokens> {
    let (send, receive) = tokio::sync::oneshot::channel();
    let told = Arc::clone(&server.told);
    let show = move |url: &Url| {
        let asked: FormBody = url.query_pairs().into_owned().collect();
        told.lock().unwrap().challenge = Some(asked["code_challenge"].clone());
        send.send((url.clone(), asked)).unwrap();
    };
    let rng = SeededRng::new(5);
    let person = async {
        let (url, asked) = receive.await.unwrap();
        assert_eq!(url.path(), "/authorize");
        let constant = ["kept", "response_type", "client_id", "scope", "code_challenge_method"];
        assert_eq!(constant.map(|key| asked[key].as_str()), ["1", "code", CLIENT_ID, "*", "S256"]);
        assert!(asked["state"].len() >= 43);
        visits(asked["redirect_uri"].clone(), asked["state"].clone()).await;
    };
    let (tokens, ()) = tokio::join!(browser::sign_in(&server.http, found, WANTED, &rng, show), person);
    tokens
}

/// The status that the port answers with.
async fn visit(address: String) -> u16 {
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    client.get(address).send().await.unwrap().status().as_u16()
}

#[tokio::test]
async fn a_browser_signs_in_and_strangers_do_not_disturb_it() {
    let server = Server::start().await;
    let found = server.found().await;
    let issuer = server.url.clone();
    let visits = async |redirect: String, state: String| {
        // A connection that stays silent, as browsers open them ahead.
        let port = Url::parse(&redirect).unwrap().port().unwrap();
        let _silent = tokio::net::TcpStream::connect(("127.0.0.1", port)).await.unwrap();
        assert_eq!(visit(format!("http://127.0.0.1:{port}/favicon.ico")).await, 404);
        assert_eq!(visit(format!("{redirect}?code=stolen&state=guess&iss={issuer}")).await, 400);
        assert_eq!(visit(format!("{redirect}?code=c1&state={state}&iss={issuer}")).await, 200);
    };
    let tokens = by_browser(&server, &found, visits).await.unwrap();
    assert_eq!(
        (tokens.access_token.as_str(), tokens.refresh_token.as_deref()),
        ("access-1", Some("refresh-1"))
    );
    let [form] = &server.forms("token")[..] else { panic!("one request for tokens") };
    assert_eq!((form["code"].as_str(), form["client_id"].as_str()), ("c1", CLIENT_ID));
    assert!(
        form["redirect_uri"].starts_with("http://127.0.0.1:") && form["redirect_uri"].ends_with("/callback")
    );
    assert!(!format!("{tokens:?}").contains("access-1"));
}

#[tokio::test]
async fn the_answer_of_another_server_ends_the_sign_in() {
    let server = Server::start().await;
    let found = server.found().await;
    for iss in ["&iss=https%3A%2F%2Fevil.example", ""] {
        let visits = async |redirect: String, state: String| {
            assert_eq!(visit(format!("{redirect}?code=c1&state={state}{iss}")).await, 400);
        };
        by_browser(&server, &found, visits).await.unwrap_err();
    }
    assert!(server.forms("token").is_empty(), "the code went nowhere");

    let mut plain = found;
    plain.metadata.code_challenge_methods_supported = vec!["plain".to_owned()];
    let rng = SeededRng::new(5);
    let error = browser::sign_in(&server.http, &plain, WANTED, &rng, |_| {}).await.unwrap_err();
    assert!(error.to_string().contains("PKCE"), "{error}");
}

#[tokio::test]
async fn discovery_needs_a_server_that_speaks_for_itself() {
    let server = Server::start().await;
    server.told.lock().unwrap().url = "http://127.0.0.1:1".to_owned();
    let error = discover(&server.http, &server.url, None).await.unwrap_err();
    assert!(error.to_string().contains("is about"), "{error}");
    let error = discover(&server.http, &format!("{}/elsewhere", server.url), None).await.unwrap_err();
    assert!(error.to_string().contains("does not say how to sign in"), "{error}");
}

/// Signs in as a device, and gives the seconds that were waited.
async fn by_device(server: &Server) -> (anyhow::Result<Tokens>, Vec<u64>) {
    let waited = Mutex::new(Vec::new());
    let shown = Mutex::new(None);
    let found = server.found().await;
    let show = |instructions: &Instructions| *shown.lock().unwrap() = Some(instructions.clone());
    let wait = async |time: Duration| waited.lock().unwrap().push(time.as_secs());
    let tokens = device::sign_in(&server.http, &found, WANTED, show, wait).await;
    let shown = shown.into_inner().unwrap().unwrap();
    assert_eq!(shown.code, "BCDF-GHJK");
    assert!(shown.complete.unwrap().ends_with("?user_code=BCDF-GHJK"));
    (tokens, waited.into_inner().unwrap())
}

#[tokio::test]
async fn a_device_asks_patiently() {
    let server = Server::start().await;
    for error in ["authorization_pending", "slow_down", "authorization_pending", "slow_down"] {
        server.reply(400, refused(error));
    }
    let (tokens, waited) = by_device(&server).await;
    assert_eq!(tokens.unwrap().access_token, "access-1");
    assert_eq!(waited, [5, 5, 10, 10, 15]);
    let forms = server.forms("token");
    assert_eq!(forms[0]["grant_type"], "urn:ietf:params:oauth:grant-type:device_code");
    assert_eq!(forms[0]["device_code"], "d1");
}

#[tokio::test]
async fn a_device_gives_up_when_it_must() {
    for (error, expected) in [
        ("access_denied", "refused in the browser"),
        ("expired_token", "not entered in time"),
        ("invalid_client", "told so (invalid_client)"),
    ] {
        let server = Server::start().await;
        server.reply(400, refused(error));
        let failed = by_device(&server).await.0.unwrap_err();
        assert!(failed.to_string().contains(expected), "{failed}");
    }
    let server = Server::start().await;
    for _ in 0..100 {
        server.reply(400, refused("authorization_pending"));
    }
    let (tokens, waited) = by_device(&server).await;
    assert!(tokens.unwrap_err().to_string().contains("not entered in time"));
    assert_eq!(waited.len(), 12, "as long as the code counts");
}

/// A file with a sign-in at a server, whose token ends at some time after the start.
async fn signed_in(server: &Server, seconds: u64) -> (TempDir, Store, Arc<ManualClock>) {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::new(None, Some(folder.path()), None).unwrap();
    let tokens: Tokens = serde_json::from_value(json!({"access_token": "access-0", "token_type": "bearer",
        "expires_in": seconds, "refresh_token": "refresh-0"}))
    .unwrap();
    let sign_in = tokens.into_sign_in(&server.found().await, CLIENT_ID, start());
    let turn = store.turn().await.unwrap();
    store.put(&turn, &server.name(), sign_in).unwrap();
    (folder, store, Arc::new(ManualClock::at(start())))
}

fn open(store: &Store, server: &Server, clock: &Arc<ManualClock>) -> SignedIn {
    SignedIn::new(store.clone(), server.name(), Arc::clone(clock) as Arc<dyn Clock>).unwrap()
}

#[tokio::test]
async fn a_token_is_renewed_shortly_before_it_ends_and_by_one_alone() {
    let server = Server::start().await;
    let (_folder, store, clock) = signed_in(&server, 600).await;
    let holder = open(&store, &server, &clock);
    assert_eq!(holder.access_token().await.unwrap(), "access-0");
    clock.advance(Duration::from_secs(539));
    assert_eq!(holder.access_token().await.unwrap(), "access-0");
    clock.advance(Duration::from_secs(1));
    // Each stands for a process of its own: they share the file and nothing else.
    let many: Vec<SignedIn> = (0..8).map(|_| open(&store, &server, &clock)).collect();
    let tokens = futures_util::future::join_all(many.iter().map(SignedIn::access_token)).await;
    assert!(tokens.into_iter().all(|token| token.unwrap() == "access-1"));
    assert_eq!(holder.access_token().await.unwrap(), "access-1");
    let [form] = &server.forms("token")[..] else { panic!("one request for tokens") };
    assert_eq!((form["grant_type"].as_str(), form["refresh_token"].as_str()), ("refresh_token", "refresh-0"));
    let kept = store.find(&server.name()).unwrap().unwrap();
    assert_eq!(kept.refresh_token.as_deref(), Some("refresh-1"));
}

#[tokio::test]
async fn a_sign_in_that_has_ended_is_forgotten_and_trouble_is_not_its_end() {
    let server = Server::start().await;
    let (_folder, store, clock) = signed_in(&server, 30).await;
    let holder = open(&store, &server, &clock);
    server.reply(503, json!({}));
    let error = holder.access_token().await.unwrap_err();
    assert!(format!("{error:#}").contains("could not be renewed"), "{error:#}");
    assert!(store.find(&server.name()).unwrap().is_some());

    server.reply(400, refused("invalid_grant"));
    let error = holder.access_token().await.unwrap_err();
    assert!(error.to_string().contains("run `tidegauge login"), "{error}");
    assert_eq!(store.find(&server.name()).unwrap(), None);
    assert!(holder.access_token().await.is_err());
}

#[tokio::test]
async fn tokens_are_given_back_and_only_their_owner_reads_the_file() {
    let server = Server::start().await;
    let (folder, store, _) = signed_in(&server, 600).await;
    let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(store.path()), 0o600);
    assert_eq!(mode(&folder.path().join("tidegauge")), 0o700);

    // A file that was opened up is closed again by the next change.
    std::fs::set_permissions(store.path(), PermissionsExt::from_mode(0o644)).unwrap();
    let turn = store.turn().await.unwrap();
    let other = SignIn { refresh_token: None, ..store.find(&server.name()).unwrap().unwrap() };
    store.put(&turn, "https://other.example", other.clone()).unwrap();
    assert_eq!(mode(store.path()), 0o600);
    assert!(!format!("{other:?}").contains("access-0"));

    let removed = store.remove(&turn, &server.name()).unwrap().unwrap();
    revoke(&server.http, &removed).await.unwrap();
    revoke(&server.http, &other).await.unwrap();
    let forms = server.forms("revoke");
    let sent: Vec<&str> = forms.iter().map(|form| form["token"].as_str()).collect();
    assert_eq!(sent, ["refresh-0", "access-0"]);
    assert_eq!(forms[0]["client_id"], CLIENT_ID);
    assert_eq!(store.find(&server.name()).unwrap(), None);
    assert_eq!(store.find("https://other.example").unwrap(), Some(other));
    assert_eq!(store.remove(&turn, &server.name()).unwrap(), None);

    std::fs::write(store.path(), "{").unwrap();
    assert!(store.find("x").unwrap_err().to_string().contains("remove it and sign in again"));
}

#[test]
fn a_server_has_one_name() {
    for url in ["http://127.0.0.1:8080", "http://127.0.0.1:8080/", "HTTP://127.0.0.1:8080"] {
        assert_eq!(name_of(url).unwrap(), "http://127.0.0.1:8080");
    }
    assert_eq!(name_of("https://host:443/base/").unwrap(), "https://host/base");
    assert!(name_of("host").is_err());
}

#[tokio::test]
async fn an_issuer_elsewhere_is_asked_as_the_operator_says() {
    let server = Server::start().await;
    let tide = format!("{}/tide", server.url);
    let found = discover(&server.http, &tide, None).await.unwrap();
    assert_eq!(found.metadata.issuer, format!("{}/realms/logs", server.url));
    assert!(device::is_the_only_way(&found.metadata), "it does not say that codes are safe there");
    let scope = found.login.scope(None, &found.metadata);
    assert_eq!((found.login.client_id(None), scope.as_str()), ("logs-cli", "openid offline_access *"));

    // What the tokens are for is said with every request for some, also when they are renewed.
    let wanted = Wanted { client_id: found.login.client_id(None), scope: &scope };
    let tokens = device::sign_in(&server.http, &found, wanted, |_| {}, async |_| {}).await.unwrap();
    let sign_in = tokens.into_sign_in(&found, wanted.client_id, start());
    let renewed = refresh(&server.http, &sign_in, "refresh-1", start()).await.unwrap();
    assert_eq!(renewed.target, sign_in.target);
    let forms = [server.forms("device"), server.forms("token")].concat();
    assert_eq!(forms.len(), 3);
    for form in forms {
        assert_eq!((form["client_id"].as_str(), form["resource"].as_str()), ("logs-cli", "api://logs"));
    }

    let other = discover(&server.http, &tide, Some(&server.url)).await.unwrap();
    assert!(browser::is_offered(&other.metadata) && !device::is_the_only_way(&other.metadata));
    assert_eq!(other.target.unwrap().pair(), ("audience", "logs"));
    let error = discover(&server.http, &tide, Some("https://evil.example")).await.unwrap_err();
    assert!(error.to_string().contains("does not take tokens of https://evil.example"), "{error}");
}

#[tokio::test]
async fn tokens_that_can_be_renewed_need_consent_where_openid_asks_for_it() {
    let server = Server::start().await;
    let found = server.found().await;
    for (scope, expected) in [("openid offline_access *", Some("consent")), ("*", None)] {
        let (send, receive) = tokio::sync::oneshot::channel();
        let show = move |url: &Url| {
            let asked: FormBody = url.query_pairs().into_owned().collect();
            send.send(asked).unwrap();
        };
        let wanted = Wanted { client_id: CLIENT_ID, scope };
        let rng = SeededRng::new(5);
        tokio::select! {
            _ = browser::sign_in(&server.http, &found, wanted, &rng, show) => panic!("nobody has answered"),
            asked = receive => assert_eq!(asked.unwrap().get("prompt").map(String::as_str), expected),
        }
    }
}
