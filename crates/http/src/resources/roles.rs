//! `/rbac/roles`: the built-in roles, and those that the organisation makes itself.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use tidegauge_app::App;
use tidegauge_app::service::capabilities::{CapabilityInput, NamedActions};
use tidegauge_app::service::roles::{self, RoleInput, ShownRole};
use tidegauge_model::capability::Grants;
use tidegauge_model::{DatasetArea, OrgArea, UserId, ViewArea};
use tidegauge_web::error::{ApiError, ErrorBody};
use tidegauge_web::extract::{Caller, Json, PathId};
use utoipa::ToSchema;

use super::schemas::{DatasetCapabilities, OrgCapabilities, ViewCapabilities};

/// What a caller sets of a role. What is left out is empty.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RoleRequest {
    /// No other role of the organisation has it.
    #[schema(min_length = 1, max_length = 256, example = "On call")]
    pub name: String,
    #[schema(max_length = 4096)]
    pub description: Option<String>,
    /// The ids of the users who have it.
    #[schema(max_items = 1000)]
    pub members: Option<Vec<String>>,
    #[schema(value_type = Option<OrgCapabilities>)]
    pub org_capabilities: Option<NamedActions>,
    #[schema(value_type = Option<DatasetCapabilities>)]
    pub dataset_capabilities: Option<BTreeMap<String, Option<NamedActions>>>,
    #[schema(value_type = Option<ViewCapabilities>)]
    pub view_capabilities: Option<BTreeMap<String, Option<NamedActions>>>,
}

/// A role.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RoleResponse {
    /// The name of a built-in role, or an id.
    #[schema(example = "role_01890a5dac96774bbcceb302099a8057")]
    pub id: String,
    pub name: String,
    pub description: String,
    /// The ids of the users who have it, but not of those who have it by a group.
    pub members: Vec<String>,
    #[schema(value_type = OrgCapabilities)]
    pub org_capabilities: Grants<OrgArea>,
    #[schema(value_type = DatasetCapabilities)]
    pub dataset_capabilities: BTreeMap<String, Grants<DatasetArea>>,
    #[schema(value_type = ViewCapabilities)]
    pub view_capabilities: BTreeMap<String, Grants<ViewArea>>,
}

impl From<ShownRole> for RoleResponse {
    fn from(role: ShownRole) -> Self {
        Self {
            id: role.id,
            name: role.name,
            description: role.description,
            members: role.members.into_iter().map(UserId::into_string).collect(),
            org_capabilities: role.capabilities.org,
            dataset_capabilities: role.capabilities.dataset,
            view_capabilities: role.capabilities.view,
        }
    }
}

impl From<RoleRequest> for RoleInput {
    fn from(request: RoleRequest) -> Self {
        Self {
            name: request.name,
            description: request.description.unwrap_or_default(),
            members: request.members.unwrap_or_default(),
            capabilities: CapabilityInput {
                org: request.org_capabilities.unwrap_or_default(),
                dataset: request.dataset_capabilities.unwrap_or_default(),
                view: request.view_capabilities.unwrap_or_default(),
            },
        }
    }
}

/// Lists the roles of the organisation, the built-in ones first.
#[utoipa::path(get, path = "/rbac/roles", tag = "roles", responses((status = 200, body = [RoleResponse])))]
pub async fn list(State(app): State<Arc<App>>, caller: Caller) -> Result<Json<Vec<RoleResponse>>, ApiError> {
    Ok(Json(roles::list(&app, &caller).await?.into_iter().map(Into::into).collect()))
}

/// Reads one role.
#[utoipa::path(get, path = "/rbac/roles/{id}", tag = "roles", params(("id" = String, Path)),
    responses((status = 200, body = RoleResponse)))]
pub async fn get(
    State(app): State<Arc<App>>,
    caller: Caller,
    PathId(id): PathId,
) -> Result<Json<RoleResponse>, ApiError> {
    Ok(Json(roles::get(&app, &caller, &id).await?.into()))
}

/// Creates a role. Its capabilities cannot be more than the caller's.
#[utoipa::path(post, path = "/rbac/roles", tag = "roles", request_body = RoleRequest, responses(
    (status = 200, body = RoleResponse),
    (status = 402, body = ErrorBody, description = "The organisation is blocked for a failed payment."),
    (status = 409, body = ErrorBody, description = "Another role of the organisation has this name."),
))]
pub async fn create(
    State(app): State<Arc<App>>,
    caller: Caller,
    Json(request): Json<RoleRequest>,
) -> Result<Json<RoleResponse>, ApiError> {
    Ok(Json(roles::create(&app, &caller, request.into()).await?.into()))
}

/// Replaces a role. Its capabilities cannot be more than the caller's, before and after.
#[utoipa::path(put, path = "/rbac/roles/{id}", tag = "roles", params(("id" = String, Path)),
    request_body = RoleRequest, responses(
    (status = 200, body = RoleResponse),
    (status = 409, body = ErrorBody, description = "Another role of the organisation has this name."),
))]
pub async fn replace(
    State(app): State<Arc<App>>,
    caller: Caller,
    PathId(id): PathId,
    Json(request): Json<RoleRequest>,
) -> Result<Json<RoleResponse>, ApiError> {
    Ok(Json(roles::replace(&app, &caller, &id, request.into()).await?.into()))
}

/// Deletes a role, and takes it from the people and groups that have it.
#[utoipa::path(delete, path = "/rbac/roles/{id}", tag = "roles", params(("id" = String, Path)),
    responses((status = 204, description = "Deleted.")))]
pub async fn delete(
    State(app): State<Arc<App>>,
    caller: Caller,
    PathId(id): PathId,
) -> Result<StatusCode, ApiError> {
    roles::delete(&app, &caller, &id).await?;
    Ok(StatusCode::NO_CONTENT)
}
