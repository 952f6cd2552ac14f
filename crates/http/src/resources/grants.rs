//! `/user/grants`: what the person who asks has allowed clients to do for them.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use serde::Serialize;
use tidegauge_app::App;
use tidegauge_app::service::oauth::grants::{self, NamedGrant};
use tidegauge_web::error::ApiError;
use tidegauge_web::extract::{Caller, Json, PathId};
use utoipa::ToSchema;

/// What a person has allowed a client.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct GrantResponse {
    pub id: String,
    pub client_id: String,
    pub client_name: String,
    #[schema(example = "query|read ingest|create")]
    pub scope: String,
    #[schema(format = DateTime)]
    pub created_at: String,
    #[schema(format = DateTime)]
    pub last_used_at: String,
    /// When it ends by itself.
    #[schema(format = DateTime)]
    pub expires_at: String,
}

impl From<NamedGrant> for GrantResponse {
    fn from(named: NamedGrant) -> Self {
        let NamedGrant { grant, client_name } = named;
        Self {
            id: grant.id.into_string(),
            client_id: grant.client.into_string(),
            client_name,
            scope: grant.scope,
            created_at: grant.created.to_string(),
            last_used_at: grant.last_used.to_string(),
            expires_at: grant.ends.to_string(),
        }
    }
}

/// Lists what the caller has allowed clients to do for them.
#[utoipa::path(get, path = "/user/grants", tag = "users", operation_id = "list_grants",
    responses((status = 200, body = [GrantResponse])))]
pub async fn list(State(app): State<Arc<App>>, caller: Caller) -> Result<Json<Vec<GrantResponse>>, ApiError> {
    let grants = grants::list(&app, &caller).await?;
    Ok(Json(grants.into_iter().map(GrantResponse::from).collect()))
}

/// Ends what the caller has allowed a client: its tokens stop working at once.
#[utoipa::path(delete, path = "/user/grants/{id}", tag = "users", operation_id = "revoke_grant",
    params(("id" = String, Path)), responses((status = 204, description = "Ended.")))]
pub async fn revoke(
    State(app): State<Arc<App>>,
    caller: Caller,
    PathId(id): PathId,
) -> Result<StatusCode, ApiError> {
    grants::revoke(&app, &caller, &id).await?;
    Ok(StatusCode::NO_CONTENT)
}
