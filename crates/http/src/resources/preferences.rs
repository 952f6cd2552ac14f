//! `/user/preferences`: matters of taste that follow a person from browser to browser.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::State;
use serde_json::value::RawValue;
use tidegauge_app::App;
use tidegauge_app::service::preferences;
use tidegauge_web::error::ApiError;
use tidegauge_web::extract::{Caller, Json};

use super::documents::raw;

/// Reads the caller's preferences; an empty object where none were kept.
#[utoipa::path(get, path = "/user/preferences", tag = "users", operation_id = "get_preferences",
    responses((status = 200, body = Object)))]
pub async fn get(State(app): State<Arc<App>>, caller: Caller) -> Result<Json<Box<RawValue>>, ApiError> {
    Ok(Json(raw(preferences::get(&app, &caller).await?)?))
}

/// Keeps the caller's preferences in the place of those before: any JSON object of at most 64 KiB.
#[utoipa::path(put, path = "/user/preferences", tag = "users", operation_id = "set_preferences", request_body = Object,
    responses((status = 200, body = Object)))]
pub async fn set(
    State(app): State<Arc<App>>,
    caller: Caller,
    Json(document): Json<BTreeMap<String, Box<RawValue>>>,
) -> Result<Json<Box<RawValue>>, ApiError> {
    Ok(Json(raw(preferences::set(&app, &caller, &document).await?)?))
}
