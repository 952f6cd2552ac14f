//! `/vfields`: fields of a dataset that are computed from others when a query is asked.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use tidegauge_app::App;
use tidegauge_app::service::virtual_fields::{self, VirtualFieldInput};
use tidegauge_catalog::virtual_fields::VirtualField;
use tidegauge_web::error::{ApiError, ErrorBody};
use tidegauge_web::extract::{Caller, Json, PathId, Query};
use utoipa::{IntoParams, ToSchema};

/// What a caller sets of a virtual field.
#[derive(Debug, Deserialize, ToSchema)]
pub struct VirtualFieldRequest {
    /// The dataset that it belongs to, which must exist.
    #[schema(max_length = 128, pattern = "^[A-Za-z0-9][A-Za-z0-9_.-]*$")]
    pub dataset: String,
    #[schema(min_length = 1, max_length = 200)]
    pub name: String,
    /// An expression over the fields of the dataset and the virtual fields before it. None of them need exist yet.
    #[schema(min_length = 1, max_length = 16_384, example = "toint(response) < 400")]
    pub expression: String,
    #[schema(max_length = 4096)]
    pub description: Option<String>,
    /// The type that people expect of it; nothing depends on it.
    #[serde(rename = "type")]
    #[schema(max_length = 256, example = "boolean")]
    pub kind: Option<String>,
    #[schema(max_length = 256)]
    pub unit: Option<String>,
}

/// A virtual field.
#[derive(Debug, Serialize, ToSchema)]
pub struct VirtualFieldResponse {
    #[schema(example = "vfield_01890a5dac96774bbcceb302099a8057")]
    pub id: String,
    pub dataset: String,
    pub name: String,
    pub expression: String,
    pub description: String,
    #[serde(rename = "type")]
    pub kind: String,
    pub unit: String,
}

/// Which virtual fields to list.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct VirtualFieldParameters {
    /// Only those of this dataset, which must exist. Absent for all that the caller may read.
    dataset: Option<String>,
}

impl From<VirtualField> for VirtualFieldResponse {
    fn from(field: VirtualField) -> Self {
        Self {
            id: field.id.into_string(),
            dataset: field.dataset,
            name: field.name,
            expression: field.expression,
            description: field.description,
            kind: field.kind,
            unit: field.unit,
        }
    }
}

impl From<VirtualFieldRequest> for VirtualFieldInput {
    fn from(request: VirtualFieldRequest) -> Self {
        let VirtualFieldRequest { dataset, name, expression, description, kind, unit } = request;
        Self { dataset, name, expression, description, kind, unit }
    }
}

/// Lists virtual fields: by dataset, then in the order of their creation.
#[utoipa::path(get, path = "/vfields", tag = "virtual fields", params(VirtualFieldParameters),
    responses(
    (status = 200, body = [VirtualFieldResponse]),
    (status = 404, body = ErrorBody, description = "There is no such dataset."),
    (status = 413, body = ErrorBody, description = "The list would be too large: ask for those of one dataset."),
))]
pub async fn list(
    State(app): State<Arc<App>>,
    caller: Caller,
    Query(parameters): Query<VirtualFieldParameters>,
) -> Result<Json<Vec<VirtualFieldResponse>>, ApiError> {
    let dataset = parameters.dataset.filter(|dataset| !dataset.is_empty());
    let found = virtual_fields::list(&app, &caller, dataset.as_deref()).await?;
    Ok(Json(found.into_iter().map(Into::into).collect()))
}

/// Reads one virtual field.
#[utoipa::path(get, path = "/vfields/{id}", tag = "virtual fields", params(("id" = String, Path)),
    responses((status = 200, body = VirtualFieldResponse)))]
pub async fn get(
    State(app): State<Arc<App>>,
    caller: Caller,
    PathId(id): PathId,
) -> Result<Json<VirtualFieldResponse>, ApiError> {
    Ok(Json(virtual_fields::get(&app, &caller, &id).await?.into()))
}

/// Adds a virtual field to a dataset.
#[utoipa::path(post, path = "/vfields", tag = "virtual fields", request_body = VirtualFieldRequest, responses(
    (status = 200, body = VirtualFieldResponse),
    (status = 402, body = ErrorBody, description = "The organisation is blocked for a failed payment."),
    (status = 404, body = ErrorBody, description = "There is no such dataset."),
    (status = 409, body = ErrorBody, description = "The dataset has a virtual field with this name."),
))]
pub async fn create(
    State(app): State<Arc<App>>,
    caller: Caller,
    Json(request): Json<VirtualFieldRequest>,
) -> Result<Json<VirtualFieldResponse>, ApiError> {
    Ok(Json(virtual_fields::create(&app, &caller, request.into()).await?.into()))
}

/// Replaces a virtual field. An unknown id is not created.
#[utoipa::path(put, path = "/vfields/{id}", tag = "virtual fields", params(("id" = String, Path)),
    request_body = VirtualFieldRequest, responses(
    (status = 200, body = VirtualFieldResponse),
    (status = 409, body = ErrorBody,
        description = "The dataset has another one with this name, or it was changed at the same moment."),
))]
pub async fn replace(
    State(app): State<Arc<App>>,
    caller: Caller,
    PathId(id): PathId,
    Json(request): Json<VirtualFieldRequest>,
) -> Result<Json<VirtualFieldResponse>, ApiError> {
    Ok(Json(virtual_fields::replace(&app, &caller, &id, request.into()).await?.into()))
}

/// Deletes a virtual field.
#[utoipa::path(delete, path = "/vfields/{id}", tag = "virtual fields", params(("id" = String, Path)), responses(
    (status = 204, description = "Deleted."),
    (status = 409, body = ErrorBody, description = "Another request changed it at the same moment."),
))]
pub async fn delete(
    State(app): State<Arc<App>>,
    caller: Caller,
    PathId(id): PathId,
) -> Result<StatusCode, ApiError> {
    virtual_fields::delete(&app, &caller, &id).await?;
    Ok(StatusCode::NO_CONTENT)
}
