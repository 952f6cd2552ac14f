//! The binary: settings, the commands on this machine, and how the parts of the service are put together. What a request
//! does is in `tidegauge_http` and `tidegauge_app`; the commands that talk to a server are in `tidegauge_cli`.

pub mod commands;
pub mod config;
pub mod telemetry;
