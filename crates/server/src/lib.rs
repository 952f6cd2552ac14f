//! The service: HTTP, the use cases behind it, background jobs, configuration and the command line. A request goes
//! `http` (read it, who, may they) to `service` (decide) to `catalog` (store), and back.

pub mod app;
pub mod background;
pub mod bearers;
pub mod cli;
pub mod collected;
pub mod config;
pub mod http;
pub mod jobs;
pub mod limits;
pub mod metrics;
pub mod oauth;
pub mod remembered;
pub mod secret_key;
pub mod service;
pub mod telemetry;

pub use app::App;
pub use config::Config;
