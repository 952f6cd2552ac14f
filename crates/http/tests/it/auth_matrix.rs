//! Every route of the API document, against every way to be refused and the one way to be let in. The list is
//! compared with the document, so that a route without a row here fails. Refused calls must change nothing.

mod dashboards;
mod rows;
mod senders;
mod watching;

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::{Value, json};
use tidegauge_auth::oauth::Scopes;
use tidegauge_catalog::Change;
use tidegauge_catalog::oauth::Grant;
use tidegauge_model::{Action, Capabilities, Clock, GrantId, Timestamp};

use self::rows::{WITHOUT_IDS, rows};
use crate::access_tokens::world::World;
use crate::app::TestApp;
use crate::database::Backend;

/// How to call one route so that it succeeds for who may.
#[derive(Debug)]
struct Row {
    method: &'static str,
    /// The path of the document, without its version.
    path: &'static str,
    body: Option<Value>,
    /// What stands for `{id}`, or what must be there so that the route has something to show.
    id: Id,
    success: u16,
}

#[derive(Clone, Copy, Debug)]
enum Id {
    None,
    Notifier,
    Endpoint,
    Monitor,
    Annotation,
    Token,
    Starred,
    VirtualField,
    View,
    /// A dashboard with a chart `n`; it is named by its uid.
    Dashboard,
    Org,
    User,
    Role,
    Group,
    /// A client of the embedded authorisation server.
    Client,
    /// What the owner has allowed a client.
    Grant,
    /// A dataset with an event and a map field `m`; ids of datasets are their names.
    Dataset,
    /// A query of such a dataset that was kept.
    SavedQuery,
    /// An answer that was kept.
    Answer,
    /// Such a dataset for a sender that speaks a protocol of its own, also in its refusals. A text is sent as it is.
    Sent,
}

fn row(method: &'static str, path: &'static str, id: Id, body: Option<Value>, success: u16) -> Row {
    Row { method, path, body, id, success }
}

/// The dataset that the virtual fields belong to.
const DEFINED_ON: &str = "measured";

/// Routes that ask for nothing.
const PUBLIC: &[&str] = &[
    "/healthz",
    "/readyz",
    "/metrics",
    "/version",
    "/openapi.json",
    "/docs/",
    "/.well-known/oauth-protected-resource",
    "/.well-known/oauth-authorization-server",
    "/oauth/jwks",
    "/services/collector/health",
    "/services/collector/health/1.0",
];

/// Routes of pages, which ask for nothing and send browsers to sign in themselves, and what they answer without a form.
const PAGES: &[(&str, &str, u16)] = &[
    // Clients that want no page are told what they look for before they send.
    ("GET", "/", 200),
    ("GET", "/explore", 303),
    ("GET", "/stream", 303),
    ("GET", "/datasets", 303),
    ("GET", "/datasets/{name}", 303),
    ("GET", "/queries", 303),
    ("GET", "/start", 303),
    ("GET", "/monitors", 303),
    ("GET", "/monitors/{id}", 303),
    ("GET", "/notifiers", 303),
    ("GET", "/notifiers/{id}", 303),
    ("GET", "/endpoints", 303),
    ("GET", "/endpoints/{id}", 303),
    ("GET", "/tokens", 303),
    ("GET", "/people", 303),
    ("GET", "/settings", 303),
    ("GET", "/traces", 303),
    ("GET", "/dashboards", 303),
    ("GET", "/dashboards/{uid}", 303),
    ("GET", "/login", 200),
    ("POST", "/login", 415),
    ("POST", "/logout", 415),
    ("GET", "/setup/{link}", 404),
    ("POST", "/setup/{link}", 415),
    ("GET", "/account", 303),
    ("POST", "/account/password", 415),
    ("POST", "/account/sessions/end", 415),
    ("GET", "/v2/exports/{link}", 404),
    ("GET", "/oauth/authorize", 400),
    ("POST", "/oauth/authorize", 415),
    ("POST", "/oauth/token", 400),
    ("POST", "/oauth/device_authorization", 400),
    ("POST", "/oauth/revoke", 400),
    ("POST", "/oauth/introspect", 400),
    ("POST", "/oauth/register", 404),
    ("GET", "/device", 303),
    ("POST", "/device", 415),
    ("GET", "/account/grants", 303),
    ("POST", "/account/grants/end", 415),
    ("OPTIONS", "/v1/ingest/{name}/cloudevents", 200),
];

