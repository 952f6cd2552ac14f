//! The service without its faces: the use cases (`service`), the jobs beside them (`jobs`), who a token belongs to
//! (`bearers`, `oauth`), limits and what is counted. Knows neither HTTP nor where its settings are written.

pub mod app;
pub mod background;
pub mod bearers;
pub mod collected;
pub mod config;
pub mod jobs;
pub mod limits;
pub mod metrics;
pub mod oauth;
pub mod remembered;
pub mod secret_key;
pub mod service;

pub use app::App;
