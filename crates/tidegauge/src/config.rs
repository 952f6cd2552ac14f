//! Configuration: flags over environment over one TOML file over the built-in reference. `layers` puts them
//! together into raw settings; here they are checked and become the `Config` that the rest of the service sees.

pub mod arguments;
mod error;
mod hidden;
pub mod layers;
mod listeners;
pub mod needed;
pub mod notify;
pub mod oauth;
mod query;
pub mod reference;
mod settings;
mod storage;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use tidegauge_admission::config::oauth::Oauth;
use tidegauge_admission::config::{
    FirstStart, HttpLimits, IngestLimits, OrganisationCreation, PublicUrl, QueryLimits, TrustedProxies,
};
use tidegauge_auth::{TokenKind, TokenSecret};
use tidegauge_catalog::Location;
use tidegauge_connections::ConnectionLimits;
use tidegauge_engine::EngineSettings;
use tidegauge_http::serve::{Serving, TlsFiles};
use tidegauge_listeners::settings::ListenerSettings;
use tidegauge_model::address::check_account_email;
use tidegauge_store::StoreSettings;

use error::{seconds, setting};
use hidden::Hidden;
use settings::{ServerSettings, StorageSettings};

pub use error::Error;
pub use settings::Settings;

/// The settings after all checks.
#[derive(Clone, Debug)]
pub struct Config {
    pub listen: SocketAddr,
    /// A port for OTLP over gRPC alone.
    pub otlp_grpc_listen: Option<SocketAddr>,
    /// Where the service is to be found, if that was said; else it is where it listens.
    pub public_url: Option<PublicUrl>,
    pub trusted_proxies: TrustedProxies,
    pub oauth: Oauth,
    pub notify: notify::Notify,
    pub serving: Serving,
    pub listeners: ListenerSettings,
    pub http: HttpLimits,
    pub data: PathBuf,
    pub catalog: Location,
    pub store: StoreSettings,
    pub ingest: IngestLimits,
    /// Which version clients of Elasticsearch are told.
    pub elastic_version: String,
    pub engine: EngineSettings,
    pub query: QueryLimits,
    /// The database file of the places of addresses.
    pub geo_database: Option<PathBuf>,
    pub secret_key_file: PathBuf,
    pub first_start: FirstStart,
    pub organisation_creation: OrganisationCreation,
    pub log: Log,
}

#[derive(Clone, Debug)]
pub struct Log {
    pub level: String,
    pub format: LogFormat,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogFormat {
    Text,
    Json,
}

impl TryFrom<Settings> for Config {
    type Error = Error;

