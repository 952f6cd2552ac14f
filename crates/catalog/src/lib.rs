//! The catalogue: organisations, people with their roles and groups, tokens, endpoints, notifiers, monitors, annotations,
//! starred and kept queries, views, dashboards, the audit trail, and datasets with their columns, virtual fields and
//! segments, in SQLite or PostgreSQL. This crate alone knows SQL. Each statement is written once for both databases; what
//! differs is in `db` and in the migrations. Every change writes its audit entry in the same transaction.

pub mod annotations;
pub mod audit;
pub mod bearer;
pub mod columns;
mod commits;
mod counts;
pub mod dashboards;
mod dataset_notes;
mod dataset_patch;
pub mod datasets;
mod db;
mod deletion;
pub mod endpoints;
pub mod error;
pub mod first_start;
pub mod frozen_answers;
pub mod granted;
pub mod groups;
pub mod identities;
pub mod ingest_keys;
mod lake;
pub mod lease;
pub mod limits;
pub mod link_issuers;
pub mod links;
pub mod membership;
pub mod monitor_checks;
pub mod monitor_runs;
pub mod monitors;
pub mod notifiers;
pub mod oauth;
pub mod orgs;
pub mod outbox;
pub mod passwords;
pub mod people;
mod preferences;
pub mod query_history;
pub mod recovery;
pub mod roles;
pub mod seal;
pub mod segments;
pub mod sessions;
pub mod sign_ins;
pub mod starred;
pub mod surroundings;
pub mod tokens;
mod usage;
pub mod views;
pub mod virtual_fields;
mod wipe;

pub use audit::{AuditEntry, Change, Outcome};
pub use db::{Catalog, Location};
pub use error::Error;
pub use seal::SealKey;

type Result<T> = std::result::Result<T, Error>;
