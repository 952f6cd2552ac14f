//! The settings as they are written, section by section. Checking them is left to `config` and the files beside this one.

use std::path::PathBuf;

use serde::Deserialize;

use super::hidden::Hidden;
use super::listeners::ListenersSettings;
use super::notify::NotifySettings;
use super::oauth::OauthSettings;

/// The settings as they are written, all present because the reference holds every one.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    pub server: ServerSettings,
    pub storage: StorageSettings,
    pub ingest: IngestSettings,
    pub listeners: ListenersSettings,
    pub query: QuerySettings,
    pub security: SecuritySettings,
    pub oauth: OauthSettings,
    pub notify: NotifySettings,
    pub log: LogSettings,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ServerSettings {
    pub listen: String,
    pub public_url: String,
    pub trusted_proxies: String,
    pub tls_cert: String,
    pub tls_key: String,
    pub request_timeout_seconds: u64,
    pub header_timeout_seconds: u64,
    pub shutdown_grace_seconds: u64,
    pub max_body_bytes: usize,
    pub max_requests_in_flight: usize,
    pub max_connections: usize,
    pub write_timeout_seconds: u64,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StorageSettings {
    pub data: PathBuf,
    pub catalog: Hidden,
    pub objects: String,
    pub objects_endpoint: String,
    pub objects_region: String,
    pub objects_cache_bytes: u64,
    pub buffer_bytes: usize,
    pub flush_bytes: usize,
    pub flush_rows: usize,
    pub flush_age_seconds: u64,
    pub segment_grace_seconds: u64,
    pub lease_seconds: u64,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IngestSettings {
    pub max_ingest_body_bytes: u64,
    pub max_ingest_uncompressed_bytes: u64,
    pub max_event_bytes: usize,
    pub ingest_memory_bytes: usize,
    pub elastic_version: String,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QuerySettings {
    pub query_threads: usize,
    pub query_memory_bytes: usize,
    pub max_query_memory_bytes: usize,
    pub query_spill_bytes: u64,
    pub query_cache_bytes: usize,
    pub query_partials_bytes: usize,
    pub query_partials_disk_bytes: u64,
    pub query_timeout_seconds: u64,
    pub max_queries_running: usize,
    pub max_queries_waiting: usize,
    pub max_query_body_bytes: usize,
    pub max_answer_bytes: usize,
    pub external_data: bool,
    pub external_data_hosts: String,
    pub external_data_plain_http: bool,
    pub geo_database: PathBuf,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SecuritySettings {
    pub secret_key_file: PathBuf,
    pub first_token_file: PathBuf,
    pub first_token: Hidden,
    pub first_org_name: String,
    pub first_owner_email: String,
    pub organisation_creation: String,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LogSettings {
    pub log_level: String,
    pub log_format: String,
}
