//! `/rbac/groups`: people who hold the same roles.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use tidegauge_app::App;
use tidegauge_app::service::groups::{self, GroupInput};
use tidegauge_catalog::groups::Group;
use tidegauge_model::UserId;
use tidegauge_web::error::{ApiError, ErrorBody};
use tidegauge_web::extract::{Caller, Json, PathId};
use utoipa::ToSchema;

/// What a caller sets of a group. What is left out is empty.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct GroupRequest {
    /// No other group of the organisation has it.
    #[schema(min_length = 1, max_length = 256, example = "Engineers")]
    pub name: String,
    #[schema(max_length = 4096)]
    pub description: Option<String>,
    /// The ids of the users in it.
    #[schema(max_items = 1000)]
    pub members: Option<Vec<String>>,
    /// The ids of the roles that they hold: custom ones, and built-in ones but `owner`.
    #[schema(max_items = 50)]
    pub roles: Option<Vec<String>>,
}

/// A group.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct GroupResponse {
    #[schema(example = "group_01890a5dac96774bbcceb302099a8057")]
    pub id: String,
    pub name: String,
    pub description: String,
    pub members: Vec<String>,
    pub roles: Vec<String>,
    /// Whether somebody else keeps its list of people; none is so far.
    pub is_managed: bool,
}

impl From<Group> for GroupResponse {
    fn from(group: Group) -> Self {
        Self {
            id: group.id.into_string(),
            name: group.name,
            description: group.description,
            members: group.members.into_iter().map(UserId::into_string).collect(),
            roles: group.roles.iter().map(|role| role.id().to_owned()).collect(),
            is_managed: false,
        }
    }
}

impl From<GroupRequest> for GroupInput {
    fn from(request: GroupRequest) -> Self {
        Self {
            name: request.name,
            description: request.description.unwrap_or_default(),
            members: request.members.unwrap_or_default(),
            roles: request.roles.unwrap_or_default(),
        }
    }
}

/// Lists the groups of the organisation.
#[utoipa::path(get, path = "/rbac/groups", tag = "groups", responses((status = 200, body = [GroupResponse])))]
pub async fn list(State(app): State<Arc<App>>, caller: Caller) -> Result<Json<Vec<GroupResponse>>, ApiError> {
    Ok(Json(groups::list(&app, &caller).await?.into_iter().map(Into::into).collect()))
}

/// Reads one group.
#[utoipa::path(get, path = "/rbac/groups/{id}", tag = "groups", params(("id" = String, Path)),
    responses((status = 200, body = GroupResponse)))]
pub async fn get(
    State(app): State<Arc<App>>,
    caller: Caller,
    PathId(id): PathId,
) -> Result<Json<GroupResponse>, ApiError> {
    Ok(Json(groups::get(&app, &caller, &id).await?.into()))
}

/// Creates a group. Its roles cannot hold more than the caller does.
#[utoipa::path(post, path = "/rbac/groups", tag = "groups", request_body = GroupRequest, responses(
    (status = 200, body = GroupResponse),
    (status = 402, body = ErrorBody, description = "The organisation is blocked for a failed payment."),
    (status = 409, body = ErrorBody, description = "Another group of the organisation has this name."),
))]
pub async fn create(
    State(app): State<Arc<App>>,
    caller: Caller,
    Json(request): Json<GroupRequest>,
) -> Result<Json<GroupResponse>, ApiError> {
    Ok(Json(groups::create(&app, &caller, request.into()).await?.into()))
}

/// Replaces a group. Its roles cannot hold more than the caller does, before and after.
#[utoipa::path(put, path = "/rbac/groups/{id}", tag = "groups", params(("id" = String, Path)),
    request_body = GroupRequest, responses(
    (status = 200, body = GroupResponse),
    (status = 409, body = ErrorBody, description = "Another group of the organisation has this name."),
))]
pub async fn replace(
    State(app): State<Arc<App>>,
    caller: Caller,
    PathId(id): PathId,
    Json(request): Json<GroupRequest>,
) -> Result<Json<GroupResponse>, ApiError> {
    Ok(Json(groups::replace(&app, &caller, &id, request.into()).await?.into()))
}

/// Deletes a group; its people lose the roles that they had by it.
#[utoipa::path(delete, path = "/rbac/groups/{id}", tag = "groups", params(("id" = String, Path)),
    responses((status = 204, description = "Deleted.")))]
pub async fn delete(
    State(app): State<Arc<App>>,
    caller: Caller,
    PathId(id): PathId,
) -> Result<StatusCode, ApiError> {
    groups::delete(&app, &caller, &id).await?;
    Ok(StatusCode::NO_CONTENT)
}
