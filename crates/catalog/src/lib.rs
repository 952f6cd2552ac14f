//! The catalogue: organisations, people with their roles and groups, tokens, endpoints, notifiers, monitors, annotations,
//! starred and kept queries, views, dashboards, the audit trail, datasets with their columns, virtual fields and
//! segments, and the nodes that share them, in SQLite or PostgreSQL. This crate alone knows SQL. Each statement is
//! written once for both databases; what differs is in `db` and in the migrations. Every change writes its audit entry
//! in the same transaction.

pub mod annotations;
pub mod audit;
pub mod bearer;
pub mod columns;
mod commits;
pub mod context;
mod counts;
pub mod dashboards;
mod dataset_notes;
pub mod datasets;
mod db;
mod deleted_datasets;
mod deletion;
pub mod endpoints;
pub mod error;
pub mod event_feed;
pub mod first_start;
pub mod frozen_answers;
pub mod groups;
pub mod identities;
pub mod ingest_keys;
pub mod invite_links;
mod lake;
pub mod lease;
pub mod limits;
pub mod link_issuers;
pub mod membership;
pub mod monitor_checks;
pub mod monitor_epochs;
pub mod monitor_reads;
pub mod monitor_runs;
pub mod monitor_states;
pub mod monitors;
pub mod nodes;
pub mod notifiers;
pub mod oauth;
pub mod orgs;
pub mod outbox;
pub mod passwords;
mod preferences;
pub mod query_history;
pub mod recovery;
pub mod role_grants;
pub mod roles;
pub mod seal;
pub mod segments;
pub mod sessions;
pub mod sign_ins;
mod snapshot;
pub mod starred;
pub mod token_uses;
pub mod tokens;
pub mod usage;
pub mod users;
pub mod views;
pub mod virtual_fields;
mod wipe;

pub use audit::{AuditEntry, Change, Outcome};
pub use db::{Catalog, Location};
pub use error::Error;
pub use seal::SealKey;

type Result<T> = std::result::Result<T, Error>;
