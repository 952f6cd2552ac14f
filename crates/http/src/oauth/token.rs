//! The endpoints that clients call by themselves: tokens, devices, revocation, introspection.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tidegauge_app::App;
use tidegauge_app::service::oauth::introspect::{self, Active};
use tidegauge_app::service::oauth::keys::ACCESS_TOKEN_LIFETIME;
use tidegauge_app::service::oauth::{device, revoke, token};
use tidegauge_model::Timestamp;
use tidegauge_web::error::ErrorBody;
use tidegauge_web::nonce::set_nonce;
use utoipa::ToSchema;

use super::{FormBody, OAuthErrorBody, Refused, Sender, private};

/// A request for tokens. Which fields are needed depends on the grant type.
#[derive(Debug, Deserialize, ToSchema)]
#[expect(
    dead_code,
    reason = "it describes the form; the fields are read by name, so that one given twice is noticed"
)]
pub struct TokenForm {
    #[schema(example = "authorization_code")]
    grant_type: String,
    client_id: Option<String>,
    client_secret: Option<String>,
    code: Option<String>,
    redirect_uri: Option<String>,
    code_verifier: Option<String>,
    refresh_token: Option<String>,
    device_code: Option<String>,
    scope: Option<String>,
    resource: Option<String>,
}

/// The tokens.
#[derive(Debug, Serialize, ToSchema)]
pub struct TokenAnswer {
    pub access_token: String,
    /// `Bearer`, or `DPoP` if the token is bound to the key that was proved.
    pub token_type: &'static str,
    /// In seconds.
    pub expires_in: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refresh_token: Option<String>,
    pub scope: String,
}

/// Gives out tokens for a code, a refresh token, a device code, or the client itself (RFC 6749, 8628, 9449).
#[utoipa::path(post, path = "/oauth/token", tag = "oauth",
    request_body(content = TokenForm, content_type = "application/x-www-form-urlencoded"), responses(
    (status = 200, body = TokenAnswer),
    (status = 400, body = OAuthErrorBody, description = "The request or what it presents is wrong."),
    (status = 401, body = OAuthErrorBody, description = "The client is not known, or its secret is wrong."),
    (status = 404, body = ErrorBody, description = "The embedded server is off."),
    (status = 429, body = OAuthErrorBody, description = "Too many attempts."),
))]
pub async fn token(
    State(app): State<Arc<App>>,
    mut sender: Sender,
    FormBody(parameters): FormBody,
) -> Result<Response, Refused> {
    sender.check_proof(&app)?;
    let client = sender.client(&app, &parameters).await?;
    let tokens = token::token(&app, &client, &parameters, &sender.message).await?;
    let nonce = sender.use_proof(&app, &tokens.holder)?;
    let answer = TokenAnswer {
        access_token: tokens.access,
        token_type: if tokens.is_bound { "DPoP" } else { "Bearer" },
        expires_in: ACCESS_TOKEN_LIFETIME.as_secs(),
        refresh_token: tokens.refresh.map(|secret| secret.reveal().to_owned()),
        scope: tokens.scope,
    };
    let mut response = private(StatusCode::OK, &answer);
    if let Some(nonce) = nonce {
        set_nonce(response.headers_mut(), &nonce);
    }
    Ok(response)
}

/// A request of a device.
#[derive(Debug, Deserialize, ToSchema)]
#[expect(dead_code, reason = "it describes the form; the fields are read by name")]
pub struct DeviceForm {
    #[schema(example = "tidegauge-cli")]
    client_id: Option<String>,
    client_secret: Option<String>,
    scope: Option<String>,
}

/// What a device shows and asks with.
#[derive(Debug, Serialize, ToSchema)]
pub struct DeviceAnswer {
    pub device_code: String,
    #[schema(example = "BCDF-GHJK")]
    pub user_code: String,
    pub verification_uri: String,
    pub verification_uri_complete: String,
    /// In seconds.
    pub expires_in: u64,
    /// How many seconds to wait between two questions.
    pub interval: i64,
}

