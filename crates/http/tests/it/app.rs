//! A whole service in the test's process: its own database, a clock that the test moves, reproducible randomness,
//! and requests that go straight into the router.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::{HeaderMap, Request, StatusCode};
use axum::response::Response;
use http_body_util::BodyExt;
use serde_json::Value;
use tempfile::TempDir;
use tidegauge_admission::config::{
    self, FirstStart, HttpLimits, IngestLimits, OrganisationCreation, PublicUrl, QueryLimits, TrustedProxies,
};
use tidegauge_app::App;
use tidegauge_app::app::Parts;
use tidegauge_app::background::Background;
use tidegauge_app::service::first_start;
use tidegauge_auth::{TokenKind, TokenSecret};
use tidegauge_catalog::tokens::Token;
use tidegauge_catalog::users::Person;
use tidegauge_catalog::{Catalog, Change, Location, SealKey};
use tidegauge_egress::resolver::{Lookup, Resolver};
use tidegauge_egress::webhook::WebhookClient;
use tidegauge_engine::{Engine, EngineSettings};
use tidegauge_model::rng::SeededRng;
use tidegauge_model::time::ManualClock;
use tidegauge_model::{Capabilities, Clock, Org, OrgId, Rng, Role, Timestamp, TokenId, UserId};
use tidegauge_notify::backoff::RetryPolicy;
use tidegauge_notify::breaker::Limits;
use tidegauge_notify::channels::Bases;
use tidegauge_notify::signature::SigningKey;
use tidegauge_notify::worker::WorkerOptions;
use tidegauge_store::{Disk, Store, StoreSettings, StoredRow};
use tower::ServiceExt;

use crate::database::{Backend, new_postgres_database};
use crate::disk::TestDisk;
use crate::sqlite_copy;
use crate::waiting::WAIT_MAX;

/// The moment at which every test begins.
pub(crate) const START: &str = "2026-06-01T12:00:00Z";

/// Every byte of the key that secrets are sealed with.
pub(crate) const KEY_BYTE: u8 = 1;

/// Where the service is said to be reached.
pub(crate) const PUBLIC_URL: &str = "http://127.0.0.1:8080";

/// Largest body in tests, so that "too large" is quick to reach.
pub(crate) const BODY_MAX: usize = 64 * 1024;

/// The service under test and who is there at the start: an organisation with an owner, and another with another.
pub(crate) struct TestApp {
    pub backend: Backend,
    pub app: Arc<App>,
    /// Where the catalogue is, for what another process does.
    pub location: Location,
    pub clock: Arc<ManualClock>,
    /// What the log is written to.
    pub disk: Arc<TestDisk>,
    pub org: OrgId,
    pub owner: UserId,
    pub owner_token: String,
    /// The secret of the link by which the owner sets a password.
    pub owner_link: String,
    pub other_org: OrgId,
    pub other_owner: UserId,
    pub other_token: String,
    router: Router,
    folder: TempDir,
}

/// An answer, read whole.
#[derive(Debug)]
pub(crate) struct Answer {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub text: String,
}

impl Answer {
    pub(crate) async fn read(response: Response) -> Self {
        let (parts, body) = response.into_parts();
        let bytes = body.collect().await.unwrap().to_bytes();
        let text = String::from_utf8_lossy(&bytes).into_owned();
        Self { status: parts.status, headers: parts.headers, text }
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|error| panic!("{error} in {self:?}"))
    }
}

/// Far more than anything takes on a slow machine that others use too.
pub(crate) const HANGS: Duration = Duration::from_secs(1_200);

fn http_limits() -> HttpLimits {
    HttpLimits { request_timeout: HANGS, max_body_bytes: BODY_MAX, max_requests_in_flight: 64 }
}

/// Small enough that every limit is quick to reach.
fn ingest_limits() -> IngestLimits {
    IngestLimits {
        max_body_bytes: 1 << 20,
        max_uncompressed_bytes: 4 << 20,
        max_event_bytes: 256 << 10,
        memory_bytes: 16 << 20,
    }
}

