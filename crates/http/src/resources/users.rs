//! `/user` and `/users`: the caller's own record, and the people of the organisation.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use tidegauge_app::App;
use tidegauge_app::service::invite_links;
use tidegauge_app::service::users::{self, UserInput};
use tidegauge_catalog::users::Member;
use tidegauge_web::error::{ApiError, ErrorBody};
use tidegauge_web::extract::{Caller, Json, PathId};
use utoipa::ToSchema;

use super::schemas::{OwnRoleName, RoleName};

/// A person who is to become a member.
#[derive(Debug, Deserialize, ToSchema)]
pub struct UserRequest {
    #[schema(min_length = 1, max_length = 256)]
    pub name: String,
    #[schema(format = "email")]
    pub email: String,
    #[schema(value_type = RoleName)]
    pub role: String,
}

#[derive(Debug, Deserialize, ToSchema)]
pub struct RenameRequest {
    #[schema(min_length = 1, max_length = 256)]
    pub name: String,
}

/// The role that a member is to have.
#[derive(Debug, Deserialize, ToSchema)]
pub struct UserRoleRequest {
    #[schema(value_type = RoleName)]
    pub role: String,
}

/// A person with their role in the organisation.
#[derive(Debug, Serialize, ToSchema)]
pub struct UserResponse {
    pub id: String,
    pub name: String,
    pub email: String,
    pub role: UserRoleResponse,
    /// Whether the person has accepted to be a member. Until then the membership gives nothing.
    pub accepted: bool,
}

/// The role of a person: a built-in one, or a custom one in its place.
#[derive(Debug, Serialize, ToSchema)]
pub struct UserRoleResponse {
    #[schema(value_type = RoleName)]
    pub id: String,
    pub name: String,
}

/// A link for one person, good once.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct InvitationResponse {
    /// Where the person accepts to be a member.
    pub link: String,
    #[schema(format = "date-time")]
    pub expires_at: String,
}

/// The caller's own record in the form of version 1, with keys that older clients demand.
#[derive(Debug, Serialize, ToSchema)]
pub struct UserResponseV1 {
    pub id: String,
    pub name: String,
    pub email: String,
    pub emails: Vec<String>,
    #[schema(value_type = OwnRoleName)]
    pub role: &'static str,
    /// Capabilities of the organisation that the caller holds, as `area|action`.
    pub permissions: Vec<String>,
}

impl From<Member> for UserResponse {
    fn from(member: Member) -> Self {
        let Member { person, role, main, accepted } = member;
        let role = match main {
            Some(main) => UserRoleResponse { id: main.id.into_string(), name: main.name },
            None => UserRoleResponse { id: role.id().to_owned(), name: role.label().to_owned() },
        };
        Self { id: person.id.into_string(), name: person.name, email: person.email, role, accepted }
    }
}

/// Reads the caller's own record.
#[utoipa::path(get, path = "/user", tag = "users", responses((status = 200, body = UserResponse)))]
pub async fn current(State(app): State<Arc<App>>, caller: Caller) -> Result<Json<UserResponse>, ApiError> {
    Ok(Json(users::current(&app, &caller).await?.into()))
}

/// Reads the caller's own record.
#[utoipa::path(get, path = "/user", tag = "users", responses((status = 200, body = UserResponseV1)))]
pub async fn current_v1(
    State(app): State<Arc<App>>,
    caller: Caller,
) -> Result<Json<UserResponseV1>, ApiError> {
    let Member { person, role, main, .. } = users::current(&app, &caller).await?;
    let held = caller.capabilities.org.iter();
    let permissions = held.flat_map(|(area, actions)| {
        actions.iter().map(|action| format!("{}|{}", area.name(), action.name()))
    });
    Ok(Json(UserResponseV1 {
        id: person.id.into_string(),
        name: person.name,
        emails: vec![person.email.clone()],
        email: person.email,
        role: if main.is_some() { "custom" } else { role.id() },
        permissions: permissions.collect(),
    }))
}

/// Gives the caller another name.
#[utoipa::path(put, path = "/user", tag = "users", request_body = RenameRequest,
    responses((status = 200, body = UserResponse)))]
pub async fn rename_current(
    State(app): State<Arc<App>>,
    caller: Caller,
    Json(request): Json<RenameRequest>,
) -> Result<Json<UserResponse>, ApiError> {
    Ok(Json(users::rename_current(&app, &caller, &request.name).await?.into()))
}

