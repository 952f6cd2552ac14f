//! What a request proves who sends it with, and whom that finds: a token of ours, where shippers may put one too, an
//! access token of OAuth 2.0, or the session of a browser.

use axum::http::{HeaderValue, header};
use tidegauge_admission::oauth::Presented;
use tidegauge_app::App;
use tidegauge_app::service::endpoints;
use tidegauge_auth::bearer::{self, Sent};
use tidegauge_auth::{Access, Principal, Refusal, RoleTable};
use tidegauge_catalog::bearer::Bearer;
use tidegauge_model::OrgId;
use tidegauge_protocols::TokenFault;
use tidegauge_web::error::ApiError;

use super::found::{Found, Head, Limit};
use super::{challenge, session};
use crate::endpoint_address::Address;
use crate::senders::SEND;
use crate::senders::face::Face;

/// Where one shipper puts its token.
const FIREHOSE_KEY: &str = "x-amz-firehose-access-key";

/// The header with the proof of RFC 9449.
const PROOF: &str = "dpop";

/// The principal with no more than its token allows.
pub(super) fn limited(principal: Principal, limit: Option<&Limit>, roles: &RoleTable) -> Principal {
    match limit {
        Some(limit) => principal.limited(limit.scopes.clone(), limit.bound, roles),
        None => principal,
    }
}

/// Finds who sends a request.
pub(super) async fn find(
    app: &App,
    access: Access,
    head: Head<'_>,
    named: Option<&OrgId>,
    request_id: &str,
) -> Result<Found, ApiError> {
    if let Some(address) = head.address {
        return by_endpoint(app, access, address).await;
    }
    if let Some(found) = session::find(app, head, named).await? {
        return Ok(found);
    }
    let sent = presented(access, Face::of(head.uri, head.headers, app.now()), head);
    let (text, is_dpop) = match sent.map_err(|refusal| unread(refusal.into(), head))? {
        Sent::Secret(secret) => {
            let found = app.token_cache.find(app.source(), secret.digest(), named, app.now()).await?;
            let bearer = found.ok_or(Refusal::UnknownToken)?;
            return Ok(Found {
                actor: actor_of_ours(&bearer),
                bearer,
                session: None,
                limit: None,
                nonce: None,
            });
        }
        Sent::AccessToken { text, is_dpop } if app.oauth.is_used() => (text, is_dpop),
        Sent::AccessToken { .. } => return Err(unread(Refusal::MalformedToken.into(), head)),
    };
    let mut proofs = head.headers.get_all(PROOF).iter();
    let proof = match (proofs.next(), proofs.next()) {
        (Some(only), None) => only.to_str().ok(),
        _ => None,
    };
    let (method, path) = (head.method.as_str(), head.uri.path());
    let presented = Presented { token: text, is_dpop, proof, method, path };
    let admitted = app.oauth.admit(app.accounts(), presented, named, request_id).await;
    let admitted = admitted.map_err(|denial| unread(challenge::denied(denial), head))?;
    let user = &admitted.bearer.user;
    let actor = match &admitted.client {
        Some(client) => format!("{user} ({client})"),
        None => user.to_string(),
    };
    let (scopes, bound, expires_at) = (admitted.scopes, admitted.bound, admitted.expires_at);
    let limit = Some(Limit { scopes, bound, expires_at });
    Ok(Found { bearer: admitted.bearer, actor, session: None, limit, nonce: admitted.nonce })
}

/// The answer to a request whose token cannot be read, which tells the form of a header from what is in it.
fn unread(mut error: ApiError, head: Head<'_>) -> ApiError {
    let authorization = head.headers.get(header::AUTHORIZATION);
    if error.body.fault == Some(TokenFault::Malformed)
        && authorization.is_some_and(|value| !has_known_form(value.as_bytes()))
    {
        error.body.fault = Some(TokenFault::Header);
    }
    error
}

/// Whether a header has a form in which tokens of ours come, whatever it holds.
fn has_known_form(authorization: &[u8]) -> bool {
    let text = std::str::from_utf8(authorization).unwrap_or_default().trim();
    let (scheme, token) = text.split_once(' ').unwrap_or_default();
    let is_known = ["bearer", "splunk", "basic", "apikey"].iter().any(|it| scheme.eq_ignore_ascii_case(it));
    is_known && !token.trim().is_empty()
}

/// Who sends by the address of an endpoint, which is for sending events and for nothing else.
async fn by_endpoint(app: &App, access: Access, address: &Address) -> Result<Found, ApiError> {
    if access != SEND {
        return Err(Refusal::UnknownEndpoint.into());
    }
    let found = endpoints::by_address(app, &address.secret).await?;
    let bearer = found.ok_or(Refusal::UnknownEndpoint)?;
    Ok(Found { actor: actor_of_ours(&bearer), bearer, session: None, limit: None, nonce: None })
}

fn actor_of_ours(found: &Bearer) -> String {
    if found.is_api_token { format!("{} ({})", found.user, found.id) } else { found.user.to_string() }
}

/// The token of a request. Shippers that cannot set the header may put it elsewhere when they send events, and only
/// then: an address with a token in it ends up in logs.
fn presented(access: Access, face: Option<Face>, head: Head<'_>) -> Result<Sent<'_>, Refusal> {
    let (headers, query) = (head.headers, head.uri.query());
    let authorization = headers.get(header::AUTHORIZATION).map(HeaderValue::as_bytes);
    if authorization.is_none() && access == SEND {
        let key = headers.get(FIREHOSE_KEY).and_then(|value| value.to_str().ok());
        let in_address = || query?.split('&').find_map(|pair| pair.strip_prefix("tk="));
        if let Some(token) = key.or_else(in_address) {
            return bearer::read_plain(token).map(Sent::Secret);
        }
        if let Some(token) = face.and_then(|face| face.key(head.uri, headers)) {
            return bearer::read_plain(&token).map(Sent::Secret);
        }
    }
    bearer::read_any(authorization)
}
