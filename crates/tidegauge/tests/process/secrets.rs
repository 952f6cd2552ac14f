//! Secrets go through the service in every way there is to send one. None of them stands in its log, in its audit trail
//! or in its files, but for the first token, which is kept in a file of its own.

use std::path::{Path, PathBuf};

use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};

use crate::database::Backend;
use crate::login::{Browser, OWNER, PASSWORD};
use crate::process::{Installation, Service, client};

/// Texts that are sent and never told again.
const IN_AN_EVENT: &str = "geheim-in-an-event";
const IN_A_BROKEN_BODY: &str = "geheim-in-a-broken-body";
const IN_A_QUESTION: &str = "geheim-in-a-question";
const IN_AN_ADDRESS: &str = "geheim-in-an-address";
const OF_A_NOTIFIER: &str = "geheim-of-a-notifier";
const GUESSED: &str = "geheim-that-was-guessed";

/// Of the right form, and nobody's.
const MADE_UP: &str = "xapt-11111111-2222-4333-8444-555555555555";

/// The name of a notifier, by which one sees that the files are those that are looked for.
const NAMED: &str = "a notifier that is named openly";

/// What was sent to a service.
struct Sent<'a> {
    installation: &'a Installation,
    service: &'a Service,
    owner: String,
    /// May not be in the log or the trail.
    told_nowhere: Vec<String>,
    /// Nor may these be in a file.
    stored_nowhere: Vec<String>,
}

impl Sent<'_> {
    fn request(&self, method: Method, path: &str) -> RequestBuilder {
        client().request(method, format!("{}{path}", self.service.url))
    }

    /// Sends a request of the owner that must be answered so.
    async fn ask(&self, method: Method, path: &str, body: &Value, status: u16) -> Value {
        let answer = self.request(method, path).bearer_auth(&self.owner).json(body).send().await.unwrap();
        assert_eq!(answer.status(), status, "{path}: {}", answer.text().await.unwrap());
        answer.json().await.unwrap()
    }

    fn keep(&mut self, secret: &Value) -> String {
        let secret = secret.as_str().unwrap().to_owned();
        self.stored_nowhere.push(secret.clone());
        secret
    }

    /// Tokens, in a header, in the address, and wrong ones.
    async fn tokens(&mut self) {
        let body = json!({"name": "t", "datasetCapabilities": {"*": {"ingest": ["create"]}}});
        let made = self.ask(Method::POST, "/v2/tokens", &body, 200).await;
        let token = self.keep(&made["token"]);
        let events = json!([{"password": IN_AN_EVENT}]);
        self.ask(Method::POST, "/v1/ingest/web", &events, 200).await;
        let path = format!("/v1/ingest/web?tk={token}");
        assert_eq!(self.request(Method::POST, &path).json(&events).send().await.unwrap().status(), 200);
        let wrong = format!("/v1/ingest/web?tk={MADE_UP}");
        assert_eq!(self.request(Method::POST, &wrong).json(&events).send().await.unwrap().status(), 401);
        for scheme in ["Bearer", "Splunk"] {
            let request = self.request(Method::GET, &format!("/v2/notifiers?x={IN_AN_ADDRESS}"));
            let answer = request.header("authorization", format!("{scheme} {MADE_UP}")).send().await.unwrap();
            assert_eq!(answer.status(), 401);
        }
        self.stored_nowhere.push(MADE_UP.to_owned());
        self.told_nowhere.extend([IN_AN_EVENT, IN_AN_ADDRESS].map(str::to_owned));
    }

    /// Bodies that are stored sealed, and bodies that cannot be understood.
    async fn bodies(&mut self) {
        let hook = format!("https://hooks.example/{OF_A_NOTIFIER}");
        let secret = json!({"Authorization": format!("Bearer {OF_A_NOTIFIER}")});
        let properties = json!({"customWebhook": {"url": hook, "body": "x", "secretHeaders": secret}});
        let body = json!({"name": NAMED, "properties": properties});
        let made = self.ask(Method::POST, "/v2/notifiers", &body, 200).await;
        let path = format!("/v2/notifiers/{}/test", made["id"].as_str().unwrap());
        assert_eq!(self.ask(Method::POST, &path, &json!({}), 200).await["state"], "dead");
        let broken = format!("[{{\"a\": \"{IN_A_BROKEN_BODY}\"");
        for path in ["/v1/ingest/web", "/v2/notifiers", "/v2/tokens"] {
            let request = self.request(Method::POST, path).bearer_auth(&self.owner);
            let request = request.header("content-type", "application/json").body(broken.clone());
            assert_eq!(request.send().await.unwrap().status(), 400, "{path}");
        }
        for text in [format!("web | where password == '{IN_A_QUESTION}'"), format!("{IN_A_QUESTION} |")] {
            let status = if text.ends_with('|') { 400 } else { 200 };
            let path = "/v1/query/_apl?format=tabular";
            self.ask(Method::POST, path, &json!({ "apl": text }), status).await;
        }
        self.stored_nowhere.extend([OF_A_NOTIFIER, IN_A_BROKEN_BODY, IN_A_QUESTION].map(str::to_owned));
    }

    /// A password, guesses at it, the link that sets it, and what a browser keeps.
    async fn signing_in(&mut self) {
        let link = self.installation.answer(&["user", "link", OWNER]);
        let path = link.strip_prefix(&self.service.url).unwrap();
        let mut browser = Browser::new(self.service);
        let page = browser.visit(path).await;
        let page = browser.submit(&page, &[("password", PASSWORD)]).await;
        assert_eq!(page.status, 200, "{}", page.text);
        self.stored_nowhere.extend([PASSWORD, GUESSED, path.rsplit('/').next().unwrap()].map(str::to_owned));
        // One that was taken back is empty.
        self.stored_nowhere.extend(browser.cookies.into_values().filter(|value| !value.is_empty()));
        let mut guesser = Browser::new(self.service);
        let page = guesser.visit("/login").await;
        let page = guesser.submit(&page, &[("email", OWNER), ("password", GUESSED)]).await;
        assert_eq!(page.status, 401, "{}", page.text);
    }

    /// Secrets of clients, and what they get for them.
    async fn clients(&mut self) {
        let body = json!({"name": "m", "grants": ["client_credentials"],
            "orgCapabilities": {"notifiers": ["read"]}});
        let made = self.ask(Method::POST, "/v2/oauth/clients", &body, 200).await;
        let secret = self.keep(&made["clientSecret"]);
        let id = made["id"].as_str().unwrap();
        let grant = |secret: &str| {
            let form = "application/x-www-form-urlencoded";
            let pairs = format!("grant_type=client_credentials&client_id={id}&client_secret={secret}");
            self.request(Method::POST, "/oauth/token").header("content-type", form).body(pairs)
        };
        assert_eq!(grant(GUESSED).send().await.unwrap().status(), 401);
        let tokens: Value = grant(&secret).send().await.unwrap().json().await.unwrap();
        let access = self.keep(&tokens["access_token"]);
        let answer = self.request(Method::GET, "/v2/notifiers").bearer_auth(&access).send().await.unwrap();
        assert_eq!(answer.status(), 200);
    }
}

