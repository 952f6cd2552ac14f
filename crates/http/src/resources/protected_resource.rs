//! What the service says of itself to clients that look for an access token (RFC 9728).

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderName, header};
use serde::Serialize;
use tidegauge_admission::config::oauth::{IssuerConfig, LoginTarget};
use tidegauge_app::App;
use tidegauge_auth::oauth::{Scopes, algorithms, dpop};
use utoipa::ToSchema;

/// The description of RFC 9728.
#[derive(Debug, Serialize, ToSchema)]
pub struct ProtectedResource {
    /// The address of the service, which its access tokens are meant for.
    resource: String,
    resource_name: &'static str,
    /// The issuers whose access tokens are accepted.
    authorization_servers: Vec<String>,
    /// Every scope that there is a capability for; `*` stands for all that the person may.
    scopes_supported: Vec<String>,
    bearer_methods_supported: [&'static str; 1],
    /// The algorithms of the proofs of RFC 9449; none where bound tokens are not accepted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    dpop_signing_alg_values_supported: Vec<&'static str>,
    /// How the command line signs people in at issuers other than the service itself; an addition to RFC 9728.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tidegauge_login: Vec<Login>,
}

/// How the command line signs people in at an issuer.
#[derive(Debug, Serialize, ToSchema)]
pub struct Login {
    issuer: String,
    /// The id of the command line's client there.
    client_id: String,
    /// The scopes to ask for, where the operator says which.
    #[serde(skip_serializing_if = "Option::is_none")]
    scope: Option<String>,
    /// What the scopes of this service begin with there.
    #[serde(skip_serializing_if = "Option::is_none")]
    scope_prefix: Option<String>,
    /// The value of the parameter `resource` (RFC 8707), where that is to be sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    resource: Option<String>,
    /// The value of the parameter `audience`, where that is to be sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    audience: Option<String>,
}

impl From<&IssuerConfig> for Login {
    fn from(config: &IssuerConfig) -> Self {
        let (expected, login) = (&config.expected, &config.login);
        let named =
            |target: LoginTarget| expected.audiences.first().cloned().filter(|_| login.target == target);
        Self {
            issuer: expected.issuer.clone(),
            client_id: login.client.clone(),
            scope: login.scope.clone(),
            scope_prefix: Some(expected.scope_prefix.clone()).filter(|prefix| !prefix.is_empty()),
            resource: named(LoginTarget::Resource),
            audience: named(LoginTarget::Audience),
        }
    }
}

/// Describes the service to clients of OAuth 2.0, as RFC 9728 says: the issuers whose access tokens are accepted, and the scopes that there are.
#[utoipa::path(
    get,
    path = "/.well-known/oauth-protected-resource",
    tag = "service",
    responses((status = 200, body = ProtectedResource))
)]
pub async fn describe(
    State(app): State<Arc<App>>,
) -> ([(HeaderName, &'static str); 1], Json<ProtectedResource>) {
    let mut scopes_supported = vec![tidegauge_auth::oauth::scopes::ALL.to_owned()];
    scopes_supported.extend(Scopes::names());
    let is_dpop = app.oauth.accepts_dpop();
    let proofs = dpop::ALGORITHMS.iter().filter(|_| is_dpop).map(|one| algorithms::name(*one));
    let description = ProtectedResource {
        resource: app.public_url.to_string(),
        resource_name: "Tidegauge",
        authorization_servers: app.oauth.urls(),
        scopes_supported,
        bearer_methods_supported: ["header"],
        dpop_signing_alg_values_supported: proofs.collect(),
        tidegauge_login: app.oauth.configured().map(Login::from).collect(),
    };
    ([(header::CACHE_CONTROL, "max-age=300")], Json(description))
}
