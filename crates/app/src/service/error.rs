//! The error of a use case: a kind that says who must act, a message for the caller, and a cause for the log.

use tidegauge_auth::Refusal;
use tidegauge_model::{ErrorKind, Violation};

use super::quota_remaining::QuotaRemaining;

/// A use case that failed.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    pub kind: ErrorKind,
    pub message: String,
    /// More about the cause for the caller, where there is more to say.
    pub detail: Option<String>,
    /// What the caller can do about it.
    pub hint: Option<String>,
    /// The field at fault, where there is one.
    pub violation: Option<Violation>,
    /// What is left of a quota, where one is used up.
    pub quota_remaining: Option<QuotaRemaining>,
    /// When it is worth trying again, where that is known.
    pub retry_at: Option<tidegauge_model::Timestamp>,
    /// What is wrong with the text of a query, where it is that.
    pub text: Option<Box<TextProblems>>,
    /// Why a dashboard was not written, where it is that.
    pub dashboard: Option<Box<DashboardFault>>,
    #[source]
    pub source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

/// What is wrong with the text of a query.
#[derive(Clone, Debug)]
pub struct TextProblems {
    pub part: TextPart,
    /// At least one, in the order of the text.
    pub problems: Vec<TextProblem>,
}

/// What part of understanding a text failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextPart {
    /// Its words do not make a query.
    Syntax,
    /// A name in it stands for nothing.
    Names,
    /// It asks for what cannot be computed.
    Meaning,
}

/// One thing that is wrong with a text.
#[derive(Clone, Debug)]
pub struct TextProblem {
    pub message: String,
    /// The line and the column, both from 1, where it has a place.
    pub place: Option<(usize, usize)>,
    /// What to write instead.
    pub hint: Option<String>,
    /// The line with a mark below the place.
    pub picture: Option<String>,
}

/// Why a dashboard was not written, and what is there in its place, for clients that decide by it.
#[derive(Clone, Debug)]
pub struct DashboardFault {
    pub reason: DashboardReason,
    pub uid: Option<String>,
    pub current_version: Option<i64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DashboardReason {
    /// The document breaks a rule.
    Invalid,
    /// Another one has the uid.
    Exists,
    /// The caller did not say which version is to be changed.
    VersionMissing,
    /// It has another version than the caller has read.
    VersionMismatch,
}

impl DashboardReason {
    pub fn name(self) -> &'static str {
        match self {
            Self::Invalid => "invalid",
            Self::Exists => "exists",
            Self::VersionMissing => "version-missing",
            Self::VersionMismatch => "version-mismatch",
        }
    }
}

impl Error {
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            detail: None,
            hint: None,
            violation: None,
            quota_remaining: None,
            retry_at: None,
            text: None,
            dashboard: None,
            source: None,
        }
    }

    /// "notifier not found": the form that clients look for.
    pub fn not_found(what: &str) -> Self {
        Self::new(ErrorKind::NotFound, format!("{what} not found"))
    }

    /// The same error, of a field inside another one.
    #[must_use]
    pub fn within(mut self, parent: &str) -> Self {
        if let Some(violation) = &mut self.violation {
            violation.field = format!("{parent}.{}", violation.field);
            self.message = violation.to_string();
        }
        self
    }

    #[must_use]
    pub fn retry_at(self, time: tidegauge_model::Timestamp) -> Self {
        Self { retry_at: Some(time), ..self }
    }

    #[must_use]
    pub fn quota_remaining(self, quota_remaining: QuotaRemaining) -> Self {
        Self { quota_remaining: Some(quota_remaining), ..self }
    }

    #[must_use]
    pub fn detail(self, detail: impl Into<String>) -> Self {
        Self { detail: Some(detail.into()), ..self }
    }

    #[must_use]
    pub fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }
}

impl From<Violation> for Error {
    fn from(violation: Violation) -> Self {
        let message = violation.to_string();
        Self { violation: Some(violation), ..Self::new(ErrorKind::Invalid, message) }
    }
}

impl From<Refusal> for Error {
    fn from(refusal: Refusal) -> Self {
        Self::new(refusal.kind(), refusal.to_string())
    }
}

impl From<tidegauge_catalog::Error> for Error {
    fn from(error: tidegauge_catalog::Error) -> Self {
        // What went wrong inside is for the log; the caller can only try again or report it.
        let message = match error.kind() {
            ErrorKind::Internal | ErrorKind::Corrupt => "the request could not be completed".to_owned(),
            _ => error.to_string(),
        };
        let kind = error.kind();
        Self { source: Some(Box::new(error)), ..Self::new(kind, message) }
    }
}

impl From<tidegauge_store::Error> for Error {
    fn from(error: tidegauge_store::Error) -> Self {
        let message = match error.kind() {
            ErrorKind::Internal | ErrorKind::Corrupt => "the request could not be completed".to_owned(),
            _ => error.to_string(),
        };
        let kind = error.kind();
        Self { source: Some(Box::new(error)), ..Self::new(kind, message) }
    }
}
