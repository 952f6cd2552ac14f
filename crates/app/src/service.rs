//! The use cases: one function for each, from a caller and an input to an output or an error. They know what is
//! allowed and in which order things happen; they do not know HTTP or SQL.

pub mod account;
pub mod alerting;
pub mod annotations;
pub mod answers;
pub mod audit;
pub mod caller;
pub mod capabilities;
pub mod dashboards;
pub mod datasets;
pub mod delegation;
pub mod deliveries;
pub mod documents;
pub mod endpoints;
pub mod error;
pub mod exports;
pub mod first_start;
pub mod groups;
pub mod ingest;
pub mod invite_links;
pub mod known_reads;
pub mod link_issuers;
mod monitored_views;
pub mod monitors;
pub mod notifiers;
pub mod oauth;
pub mod orgs;
pub mod passwords;
pub mod preferences;
pub mod query;
pub mod query_options;
pub mod query_text;
pub mod quota_remaining;
pub mod roles;
mod run_ids;
pub mod sessions;
pub mod sign_in;
pub mod standing;
pub mod starred;
pub mod text;
pub mod token_uses;
pub mod tokens;
pub mod usage;
pub mod users;
mod view_reads;
pub mod views;
pub mod virtual_fields;

pub use caller::Caller;
pub use error::Error;

pub(crate) type Result<T> = std::result::Result<T, Error>;