fn engine_settings(spill_folder: std::path::PathBuf) -> EngineSettings {
    EngineSettings {
        threads: 2,
        memory_bytes: 64 << 20,
        query_memory_bytes: 32 << 20,
        cache_bytes: 14 << 20,
        groups_bytes: 2 << 20,
        groups_folder: std::path::PathBuf::new(),
        groups_disk_bytes: 0,
        groups_checked_each: 1,
        spill_folder,
        spill_bytes_max: 64 << 20,
        running_max: 4,
        waiting_max: 16,
    }
}

/// Events are kept in a folder, on a disk that the test can fill up.
fn store_settings(folder: &std::path::Path, disk: &Arc<TestDisk>) -> StoreSettings {
    let disk = Arc::clone(disk) as Arc<dyn Disk>;
    StoreSettings { disk, ..StoreSettings::new(folder.to_owned()) }
}

/// What a test may change of how much the service takes.
pub(crate) struct Sizes {
    pub http: HttpLimits,
    pub ingest: IngestLimits,
    pub query: QueryLimits,
    pub store: StoreSettings,
}

impl Sizes {
    fn of(folder: &std::path::Path, disk: &Arc<TestDisk>, change: fn(&mut Self)) -> Self {
        let store = store_settings(folder, disk);
        let mut sizes = Self { http: http_limits(), ingest: ingest_limits(), query: query_limits(), store };
        change(&mut sizes);
        sizes
    }
}

/// Messages may go to the machine itself and nowhere else: there are no names here.
fn sending() -> WorkerOptions {
    let seconds = Duration::from_secs;
    WorkerOptions {
        webhook_client: WebhookClient {
            allowed: vec!["127.0.0.0/8".parse().unwrap()],
            allows_plain_http: true,
            connect_time_max: HANGS,
            time_max: HANGS,
            response_bytes_max: 64 << 10,
            resolver: Arc::new(NoNames),
        },
        mailer: None,
        bases: Bases {
            chat_a: "https://chat-a.example".to_owned(),
            incident_a: "https://incident-a.example".to_owned(),
            incident_a_eu: "https://eu.incident-a.example".to_owned(),
            incident_b: "https://incident-b.example".to_owned(),
        },
        signing: SigningKey::new(&[1; SealKey::LENGTH]),
        retry_policy: RetryPolicy {
            attempts_max: 12,
            age_max: seconds(86_400),
            first_wait: seconds(5),
            wait_max: seconds(1_800),
        },
        limits: Limits { in_flight_max: 4, failures_max: 5, rest: seconds(30), rest_max: seconds(600) },
        mails_an_hour_max: 1_000,
        in_flight_max: 32,
        lease: seconds(30),
    }
}

/// Knows no name.
#[derive(Debug)]
struct NoNames;

impl Resolver for NoNames {
    fn resolve<'a>(&'a self, _: &'a str, _: u16) -> Lookup<'a> {
        Box::pin(std::future::ready(Ok(Vec::new())))
    }
}

fn query_limits() -> QueryLimits {
    QueryLimits {
        max_body_bytes: BODY_MAX,
        time_max: HANGS,
        completion_time_max: HANGS,
        answer_bytes_max: 16 << 20,
        external_data: None,
    }
}

fn first_settings(folder: &std::path::Path) -> FirstStart {
    FirstStart {
        token_file: folder.join("first-token"),
        token: None,
        org_name: "Home".to_owned(),
        owner_email: "owner@example.com".to_owned(),
    }
}

impl TestApp {
    pub(crate) async fn start(backend: Backend) -> Self {
        let oauth = config::oauth::Oauth { is_embedded: true, ..config::oauth::Oauth::default() };
        Self::start_with(backend, oauth).await
    }

    /// Starts as a service that is reached under another address.
    pub(crate) async fn start_at(backend: Backend, public_url: &str) -> Self {
        let (oauth, proxies) = (config::oauth::Oauth::default(), TrustedProxies::default());
        Self::start_as(backend, oauth, public_url, proxies, OrganisationCreation::Any, |_| {}).await
    }