pub(crate) async fn run(backend: Backend) {
    let world = World::start_beside_embedded(backend).await;
    let app = &world.app;
    let document = app.send("GET", "/openapi.json", None, None).await.json();
    let defined_on = json!({"name": DEFINED_ON});
    let dataset = app.send("POST", "/v2/datasets", Some(&app.owner_token), Some(&defined_on)).await;
    assert_eq!(dataset.status, 200, "{dataset:?}");
    let rows = rows();
    let mut used = BTreeSet::new();
    let mut checks = Vec::new();
    for (path, operations) in document["paths"].as_object().unwrap() {
        for (method, operation) in operations.as_object().unwrap() {
            let method = method.to_uppercase();
            if PUBLIC.contains(&path.as_str()) {
                assert_eq!(operation["security"], json!([]), "{path}");
                assert_eq!(app.send(&method, path, None, None).await.status, 200, "{path}");
                continue;
            }
            if let Some((.., status)) = PAGES.iter().find(|page| (page.0, page.1) == (&method, path)) {
                assert_eq!(operation["security"], json!([]), "{path}");
                assert_eq!(app.send(&method, path, None, None).await.status, *status, "{method} {path}");
                continue;
            }
            let is_below =
                |version: &&str| path.strip_prefix(*version).is_some_and(|rest| rest.starts_with('/'));
            let version = ["/v1", "/v2"].into_iter().find(is_below).unwrap_or("");
            let row = rows.iter().find(|row| row.method == method && *row.path == path[version.len()..]);
            let row = row.unwrap_or_else(|| panic!("{method} {path} has no row in the auth matrix: add one"));
            let scopes = operation["security"][0]["bearerAuth"].as_array();
            let scope = scopes.unwrap_or_else(|| panic!("{method} {path} declares no access")).first();
            checks.push(Check { world: &world, app, version, row, scope: scope.and_then(Value::as_str) });
            used.insert((row.method, row.path));
        }
    }
    all_are_refused(app, &checks).await;
    for check in &checks {
        check.wait();
        check.separated().await;
        check.allowed().await;
    }
    let unused: Vec<_> = rows.iter().filter(|row| !used.contains(&(row.method, row.path))).collect();
    assert!(unused.is_empty(), "the matrix has rows for routes that are not in the document: {unused:?}");
}

/// Calls every route as everybody who must be refused. What is there is looked at before the first of those calls and
/// after the last: it is much, and to look at it around each route would take longer than all else together.
async fn all_are_refused(app: &TestApp, checks: &[Check<'_>]) {
    let mut targets = Vec::new();
    for check in checks {
        check.wait();
        targets.push((check.target().await, check.intruders().await));
    }
    let before = snapshot(app).await;
    for (check, (path, intruders)) in checks.iter().zip(targets) {
        check.wait();
        check.refused(&path, intruders).await;
    }
    for ((path, before), (_, after)) in before.into_iter().zip(snapshot(app).await) {
        assert_eq!(after, before, "a refused call changed what {path} shows");
    }
}

struct Check<'a> {
    /// Where access tokens of OAuth 2.0 come from.
    world: &'a World,
    app: &'a TestApp,
    version: &'a str,
    row: &'a Row,
    scope: Option<&'a str>,
}

