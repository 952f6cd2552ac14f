//! `/oauth/clients`: the clients that an organisation has registered at the embedded authorisation server.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use tidegauge_app::App;
use tidegauge_app::service::capabilities::{CapabilityInput, NamedActions};
use tidegauge_app::service::oauth::clients::{self, ClientInput, NewClient};
use tidegauge_catalog::oauth::OAuthClient;
use tidegauge_model::capability::Grants;
use tidegauge_model::{DatasetArea, OrgArea, ViewArea};
use tidegauge_web::error::{ApiError, ErrorBody};
use tidegauge_web::extract::{Caller, Json, PathId};
use utoipa::ToSchema;

use super::schemas::{DatasetCapabilities, OrgCapabilities, ViewCapabilities};

/// A client of the embedded authorisation server.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ClientRequest {
    #[schema(min_length = 1, max_length = 256, example = "dashboard")]
    pub name: String,
    /// Where codes may be sent: https, loopback http, or for public clients a scheme of their own with a dot in it.
    pub redirect_uris: Option<Vec<String>>,
    /// The grant types that it may use.
    #[schema(value_type = Vec<GrantName>)]
    pub grants: Vec<String>,
    /// Whether it cannot keep a secret, such as a program on people's computers.
    pub is_public: Option<bool>,
    /// What it may do for itself with client_credentials, on datasets.
    #[schema(value_type = Option<DatasetCapabilities>)]
    pub dataset_capabilities: Option<BTreeMap<String, Option<NamedActions>>>,
    #[schema(value_type = Option<OrgCapabilities>)]
    pub org_capabilities: Option<NamedActions>,
    #[schema(value_type = Option<ViewCapabilities>)]
    pub view_capabilities: Option<BTreeMap<String, Option<NamedActions>>>,
}

/// The name of a grant type.
#[derive(Debug, ToSchema)]
#[schema(rename_all = "snake_case")]
pub enum GrantName {
    AuthorizationCode,
    RefreshToken,
    ClientCredentials,
    #[schema(rename = "urn:ietf:params:oauth:grant-type:device_code")]
    DeviceCode,
}

/// A client, without its secret.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ClientResponse {
    /// What it sends as `client_id`.
    pub id: String,
    pub name: String,
    pub redirect_uris: Vec<String>,
    #[schema(value_type = Vec<GrantName>)]
    pub grants: Vec<&'static str>,
    pub is_public: bool,
    #[schema(value_type = DatasetCapabilities)]
    pub dataset_capabilities: BTreeMap<String, Grants<DatasetArea>>,
    #[schema(value_type = OrgCapabilities)]
    pub org_capabilities: Grants<OrgArea>,
    #[schema(value_type = ViewCapabilities)]
    pub view_capabilities: BTreeMap<String, Grants<ViewArea>>,
    #[schema(format = DateTime)]
    pub created_at: String,
    pub created_by: String,
    #[schema(format = DateTime)]
    pub updated_at: String,
}

/// A client with its secret, which is shown this once.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct NewClientResponse {
    #[serde(flatten)]
    pub record: ClientResponse,
    /// What it sends as `client_secret`; a public client has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_secret: Option<String>,
}

/// How a secret is succeeded by a new one.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct NewSecretRequest {
    /// How many seconds the former secret can be used beside the new one; 0 or null for none.
    #[schema(minimum = 0, maximum = 2_592_000)]
    pub former_secret_seconds: Option<i64>,
}

impl From<OAuthClient> for ClientResponse {
    fn from(client: OAuthClient) -> Self {
        Self {
            id: client.id.into_string(),
            name: client.name,
            redirect_uris: client.redirect_uris,
            grants: client.grants.iter().map(|grant| grant.name()).collect(),
            is_public: client.is_public,
            dataset_capabilities: client.capabilities.dataset,
            org_capabilities: client.capabilities.org,
            view_capabilities: client.capabilities.view,
            created_at: client.created.to_string(),
            created_by: client.created_by,
            updated_at: client.modified.to_string(),
        }
    }
}

