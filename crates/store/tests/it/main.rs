//! The store through its public face, on a real folder and a real catalogue.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking, which names the line")]

mod abandoned;
mod blocks;
mod damage;
mod deletion;
mod deletion_faults;
mod deletion_kill;
mod duckdb;
mod events;
mod extremes;
mod failed_sync;
mod failover;
mod faults;
mod fields;
mod formats;
mod house;
mod keys;
mod lease;
mod life;
mod lost_answers;
#[path = "../../../catalog/tests/shared/migrations.rs"]
mod migrations;
mod object_cache;
mod pages;
mod properties;
mod rebuild;
mod retention;
mod s3;
mod simulate;
#[path = "../../../catalog/tests/shared/sqlite_copy.rs"]
mod sqlite_copy;
mod synced;
mod through_blocks;
mod together;
mod troubles;
#[path = "../../../catalog/tests/shared/waiting.rs"]
mod waiting;