/// Lists the people of the organisation.
#[utoipa::path(get, path = "/users", tag = "users", responses((status = 200, body = [UserResponse])))]
pub async fn list(State(app): State<Arc<App>>, caller: Caller) -> Result<Json<Vec<UserResponse>>, ApiError> {
    let members = users::list(&app, &caller).await?;
    Ok(Json(members.into_iter().map(UserResponse::from).collect()))
}

/// Reads one person of the organisation.
#[utoipa::path(get, path = "/users/{id}", tag = "users", params(("id" = String, Path)),
    responses((status = 200, body = UserResponse)))]
pub async fn get(
    State(app): State<Arc<App>>,
    caller: Caller,
    PathId(id): PathId,
) -> Result<Json<UserResponse>, ApiError> {
    Ok(Json(users::get(&app, &caller, &id).await?.into()))
}

/// Adds a person to the organisation, up to the number that the licence allows. It gives them nothing until they accept it
/// by the link of an invitation.
#[utoipa::path(post, path = "/users", tag = "users", request_body = UserRequest, responses(
    (status = 200, body = UserResponse),
    (status = 402, body = ErrorBody, description = "The organisation is blocked for a failed payment."),
    (status = 409, body = ErrorBody, description = "The person is a member already."),
))]
pub async fn create(
    State(app): State<Arc<App>>,
    caller: Caller,
    Json(request): Json<UserRequest>,
) -> Result<Json<UserResponse>, ApiError> {
    let UserRequest { name, email, role } = request;
    Ok(Json(users::create(&app, &caller, UserInput { name, email, role }).await?.into()))
}

/// Gives a person another name, unless they belong to other organisations too.
#[utoipa::path(put, path = "/users/{id}", tag = "users", params(("id" = String, Path)),
    request_body = RenameRequest, responses((status = 200, body = UserResponse)))]
pub async fn rename(
    State(app): State<Arc<App>>,
    caller: Caller,
    PathId(id): PathId,
    Json(request): Json<RenameRequest>,
) -> Result<Json<UserResponse>, ApiError> {
    Ok(Json(users::rename(&app, &caller, &id, &request.name).await?.into()))
}

/// Gives a person another role in the place of the one that they have: a built-in one, or a custom one.
#[utoipa::path(put, path = "/users/{id}/role", tag = "users", params(("id" = String, Path)),
    request_body = UserRoleRequest, responses(
    (status = 200, body = UserResponse),
    (status = 409, body = ErrorBody,
        description = "The organisation would be left without an owner, or rights changed at the same time."),
))]
pub async fn set_role(
    State(app): State<Arc<App>>,
    caller: Caller,
    PathId(id): PathId,
    Json(request): Json<UserRoleRequest>,
) -> Result<Json<UserResponse>, ApiError> {
    Ok(Json(users::set_role(&app, &caller, &id, &request.role).await?.into()))
}

/// Makes a one-time link by which a person accepts to be a member, with a password for a new account or with the account
/// that they have; it is shown this once. An earlier link of the organisation for them stops working.
#[utoipa::path(post, path = "/users/{id}/invitation", tag = "users", params(("id" = String, Path)), responses(
    (status = 200, body = InvitationResponse),
    (status = 409, body = ErrorBody, description = "The person has accepted already."),
))]
pub async fn invite(
    State(app): State<Arc<App>>,
    caller: Caller,
    PathId(id): PathId,
) -> Result<Json<InvitationResponse>, ApiError> {
    let made = invite_links::invite(&app, &caller, &id).await?;
    let link = made.address(&app.public_url);
    Ok(Json(InvitationResponse { link, expires_at: made.expires_at.to_string() }))
}

/// Removes a person from the organisation.
#[utoipa::path(delete, path = "/users/{id}", tag = "users", params(("id" = String, Path)), responses(
    (status = 204, description = "Removed."),
    (status = 409, body = ErrorBody, description = "The organisation would be left without an owner."),
))]
pub async fn delete(
    State(app): State<Arc<App>>,
    caller: Caller,
    PathId(id): PathId,
) -> Result<StatusCode, ApiError> {
    users::delete(&app, &caller, &id).await?;
    Ok(StatusCode::NO_CONTENT)
}
