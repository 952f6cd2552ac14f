//! The commands that are clients of a server, one file each; how they reach it (`server`), what they print (`output`) and
//! how they fail (`failure`).

pub mod bench;
pub mod confirm;
pub mod dataset;
pub mod failure;
pub mod ingest;
pub mod login;
pub mod logout;
pub mod monitor;
pub mod notifier;
pub mod output;
pub mod query;
pub mod server;
pub mod whoami;