    /// Starts behind proxies whose word counts.
    pub(crate) async fn start_behind(backend: Backend, proxies: &str) -> Self {
        let oauth = config::oauth::Oauth { is_embedded: true, ..config::oauth::Oauth::default() };
        Self::start_as(
            backend,
            oauth,
            PUBLIC_URL,
            proxies.parse().unwrap(),
            OrganisationCreation::Any,
            |_| {},
        )
        .await
    }

    /// Starts with issuers of access tokens.
    pub(crate) async fn start_with(backend: Backend, oauth: config::oauth::Oauth) -> Self {
        Self::start_as(
            backend,
            oauth,
            PUBLIC_URL,
            TrustedProxies::default(),
            OrganisationCreation::Any,
            |_| {},
        )
        .await
    }

    /// Starts where organisations are made by the first one alone.
    pub(crate) async fn start_closed(backend: Backend) -> Self {
        let (oauth, proxies) = (config::oauth::Oauth::default(), TrustedProxies::default());
        Self::start_as(backend, oauth, PUBLIC_URL, proxies, OrganisationCreation::First, |_| {}).await
    }

    /// Starts with other sizes than those of the other tests.
    pub(crate) async fn start_sized(backend: Backend, change: fn(&mut Sizes)) -> Self {
        let (oauth, proxies) = (config::oauth::Oauth::default(), TrustedProxies::default());
        Self::start_as(backend, oauth, PUBLIC_URL, proxies, OrganisationCreation::Any, change).await
    }

