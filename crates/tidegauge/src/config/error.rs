//! What is wrong with a setting, in words that name it.

use std::time::Duration;

/// A setting that cannot be used: which one, and what to write instead.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("setting {key}: {problem}")]
    Setting { key: &'static str, problem: String },
    #[error("{place}: {problem}")]
    Layer { place: String, problem: String },
}

pub(super) fn setting(key: &'static str, problem: impl Into<String>) -> Error {
    Error::Setting { key, problem: problem.into() }
}

pub(super) fn seconds(key: &'static str, value: u64) -> Result<Duration, Error> {
    if value == 0 {
        return Err(setting(key, "must be at least 1"));
    }
    Ok(Duration::from_secs(value))
}
