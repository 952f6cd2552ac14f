//! The service without its faces: the use cases (`service`), the jobs beside them (`jobs`), who a token belongs to
//! (`token_cache`, `oauth`), limits and what is counted. Knows neither HTTP nor where its settings are written.

pub mod app;
pub mod audit_buffer;
pub mod audit_feed;
pub mod background;
pub mod cached;
pub mod config;
pub mod endpoint_uses;
pub mod jobs;
pub mod limits;
pub mod metrics;
pub mod oauth;
pub mod secret_key;
pub mod service;
pub mod token_cache;

pub use app::App;
