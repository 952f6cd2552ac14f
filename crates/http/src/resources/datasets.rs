//! `/datasets`: the places that events go to. Their fields are in `fields`, their figures and upkeep in `care`, events
//! to look around with in `demo`.

pub mod demo;
pub mod fields;
pub mod maintenance;

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use tidegauge_app::App;
use tidegauge_app::service::datasets::{self, DatasetChange, DatasetInput};
use tidegauge_catalog::datasets::Dataset;
use tidegauge_model::dataset::AUDIT_KIND;
use tidegauge_model::{Action, DatasetArea};
use tidegauge_web::error::{ApiError, ErrorBody};
use tidegauge_web::extract::{Caller, Json, PathId};
use utoipa::ToSchema;

/// A dataset to be made.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DatasetRequest {
    #[schema(pattern = "^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$", example = "web-logs")]
    pub name: String,
    #[schema(max_length = 4096)]
    pub description: Option<String>,
    /// What the events are; `axiom:events:v1` unless given.
    pub kind: Option<String>,
    /// Whether events are removed after `retentionDays`.
    pub use_retention_period: Option<bool>,
    #[schema(maximum = 36500)]
    pub retention_days: Option<u32>,
    /// Where clients want it to be kept. There is one place here, so the word is only kept.
    #[schema(max_length = 256)]
    pub region: Option<String>,
    /// The same in the word of newer clients.
    #[schema(max_length = 256)]
    pub edge_deployment: Option<String>,
}

/// What is to change of a dataset; what is absent stays. Other keys are refused: no public client sends one, and a typing
/// error would else change nothing without a word.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DatasetUpdateRequest {
    #[schema(max_length = 4096)]
    pub description: Option<String>,
    pub use_retention_period: Option<bool>,
    #[schema(maximum = 36500)]
    pub retention_days: Option<u32>,
}

/// A dataset.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DatasetResponse {
    /// The same as the name.
    pub id: String,
    pub name: String,
    pub description: String,
    /// Id of the user who made it.
    pub who: String,
    #[schema(format = DateTime)]
    pub created: String,
    #[schema(format = DateTime)]
    pub updated_at: String,
    pub kind: String,
    /// Whether the caller may send events to it.
    pub can_write: bool,
    pub use_retention_period: bool,
    pub retention_days: u32,
    pub map_fields: Vec<String>,
    /// As it was given; absent if it was not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub region: Option<String>,
    /// As it was given; absent if it was not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edge_deployment: Option<String>,
}

/// A dataset in the form of version 1.
#[derive(Debug, Serialize, ToSchema)]
pub struct DatasetResponseV1 {
    /// The same as the name.
    pub id: String,
    pub name: String,
    pub description: String,
    /// Id of the user who made it.
    pub who: String,
    #[schema(format = DateTime)]
    pub created: String,
}

impl DatasetResponse {
    fn of(caller: &Caller, dataset: Dataset) -> Self {
        let name = dataset.name.as_str();
        let given = |word: String| Some(word).filter(|word| !word.is_empty());
        Self {
            id: name.to_owned(),
            name: name.to_owned(),
            can_write: dataset.kind != AUDIT_KIND
                && caller.capabilities.allows_dataset(name, DatasetArea::Ingest, Action::Create),
            description: dataset.description,
            who: dataset.created_by.into_string(),
            created: dataset.created.to_string(),
            updated_at: dataset.modified.to_string(),
            kind: dataset.kind,
            use_retention_period: dataset.use_retention,
            retention_days: dataset.retention_days,
            map_fields: dataset.map_fields,
            region: given(dataset.region),
            edge_deployment: given(dataset.edge_deployment),
        }
    }
}

impl From<Dataset> for DatasetResponseV1 {
    fn from(dataset: Dataset) -> Self {
        let name = dataset.name.as_str().to_owned();
        Self {
            id: name.clone(),
            name,
            description: dataset.description,
            who: dataset.created_by.into_string(),
            created: dataset.created.to_string(),
        }
    }
}

impl From<DatasetRequest> for DatasetInput {
    fn from(request: DatasetRequest) -> Self {
        Self {
            name: request.name,
            description: request.description,
            kind: request.kind,
            use_retention: request.use_retention_period,
            retention_days: request.retention_days,
            region: request.region,
            edge_deployment: request.edge_deployment,
            map_fields: Vec::new(),
        }
    }
}

impl From<DatasetUpdateRequest> for DatasetChange {
    fn from(request: DatasetUpdateRequest) -> Self {
        Self {
            description: request.description,
            use_retention: request.use_retention_period,
            retention_days: request.retention_days,
        }
    }
}