impl Check<'_> {
    /// So many calls would otherwise meet the request rate of a clock that stands still.
    fn wait(&self) {
        self.app.clock.advance(Duration::from_secs(60));
    }

    fn place(&self) -> String {
        format!("{} {}{}", self.row.method, self.version, self.row.path)
    }

    /// A fresh target for the route, so that no check leans on another.
    async fn target(&self) -> String {
        let id = match self.row.id {
            Id::None => String::new(),
            Id::Org => self.app.org.to_string(),
            Id::Notifier => self.make("/notifiers", "POST /notifiers").await,
            Id::Endpoint => self.make("/endpoints", "POST /endpoints").await,
            Id::Monitor => self.make("/monitors", "POST /monitors").await,
            Id::Annotation => self.make("/annotations", "POST /annotations").await,
            Id::Token => self.make("/tokens", "POST /tokens").await,
            Id::Starred => self.make("/apl-starred-queries", "POST /apl-starred-queries").await,
            Id::VirtualField => self.make("/vfields", "POST /vfields").await,
            Id::View => self.make("/views", "POST /views").await,
            Id::Dashboard => self.make("/dashboards", "POST /dashboards").await,
            Id::Client => self.make("/oauth/clients", "POST /oauth/clients").await,
            Id::Grant => self.make_grant().await,
            Id::User => self.make("/users", "POST /users").await,
            Id::Role => self.make("/rbac/roles", "POST /rbac/roles").await,
            Id::Group => self.make("/rbac/groups", "POST /rbac/groups").await,
            Id::Dataset | Id::Sent => self.make_dataset().await,
            Id::SavedQuery => self.make_saved_query().await,
            Id::Answer => self.make_answer().await,
        };
        let name = if self.row.path.contains("mapfields") { "m" } else { &id };
        let path = self.row.path.replace("{id}", &id).replace("{field}", "status").replace("{name}", name);
        let mut path = path.replace("{dataset_name}", &id).replace("{index}", &id).replace("{key}", "none");
        path = path.replace("{uid}", &id).replace("{chartId}", "n").replace("{version}", "1");
        if path.contains("{deliveryId}") {
            path = path.replace("{deliveryId}", &self.make_dead_letter(&id).await);
        }
        let is_text = path.ends_with("_apl") || path.ends_with("/run");
        let named = format!("?dataset={id}");
        let parameters = match self.row.path {
            _ if self.is_sender() && !self.row.path.contains("{name}") => named.as_str(),
            _ if is_text => "?format=tabular",
            "/monitors/{id}/history" => "?startTime=2026-01-01T00:00:00Z&endTime=2027-01-01T00:00:00Z",
            _ => "",
        };
        format!("{}{path}{parameters}", self.version)
    }

    /// A dataset that has all that the routes below it need.
    async fn make_dataset(&self) -> String {
        let name = self.make("/datasets", "POST /datasets").await;
        let parts = [("mapfields", json!({"name": "m"})), ("ingest", json!([{"status": 200}]))];
        for (part, body) in parts {
            let path = format!("/v1/datasets/{name}/{part}");
            let answer = self.app.send("POST", &path, Some(&self.app.owner_token), Some(&body)).await;
            assert_eq!(answer.status, 200, "{answer:?}");
        }
        name
    }

    async fn make_grant(&self) -> String {
        let now = self.app.clock.now();
        let grant = Grant {
            id: GrantId::generate(now, &*self.app.app.rng),
            client: "tidegauge-cli".into(),
            person: Some(self.app.owner.clone()),
            org: None,
            scope: "*".to_owned(),
            auth_time: Some(now),
            thumbprint: None,
            created: now,
            last_used: now,
            ends: now.plus(Duration::from_secs(86_400)),
            revoked: None,
        };
        let change = Change { org: None, actor: "test".to_owned(), at: now, request_id: String::new() };
        self.app.app.catalog.insert_oauth_grant(&grant, &change).await.unwrap();
        grant.id.into_string()
    }

    /// A message that could not be sent, because there are no names here.
    async fn make_dead_letter(&self, notifier: &str) -> String {
        let path = format!("/v2/notifiers/{notifier}/test");
        let answer = self.app.send("POST", &path, Some(&self.app.owner_token), None).await;
        assert_eq!((answer.status.as_u16(), &answer.json()["state"]), (200, &json!("dead")), "{answer:?}");
        answer.json()["id"].as_str().unwrap().to_owned()
    }

    async fn make_saved_query(&self) -> String {
        let path = format!("/v1/datasets/{}/query?saveAsKind=analytics", self.make_dataset().await);
        let body = json!({"startTime": "now-1h", "endTime": "now", "resolution": "auto"});
        let answer = self.app.send("POST", &path, Some(&self.app.owner_token), Some(&body)).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        answer.headers["x-tidegauge-history-query-id"].to_str().unwrap().to_owned()
    }

    /// One that read a dataset: what read none is for its keeper alone, and a token is not its maker.
    async fn make_answer(&self) -> String {
        let body = json!({"apl": format!("['{}']", self.make_dataset().await)});
        let answer = self.app.send("POST", "/v2/answers", Some(&self.app.owner_token), Some(&body)).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        answer.json()["id"].as_str().unwrap().to_owned()
    }

    async fn make(&self, path: &str, by: &str) -> String {
        let maker = rows().into_iter().find(|row| format!("{} {}", row.method, row.path) == by).unwrap();
        let mut body = maker.body.unwrap();
        if path == "/orgs" {
            return self.app.org.to_string();
        }
        if path == "/tokens" {
            // What who succeeds it holds, and no more: nobody can hand on what they do not hold.
            body["orgCapabilities"] = json!({"apiTokens": ["update"]});
        }
        if path == "/users" {
            let number = self.app.app.catalog.list_members(&self.app.org).await.unwrap().len();
            body["email"] = json!(format!("user{number}-{}@example.com", self.place().len()));
        }
        if path == "/datasets" {
            let number = self.app.app.catalog.list_datasets(&self.app.org).await.unwrap().len();
            body["name"] = json!(format!("a-dataset-whose-name-is-no-other-{number}-{}", self.place().len()));
        }
        if path == "/vfields" || path == "/views" {
            let fields = self.app.app.catalog.list_virtual_fields(&self.app.org, None).await.unwrap().len();
            let views = self.app.app.catalog.list_views(&self.app.org).await.unwrap().len();
            body["name"] = json!(format!("number {} for {}", fields + views, self.place()));
        }
        if path.starts_with("/rbac") {
            let roles = self.app.app.catalog.list_roles(&self.app.org).await.unwrap().len();
            let groups = self.app.app.catalog.list_groups(&self.app.org).await.unwrap().len();
            body["name"] = json!(format!("number {roles} {groups} for {}", self.place()));
        }
        let answer =
            self.app.send("POST", &format!("/v2{path}"), Some(&self.app.owner_token), Some(&body)).await;
        assert_eq!(answer.status.as_u16(), maker.success, "{answer:?}");
        let made = answer.json();
        let id = if path == "/dashboards" { &made["dashboard"]["uid"] } else { &made["id"] };
        id.as_str().unwrap().to_owned()
    }

    async fn call(&self, path: &str, token: Option<&str>) -> (u16, Value) {
        let body = self.row.body.as_ref().map(|body| {
            let text = body.to_string().replace("{version}", self.version.trim_start_matches('/'));
            serde_json::from_str(&text).unwrap()
        });
        let answer = match &body {
            Some(Value::String(text)) => self.app.send_text(self.row.method, path, token, text).await,
            body => self.app.send(self.row.method, path, token, body.as_ref()).await,
        };
        let body = match answer.text.as_str() {
            "" => Value::Null,
            text if self.is_sender() => serde_json::from_str(text).unwrap_or_else(|_| text.into()),
            _ => answer.json(),
        };
        (answer.status.as_u16(), body)
    }

    /// Everybody with a token of ours, or none, who must be refused, with the status and the reason.
    async fn intruders(&self) -> Vec<(Option<String>, u16, &'static str)> {
        let past = Some(Timestamp::from_micros(0));
        let expired = self.app.api_token(Capabilities::all(), past).await;
        let unknown = "xapt-00000000-0000-4000-8000-000000000000".to_owned();
        // The collector of Splunk has 403 for a token that it does not know, and 401 for none; so has Datadog where its
        // agents ask about one.
        let has_403 = self.row.path.starts_with("/services/collector") || self.row.path == "/api/v1/validate";
        let wrong = if has_403 { 403 } else { 401 };
        let mut intruders = vec![
            (None, 401, "no token"),
            (Some("xapt-123".to_owned()), wrong, "malformed token"),
            (Some(unknown), wrong, "unknown token"),
            (Some(expired), wrong, "expired token"),
        ];
        if let Some(scope) = self.scope {
            let all_but_it = self.app.api_token(all_but(scope), None).await;
            intruders.push((Some(all_but_it), 403, "every capability but the one it needs"));
            let nothing = self.app.api_token(Capabilities::default(), None).await;
            intruders.push((Some(nothing), 403, "no capability"));
            if let Some(beside) = self.beside() {
                let all_but_it = self.app.api_token(all_but(beside), None).await;
                intruders.push((Some(all_but_it), 403, "every capability but the second one it needs"));
            }
        }
        if self.has_id() && self.scope.is_none() && matches!(self.row.id, Id::Dataset) {
            let nothing = self.app.api_token(Capabilities::default(), None).await;
            intruders.push((Some(nothing), 404, "no capability on the dataset"));
        }
        if self.has_id() {
            // An owner who sends events to an unknown dataset makes it; a token that may only send does not.
            let sender = self.app.other_api_token(only("ingest|create")).await;
            let is_ingest = self.scope == Some("ingest|create");
            let other = if is_ingest { sender } else { self.app.other_token.clone() };
            intruders.push((Some(other), 404, "other organisation"));
        }
        intruders
    }

    /// Those who come with an access token of OAuth 2.0.
    fn oauth_intruders(&self) -> Vec<(Option<String>, u16, &'static str)> {
        let (world, ours) = (self.world, &self.app.org);
        let mut claims = world.claims("owner", ours, "*");
        claims["exp"] = (world.seconds() - 61).into();
        let mut elsewhere = world.claims("owner", ours, "*");
        elsewhere["aud"] = "https://other.example".into();
        let mut intruders = vec![
            (Some(world.signed(&claims)), 401, "expired access token"),
            (Some(world.signed(&elsewhere)), 401, "access token for another service"),
            (Some(world.forged("owner", ours)), 401, "access token of a foreign key"),
            (Some(world.token("stranger", ours, "*")), 403, "access token of nobody known"),
        ];
        if let Some(scope) = self.scope {
            let names = Scopes::names();
            let others: Vec<&str> = names.iter().map(String::as_str).filter(|name| *name != scope).collect();
            let every_other = world.token("owner", ours, &others.join(" "));
            intruders.push((Some(every_other), 403, "access token with every scope but the one it needs"));
            intruders.push((Some(world.token("owner", ours, "openid")), 403, "access token without scopes"));
            let weak = world.token("nobody", ours, "*");
            intruders.push((Some(weak), 403, "access token of a person without rights"));
        }
        if self.has_id() {
            let is_ingest = self.scope == Some("ingest|create");
            let scope = if is_ingest { "ingest|create" } else { "*" };
            let other = world.token("other", &self.app.other_org, scope);
            intruders.push((Some(other), 404, "access token of another organisation"));
            let foreign = world.token("other", ours, "*");
            intruders.push((Some(foreign), 403, "access token of somebody else for this organisation"));
        }
        intruders
    }

    async fn refused(&self, path: &str, intruders: Vec<(Option<String>, u16, &'static str)>) {
        // Access tokens do not live for long, so that they are made when they are used.
        for (token, status, who) in intruders.into_iter().chain(self.oauth_intruders()) {
            let (found, body) = self.call(path, token.as_deref()).await;
            assert_eq!(found, status, "{}: {who}: {body}", self.place());
            if self.is_sender() {
                continue;
            }
            assert_eq!(body["code"], status, "{}: {who}", self.place());
            assert!(body["message"].is_string() && body["requestId"].is_string(), "{body}");
        }
    }

    /// Without an id in the path, another organisation sees only what is its own.
    async fn separated(&self) {
        if self.row.method != "GET"
            || self.has_id()
            || self.is_sender()
            || WITHOUT_IDS.contains(&self.row.path)
        {
            return;
        }
        let path = self.target().await;
        if let Some(maker) = rows().into_iter().find(|row| row.method == "POST" && row.path == self.row.path)
        {
            self.make(maker.path, &format!("POST {}", maker.path)).await;
        }
        let (_, ours) = self.call(&path, Some(&self.app.owner_token)).await;
        let (status, theirs) = self.call(&path, Some(&self.app.other_token)).await;
        assert_eq!(status, 200, "{}", self.place());
        let ids = ids(&ours);
        assert!(!ids.is_empty(), "{}: nothing that could show", self.place());
        for id in ids {
            assert!(!theirs.to_string().contains(&id), "{} shows {id} to another organisation", self.place());
        }
    }

    async fn allowed(&self) {
        let path = self.target().await;
        let token = match self.scope {
            Some(scope) => {
                self.app.api_token(only(scope).union(&only(self.beside().unwrap_or(scope))), None).await
            }
            None => self.app.owner_token.clone(),
        };
        let (status, body) = self.call(&path, Some(&token)).await;
        // The one route whose versions differ in their status.
        let is_first_trim = self.version == "/v1" && self.row.path.ends_with("/trim");
        let success = if is_first_trim { 200 } else { self.row.success };
        assert_eq!(status, success, "{} with just its capability: {body}", self.place());

        let path = self.target().await;
        let scopes = [self.scope.unwrap_or("*"), self.beside().unwrap_or_default()].join(" ");
        let token = self.world.token("owner", &self.app.org, scopes.trim());
        let (status, body) = self.call(&path, Some(&token)).await;
        // A name that the call before has taken.
        let is_taken = status == 409 && ["POST", "PUT"].contains(&self.row.method);
        assert!(status == success || is_taken, "{} with just its scope: {status} {body}", self.place());
    }

    /// What a route needs on the dataset that its body names, beside the capability that it declares.
    fn beside(&self) -> Option<&'static str> {
        if self.row.path.starts_with("/endpoints") && ["POST", "PUT"].contains(&self.row.method) {
            return Some("ingest|create");
        }
        if self.row.path == "/datasets/_demo" {
            return Some("ingest|create");
        }
        let paths = ["/_apl/delete", "/apl-starred-queries/{id}/run"];
        paths.iter().any(|path| self.row.path.ends_with(path)).then_some("query|read")
    }

    /// Whether it is a route of a protocol that is not ours.
    fn is_sender(&self) -> bool {
        matches!(self.row.id, Id::Sent)
    }

    /// Whether the path names one thing.
    fn has_id(&self) -> bool {
        self.row.path.contains('{')
    }
}