    async fn start_as(
        backend: Backend,
        oauth: config::oauth::Oauth,
        public_url: &str,
        trusted_proxies: TrustedProxies,
        organisation_creation: OrganisationCreation,
        change: fn(&mut Sizes),
    ) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (location, catalog) = new_catalog(backend, folder.path()).await;
        let clock = Arc::new(ManualClock::at(Timestamp::parse(START).unwrap()));
        let app_chance: Arc<dyn Rng> = Arc::new(SeededRng::new(42));
        let first = first_settings(folder.path());
        let made = first_start::set_up(&catalog, &first, &*app_chance, clock.now()).await.unwrap().unwrap();
        let app_clock: Arc<dyn Clock> = Arc::clone(&clock) as _;
        let disk = Arc::new(TestDisk::default());
        let Sizes { http, ingest, query, store: kept } = Sizes::of(folder.path(), &disk, change);
        let store = Store::open(Arc::clone(&catalog), Arc::clone(&app_clock), Arc::clone(&app_chance), kept);
        let store = Arc::new(store.await.unwrap());
        let engine = Engine::new(Arc::clone(&store), engine_settings(folder.path().join("spill"))).unwrap();
        let parts = Parts {
            catalog,
            store,
            engine,
            background: Background::new().unwrap(),
            clock: app_clock,
            rng: app_chance,
            geoip: None,
            public_url: PublicUrl::parse(public_url).unwrap(),
            trusted_proxies,
            organisation_creation,
            elastic_version: "8.19.3".to_owned(),
            oauth,
            sending: sending(),
        };
        let app = App::new(parts, http, ingest, query);
        let owner = app.catalog.find_person_by_email("owner@example.com").await.unwrap().unwrap().id;
        let (other_org, other_owner, other_token) = other_org(&app).await;
        Self {
            backend,
            location,
            router: tidegauge_http::router(&app),
            org: made.org,
            owner,
            owner_token: made.secret.reveal().to_owned(),
            owner_link: made.link.secret.reveal().to_owned(),
            other_org,
            other_owner,
            other_token,
            app,
            clock,
            disk,
            folder,
        }
    }

    /// Sends a request with a JSON body, if there is one.
    pub(crate) async fn send(
        &self,
        method: &str,
        path: &str,
        token: Option<&str>,
        body: Option<&Value>,
    ) -> Answer {
        let mut headers = Vec::new();
        if let Some(token) = token {
            headers.push(("authorization".to_owned(), format!("Bearer {token}")));
        }
        if token == Some(&self.owner_token) {
            // The owner may have made further organisations in the course of a test.
            headers.push(("x-axiom-org-id".to_owned(), self.org.to_string()));
        }
        if body.is_some() {
            headers.push(("content-type".to_owned(), "application/json".to_owned()));
        }
        let body = body.map(Value::to_string).unwrap_or_default();
        self.send_raw(method, path, &headers, body.into_bytes()).await
    }

    /// The same with a body that is sent as it is, said to be JSON as most senders say of whatever they send.
    pub(crate) async fn send_text(
        &self,
        method: &str,
        path: &str,
        token: Option<&str>,
        text: &str,
    ) -> Answer {
        let mut headers = vec![("content-type".to_owned(), "application/json".to_owned())];
        headers.extend(token.map(|token| ("authorization".to_owned(), format!("Bearer {token}"))));
        if token == Some(&self.owner_token) {
            headers.push(("x-axiom-org-id".to_owned(), self.org.to_string()));
        }
        self.send_raw(method, path, &headers, text.as_bytes().to_vec()).await
    }

    pub(crate) async fn send_raw(
        &self,
        method: &str,
        path: &str,
        headers: &[(String, String)],
        body: Vec<u8>,
    ) -> Answer {
        Answer::read(self.respond(method, path, headers, body).await).await
    }

    /// An answer whose body has not been read yet.
    pub(crate) async fn respond(
        &self,
        method: &str,
        path: &str,
        headers: &[(String, String)],
        body: Vec<u8>,
    ) -> Response {
        let mut request = Request::builder().method(method).uri(path);
        for (name, value) in headers {
            request = request.header(name, value);
        }
        self.serve(request.body(Body::from(body)).unwrap()).await
    }

    /// Hands a request to the service, with the name of its host unless it has one.
    pub(crate) async fn serve(&self, mut request: Request<Body>) -> Response {
        if !request.headers().contains_key("host") {
            request.headers_mut().insert("host", "127.0.0.1:8080".parse().unwrap());
        }
        self.serve_as_is(request).await
    }

    /// Hands a request to the service as it is.
    pub(crate) async fn serve_as_is(&self, request: Request<Body>) -> Response {
        self.router.clone().oneshot(request).await.unwrap()
    }

    /// Where the service keeps all that it has.
    pub(crate) fn data(&self) -> &std::path::Path {
        self.folder.path()
    }

    /// Changes the organisation as the operator does.
    pub(crate) async fn operate(&self, edit: impl FnOnce(&mut Org)) {
        let change = Change {
            org: Some(self.org.clone()),
            actor: "operator".to_owned(),
            at: self.clock.now(),
            request_id: String::new(),
        };
        let edit = |org: &mut Org| {
            edit(org);
            Ok::<(), ()>(())
        };
        self.app.catalog.update_org(&self.org, "org.limits", &change, edit).await.unwrap().unwrap().unwrap();
    }

    /// An API token of the organisation with these capabilities.
    pub(crate) async fn api_token(
        &self,
        capabilities: Capabilities,
        expires_at: Option<Timestamp>,
    ) -> String {
        issue(&self.app, Some(self.org.clone()), &self.owner, capabilities, expires_at).await
    }

    /// An API token of the other organisation.
    pub(crate) async fn other_api_token(&self, capabilities: Capabilities) -> String {
        issue(&self.app, Some(self.other_org.clone()), &self.other_owner, capabilities, None).await
    }

    /// Sends a request with any body, as the owner.
    pub(crate) async fn send_bytes(&self, path: &str, headers: &[(&str, &str)], body: Vec<u8>) -> Answer {
        let mut all = vec![("authorization".to_owned(), format!("Bearer {}", self.owner_token))];
        all.extend(headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
        self.send_raw("POST", path, &all, body).await
    }

    /// Every stored event of a dataset, in the order of time.
    pub(crate) async fn rows(&self, dataset: &str) -> Vec<StoredRow> {
        let state = self.app.store.find(&self.org, dataset);
        let state = state.unwrap_or_else(|| panic!("there is no dataset {dataset}"));
        self.app.store.rows(&state).await.unwrap()
    }

    /// A personal token that ends.
    pub(crate) async fn personal_token_until(&self, person: &UserId, end: Timestamp) -> String {
        issue(&self.app, None, person, Capabilities::default(), Some(end)).await
    }

    /// A personal token of somebody in the catalogue.
    pub(crate) async fn personal_token(&self, person: &UserId) -> String {
        issue(&self.app, None, person, Capabilities::default(), None).await
    }

    /// Lets a membership of the organisation count, as its person does by a link.
    pub(crate) async fn accept(&self, person: &UserId) {
        let change = Change {
            org: Some(self.org.clone()),
            actor: "operator".to_owned(),
            at: self.clock.now(),
            request_id: String::new(),
        };
        self.app.catalog.accept_membership(&self.org, person, &change).await.unwrap();
    }

    /// A personal token of a new member with this role.
    pub(crate) async fn member_token(&self, role: Role) -> String {
        let person = Person {
            id: UserId::generate(self.clock.now(), &*self.app.rng),
            email: format!("{}@example.com", role.id()),
            name: role.label().to_owned(),
            created: self.clock.now(),
        };
        let change = Change {
            org: Some(self.org.clone()),
            actor: "test".to_owned(),
            at: self.clock.now(),
            request_id: String::new(),
        };
        let added = self.app.catalog.add_member(&self.org, &person, role, 1_000, &change).await.unwrap();
        let member = added.unwrap_or_else(|refusal| panic!("{refusal:?}"));
        self.accept(&member.person.id).await;
        issue(&self.app, None, &member.person.id, Capabilities::default(), None).await
    }
}