/// Lists the datasets that the caller can do anything with.
#[utoipa::path(get, path = "/datasets", tag = "datasets", responses((status = 200, body = [DatasetResponse])))]
pub async fn list(
    State(app): State<Arc<App>>,
    caller: Caller,
) -> Result<Json<Vec<DatasetResponse>>, ApiError> {
    let datasets = datasets::list(&app, &caller).await?;
    Ok(Json(datasets.into_iter().map(|dataset| DatasetResponse::of(&caller, dataset)).collect()))
}

/// Reads one dataset.
#[utoipa::path(get, path = "/datasets/{id}", tag = "datasets", params(("id" = String, Path)),
    responses((status = 200, body = DatasetResponse)))]
pub async fn get(
    State(app): State<Arc<App>>,
    caller: Caller,
    PathId(name): PathId,
) -> Result<Json<DatasetResponse>, ApiError> {
    let dataset = datasets::get(&app, &caller, &name).await?;
    Ok(Json(DatasetResponse::of(&caller, dataset)))
}

/// Makes a dataset.
#[utoipa::path(post, path = "/datasets", tag = "datasets", request_body = DatasetRequest, responses(
    (status = 200, body = DatasetResponse),
    (status = 402, body = ErrorBody, description = "The organisation is blocked for a failed payment."),
    (status = 409, body = ErrorBody, description = "There is one with this name."),
))]
pub async fn create(
    State(app): State<Arc<App>>,
    caller: Caller,
    Json(request): Json<DatasetRequest>,
) -> Result<Json<DatasetResponse>, ApiError> {
    let dataset = datasets::create(&app, &caller, request.into()).await?;
    Ok(Json(DatasetResponse::of(&caller, dataset)))
}

/// Changes a dataset.
#[utoipa::path(put, path = "/datasets/{id}", tag = "datasets", params(("id" = String, Path)),
    request_body = DatasetUpdateRequest, responses((status = 200, body = DatasetResponse)))]
pub async fn update(
    State(app): State<Arc<App>>,
    caller: Caller,
    PathId(name): PathId,
    Json(request): Json<DatasetUpdateRequest>,
) -> Result<Json<DatasetResponse>, ApiError> {
    let dataset = datasets::update(&app, &caller, &name, request.into()).await?;
    Ok(Json(DatasetResponse::of(&caller, dataset)))
}

/// Deletes a dataset with all its events.
#[utoipa::path(delete, path = "/datasets/{id}", tag = "datasets", params(("id" = String, Path)),
    responses((status = 204, description = "Deleted.")))]
pub async fn delete(
    State(app): State<Arc<App>>,
    caller: Caller,
    PathId(name): PathId,
) -> Result<StatusCode, ApiError> {
    datasets::delete(&app, &caller, &name).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Lists the datasets that the caller can do anything with.
#[utoipa::path(get, path = "/datasets", tag = "datasets", responses((status = 200, body = [DatasetResponseV1])))]
pub async fn list_v1(
    State(app): State<Arc<App>>,
    caller: Caller,
) -> Result<Json<Vec<DatasetResponseV1>>, ApiError> {
    Ok(Json(datasets::list(&app, &caller).await?.into_iter().map(Into::into).collect()))
}

/// Reads one dataset.
#[utoipa::path(get, path = "/datasets/{id}", tag = "datasets", params(("id" = String, Path)),
    responses((status = 200, body = DatasetResponseV1)))]
pub async fn get_v1(
    State(app): State<Arc<App>>,
    caller: Caller,
    PathId(name): PathId,
) -> Result<Json<DatasetResponseV1>, ApiError> {
    Ok(Json(datasets::get(&app, &caller, &name).await?.into()))
}

/// Makes a dataset.
#[utoipa::path(post, path = "/datasets", tag = "datasets", request_body = DatasetRequest, responses(
    (status = 200, body = DatasetResponseV1),
    (status = 402, body = ErrorBody, description = "The organisation is blocked for a failed payment."),
    (status = 409, body = ErrorBody, description = "There is one with this name."),
))]
pub async fn create_v1(
    State(app): State<Arc<App>>,
    caller: Caller,
    Json(request): Json<DatasetRequest>,
) -> Result<Json<DatasetResponseV1>, ApiError> {
    Ok(Json(datasets::create(&app, &caller, request.into()).await?.into()))
}

/// Changes a dataset.
#[utoipa::path(put, path = "/datasets/{id}", tag = "datasets", params(("id" = String, Path)),
    request_body = DatasetUpdateRequest, responses((status = 200, body = DatasetResponseV1)))]
pub async fn update_v1(
    State(app): State<Arc<App>>,
    caller: Caller,
    PathId(name): PathId,
    Json(request): Json<DatasetUpdateRequest>,
) -> Result<Json<DatasetResponseV1>, ApiError> {
    Ok(Json(datasets::update(&app, &caller, &name, request.into()).await?.into()))
}
