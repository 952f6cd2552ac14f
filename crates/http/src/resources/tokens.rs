//! `/tokens`: API tokens and what they may do.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use tidegauge_app::App;
use tidegauge_app::service::capabilities::{CapabilityInput, NamedActions};
use tidegauge_app::service::tokens::{self, NewToken, RegenerateInput, TokenInput};
use tidegauge_catalog::tokens::Token;
use tidegauge_model::capability::Grants;
use tidegauge_model::{DatasetArea, OrgArea, ViewArea};
use tidegauge_web::error::{ApiError, ErrorBody};
use tidegauge_web::extract::{Caller, Json, PathId};
use tidegauge_web::json::optional_object;
use utoipa::ToSchema;

use super::schemas::{DatasetCapabilities, OrgCapabilities, ViewCapabilities};

/// A new API token.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TokenRequest {
    #[schema(min_length = 1, max_length = 256, example = "shipper")]
    pub name: String,
    #[schema(max_length = 4096)]
    pub description: Option<String>,
    /// When it stops working; null or the zero time for never.
    #[schema(format = DateTime)]
    pub expires_at: Option<String>,
    /// Whether it also ends when its maker is no member of the organisation any more; it outlives the membership unless told.
    pub ends_with_membership: Option<bool>,
    #[schema(value_type = Option<DatasetCapabilities>)]
    pub dataset_capabilities: Option<BTreeMap<String, Option<NamedActions>>>,
    #[schema(value_type = Option<OrgCapabilities>)]
    pub org_capabilities: Option<NamedActions>,
    #[schema(value_type = Option<ViewCapabilities>)]
    pub view_capabilities: Option<BTreeMap<String, Option<NamedActions>>>,
}

/// How a token is succeeded by a new one.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RegenerateRequest {
    /// When the existing token stops working.
    #[schema(format = DateTime)]
    pub existing_token_expires_at: String,
    /// When the new token stops working; null for never.
    #[schema(format = DateTime)]
    pub new_token_expires_at: Option<String>,
    /// What the new token is to be, if not the same as the existing one.
    #[serde(default, deserialize_with = "optional_object")]
    pub new_token: Option<TokenRequest>,
}

/// An API token, without its secret.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TokenResponse {
    pub id: String,
    pub name: String,
    pub description: String,
    #[schema(format = DateTime)]
    pub expires_at: Option<String>,
    pub saml_authenticated: bool,
    /// Whether it ends when its maker is no member any more. Left out when it does not, as for clients that know no such key.
    #[schema(required = false)]
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub ends_with_membership: bool,
    #[schema(value_type = DatasetCapabilities)]
    pub dataset_capabilities: BTreeMap<String, Grants<DatasetArea>>,
    #[schema(value_type = OrgCapabilities)]
    pub org_capabilities: Grants<OrgArea>,
    /// Left out when there are none: a widely used client knows no such key.
    #[schema(value_type = ViewCapabilities, required = false)]
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub view_capabilities: BTreeMap<String, Grants<ViewArea>>,
}

/// A new API token with its secret, which is shown this once.
#[derive(Debug, Serialize, ToSchema)]
pub struct NewTokenResponse {
    #[serde(flatten)]
    pub record: TokenResponse,
    /// What to send as the bearer token.
    #[schema(example = "xaat-3f1c0d6e-1111-4222-8333-444455556666")]
    pub token: String,
}

impl From<Token> for TokenResponse {
    fn from(token: Token) -> Self {
        Self {
            id: token.id.into_string(),
            name: token.name,
            description: token.description,
            expires_at: token.expires_at.map(|time| time.to_string()),
            saml_authenticated: false,
            ends_with_membership: token.ends_with_membership,
            dataset_capabilities: token.capabilities.dataset,
            org_capabilities: token.capabilities.org,
            view_capabilities: token.capabilities.view,
        }
    }
}

impl From<NewToken> for NewTokenResponse {
    fn from(new: NewToken) -> Self {
        Self { token: new.secret.reveal().to_owned(), record: new.token.into() }
    }
}

impl From<TokenRequest> for TokenInput {
    fn from(request: TokenRequest) -> Self {
        Self {
            name: request.name,
            description: request.description.unwrap_or_default(),
            expires_at: request.expires_at,
            ends_with_membership: request.ends_with_membership,
            capabilities: CapabilityInput {
                org: request.org_capabilities.unwrap_or_default(),
                dataset: request.dataset_capabilities.unwrap_or_default(),
                view: request.view_capabilities.unwrap_or_default(),
            },
        }
    }
}

impl From<RegenerateRequest> for RegenerateInput {
    fn from(request: RegenerateRequest) -> Self {
        Self {
            existing_expires_at: request.existing_token_expires_at,
            new_expires_at: request.new_token_expires_at,
            new_token: request.new_token.map(TokenInput::from),
        }
    }
}

/// Lists the API tokens of the organisation.
#[utoipa::path(get, path = "/tokens", tag = "tokens", responses((status = 200, body = [TokenResponse])))]
pub async fn list(State(app): State<Arc<App>>, caller: Caller) -> Result<Json<Vec<TokenResponse>>, ApiError> {
    let tokens = tokens::list(&app, &caller).await?;
    Ok(Json(tokens.into_iter().map(TokenResponse::from).collect()))
}

/// Reads one API token.
#[utoipa::path(get, path = "/tokens/{id}", tag = "tokens", params(("id" = String, Path)),
    responses((status = 200, body = TokenResponse)))]
pub async fn get(
    State(app): State<Arc<App>>,
    caller: Caller,
    PathId(id): PathId,
) -> Result<Json<TokenResponse>, ApiError> {
    Ok(Json(tokens::get(&app, &caller, &id).await?.into()))
}

/// Creates an API token. Its capabilities cannot be more than the caller's.
#[utoipa::path(post, path = "/tokens", tag = "tokens", request_body = TokenRequest, responses(
    (status = 200, body = NewTokenResponse),
    (status = 402, body = ErrorBody, description = "The organisation is blocked for a failed payment."),
))]
pub async fn create(
    State(app): State<Arc<App>>,
    caller: Caller,
    Json(request): Json<TokenRequest>,
) -> Result<Json<NewTokenResponse>, ApiError> {
    Ok(Json(tokens::create(&app, &caller, request.into()).await?.into()))
}

/// Makes a successor of a token with a new id and secret; the existing one works until the given time.
#[utoipa::path(post, path = "/tokens/{id}/regenerate", tag = "tokens", params(("id" = String, Path)),
    request_body = RegenerateRequest, responses(
    (status = 200, body = NewTokenResponse),
    (status = 402, body = ErrorBody, description = "The organisation is blocked for a failed payment."),
))]
pub async fn regenerate(
    State(app): State<Arc<App>>,
    caller: Caller,
    PathId(id): PathId,
    Json(request): Json<RegenerateRequest>,
) -> Result<Json<NewTokenResponse>, ApiError> {
    Ok(Json(tokens::regenerate(&app, &caller, &id, request.into()).await?.into()))
}

/// Deletes an API token; it stops working at once.
#[utoipa::path(delete, path = "/tokens/{id}", tag = "tokens", params(("id" = String, Path)),
    responses((status = 204, description = "Deleted.")))]
pub async fn delete(
    State(app): State<Arc<App>>,
    caller: Caller,
    PathId(id): PathId,
) -> Result<StatusCode, ApiError> {
    tokens::delete(&app, &caller, &id).await?;
    Ok(StatusCode::NO_CONTENT)
}
