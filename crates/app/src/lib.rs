//! The service without its faces: the use cases (`service`), the jobs beside them (`jobs`), and what they put off for a
//! moment. Who is admitted is left to `admission`. Knows neither HTTP nor where its settings are written.

pub mod app;
pub mod audit_buffer;
pub mod audit_feed;
pub mod background;
pub mod endpoint_uses;
pub mod jobs;
pub mod secret_key;
pub mod service;

pub use app::App;
