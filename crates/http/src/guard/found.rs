//! What the guard looks at of a request, and whom it finds by it.

use std::sync::Arc;

use axum::extract::Request;
use axum::http::{HeaderMap, Method, Uri};
use tidegauge_auth::oauth::Scopes;
use tidegauge_catalog::bearer::Bearer;
use tidegauge_model::{Role, Timestamp};

/// What the guard looks at of a request.
#[derive(Clone, Copy)]
pub(super) struct Head<'a> {
    pub(super) method: &'a Method,
    pub(super) uri: &'a Uri,
    pub(super) headers: &'a HeaderMap,
}

impl<'a> Head<'a> {
    pub(super) fn of(request: &'a Request) -> Self {
        Self { method: request.method(), uri: request.uri(), headers: request.headers() }
    }
}

/// Who sends a request.
pub(super) struct Found {
    pub(super) bearer: Arc<Bearer>,
    /// For the audit trail.
    pub(super) actor: String,
    /// What an access token of OAuth 2.0 is limited to.
    pub(super) limit: Option<Limit>,
    /// The nonce for the next proof of the sender's key, where it should know a newer one.
    pub(super) nonce: Option<String>,
}

pub(super) struct Limit {
    pub(super) scopes: Scopes,
    pub(super) bound: Option<Role>,
    pub(super) expires_at: Timestamp,
}
