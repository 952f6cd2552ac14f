//! What clients need to know to begin: the metadata of the authorisation server (RFC 8414) and its public keys.

use std::sync::Arc;

use axum::Json as AxumJson;
use axum::extract::State;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};
use tidegauge_app::App;
use tidegauge_auth::embedded::pkce;
use tidegauge_auth::oauth::{Scopes, algorithms, dpop};
use tidegauge_model::oauth::GrantType;
use tidegauge_web::error::ApiError;

use super::Sender;

/// How long others may keep what is public. A new key is published a day before it signs.
const KEPT: &str = "public, max-age=300";

/// The metadata of the embedded authorisation server.
#[utoipa::path(get, path = "/.well-known/oauth-authorization-server", tag = "oauth", responses(
    (status = 200, body = Object, content_type = "application/json"),
    (status = 404, body = tidegauge_web::error::ErrorBody, description = "The embedded server is off."),
))]
pub async fn metadata(State(app): State<Arc<App>>, _sender: Sender) -> Response {
    public(document(&app))
}

fn document(app: &App) -> Value {
    let issuer = app.public_url.as_str();
    let at = |path: &str| format!("{issuer}{path}");
    let with_secret = ["client_secret_basic", "client_secret_post"];
    let any = ["client_secret_basic", "client_secret_post", "none"];
    let mut scopes = vec!["*".to_owned()];
    scopes.extend(Scopes::names());
    let proofs: Vec<&str> = dpop::ALGORITHMS.iter().map(|algorithm| algorithms::name(*algorithm)).collect();
    let mut document = json!({
        "issuer": issuer,
        "authorization_endpoint": at("/oauth/authorize"),
        "token_endpoint": at("/oauth/token"),
        "device_authorization_endpoint": at("/oauth/device_authorization"),
        "revocation_endpoint": at("/oauth/revoke"),
        "introspection_endpoint": at("/oauth/introspect"),
        "jwks_uri": at("/oauth/jwks"),
        "scopes_supported": scopes,
        "response_types_supported": ["code"],
        "response_modes_supported": ["query"],
        "grant_types_supported": GrantType::ALL.iter().map(|grant| grant.name()).collect::<Vec<_>>(),
        "code_challenge_methods_supported": [pkce::METHOD],
        "token_endpoint_auth_methods_supported": any,
        "revocation_endpoint_auth_methods_supported": any,
        "introspection_endpoint_auth_methods_supported": with_secret,
        "authorization_response_iss_parameter_supported": true,
        "dpop_signing_alg_values_supported": proofs,
        "prompt_values_supported": ["none", "login", "consent"],
    });
    if app.embedded.takes_registrations {
        document["registration_endpoint"] = json!(at("/oauth/register"));
    }
    document
}

/// The public keys that access tokens are verified with.
#[utoipa::path(get, path = "/oauth/jwks", tag = "oauth", responses(
    (status = 200, body = Object, content_type = "application/json"),
    (status = 404, body = tidegauge_web::error::ErrorBody, description = "The embedded server is off."),
))]
pub async fn jwks(State(app): State<Arc<App>>, _sender: Sender) -> Result<Response, ApiError> {
    Ok(public(app.embedded.keys.ring().await?.document(app.now())))
}

fn public(document: Value) -> Response {
    let mut response = AxumJson(document).into_response();
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static(KEPT));
    response
}