    fn try_from(settings: Settings) -> Result<Self, Error> {
        let Settings { server, storage, ingest, listeners, query, security, oauth, notify, log } = settings;
        let in_data = |path: &PathBuf, name: &str| {
            if path.as_os_str().is_empty() { storage.data.join(name) } else { path.clone() }
        };
        let tls = tls_files(&server)?;
        Ok(Self {
            otlp_grpc_listen: listeners::address("otlp_grpc_listen", &listeners.otlp_grpc_listen)?,
            listeners: listeners::checked(listeners, tls.as_ref())?,
            listen: server.listen.parse().map_err(|_| {
                setting("listen", format!("{:?} is not an address such as 127.0.0.1:8080", server.listen))
            })?,
            public_url: public_url(&server)?,
            trusted_proxies: trusted_proxies(&server)?,
            oauth: oauth::checked(oauth)?,
            notify: notify::checked(notify)?,
            serving: Serving {
                tls,
                connections: ConnectionLimits {
                    max: server.max_connections.max(1),
                    header_timeout: seconds("header_timeout_seconds", server.header_timeout_seconds)?,
                    write_timeout: seconds("write_timeout_seconds", server.write_timeout_seconds)?,
                },
                shutdown_grace: Duration::from_secs(server.shutdown_grace_seconds),
            },
            http: HttpLimits {
                request_timeout: seconds("request_timeout_seconds", server.request_timeout_seconds)?,
                max_body_bytes: server.max_body_bytes,
                max_requests_in_flight: server.max_requests_in_flight.max(1),
            },
            catalog: location(&storage)?,
            store: storage::store_settings(&storage)?,
            ingest: storage::ingest_limits(&ingest)?,
            elastic_version: storage::elastic_version(ingest.elastic_version)?,
            engine: query::engine_settings(&query, &storage.data)?,
            query: query::query_limits(&query)?,
            geo_database: Some(query.geo_database).filter(|path| !path.as_os_str().is_empty()),
            secret_key_file: in_data(&security.secret_key_file, "secret.key"),
            first_start: FirstStart {
                token_file: in_data(&security.first_token_file, "first-token"),
                token: first_token(&security.first_token.0)?,
                org_name: security.first_org_name,
                owner_email: owner_email(security.first_owner_email)?,
            },
            organisation_creation: organisation_creation(&security.organisation_creation)?,
            log: Log { format: log_format(&log.log_format)?, level: log.log_level },
            data: storage.data,
        })
    }
}

impl Config {
    /// Where the service is to be found when it listens on this address.
    pub fn public_url_at(&self, address: SocketAddr) -> PublicUrl {
        self.public_url.clone().unwrap_or_else(|| PublicUrl::of_listener(address, self.serving.tls.is_some()))
    }
}

fn public_url(server: &ServerSettings) -> Result<Option<PublicUrl>, Error> {
    const KEY: &str = "public_url";
    if server.public_url.is_empty() {
        return Ok(None);
    }
    let parsed = PublicUrl::parse(&server.public_url).map_err(|error| setting(KEY, error.to_string()))?;
    if !server.tls_cert.is_empty() && !parsed.is_https() {
        return Err(setting(KEY, "must begin with https:// when tls_cert is set"));
    }
    Ok(Some(parsed))
}

fn trusted_proxies(server: &ServerSettings) -> Result<TrustedProxies, Error> {
    server.trusted_proxies.parse().map_err(|error| setting("trusted_proxies", format!("{error}")))
}

fn tls_files(server: &ServerSettings) -> Result<Option<TlsFiles>, Error> {
    match (server.tls_cert.as_str(), server.tls_key.as_str()) {
        ("", "") => Ok(None),
        (_, "") => Err(setting("tls_key", "must be set too when tls_cert is")),
        ("", _) => Err(setting("tls_cert", "must be set too when tls_key is")),
        (cert, key) => Ok(Some(TlsFiles { cert: cert.into(), key: key.into() })),
    }
}

fn location(storage: &StorageSettings) -> Result<Location, Error> {
    let Hidden(address) = &storage.catalog;
    if address.is_empty() {
        Ok(Location::Sqlite(storage.data.join("catalog.sqlite")))
    } else if address.starts_with("postgres://") || address.starts_with("postgresql://") {
        Ok(Location::Postgres(address.clone()))
    } else {
        // The value may hold a password, so it is not repeated.
        Err(setting("catalog", "must be empty or begin with postgres://"))
    }
}

fn first_token(text: &str) -> Result<Option<TokenSecret>, Error> {
    if text.is_empty() {
        return Ok(None);
    }
    match TokenSecret::parse(text) {
        Some(secret) if secret.kind() == TokenKind::Personal => Ok(Some(secret)),
        _ => Err(setting("first_token", "must have the form xapt-<uuid>, in lower case")),
    }
}

fn owner_email(email: String) -> Result<String, Error> {
    match check_account_email("first_owner_email", &email) {
        Ok(()) => Ok(email),
        Err(violation) => Err(setting("first_owner_email", violation.problem)),
    }
}

fn organisation_creation(text: &str) -> Result<OrganisationCreation, Error> {
    match text {
        "any" => Ok(OrganisationCreation::Any),
        "first" => Ok(OrganisationCreation::First),
        other => Err(setting("organisation_creation", format!("{other:?} is neither any nor first"))),
    }
}

fn log_format(text: &str) -> Result<LogFormat, Error> {
    match text {
        "text" => Ok(LogFormat::Text),
        "json" => Ok(LogFormat::Json),
        other => Err(setting("log_format", format!("{other:?} is neither text nor json"))),
    }
}

#[cfg(test)]
mod tests;
