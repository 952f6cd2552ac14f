//! `/annotations`: moments and stretches of time that are marked on datasets.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use tidegauge_app::App;
use tidegauge_app::service::annotations::{self, AnnotationInput, AnnotationQuestion};
use tidegauge_catalog::annotations::Annotation;
use tidegauge_web::error::{ApiError, ErrorBody};
use tidegauge_web::extract::{Caller, Json, PathId, Query};
use utoipa::{IntoParams, ToSchema};

/// A new annotation.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AnnotationRequest {
    /// The names of datasets, which need not exist.
    #[schema(required, nullable = false, min_items = 1, max_items = 100, example = json!(["web"]))]
    pub datasets: Option<Vec<String>>,
    /// What kind of thing happened.
    #[serde(rename = "type")]
    #[schema(
        required,
        nullable = false,
        max_length = 256,
        pattern = "^[a-z0-9-]+$",
        example = "production-release"
    )]
    pub kind: Option<String>,
    /// When it happened, or began; now if it is not said.
    #[schema(format = DateTime)]
    pub time: Option<String>,
    /// When it ended.
    #[schema(format = DateTime)]
    pub end_time: Option<String>,
    #[schema(max_length = 256)]
    pub title: Option<String>,
    #[schema(max_length = 512)]
    pub description: Option<String>,
    #[schema(max_length = 512)]
    pub url: Option<String>,
}

/// What to change of an annotation. What is absent or null stays as it is.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AnnotationUpdate {
    #[schema(min_items = 1, max_items = 100)]
    pub datasets: Option<Vec<String>>,
    #[serde(rename = "type")]
    #[schema(max_length = 256, pattern = "^[a-z0-9-]+$")]
    pub kind: Option<String>,
    #[schema(format = DateTime)]
    pub time: Option<String>,
    #[schema(format = DateTime)]
    pub end_time: Option<String>,
    #[schema(max_length = 256)]
    pub title: Option<String>,
    #[schema(max_length = 512)]
    pub description: Option<String>,
    #[schema(max_length = 512)]
    pub url: Option<String>,
}

/// An annotation.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AnnotationResponse {
    #[schema(example = "ann_01890a5dac96774bbcceb302099a8057")]
    pub id: String,
    pub datasets: Vec<String>,
    #[serde(rename = "type")]
    pub kind: String,
    #[schema(format = DateTime)]
    pub time: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(format = DateTime, nullable = false)]
    pub end_time: Option<String>,
    #[serde(skip_serializing_if = "String::is_empty")]
    #[schema(required = false)]
    pub title: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    #[schema(required = false)]
    pub description: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    #[schema(required = false)]
    pub url: String,
}

/// Which annotations to list. Each may be given more than once.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(
    dead_code,
    reason = "the parameters are read one by one, because clients repeat them; this describes them"
)]
pub struct AnnotationParameters {
    /// Only those of one of these datasets; repeated, numbered as in `datasets[0]`, or with commas between the names.
    datasets: Option<String>,
    /// Only those that end at or after this time.
    #[param(format = DateTime)]
    start: Option<String>,
    /// Only those that begin at or before this time.
    #[param(format = DateTime)]
    end: Option<String>,
}

impl From<Annotation> for AnnotationResponse {
    fn from(annotation: Annotation) -> Self {
        Self {
            id: annotation.id.into_string(),
            datasets: annotation.datasets,
            kind: annotation.kind,
            time: annotation.at.to_string(),
            end_time: annotation.end_at.map(|time| time.to_string()),
            title: annotation.title,
            description: annotation.description,
            url: annotation.url,
        }
    }
}

impl From<AnnotationRequest> for AnnotationInput {
    fn from(request: AnnotationRequest) -> Self {
        let AnnotationRequest { datasets, kind, time, end_time, title, description, url } = request;
        Self { datasets, time, end_time, kind, title, description, url }
    }
}

impl From<AnnotationUpdate> for AnnotationInput {
    fn from(update: AnnotationUpdate) -> Self {
        let AnnotationUpdate { datasets, kind, time, end_time, title, description, url } = update;
        Self { datasets, time, end_time, kind, title, description, url }
    }
}

/// Of a time that is given more than once, the last one counts. Some clients number the names of a list.
fn question(parameters: Vec<(String, String)>) -> AnnotationQuestion {
    let mut question = AnnotationQuestion::default();
    for (name, value) in parameters {
        match name.split('[').next().unwrap_or_default() {
            "datasets" => {
                let names = value.split(',').map(str::trim).filter(|name| !name.is_empty());
                question.datasets.extend(names.map(str::to_owned));
            }
            "start" => question.start = Some(value),
            "end" => question.end = Some(value),
            _ => {}
        }
    }
    question
}

/// Lists annotations in the order of their time.
#[utoipa::path(get, path = "/annotations", tag = "annotations", params(AnnotationParameters),
    responses((status = 200, body = [AnnotationResponse])))]
pub async fn list(
    State(app): State<Arc<App>>,
    caller: Caller,
    Query(parameters): Query<Vec<(String, String)>>,
) -> Result<Json<Vec<AnnotationResponse>>, ApiError> {
    let found = annotations::list(&app, &caller, question(parameters)).await?;
    Ok(Json(found.into_iter().map(AnnotationResponse::from).collect()))
}

/// Reads one annotation.
#[utoipa::path(get, path = "/annotations/{id}", tag = "annotations", params(("id" = String, Path)),
    responses((status = 200, body = AnnotationResponse)))]
pub async fn get(
    State(app): State<Arc<App>>,
    caller: Caller,
    PathId(id): PathId,
) -> Result<Json<AnnotationResponse>, ApiError> {
    Ok(Json(annotations::get(&app, &caller, &id).await?.into()))
}

/// Marks a moment or a stretch of time.
#[utoipa::path(post, path = "/annotations", tag = "annotations", request_body = AnnotationRequest, responses(
    (status = 201, body = AnnotationResponse),
    (status = 402, body = ErrorBody, description = "The organisation is blocked for a failed payment."),
))]
pub async fn create(
    State(app): State<Arc<App>>,
    caller: Caller,
    Json(request): Json<AnnotationRequest>,
) -> Result<(StatusCode, Json<AnnotationResponse>), ApiError> {
    let annotation = annotations::create(&app, &caller, request.into()).await?;
    Ok((StatusCode::CREATED, Json(annotation.into())))
}

/// Changes an annotation.
#[utoipa::path(put, path = "/annotations/{id}", tag = "annotations", params(("id" = String, Path)),
    request_body = AnnotationUpdate, responses((status = 200, body = AnnotationResponse)))]
pub async fn update(
    State(app): State<Arc<App>>,
    caller: Caller,
    PathId(id): PathId,
    Json(request): Json<AnnotationUpdate>,
) -> Result<Json<AnnotationResponse>, ApiError> {
    Ok(Json(annotations::update(&app, &caller, &id, request.into()).await?.into()))
}

/// Deletes an annotation.
#[utoipa::path(delete, path = "/annotations/{id}", tag = "annotations", params(("id" = String, Path)),
    responses((status = 204, description = "Deleted.")))]
pub async fn delete(
    State(app): State<Arc<App>>,
    caller: Caller,
    PathId(id): PathId,
) -> Result<StatusCode, ApiError> {
    annotations::delete(&app, &caller, &id).await?;
    Ok(StatusCode::NO_CONTENT)
}
