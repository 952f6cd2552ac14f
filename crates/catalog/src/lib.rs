//! The catalogue: organisations, people, tokens, notifiers, starred queries and the audit trail, in SQLite or
//! PostgreSQL. This crate alone knows SQL. Each statement is written once for both databases; what differs is in
//! `db` and in the migrations. Every change writes its audit entry in the same transaction.

pub mod audit;
pub mod bearer;
mod db;
pub mod error;
pub mod first_start;
pub mod limits;
pub mod notifiers;
pub mod orgs;
pub mod people;
pub mod seal;
pub mod starred;
pub mod tokens;

pub use audit::{AuditEntry, Change, Outcome};
pub use db::{Catalog, Location};
pub use error::Error;
pub use seal::SealKey;

type Result<T> = std::result::Result<T, Error>;
