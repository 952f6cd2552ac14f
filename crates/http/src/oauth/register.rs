//! The endpoint at which clients register themselves (RFC 7591), where the operator has allowed it.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use tidegauge_app::App;
use tidegauge_app::service::oauth::clients::NewClient;
use tidegauge_app::service::oauth::register::{self, Metadata};
use tidegauge_app::service::oauth::{ErrorCode, OAuthError};
use tidegauge_model::ErrorKind;
use tidegauge_web::error::{ApiError, ErrorBody};
use utoipa::ToSchema;

use super::{OAuthErrorBody, Refused, Sender, private, read_body};

/// What a client says of itself; other fields are ignored.
#[derive(Debug, Deserialize, ToSchema)]
pub struct RegistrationRequest {
    client_name: Option<String>,
    #[serde(default)]
    redirect_uris: Option<Vec<String>>,
    grant_types: Option<Vec<String>>,
    response_types: Option<Vec<String>>,
    token_endpoint_auth_method: Option<String>,
}

/// The client as it was registered.
#[derive(Debug, Serialize, ToSchema)]
pub struct RegistrationAnswer {
    pub client_id: String,
    pub client_id_issued_at: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_secret: Option<String>,
    /// 0: it does not end by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_secret_expires_at: Option<i64>,
    pub client_name: String,
    pub redirect_uris: Vec<String>,
    pub grant_types: Vec<&'static str>,
    pub response_types: Vec<&'static str>,
    pub token_endpoint_auth_method: &'static str,
}

/// Registers a client, where the operator has allowed that.
#[utoipa::path(post, path = "/oauth/register", tag = "oauth", request_body = RegistrationRequest, responses(
    (status = 201, body = RegistrationAnswer),
    (status = 400, description = "What the client says of itself is wrong.", body = OAuthErrorBody),
    (status = 404, body = ErrorBody, description = "Clients cannot register themselves here."),
    (status = 429, body = OAuthErrorBody, description = "Too many registrations."),
))]
pub async fn register(
    State(app): State<Arc<App>>,
    sender: Sender,
    request: Request,
) -> Result<Response, Response> {
    if !app.embedded.takes_registrations {
        let error = ApiError::new(ErrorKind::NotFound, "clients cannot register themselves here");
        return Err(error.hint("the setting oauth_registration turns it on").into_response());
    }
    let bytes = read_body(request, &app).await.map_err(IntoResponse::into_response)?;
    let request: RegistrationRequest = serde_json::from_slice(&bytes).map_err(|_| {
        let description = "the body must be a JSON object of client metadata";
        Refused(OAuthError::new(ErrorCode::InvalidClientMetadata, description)).into_response()
    })?;
    let metadata = Metadata {
        name: request.client_name,
        redirect_uris: request.redirect_uris.unwrap_or_default(),
        grant_types: request.grant_types,
        response_types: request.response_types,
        token_endpoint_auth_method: request.token_endpoint_auth_method,
    };
    let made = register::register(&app, metadata, &sender.message).await;
    let made = made.map_err(|error| Refused(error).into_response())?;
    Ok(private(StatusCode::CREATED, &answer(made)))
}

fn answer(made: NewClient) -> RegistrationAnswer {
    let NewClient { client, secret } = made;
    RegistrationAnswer {
        client_id_issued_at: client.created.as_millis().div_euclid(1_000),
        client_secret_expires_at: secret.as_ref().map(|_| 0),
        client_secret: secret.map(|secret| secret.reveal().to_owned()),
        client_id: client.id.into_string(),
        client_name: client.name,
        redirect_uris: client.redirect_uris,
        grant_types: client.grants.iter().map(|grant| grant.name()).collect(),
        response_types: vec!["code"],
        token_endpoint_auth_method: if client.is_public { "none" } else { "client_secret_basic" },
    }
}
