//! Messages from the outbox to their receivers: what is written, what is sent, and what becomes of receivers that
//! misbehave.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking, which names the line")]

mod channels;
mod delivery;
mod documented;
mod mail_rates;
mod mails;
#[path = "../../../catalog/tests/shared/migrations.rs"]
mod migrations;
mod receiver;
mod samples;
#[path = "../../../catalog/tests/shared/sqlite_copy.rs"]
mod sqlite_copy;
mod templates;
mod trouble;
#[path = "../../../catalog/tests/shared/waiting.rs"]
mod waiting;
