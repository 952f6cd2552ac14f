//! The App: everything that a request needs, built once and handed to every handler and job. It holds no global
//! state, so two Apps can live in one process.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tidegauge_admission::cached::Source;
use tidegauge_admission::config;
use tidegauge_admission::config::{
    HttpLimits, IngestLimits, OrganisationCreation, PublicUrl, QueryLimits, TrustedProxies,
};
use tidegauge_admission::limits::{RateLimiter, SHARE_OF_UNHEARD, Shares, Turns, UNHEARD_MAX};
use tidegauge_admission::lockout::Addresses;
use tidegauge_admission::oauth::Oauth;
use tidegauge_admission::oauth::accounts::Accounts;
use tidegauge_admission::token_cache::TokenCache;
use tidegauge_auth::RoleTable;
use tidegauge_auth::oauth::ProofMemory;
use tidegauge_catalog::Catalog;
use tidegauge_engine::Engine;
use tidegauge_metrics::Metrics;
use tidegauge_model::{Clock, Rng, Timestamp};
use tidegauge_notify::worker::{Worker, WorkerOptions};
use tidegauge_store::Store;
use tokio::sync::Semaphore;
use tokio_util::task::TaskTracker;

use crate::audit_buffer::{LastUses, RefusalBuffer};
use crate::audit_feed::AuditFeed;
use crate::background::Background;
use crate::endpoint_uses::EndpointUses;
use crate::service::exports::ExportState;
use crate::service::ingest::IngestState;
use crate::service::oauth::EmbeddedServer;
use crate::service::oauth::keys::Keys;
use crate::service::passwords::PasswordState;
use crate::service::query::geoip::GeoIp;
use crate::service::query::state::QueryState;

/// The parts of a running service.
#[derive(Debug)]
pub struct App {
    pub catalog: Arc<Catalog>,
    pub store: Arc<Store>,
    pub ingest: IngestState,
    pub engine: Engine,
    /// Where events are read and kept.
    pub background: Background,
    pub queries: QueryState,
    /// Links to files that nobody has used yet.
    pub exports: ExportState,
    /// Sends what is in the outbox.
    pub notify: Arc<Worker>,
    pub clock: Arc<dyn Clock>,
    pub rng: Arc<dyn Rng>,
    pub http: HttpLimits,
    pub public_url: PublicUrl,
    /// Whose word on where a request comes from is believed.
    pub trusted_proxies: TrustedProxies,
    pub organisation_creation: OrganisationCreation,
    /// Which version clients of Elasticsearch are told.
    pub elastic_version: String,
    pub embedded: EmbeddedServer,
    pub oauth: Oauth,
    pub roles: RoleTable,
    pub token_cache: Arc<TokenCache>,
    pub rates: RateLimiter,
    pub passwords: PasswordState,
    /// From where passwords were tried in vain.
    pub addresses: Addresses,
    /// Refused calls that are not in the audit trail yet.
    pub refusals: RefusalBuffer,
    /// How far the audit trail is on its way into datasets.
    pub audit_feed: AuditFeed,
    /// Uses of tokens that are not in the catalogue yet.
    pub last_uses: LastUses,
    /// What came in by endpoints and is not in the catalogue yet.
    pub endpoint_uses: EndpointUses,
    /// One permit for each request that may be worked on at once.
    pub load: Arc<Semaphore>,
    pub shares: Shares,
    /// Requests that wait for a place, because nobody would hear that they are refused.
    pub turns: Turns,
    /// One permit for each such request that is kept at once, of all organisations together.
    pub unheard: Arc<Semaphore>,
    /// One permit for each of those that may have a place of `load` at the same time.
    pub unheard_load: Arc<Semaphore>,
    pub metrics: Metrics,
    /// Work that goes on when the request that began it is cancelled; waited for at shutdown.
    pub tasks: TaskTracker,
    draining: AtomicBool,
}

/// What has to be opened before there can be an App.
#[derive(Debug)]
pub struct Parts {
    pub catalog: Arc<Catalog>,
    pub store: Arc<Store>,
    pub engine: Engine,
    pub background: Background,
    pub clock: Arc<dyn Clock>,
    pub rng: Arc<dyn Rng>,
    /// Where addresses are, if there is a database of that.
    pub geoip: Option<Arc<GeoIp>>,
    pub public_url: PublicUrl,
    pub trusted_proxies: TrustedProxies,
    pub organisation_creation: OrganisationCreation,
    pub elastic_version: String,
    pub oauth: config::oauth::Oauth,
    /// How messages are sent to notifiers.
    pub sending: WorkerOptions,
}

impl App {
    pub fn new(parts: Parts, http: HttpLimits, ingest: IngestLimits, query: QueryLimits) -> Arc<Self> {
        let Parts {
            catalog,
            store,
            engine,
            background,
            clock,
            rng,
            geoip,
            public_url,
            trusted_proxies,
            organisation_creation,
            elastic_version,
            oauth,
            sending,
        } = parts;
        let worker = Worker::new(Arc::clone(&catalog), Arc::clone(&clock), Arc::clone(&rng), sending);
        let (tasks, keys) = (TaskTracker::new(), Keys::new(&catalog, &clock));
        let proofs = ProofMemory::new(&*rng).demanding_nonces(oauth.demands_nonces);
        let app = Arc::new(Self {
            store,
            ingest: IngestState::new(ingest),
            engine,
            background,
            queries: QueryState::new(query, geoip),
            exports: ExportState::default(),
            notify: Arc::new(worker),
            embedded: EmbeddedServer::new(&oauth, public_url.as_str(), keys, proofs.another()),
            oauth: Oauth::new(oauth, public_url.as_str(), &clock, proofs, &tasks),
            public_url,
            trusted_proxies,
            organisation_creation,
            elastic_version,
            catalog,
            clock,
            rng,
            load: Arc::new(Semaphore::new(http.max_requests_in_flight)),
            shares: Shares::default(),
            turns: Turns::default(),
            unheard: Arc::new(Semaphore::new(UNHEARD_MAX)),
            unheard_load: Arc::new(Semaphore::new((http.max_requests_in_flight / SHARE_OF_UNHEARD).max(1))),
            http,
            roles: RoleTable::default(),
            token_cache: Arc::default(),
            rates: RateLimiter::default(),
            passwords: PasswordState::default(),
            addresses: Addresses::default(),
            refusals: RefusalBuffer::default(),
            audit_feed: AuditFeed::default(),
            last_uses: LastUses::default(),
            endpoint_uses: EndpointUses::default(),
            metrics: Metrics::default(),
            tasks,
            draining: AtomicBool::new(false),
        });
        if app.embedded.is_on {
            app.oauth.set_local(app.embedded.issuer());
        }
        app
    }

    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// What is remembered is read from here.
    pub fn source(&self) -> Source<'_> {
        Source { catalog: &self.catalog, tasks: &self.tasks }
    }

    /// The accounts, for access tokens.
    pub fn accounts(&self) -> Accounts<'_> {
        Accounts {
            catalog: &self.catalog,
            token_cache: &self.token_cache,
            roles: &self.roles,
            rng: &*self.rng,
            public_url: &self.public_url,
            clock: &*self.clock,
        }
    }

    /// From now on `/readyz` says no, so that load balancers look elsewhere.
    pub fn begin_draining(&self) {
        self.draining.store(true, Ordering::SeqCst);
    }

    pub fn is_draining(&self) -> bool {
        self.draining.load(Ordering::SeqCst)
    }
}
