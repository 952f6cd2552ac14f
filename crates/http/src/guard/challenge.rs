//! What a refusal says in the header `WWW-Authenticate`, for access tokens of OAuth 2.0 (RFC 6750, RFC 9449), and where
//! clients find out how to get one (RFC 9728).

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use tidegauge_admission::oauth::denial::Denial;
use tidegauge_app::App;
use tidegauge_auth::oauth::challenge::{
    Challenge, INSUFFICIENT_SCOPE, INVALID_PROOF, INVALID_TOKEN, USE_NONCE,
};
use tidegauge_auth::oauth::{ProofRejection, scopes};
use tidegauge_auth::{Access, Principal, Refusal};
use tidegauge_model::ErrorKind;
use tidegauge_web::error::ApiError;
use tidegauge_web::nonce::set_nonce;

/// The path of the description of RFC 9728.
pub const METADATA_PATH: &str = "/.well-known/oauth-protected-resource";

/// The answer to an access token that is not let through.
pub(super) fn denied(denial: Denial) -> ApiError {
    let message = denial.to_string();
    match denial {
        Denial::Catalog(error) => error.into(),
        Denial::NotAToken => Refusal::MalformedToken.into(),
        Denial::IssuerUnavailable | Denial::Proof(ProofRejection::TooMany) => {
            ApiError::new(ErrorKind::Unavailable, message)
        }
        Denial::Proof(_) => unauthenticated(message, true, INVALID_PROOF),
        Denial::NonceNeeded(nonce) => {
            let mut answer = unauthenticated(message, true, USE_NONCE);
            set_nonce(&mut answer.headers, &nonce);
            answer
        }
        Denial::NotBound => unauthenticated(message, true, INVALID_TOKEN),
        Denial::Token(_) | Denial::BoundNotAccepted | Denial::Revoked => {
            unauthenticated(message, false, INVALID_TOKEN)
        }
        Denial::Unmapped(_)
        | Denial::UnknownPerson
        | Denial::EmailTaken
        | Denial::OrgFull(_)
        | Denial::NotAMember(_)
        | Denial::UnknownOrg => ApiError::new(ErrorKind::Forbidden, message),
    }
}

fn unauthenticated(message: String, is_dpop: bool, error: &'static str) -> ApiError {
    // Clients know this word for it; what was wrong with the token stands beside it.
    let answer = ApiError::new(ErrorKind::Unauthenticated, "forbidden").detail(message.clone());
    let description = Some(message);
    with_challenge(answer, &Challenge { is_dpop, error: Some(error), description, ..Challenge::default() })
}

/// The answer to a caller who lacks a right. One who came with an access token is told the scope.
pub(super) fn lacking(principal: &Principal, access: Access, refusal: Refusal) -> ApiError {
    let scope = match &refusal {
        Refusal::MissingCapability { .. } => access.scope(),
        Refusal::NeedsEverything => Some(scopes::ALL.to_owned()),
        _ => None,
    };
    let description = Some(refusal.to_string());
    let answer = ApiError::from(refusal);
    if principal.scopes.is_none() || scope.is_none() {
        return answer;
    }
    let error = Some(INSUFFICIENT_SCOPE);
    with_challenge(answer, &Challenge { error, description, scope, ..Challenge::default() })
}

fn with_challenge(mut answer: ApiError, challenge: &Challenge) -> ApiError {
    if let Ok(value) = HeaderValue::from_str(&challenge.to_string()) {
        answer.headers.insert(header::WWW_AUTHENTICATE, value);
    }
    answer
}

/// Adds to the challenge of a refusal where clients find out how to get a token, and that it may be a bound one.
pub(super) fn complete(app: &App, response: &mut Response) {
    let is_refusal = matches!(response.status(), StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN);
    let headers = response.headers_mut();
    let Some(said) = headers.get(header::WWW_AUTHENTICATE).filter(|_| is_refusal && app.oauth.is_used())
    else {
        return;
    };
    let said = String::from_utf8_lossy(said.as_bytes()).into_owned();
    let metadata = format!("{}{METADATA_PATH}", app.public_url);
    if let Ok(value) = HeaderValue::from_str(&format!("{said}, resource_metadata=\"{metadata}\"")) {
        headers.insert(header::WWW_AUTHENTICATE, value);
    }
    if !said.starts_with("DPoP") && app.oauth.accepts_dpop() {
        let other = Challenge { is_dpop: true, metadata: Some(metadata), ..Challenge::default() };
        if let Ok(value) = HeaderValue::from_str(&other.to_string()) {
            headers.append(header::WWW_AUTHENTICATE, value);
        }
    }
}