/// Every file below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

fn has(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|window| window == text.as_bytes())
}

pub(crate) async fn stay_secret(backend: Backend) {
    let installation = Installation::new(backend);
    let service = installation.start_logged("debug");
    let owner = installation.first_token();
    let mut sent = Sent {
        installation: &installation,
        service: &service,
        owner: owner.clone(),
        told_nowhere: Vec::new(),
        stored_nowhere: vec![owner],
    };
    sent.tokens().await;
    sent.bodies().await;
    sent.signing_in().await;
    sent.clients().await;
    let Sent { told_nowhere, stored_nowhere, .. } = sent;
    let trail = installation.answer(&["org", "audit", "--json"]);
    service.terminate();
    assert_eq!(service.exit_code(), Some(0));

    let log = installation.last_errors();
    assert!(log.lines().all(|line| serde_json::from_str::<Value>(line).is_ok()), "a line is no JSON: {log}");
    for expected in ["/v1/ingest/web", "/oauth/token", "/setup/"] {
        assert!(log.contains(expected), "nothing was logged of {expected}: {log}");
    }
    assert!(trail.contains("notifier.create"), "{trail}");
    for secret in told_nowhere.iter().chain(&stored_nowhere) {
        let line = log.lines().find(|line| line.contains(secret.as_str()));
        assert_eq!(line, None, "{secret} is in the log");
        assert!(!trail.contains(secret.as_str()), "{secret} is in {trail}");
    }
    let mut is_named = false;
    for file in files(&installation.data()) {
        if file.ends_with("first-token") {
            continue;
        }
        let bytes = std::fs::read(&file).unwrap();
        is_named |= has(&bytes, NAMED);
        for secret in &stored_nowhere {
            assert!(!has(&bytes, secret), "{secret} is in {}", file.display());
        }
    }
    assert!(is_named, "the files are not those of the catalogue");
}
