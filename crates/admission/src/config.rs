//! What the operator has decided, after all checks, as the use cases need it. Where it is written, in which order it counts
//! and what is refused is left to the binary.

pub mod oauth;
mod proxies;
mod public_url;

use std::path::PathBuf;
use std::time::Duration;

use tidegauge_auth::TokenSecret;

pub use proxies::TrustedProxies;
pub use public_url::{NotAnOrigin, PublicUrl};

/// What one request may cost.
#[derive(Clone, Debug)]
pub struct HttpLimits {
    pub request_timeout: Duration,
    pub max_body_bytes: usize,
    pub max_requests_in_flight: usize,
}

/// What requests with events may cost.
#[derive(Clone, Debug)]
pub struct IngestLimits {
    pub max_body_bytes: u64,
    pub max_uncompressed_bytes: u64,
    pub max_event_bytes: usize,
    /// For all requests that are being read at once.
    pub memory_bytes: usize,
}

/// What one query may cost.
#[derive(Clone, Debug)]
pub struct QueryLimits {
    pub max_body_bytes: usize,
    pub time_max: Duration,
    /// For how long values are looked up that somebody could write next. Nobody waits for those as for an answer.
    pub completion_time_max: Duration,
    /// About how much the rows of an answer may have.
    pub answer_bytes_max: usize,
    /// From where queries may read files; none is from nowhere.
    pub external_data: Option<ExternalData>,
}

/// From where queries may read files on the web.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExternalData {
    /// In lower case; one that begins with `*.` stands for all below it. None stands for all hosts.
    pub hosts: Vec<String>,
    pub allows_plain_http: bool,
}

/// What the first start makes.
#[derive(Clone, Debug)]
pub struct FirstStart {
    pub token_file: PathBuf,
    pub token: Option<TokenSecret>,
    pub org_name: String,
    pub owner_email: String,
}

/// Whose owners and admins may make further organisations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OrganisationCreation {
    /// Those of every organisation.
    Any,
    /// Those of the one that the first start made.
    First,
}
