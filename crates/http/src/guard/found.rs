//! What the guard looks at of a request, and whom it finds by it.

use std::sync::Arc;

use axum::extract::Request;
use axum::http::{HeaderMap, Method, Uri};
use tidegauge_auth::oauth::Scopes;
use tidegauge_catalog::bearer::Bearer;
use tidegauge_model::{Role, Timestamp};

use crate::endpoint_address::Address;
use crate::hasty::Unheard;

/// What the guard looks at of a request.
#[derive(Clone, Copy)]
pub(super) struct Head<'a> {
    pub(super) method: &'a Method,
    pub(super) uri: &'a Uri,
    pub(super) headers: &'a HeaderMap,
    /// The address of the endpoint that the request came by. Nothing else counts then of what proves who sends.
    pub(super) address: Option<&'a Address>,
    /// Whether nobody would hear that the request is refused.
    pub(super) is_unheard: bool,
}

impl<'a> Head<'a> {
    pub(super) fn of(request: &'a Request) -> Self {
        let address = request.extensions().get::<Address>();
        let is_unheard = request.extensions().get::<Unheard>().is_some();
        Self { method: request.method(), uri: request.uri(), headers: request.headers(), address, is_unheard }
    }
}

/// Who sends a request.
pub(super) struct Found {
    pub(super) bearer: Arc<Bearer>,
    /// For the audit trail.
    pub(super) actor: String,
    /// The digest of the secret of the session that they come with, if it is one.
    pub(super) session: Option<String>,
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
