//! What a protocol answers, as plain data, and what may be in the way. The statuses that most protocols share are
//! here; those that a sender would take for something else are in the protocol's own file.

use tidegauge_ingest::{Events, InvalidJson, Overflow, UndecodableBody};
use tidegauge_model::ErrorKind;

use crate::json_text::JsonText;

/// After how many seconds a sender may try again. Some have ten seconds for everything, and give up at a longer one.
pub const RETRY_AFTER_SECONDS: u32 = 1;

pub(crate) const JSON: &str = "application/json";
pub(crate) const TEXT: &str = "text/plain; charset=utf-8";
pub(crate) const PROTOBUF: &str = "application/x-protobuf";

/// An answer over HTTP.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    pub status: u16,
    /// Absent where there is no body.
    pub content_type: Option<&'static str>,
    pub headers: Vec<(&'static str, String)>,
    pub body: Vec<u8>,
}

impl Answer {
    pub fn new(status: u16, content_type: &'static str, body: impl Into<Vec<u8>>) -> Self {
        Self { status, content_type: Some(content_type), headers: Vec::new(), body: body.into() }
    }

    pub fn empty(status: u16) -> Self {
        Self { status, content_type: None, headers: Vec::new(), body: Vec::new() }
    }

    pub(crate) fn json(status: u16, body: impl Into<Vec<u8>>) -> Self {
        Self::new(status, JSON, body)
    }

    pub(crate) fn header(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    /// Says when to come back, if the status asks for it.
    pub(crate) fn with_retry_after(self) -> Self {
        if matches!(self.status, 429 | 503) {
            return self.header("retry-after", RETRY_AFTER_SECONDS.to_string());
        }
        self
    }
}

/// What is wrong with what a request proves its sender by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenFault {
    /// There is none.
    Missing,
    /// Its header has a form that is not read here.
    Header,
    /// It has not the form of a token.
    Malformed,
    Unknown,
    Expired,
}

/// Why a request is not taken: found while it was read, or by whoever was to store its events.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Problem {
    pub kind: ErrorKind,
    /// For who sends: what is wrong and what to do.
    pub message: String,
    /// Which event of the request, from 0.
    pub item: Option<u64>,
    /// What is wrong with the token of who sends, where that is known.
    pub fault: Option<TokenFault>,
}

impl Problem {
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), item: None, fault: None }
    }

    /// Nobody knows who sends.
    pub fn unauthenticated(fault: Option<TokenFault>, message: impl Into<String>) -> Self {
        Self { fault, ..Self::new(ErrorKind::Unauthenticated, message) }
    }

    pub fn malformed(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Malformed, message)
    }

    pub fn too_large(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::TooLarge, message)
    }

    pub(crate) fn of_item(self, item: u64) -> Self {
        Self { item: Some(item), ..self }
    }
}

impl From<Overflow> for Problem {
    fn from(overflow: Overflow) -> Self {
        let kind = match overflow {
            Overflow::TooLarge => ErrorKind::TooLarge,
            Overflow::NoRoom => ErrorKind::Unavailable,
        };
        Self::new(kind, overflow.to_string())
    }
}

impl From<InvalidJson> for Problem {
    fn from(invalid: InvalidJson) -> Self {
        Self::malformed(invalid.to_string())
    }
}

impl From<UndecodableBody> for Problem {
    fn from(body: UndecodableBody) -> Self {
        let kind = match body {
            UndecodableBody::TooLarge { .. } | UndecodableBody::TooDense { .. } => ErrorKind::TooLarge,
            UndecodableBody::Corrupt { .. } | UndecodableBody::Truncated { .. } => ErrorKind::Malformed,
        };
        Self::new(kind, body.to_string())
    }
}

/// Refuses a request of which an event failed, for protocols that cannot say which part of it was taken.
pub(crate) fn all_or_nothing(events: &Events<'_>) -> Result<(), Problem> {
    match events.failures().first() {
        Some(failure) => Err(Problem::malformed(failure.error.clone()).of_item(failure.index)),
        None => Ok(()),
    }
}

/// The status that most protocols have for a problem: what the sender can mend is below 500 and final, what passes by
/// itself is 429 or 503 and tried again.
pub(crate) fn status_of(kind: ErrorKind) -> u16 {
    match kind {
        ErrorKind::Malformed | ErrorKind::Invalid => 400,
        ErrorKind::Unauthenticated => 401,
        ErrorKind::PaymentRequired
        | ErrorKind::Forbidden
        | ErrorKind::LimitReached
        | ErrorKind::QuotaUsedUp => 403,
        ErrorKind::NotFound => 404,
        ErrorKind::Conflict | ErrorKind::Outdated => 409,
        ErrorKind::TooLarge => 413,
        ErrorKind::UnsupportedMedia => 415,
        ErrorKind::Busy => 429,
        ErrorKind::Unavailable | ErrorKind::StorageFull | ErrorKind::TimedOut | ErrorKind::OutOfMemory => 503,
        ErrorKind::Corrupt | ErrorKind::Internal => 500,
    }
}

/// Plain text, as Loki and Prometheus have it.
pub(crate) fn plain(status: u16, message: &str) -> Answer {
    Answer::new(status, TEXT, format!("{message}\n")).with_retry_after()
}

/// An object whose `error` says why, as CloudEvents and Honeycomb have it.
pub(crate) fn json_error(problem: &Problem) -> Answer {
    let mut text = JsonText::default();
    text.open('{');
    text.name("error");
    text.string(&problem.message);
    text.close('}');
    Answer::json(status_of(problem.kind), text.into_bytes()).with_retry_after()
}
