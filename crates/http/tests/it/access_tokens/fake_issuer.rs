//! An authorisation server that answers as a case wants: its metadata, its keys, and what it says about tokens. It
//! counts how often it is asked.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::extract::{Form, State};
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use axum::routing::{any, post};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::watch;

/// What the issuer does when it is asked for its metadata or its keys.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Mood {
    Well,
    Fails,
    Hangs,
    /// Sends who asks for keys elsewhere.
    Redirects(String),
    /// Calls itself by another name.
    OtherIssuer,
    /// Answers with so many bytes.
    Giant(usize),
    /// Knows only the metadata of OpenID.
    OpenIdOnly,
}

#[derive(Debug)]
pub(crate) struct Behaviour {
    pub mood: Mood,
    pub keys: Vec<Value>,
    pub cache_control: String,
    /// What it says about tokens, by their text.
    pub tokens: BTreeMap<String, Value>,
}

/// A running issuer.
#[derive(Clone, Debug)]
pub(crate) struct FakeIssuer {
    pub url: String,
    behaviour: Arc<Mutex<Behaviour>>,
    asked: Arc<watch::Sender<BTreeMap<String, usize>>>,
}

impl FakeIssuer {
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/realm", listener.local_addr().unwrap());
        let behaviour = Behaviour {
            mood: Mood::Well,
            keys: Vec::new(),
            cache_control: "max-age=3600".to_owned(),
            tokens: BTreeMap::new(),
        };
        let issuer = Self {
            url,
            behaviour: Arc::new(Mutex::new(behaviour)),
            asked: Arc::new(watch::Sender::default()),
        };
        let router = Router::new()
            .route("/realm/introspect", post(introspect))
            .fallback(any(answer))
            .with_state(issuer.clone());
        #[expect(clippy::disallowed_methods, reason = "it ends with the runtime of the test")]
        tokio::spawn(async move { axum::serve(listener, router).await });
        issuer
    }

    pub(crate) fn change(&self, edit: impl FnOnce(&mut Behaviour)) {
        edit(&mut self.behaviour.lock().unwrap());
    }

    /// How often it was asked for its metadata, its keys or tokens.
    pub(crate) fn count(&self, what: &str) -> usize {
        self.asked.borrow().get(what).copied().unwrap_or_default()
    }

    /// Waits until it was asked so often.
    pub(crate) async fn until_asked(&self, what: &str, times: usize) {
        let mut asked = self.asked.subscribe();
        asked.wait_for(|counts| counts.get(what).copied().unwrap_or_default() >= times).await.unwrap();
    }

    fn note(&self, what: &str) {
        self.asked.send_modify(|counts| *counts.entry(what.to_owned()).or_default() += 1);
    }
}

async fn answer(State(issuer): State<FakeIssuer>, uri: Uri) -> Response {
    let path = uri.path().to_owned();
    let what = match path.as_str() {
        "/.well-known/oauth-authorization-server/realm" => "metadata",
        "/realm/.well-known/openid-configuration" => "openid",
        "/realm/keys" => "keys",
        _ => "other",
    };
    issuer.note(what);
    let (mood, keys, cache_control) = {
        let behaviour = issuer.behaviour.lock().unwrap();
        (behaviour.mood.clone(), behaviour.keys.clone(), behaviour.cache_control.clone())
    };
    let document = match (what, mood) {
        ("other", _) | ("metadata", Mood::OpenIdOnly) => return StatusCode::NOT_FOUND.into_response(),
        (_, Mood::Fails) => return StatusCode::INTERNAL_SERVER_ERROR.into_response(),
        (_, Mood::Hangs) => return std::future::pending().await,
        ("keys", Mood::Redirects(target)) => {
            return (StatusCode::FOUND, [("location", target)]).into_response();
        }
        (_, Mood::Giant(bytes)) => return "x".repeat(bytes).into_response(),
        ("keys", _) => json!({ "keys": keys }),
        (_, mood) => {
            let name = if mood == Mood::OtherIssuer { "https://evil.example" } else { &issuer.url };
            json!({
                "issuer": name,
                "jwks_uri": format!("{}/keys", issuer.url),
                "introspection_endpoint": format!("{}/introspect", issuer.url),
            })
        }
    };
    ([("cache-control", cache_control)], axum::Json(document)).into_response()
}

async fn introspect(
    State(issuer): State<FakeIssuer>,
    headers: HeaderMap,
    Form(form): Form<BTreeMap<String, String>>,
) -> Response {
    issuer.note("introspect");
    let by_header = headers.get("authorization").is_some_and(|value| {
        // The client `logs:service` with the secret `s%crét`, encoded as in a form.
        value == "Basic bG9ncyUzQXNlcnZpY2U6cyUyNWNyJUMzJUE5dA=="
    });
    let by_form = form.get("client_id").is_some_and(|id| id == "logs:service")
        && form.get("client_secret").is_some_and(|secret| secret == "s%crét");
    if by_header == by_form {
        return StatusCode::UNAUTHORIZED.into_response();
    }
    let (hangs, said) = {
        let behaviour = issuer.behaviour.lock().unwrap();
        (behaviour.mood == Mood::Hangs, behaviour.tokens.get(&form["token"]).cloned())
    };
    if hangs {
        return std::future::pending().await;
    }
    axum::Json(said.unwrap_or_else(|| json!({"active": false}))).into_response()
}