/// The ids in an answer: of each thing in a list, or of the one thing; in the audit trail, of what was changed; of
/// datasets, their names.
fn ids(body: &Value) -> Vec<String> {
    let list = body.as_array().or(body["datasets"].as_array());
    let things = list.cloned().unwrap_or_else(|| vec![body.clone()]);
    let keys = ["id", "resource", "datasetName", "name", "dataset"];
    let id = |thing: &Value| {
        keys.iter().find_map(|key| thing[*key].as_str().filter(|id| id.len() > 30)).map(str::to_owned)
    };
    things.iter().filter_map(id).collect()
}

/// Everything that a caller could change, as the owners of both organisations see it, each with where it was seen.
async fn snapshot(app: &TestApp) -> Vec<(&'static str, String)> {
    let mut seen = Vec::new();
    for token in [&app.owner_token, &app.other_token] {
        let paths =
            ["/v2/notifiers", "/v2/tokens", "/v2/apl-starred-queries?who=all&limit=1000", "/v2/users"];
        let datasets = ["/v2/datasets", "/v1/datasets/_stats", "/v1/datasets/_fields"];
        let others =
            ["/v2/orgs", "/v2/user", "/v2/vfields", "/v2/views", "/v2/rbac/roles", "/v2/rbac/groups"];
        let granted = ["/v2/oauth/clients", "/v2/user/grants"];
        let watching = ["/v2/monitors", "/v2/annotations", "/v2/endpoints", "/v2/dashboards?limit=1000"];
        let all = paths.into_iter().chain(others).chain(datasets).chain(granted).chain(watching);
        for path in all {
            let answer = app.send("GET", path, Some(token), None).await;
            assert_eq!(answer.status, 200, "{path}");
            seen.push((path, answer.text));
        }
    }
    seen
}

fn all_but(scope: &str) -> Capabilities {
    filtered(|area, action| format!("{area}|{}", action.name()) != scope)
}

/// Just the capability; handing out rights also needs the rights that are handed out.
fn only(scope: &str) -> Capabilities {
    filtered(|area, action| format!("{area}|{}", action.name()) == scope)
}

fn filtered(keep: impl Fn(&str, Action) -> bool) -> Capabilities {
    Capabilities::where_allowed(
        |area, action| keep(area.name(), action),
        |area, action| keep(area.name(), action),
        |_, _| false,
    )
}
