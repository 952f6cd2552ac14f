//! `/monitors`: what people want to be told about.

pub mod backtest;
pub mod backtest_answer;
mod backtest_stream;
pub mod body;
pub mod history;
pub mod states;

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use tidegauge_app::App;
use tidegauge_app::service::monitors;
use tidegauge_web::error::{ApiError, ErrorBody};
use tidegauge_web::extract::{Caller, Json, PathId};

use self::body::{MonitorRequest, MonitorResponse};

/// Lists the monitors of the organisation.
#[utoipa::path(get, path = "/monitors", tag = "monitors", responses((status = 200, body = [MonitorResponse])))]
pub async fn list(
    State(app): State<Arc<App>>,
    caller: Caller,
) -> Result<Json<Vec<MonitorResponse>>, ApiError> {
    let monitors = monitors::list(&app, &caller).await?;
    Ok(Json(monitors.into_iter().map(MonitorResponse::from).collect()))
}

/// Reads one monitor.
#[utoipa::path(get, path = "/monitors/{id}", tag = "monitors", params(("id" = String, Path)),
    responses((status = 200, body = MonitorResponse)))]
pub async fn get(
    State(app): State<Arc<App>>,
    caller: Caller,
    PathId(id): PathId,
) -> Result<Json<MonitorResponse>, ApiError> {
    Ok(Json(monitors::get(&app, &caller, &id).await?.into()))
}

/// Creates a monitor. Its query is checked, with the caller's right to read what it reads.
#[utoipa::path(post, path = "/monitors", tag = "monitors", request_body = MonitorRequest, responses(
    (status = 200, body = MonitorResponse),
    (status = 402, body = ErrorBody, description = "The organisation is blocked for a failed payment."),
    (status = 404, body = ErrorBody, description = "There is no such dataset."),
    (status = 430, body = ErrorBody, description = "The month's queries are used up."),
))]
pub async fn create(
    State(app): State<Arc<App>>,
    caller: Caller,
    Json(request): Json<MonitorRequest>,
) -> Result<Json<MonitorResponse>, ApiError> {
    Ok(Json(monitors::create(&app, &caller, request.into()).await?.into()))
}

/// Replaces a monitor. An unknown id is not created. Who changes more than its name, its description and whether it
/// rests must be allowed to read what its query reads.
#[utoipa::path(put, path = "/monitors/{id}", tag = "monitors", params(("id" = String, Path)),
    request_body = MonitorRequest, responses(
    (status = 200, body = MonitorResponse),
    (status = 430, body = ErrorBody, description = "The month's queries are used up."),
))]
pub async fn replace(
    State(app): State<Arc<App>>,
    caller: Caller,
    PathId(id): PathId,
    Json(request): Json<MonitorRequest>,
) -> Result<Json<MonitorResponse>, ApiError> {
    Ok(Json(monitors::replace(&app, &caller, &id, request.into()).await?.into()))
}

/// Deletes a monitor with its history.
#[utoipa::path(delete, path = "/monitors/{id}", tag = "monitors", params(("id" = String, Path)),
    responses((status = 204, description = "Deleted.")))]
pub async fn delete(
    State(app): State<Arc<App>>,
    caller: Caller,
    PathId(id): PathId,
) -> Result<StatusCode, ApiError> {
    monitors::delete(&app, &caller, &id).await?;
    Ok(StatusCode::NO_CONTENT)
}
