//! The App: everything that a request needs, built once and handed to every handler and job. It holds no global
//! state, so two Apps can live in one process.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tidegauge_auth::RoleTable;
use tidegauge_auth::oauth::ProofMemory;
use tidegauge_catalog::Catalog;
use tidegauge_engine::Engine;
use tidegauge_model::{Chance, Clock, Timestamp};
use tidegauge_notify::worker::{Manner, Worker};
use tidegauge_store::Store;
use tokio::sync::Semaphore;
use tokio_util::task::TaskTracker;

use crate::background::Background;
use crate::bearers::Bearers;
use crate::collected::{LastUses, RefusalLog};
use crate::config;
use crate::config::{HttpLimits, IngestLimits, OrganisationCreation, PublicUrl, QueryLimits, TrustedProxies};
use crate::endpoint_uses::EndpointUses;
use crate::limits::{RateLimiter, Shares};
use crate::metrics::Metrics;
use crate::oauth::Oauth;
use crate::oauth::accounts::Accounts;
use crate::remembered::Source;
use crate::service::exports::ExportDesk;
use crate::service::ingest::IngestDesk;
use crate::service::oauth::EmbeddedServer;
use crate::service::oauth::keys::Keys;
use crate::service::passwords::PasswordDesk;
use crate::service::query::desk::QueryDesk;
use crate::service::query::places::Atlas;
use crate::service::sign_in::lockout::Addresses;

/// The parts of a running service.
#[derive(Debug)]
pub struct App {
    pub catalog: Arc<Catalog>,
    pub store: Arc<Store>,
    pub ingest: IngestDesk,
    pub engine: Engine,
    /// Where events are read and kept.
    pub background: Background,
    pub queries: QueryDesk,
    /// Links to files that nobody has used yet.
    pub exports: ExportDesk,
    /// Sends what is in the outbox.
    pub notify: Arc<Worker>,
    pub clock: Arc<dyn Clock>,
    pub chance: Arc<dyn Chance>,
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
    pub bearers: Arc<Bearers>,
    pub rates: RateLimiter,
    pub passwords: PasswordDesk,
    /// From where passwords were tried in vain.
    pub addresses: Addresses,
    /// Refused calls that are not in the audit trail yet.
    pub refusals: RefusalLog,
    /// Uses of tokens that are not in the catalogue yet.
    pub last_uses: LastUses,
    /// What came in by endpoints and is not in the catalogue yet.
    pub endpoint_uses: EndpointUses,
    /// One permit for each request that may be worked on at once.
    pub load: Arc<Semaphore>,
    pub shares: Shares,
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
    pub chance: Arc<dyn Chance>,
    /// Where addresses are, if there is a database of that.
    pub atlas: Option<Arc<Atlas>>,
    pub public_url: PublicUrl,
    pub trusted_proxies: TrustedProxies,
    pub organisation_creation: OrganisationCreation,
    pub elastic_version: String,
    pub oauth: config::oauth::Oauth,
    /// How messages are sent to notifiers.
    pub sending: Manner,
}

impl App {
    pub fn new(parts: Parts, http: HttpLimits, ingest: IngestLimits, query: QueryLimits) -> Arc<Self> {
        let Parts {
            catalog,
            store,
            engine,
            background,
            clock,
            chance,
            atlas,
            public_url,
            trusted_proxies,
            organisation_creation,
            elastic_version,
            oauth,
            sending,
        } = parts;
        let worker = Worker::new(Arc::clone(&catalog), Arc::clone(&clock), Arc::clone(&chance), sending);
        let (tasks, keys) = (TaskTracker::new(), Keys::new(&catalog, &clock));
        let proofs = ProofMemory::new(&*chance).demanding_nonces(oauth.demands_nonces);
        let app = Arc::new(Self {
            store,
            ingest: IngestDesk::new(ingest),
            engine,
            background,
            queries: QueryDesk::new(query, atlas),
            exports: ExportDesk::default(),
            notify: Arc::new(worker),
            embedded: EmbeddedServer::new(&oauth, public_url.as_str(), keys, proofs.another()),
            oauth: Oauth::new(oauth, public_url.as_str(), &clock, proofs, &tasks),
            public_url,
            trusted_proxies,
            organisation_creation,
            elastic_version,
            catalog,
            clock,
            chance,
            load: Arc::new(Semaphore::new(http.max_requests_in_flight)),
            shares: Shares::default(),
            http,
            roles: RoleTable::default(),
            bearers: Arc::default(),
            rates: RateLimiter::default(),
            passwords: PasswordDesk::default(),
            addresses: Addresses::default(),
            refusals: RefusalLog::default(),
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
            bearers: &self.bearers,
            roles: &self.roles,
            chance: &*self.chance,
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