/// A catalogue in which nothing was done yet.
async fn new_catalog(backend: Backend, folder: &std::path::Path) -> (Location, Arc<Catalog>) {
    let location = match backend {
        Backend::Sqlite => {
            let path = folder.join("catalog.sqlite");
            sqlite_copy::put(&path, KEY_BYTE);
            Location::Sqlite(path)
        }
        Backend::Postgres => Location::Postgres(new_postgres_database()),
    };
    let key = SealKey::new(&[KEY_BYTE; SealKey::LENGTH]);
    let catalog = Catalog::open_waiting(&location, key, WAIT_MAX).await.unwrap();
    (location, Arc::new(catalog))
}

/// Another organisation with an owner of its own.
async fn other_org(app: &App) -> (OrgId, UserId, String) {
    let now = app.now();
    let owner = Person {
        id: UserId::generate(now, &*app.rng),
        email: "other@example.com".to_owned(),
        name: "Other".to_owned(),
        created: now,
    };
    let id = OrgId::generate(now, &*app.rng);
    let org = Org::self_hosted(id.clone(), "Elsewhere".to_owned(), owner.email.clone(), now);
    let change =
        Change { org: Some(id.clone()), actor: "test".to_owned(), at: now, request_id: String::new() };
    // A person enters the catalogue as a member, so the newcomer passes through the first organisation.
    let first = app.catalog.list_all_orgs().await.unwrap().remove(0).id;
    let added = app.catalog.add_member(&first, &owner, Role::None, 1_000, &change).await.unwrap();
    added.unwrap_or_else(|refusal| panic!("{refusal:?}"));
    app.catalog.insert_org(&org, &owner.id, &change).await.unwrap();
    app.catalog
        .remove_member(&first, &owner.id, Role::None, &change)
        .await
        .unwrap()
        .unwrap_or_else(|r| panic!("{r:?}"));
    let token = issue(app, None, &owner.id, Capabilities::default(), None).await;
    (id, owner.id, token)
}

async fn issue(
    app: &App,
    org: Option<OrgId>,
    person: &UserId,
    capabilities: Capabilities,
    expires_at: Option<Timestamp>,
) -> String {
    let kind = if org.is_some() { TokenKind::Api } else { TokenKind::Personal };
    let secret = TokenSecret::generate(kind, &*app.rng);
    let token = Token {
        id: TokenId::generate(app.now(), &*app.rng),
        person: person.clone(),
        name: "test".to_owned(),
        description: String::new(),
        capabilities,
        created: app.now(),
        expires_at,
        last_used_at: None,
        ends_with_membership: false,
        org,
    };
    let change =
        Change { org: token.org.clone(), actor: "test".to_owned(), at: app.now(), request_id: String::new() };
    app.catalog.insert_token(&token, &secret.digest(), &change).await.unwrap();
    secret.reveal().to_owned()
}
