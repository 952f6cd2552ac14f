//! `/datasets/{id}/fields` and `/datasets/{id}/mapfields`.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use tidegauge_app::App;
use tidegauge_app::service::datasets::fields::{self, DescribedField, FieldInput};
use tidegauge_web::error::{ApiError, ErrorBody};
use tidegauge_web::extract::{Caller, Json, JsonList, PathId, PathIds};
use utoipa::ToSchema;

/// A field of a dataset.
#[derive(Debug, Serialize, ToSchema)]
pub struct FieldResponse {
    #[schema(example = "geo.city")]
    pub name: String,
    /// The types that its values have had.
    #[serde(rename = "type")]
    #[schema(example = "integer|string")]
    pub kind: String,
    pub unit: String,
    pub hidden: bool,
    pub description: String,
}

/// What people say of a field; what is absent stays.
#[derive(Debug, Deserialize, ToSchema)]
pub struct FieldRequest {
    #[schema(max_length = 4096)]
    pub description: Option<String>,
    #[schema(max_length = 256)]
    pub unit: Option<String>,
    pub hidden: Option<bool>,
}

/// The fields of one dataset among many.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DatasetFieldsResponse {
    pub dataset_name: String,
    pub fields: Vec<FieldResponse>,
}

/// The name of a map field.
#[derive(Debug, Deserialize, Serialize, ToSchema)]
pub struct MapField {
    #[schema(min_length = 1, max_length = 200)]
    pub name: String,
}

impl From<DescribedField> for FieldResponse {
    fn from(field: DescribedField) -> Self {
        let DescribedField { name, kind, unit, hidden, description } = field;
        Self { name, kind, unit, hidden, description }
    }
}

/// Lists the fields of a dataset.
#[utoipa::path(get, path = "/datasets/{id}/fields", tag = "datasets", params(("id" = String, Path)),
    responses((status = 200, body = [FieldResponse])))]
pub async fn list_fields(
    State(app): State<Arc<App>>,
    caller: Caller,
    PathId(name): PathId,
) -> Result<Json<Vec<FieldResponse>>, ApiError> {
    Ok(Json(fields::list(&app, &caller, &name).await?.into_iter().map(Into::into).collect()))
}

/// Reads one field of a dataset.
#[utoipa::path(get, path = "/datasets/{id}/fields/{field}", tag = "datasets",
    params(("id" = String, Path), ("field" = String, Path)), responses((status = 200, body = FieldResponse)))]
pub async fn get_field(
    State(app): State<Arc<App>>,
    caller: Caller,
    PathIds(name, field): PathIds,
) -> Result<Json<FieldResponse>, ApiError> {
    Ok(Json(fields::find(&app, &caller, &name, &field).await?.into()))
}

/// Says what a field means: its description, its unit, and whether it is shown.
#[utoipa::path(put, path = "/datasets/{id}/fields/{field}", tag = "datasets",
    params(("id" = String, Path), ("field" = String, Path)), request_body = FieldRequest,
    responses((status = 200, body = FieldResponse)))]
pub async fn describe(
    State(app): State<Arc<App>>,
    caller: Caller,
    PathIds(name, field): PathIds,
    Json(request): Json<FieldRequest>,
) -> Result<Json<FieldResponse>, ApiError> {
    let FieldRequest { description, unit, hidden } = request;
    let input = FieldInput { description, unit, hidden };
    Ok(Json(fields::describe(&app, &caller, &name, &field, input).await?.into()))
}

/// Lists the fields of every dataset.
#[utoipa::path(get, path = "/datasets/_fields", tag = "datasets",
    responses((status = 200, body = [DatasetFieldsResponse])))]
pub async fn list_all(
    State(app): State<Arc<App>>,
    caller: Caller,
) -> Result<Json<Vec<DatasetFieldsResponse>>, ApiError> {
    let all = fields::list_all(&app, &caller).await?;
    let response = |(dataset_name, fields): (String, Vec<DescribedField>)| DatasetFieldsResponse {
        dataset_name,
        fields: fields.into_iter().map(Into::into).collect(),
    };
    Ok(Json(all.into_iter().map(response).collect()))
}

/// Lists the fields that keep objects as maps.
#[utoipa::path(get, path = "/datasets/{id}/mapfields", tag = "datasets", params(("id" = String, Path)),
    responses((status = 200, body = [String])))]
pub async fn list_maps(
    State(app): State<Arc<App>>,
    caller: Caller,
    PathId(name): PathId,
) -> Result<Json<Vec<String>>, ApiError> {
    Ok(Json(fields::map_fields(&app, &caller, &name).await?))
}

/// Replaces the fields that keep objects as maps. Stored events keep their form.
#[utoipa::path(put, path = "/datasets/{id}/mapfields", tag = "datasets", params(("id" = String, Path)),
    request_body = [String], responses((status = 200, body = [String])))]
pub async fn set_maps(
    State(app): State<Arc<App>>,
    caller: Caller,
    PathId(name): PathId,
    JsonList(names): JsonList<String>,
) -> Result<Json<Vec<String>>, ApiError> {
    Ok(Json(fields::set_map_fields(&app, &caller, &name, names).await?))
}

/// Adds a field that keeps objects as maps.
#[utoipa::path(post, path = "/datasets/{id}/mapfields", tag = "datasets", params(("id" = String, Path)),
    request_body = MapField, responses(
        (status = 200, body = MapField),
        (status = 409, body = ErrorBody, description = "It is one already."),
    ))]
pub async fn add_map(
    State(app): State<Arc<App>>,
    caller: Caller,
    PathId(name): PathId,
    Json(field): Json<MapField>,
) -> Result<Json<MapField>, ApiError> {
    fields::add_map_field(&app, &caller, &name, &field.name).await?;
    Ok(Json(field))
}

/// Makes a map field an ordinary one. Stored events keep their form.
#[utoipa::path(delete, path = "/datasets/{id}/mapfields/{name}", tag = "datasets",
    params(("id" = String, Path), ("name" = String, Path)), responses((status = 204, description = "Removed.")))]
pub async fn remove_map(
    State(app): State<Arc<App>>,
    caller: Caller,
    PathIds(name, field): PathIds,
) -> Result<StatusCode, ApiError> {
    fields::remove_map_field(&app, &caller, &name, &field).await?;
    Ok(StatusCode::NO_CONTENT)
}
