//! `/views`: queries under a name that other queries can read from as from a dataset.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use tidegauge_app::App;
use tidegauge_app::service::views::{self, ViewInput};
use tidegauge_catalog::views::View;
use tidegauge_web::error::{ApiError, ErrorBody};
use tidegauge_web::extract::{Caller, Json, PathId};
use utoipa::ToSchema;

/// What a caller sets of a view.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ViewRequest {
    /// No dataset and no other view of the organisation has it.
    #[schema(min_length = 1, max_length = 256, pattern = r"^[^*\x00-\x1f]*$")]
    pub name: String,
    #[schema(min_length = 1, max_length = 262_144, example = "['web'] | where status >= 500")]
    pub apl_query: String,
    /// The datasets that it is about; those that the query names, unless given.
    #[schema(max_items = 1000)]
    pub datasets: Option<Vec<String>>,
    #[schema(max_length = 4096)]
    pub description: Option<String>,
}

/// A view.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ViewResponse {
    #[schema(example = "view_01890a5dac96774bbcceb302099a8057")]
    pub id: String,
    pub name: String,
    pub apl_query: String,
    pub datasets: Vec<String>,
    pub description: String,
    /// The organisation that shares it; empty for one's own.
    pub shared_by_org: String,
    pub shared_by_org_name: String,
    #[schema(format = DateTime)]
    pub created_at: String,
    pub created_by: String,
    #[schema(format = DateTime)]
    pub updated_at: String,
}

impl From<View> for ViewResponse {
    fn from(view: View) -> Self {
        Self {
            id: view.id.into_string(),
            name: view.name,
            apl_query: view.apl,
            datasets: view.datasets,
            description: view.description,
            shared_by_org: String::new(),
            shared_by_org_name: String::new(),
            created_at: view.created.to_string(),
            created_by: view.created_by.into_string(),
            updated_at: view.modified.to_string(),
        }
    }
}

impl From<ViewRequest> for ViewInput {
    fn from(request: ViewRequest) -> Self {
        let ViewRequest { name, apl_query, datasets, description } = request;
        Self { name, apl: apl_query, datasets, description }
    }
}

/// Lists the views of the organisation.
#[utoipa::path(get, path = "/views", tag = "views", responses(
    (status = 200, body = [ViewResponse]),
    (status = 413, body = ErrorBody, description = "The list would be too large: read them one by one."),
))]
pub async fn list(State(app): State<Arc<App>>, caller: Caller) -> Result<Json<Vec<ViewResponse>>, ApiError> {
    Ok(Json(views::list(&app, &caller).await?.into_iter().map(Into::into).collect()))
}

/// Reads one view.
#[utoipa::path(get, path = "/views/{id}", tag = "views",
    params(("id" = String, Path, description = "Its id or its name.")),
    responses((status = 200, body = ViewResponse)))]
pub async fn get(
    State(app): State<Arc<App>>,
    caller: Caller,
    PathId(id): PathId,
) -> Result<Json<ViewResponse>, ApiError> {
    Ok(Json(views::get(&app, &caller, &id).await?.into()))
}

/// Creates a view. The caller must be allowed to query all that it reads.
#[utoipa::path(post, path = "/views", tag = "views", request_body = ViewRequest, responses(
    (status = 200, body = ViewResponse),
    (status = 402, body = ErrorBody, description = "The organisation is blocked for a failed payment."),
    (status = 409, body = ErrorBody, description = "A view or a dataset of the organisation has this name."),
))]
pub async fn create(
    State(app): State<Arc<App>>,
    caller: Caller,
    Json(request): Json<ViewRequest>,
) -> Result<Json<ViewResponse>, ApiError> {
    Ok(Json(views::create(&app, &caller, request.into()).await?.into()))
}

/// Replaces a view. An unknown id is not created. The caller must be allowed to query all that it reads.
#[utoipa::path(put, path = "/views/{id}", tag = "views",
    params(("id" = String, Path, description = "Its id or its name.")), request_body = ViewRequest, responses(
    (status = 200, body = ViewResponse),
    (status = 409, body = ErrorBody, description = "Another view or a dataset of the organisation has this name."),
))]
pub async fn replace(
    State(app): State<Arc<App>>,
    caller: Caller,
    PathId(id): PathId,
    Json(request): Json<ViewRequest>,
) -> Result<Json<ViewResponse>, ApiError> {
    Ok(Json(views::replace(&app, &caller, &id, request.into()).await?.into()))
}

/// Deletes a view.
#[utoipa::path(delete, path = "/views/{id}", tag = "views",
    params(("id" = String, Path, description = "Its id or its name.")),
    responses((status = 204, description = "Deleted.")))]
pub async fn delete(
    State(app): State<Arc<App>>,
    caller: Caller,
    PathId(id): PathId,
) -> Result<StatusCode, ApiError> {
    views::delete(&app, &caller, &id).await?;
    Ok(StatusCode::NO_CONTENT)
}