impl From<NewClient> for NewClientResponse {
    fn from(new: NewClient) -> Self {
        let client_secret = new.secret.map(|secret| secret.reveal().to_owned());
        Self { record: new.client.into(), client_secret }
    }
}

impl From<ClientRequest> for ClientInput {
    fn from(request: ClientRequest) -> Self {
        Self {
            name: request.name,
            redirect_uris: request.redirect_uris.unwrap_or_default(),
            grants: request.grants,
            is_public: request.is_public.unwrap_or_default(),
            capabilities: CapabilityInput {
                org: request.org_capabilities.unwrap_or_default(),
                dataset: request.dataset_capabilities.unwrap_or_default(),
                view: request.view_capabilities.unwrap_or_default(),
            },
        }
    }
}

/// Lists the clients of the organisation.
#[utoipa::path(get, path = "/oauth/clients", tag = "oauth clients", responses((status = 200, body = [ClientResponse])))]
pub async fn list(
    State(app): State<Arc<App>>,
    caller: Caller,
) -> Result<Json<Vec<ClientResponse>>, ApiError> {
    let clients = clients::list(&app, &caller).await?;
    Ok(Json(clients.into_iter().map(ClientResponse::from).collect()))
}

/// Reads one client.
#[utoipa::path(get, path = "/oauth/clients/{id}", tag = "oauth clients", params(("id" = String, Path)),
    responses((status = 200, body = ClientResponse)))]
pub async fn get(
    State(app): State<Arc<App>>,
    caller: Caller,
    PathId(id): PathId,
) -> Result<Json<ClientResponse>, ApiError> {
    Ok(Json(clients::get(&app, &caller, &id).await?.into()))
}

/// Makes a client. What it may do for itself cannot be more than the caller's.
#[utoipa::path(post, path = "/oauth/clients", tag = "oauth clients", request_body = ClientRequest, responses(
    (status = 200, body = NewClientResponse),
    (status = 402, body = ErrorBody, description = "The organisation is blocked for a failed payment."),
))]
pub async fn create(
    State(app): State<Arc<App>>,
    caller: Caller,
    Json(request): Json<ClientRequest>,
) -> Result<Json<NewClientResponse>, ApiError> {
    Ok(Json(clients::create(&app, &caller, request.into()).await?.into()))
}

/// Replaces a client. Whether it is public stays.
#[utoipa::path(put, path = "/oauth/clients/{id}", tag = "oauth clients", params(("id" = String, Path)),
    request_body = ClientRequest, responses((status = 200, body = ClientResponse)))]
pub async fn replace(
    State(app): State<Arc<App>>,
    caller: Caller,
    PathId(id): PathId,
    Json(request): Json<ClientRequest>,
) -> Result<Json<ClientResponse>, ApiError> {
    Ok(Json(clients::replace(&app, &caller, &id, request.into()).await?.into()))
}

/// Deletes a client; everything that was granted to it ends at once.
#[utoipa::path(delete, path = "/oauth/clients/{id}", tag = "oauth clients", params(("id" = String, Path)),
    responses((status = 204, description = "Deleted.")))]
pub async fn delete(
    State(app): State<Arc<App>>,
    caller: Caller,
    PathId(id): PathId,
) -> Result<StatusCode, ApiError> {
    clients::delete(&app, &caller, &id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Gives a client a new secret; the former one can go on for a while.
#[utoipa::path(post, path = "/oauth/clients/{id}/secret", tag = "oauth clients", params(("id" = String, Path)),
    request_body = NewSecretRequest, responses(
    (status = 200, body = NewClientResponse),
    (status = 409, body = ErrorBody, description = "A public client has no secret."),
))]
pub async fn new_secret(
    State(app): State<Arc<App>>,
    caller: Caller,
    PathId(id): PathId,
    Json(request): Json<NewSecretRequest>,
) -> Result<Json<NewClientResponse>, ApiError> {
    let seconds = request.former_secret_seconds.unwrap_or_default();
    Ok(Json(clients::new_secret(&app, &caller, &id, seconds).await?.into()))
}
