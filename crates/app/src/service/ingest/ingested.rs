//! What became of the events of a request, as it is answered and as it is kept with a key.

use serde::{Deserialize, Serialize};

/// What became of a request with events. Also the form in which the answer to a key is kept.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Ingested {
    pub ingested: u64,
    pub failed: u64,
    pub failures: Vec<IngestFailure>,
    pub processed_bytes: u64,
}

/// An event that was not stored, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IngestFailure {
    pub timestamp: String,
    pub error: String,
}