/// Begins signing in on a device without a browser (RFC 8628).
#[utoipa::path(post, path = "/oauth/device_authorization", tag = "oauth",
    request_body(content = DeviceForm, content_type = "application/x-www-form-urlencoded"), responses(
    (status = 200, body = DeviceAnswer),
    (status = 400, body = OAuthErrorBody, description = "The request is wrong."),
    (status = 401, body = OAuthErrorBody, description = "The client is not known, or its secret is wrong."),
    (status = 404, body = ErrorBody, description = "The embedded server is off."),
    (status = 429, body = OAuthErrorBody, description = "Too many devices wait."),
))]
pub async fn device_authorization(
    State(app): State<Arc<App>>,
    sender: Sender,
    FormBody(parameters): FormBody,
) -> Result<Response, Refused> {
    let client = sender.client(&app, &parameters).await?;
    let begun = device::begin(&app, &client, &parameters, &sender.message).await?;
    let user_code = begun.user_code.shown();
    let verification_uri = format!("{}/device", app.public_url);
    let answer = DeviceAnswer {
        device_code: begun.device_code.reveal().to_owned(),
        verification_uri_complete: format!("{verification_uri}?user_code={user_code}"),
        verification_uri,
        user_code,
        expires_in: device::LIFETIME.as_secs(),
        interval: device::INTERVAL_SECONDS,
    };
    Ok(private(StatusCode::OK, &answer))
}

/// A token to end or to ask about.
#[derive(Debug, Deserialize, ToSchema)]
#[expect(dead_code, reason = "it describes the form; the fields are read by name")]
pub struct OneTokenForm {
    token: String,
    token_type_hint: Option<String>,
    client_id: Option<String>,
    client_secret: Option<String>,
}

/// Ends a token and everything of the same grant (RFC 7009).
#[utoipa::path(post, path = "/oauth/revoke", tag = "oauth",
    request_body(content = OneTokenForm, content_type = "application/x-www-form-urlencoded"), responses(
    (status = 200, description = "It does not count any more, or never did."),
    (status = 400, body = OAuthErrorBody, description = "The token belongs to another client, or is missing."),
    (status = 401, body = OAuthErrorBody, description = "The client is not known, or its secret is wrong."),
    (status = 404, body = ErrorBody, description = "The embedded server is off."),
    (status = 429, body = OAuthErrorBody, description = "Too many attempts."),
))]
pub async fn revoke(
    State(app): State<Arc<App>>,
    sender: Sender,
    FormBody(parameters): FormBody,
) -> Result<Response, Refused> {
    let client = sender.client(&app, &parameters).await?;
    revoke::revoke(&app, &client, &parameters, &sender.message).await?;
    Ok(StatusCode::OK.into_response())
}

/// Tells a client with a secret about a token of its own or of its organisation (RFC 7662).
#[utoipa::path(post, path = "/oauth/introspect", tag = "oauth",
    request_body(content = OneTokenForm, content_type = "application/x-www-form-urlencoded"), responses(
    (status = 200, body = Object, description = "What the token says, or only that it is not active."),
    (status = 400, body = OAuthErrorBody, description = "The request is wrong."),
    (status = 401, body = OAuthErrorBody, description = "The client has no secret, or a wrong one."),
    (status = 404, body = ErrorBody, description = "The embedded server is off."),
    (status = 429, body = OAuthErrorBody, description = "Too many attempts."),
))]
pub async fn introspect(
    State(app): State<Arc<App>>,
    sender: Sender,
    FormBody(parameters): FormBody,
) -> Result<Response, Refused> {
    let client = sender.client(&app, &parameters).await?;
    let found = introspect::introspect(&app, &client, &parameters, &sender.message).await?;
    let answer = found.map_or_else(|| json!({"active": false}), |found| described(&app, &found));
    Ok(private(StatusCode::OK, &answer))
}

fn described(app: &App, found: &Active) -> Value {
    let seconds = |time: Timestamp| time.as_millis().div_euclid(1_000);
    let grant = &found.grant;
    let issuer = app.public_url.as_str();
    let mut answer = json!({
        "active": true,
        "iss": issuer,
        "aud": issuer,
        "sub": grant.person.as_ref().map_or(grant.client.as_str(), |person| person.as_str()),
        "client_id": grant.client.as_str(),
        "scope": found.scope,
        "exp": seconds(found.expires_at),
        "grant": grant.id.as_str(),
    });
    if !found.is_refresh {
        answer["token_type"] = json!(if grant.thumbprint.is_some() { "DPoP" } else { "Bearer" });
    }
    let optional = [
        ("iat", found.issued_at.map(|time| json!(seconds(time)))),
        ("jti", found.id.as_ref().map(|id| json!(id))),
        ("org", grant.org.as_ref().map(|org| json!(org.as_str()))),
        ("cnf", grant.thumbprint.as_ref().map(|thumbprint| json!({"jkt": thumbprint}))),
    ];
    for (name, value) in optional {
        if let Some(value) = value {
            answer[name] = value;
        }
    }
    answer
}
