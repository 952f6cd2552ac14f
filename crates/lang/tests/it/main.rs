//! Tests of the language, through the public face of the crate.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod checklist;
mod complete;
mod errors;
mod events;
mod expressions;
mod filters;
mod format;
mod functions;
mod groups;
mod limits;
mod properties;
mod queries;
mod query_errors;
mod query_limits;
mod query_properties;
mod reference;
mod support;
mod times;
