//! The errors of the protocol, by the names that its standards give them.

use tidegauge_model::ErrorKind;

use crate::service;

/// What went wrong, in the protocol's words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorCode {
    InvalidRequest,
    InvalidClient,
    InvalidGrant,
    InvalidScope,
    InvalidTarget,
    InvalidRedirectUri,
    InvalidClientMetadata,
    InvalidDpopProof,
    UseDpopNonce,
    UnauthorizedClient,
    UnsupportedGrantType,
    UnsupportedResponseType,
    AccessDenied,
    LoginRequired,
    ConsentRequired,
    AuthorizationPending,
    SlowDown,
    ExpiredToken,
    /// More attempts than are allowed.
    TooMany,
    Unavailable,
    ServerError,
}

impl ErrorCode {
    pub fn name(self) -> &'static str {
        match self {
            Self::InvalidRequest => "invalid_request",
            Self::InvalidClient => "invalid_client",
            Self::InvalidGrant => "invalid_grant",
            Self::InvalidScope => "invalid_scope",
            Self::InvalidTarget => "invalid_target",
            Self::InvalidRedirectUri => "invalid_redirect_uri",
            Self::InvalidClientMetadata => "invalid_client_metadata",
            Self::InvalidDpopProof => "invalid_dpop_proof",
            Self::UseDpopNonce => "use_dpop_nonce",
            Self::UnauthorizedClient => "unauthorized_client",
            Self::UnsupportedGrantType => "unsupported_grant_type",
            Self::UnsupportedResponseType => "unsupported_response_type",
            Self::AccessDenied => "access_denied",
            Self::LoginRequired => "login_required",
            Self::ConsentRequired => "consent_required",
            Self::AuthorizationPending => "authorization_pending",
            Self::SlowDown => "slow_down",
            Self::ExpiredToken => "expired_token",
            Self::TooMany | Self::Unavailable => "temporarily_unavailable",
            Self::ServerError => "server_error",
        }
    }
}

/// An error on its way to a client.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{description}")]
pub struct OAuthError {
    pub code: ErrorCode,
    /// For developers, in printable ASCII without quotes, as the protocol demands.
    pub description: String,
    /// What the client is to put into its next proof (RFC 9449, 8).
    pub nonce: Option<String>,
}

impl OAuthError {
    pub fn new(code: ErrorCode, description: impl Into<String>) -> Self {
        let is_allowed = |letter: &char| matches!(letter, ' '..='!' | '#'..='[' | ']'..='~');
        let description: String = description.into();
        Self { code, description: description.chars().filter(is_allowed).collect(), nonce: None }
    }

    pub fn invalid_request(description: impl Into<String>) -> Self {
        Self::new(ErrorCode::InvalidRequest, description)
    }

    pub fn invalid_grant(description: impl Into<String>) -> Self {
        Self::new(ErrorCode::InvalidGrant, description)
    }

    pub fn invalid_client() -> Self {
        Self::new(ErrorCode::InvalidClient, "the client is not known, or its secret is wrong or missing")
    }
}

impl From<service::Error> for OAuthError {
    fn from(error: service::Error) -> Self {
        let cause = error.source.as_ref().map(|source| format!("{source:?}"));
        match error.kind {
            ErrorKind::Unavailable | ErrorKind::Busy | ErrorKind::TimedOut => {
                tracing::warn!(cause = cause.as_deref(), "{error}");
                Self::new(ErrorCode::Unavailable, "the service cannot answer right now: try again")
            }
            ErrorKind::LimitReached => Self::new(ErrorCode::TooMany, error.message),
            _ => {
                tracing::error!(cause = cause.as_deref(), "{error}");
                Self::new(ErrorCode::ServerError, "a fault of the service")
            }
        }
    }
}

impl From<tidegauge_catalog::Error> for OAuthError {
    fn from(error: tidegauge_catalog::Error) -> Self {
        service::Error::from(error).into()
    }
}
