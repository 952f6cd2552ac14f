//! `/notifiers`: the channels through which people are told.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use tidegauge_app::App;
use tidegauge_app::service::notifiers::{self, NotifierInput};
use tidegauge_catalog::notifiers::Notifier;
use tidegauge_web::error::{ApiError, ErrorBody};
use tidegauge_web::extract::{Caller, Json, PathId};
use utoipa::ToSchema;

use super::documents::raw;
use super::schemas::NotifierProperties;

/// What a caller sets of a notifier.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct NotifierRequest {
    #[schema(min_length = 1, max_length = 256, example = "On call")]
    pub name: String,
    #[schema(value_type = NotifierProperties)]
    pub properties: Box<RawValue>,
    /// Until when the notifier is disabled. Null, a past time and the zero time mean that it is enabled.
    #[schema(format = DateTime)]
    pub disabled_until: Option<String>,
}

/// A notifier.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct NotifierResponse {
    #[schema(example = "notify_01890a5dac96774bbcceb302099a8057")]
    pub id: String,
    pub name: String,
    #[schema(value_type = Object)]
    pub properties: Box<RawValue>,
    /// Null while the notifier is enabled.
    #[schema(format = DateTime)]
    pub disabled_until: Option<String>,
    #[schema(format = DateTime)]
    pub created_at: String,
    /// Id of the user who created it.
    pub created_by: String,
    #[schema(format = DateTime)]
    pub updated_at: String,
}

impl NotifierResponse {
    fn of(notifier: Notifier) -> Result<Self, ApiError> {
        Ok(Self {
            id: notifier.id.into_string(),
            name: notifier.name,
            properties: raw(notifier.properties)?,
            disabled_until: notifier.disabled_until.map(|until| until.text),
            created_at: notifier.created.to_string(),
            created_by: notifier.created_by.into_string(),
            updated_at: notifier.modified.to_string(),
        })
    }
}

impl From<NotifierRequest> for NotifierInput {
    fn from(request: NotifierRequest) -> Self {
        let NotifierRequest { name, properties, disabled_until } = request;
        Self { name, properties, disabled_until }
    }
}

/// Lists the notifiers of the organisation.
#[utoipa::path(get, path = "/notifiers", tag = "notifiers", responses((status = 200, body = [NotifierResponse])))]
pub async fn list(
    State(app): State<Arc<App>>,
    caller: Caller,
) -> Result<Json<Vec<NotifierResponse>>, ApiError> {
    let notifiers = notifiers::list(&app, &caller).await?;
    Ok(Json(notifiers.into_iter().map(NotifierResponse::of).collect::<Result<_, _>>()?))
}

/// Reads one notifier.
#[utoipa::path(get, path = "/notifiers/{id}", tag = "notifiers", params(("id" = String, Path)),
    responses((status = 200, body = NotifierResponse)))]
pub async fn get(
    State(app): State<Arc<App>>,
    caller: Caller,
    PathId(id): PathId,
) -> Result<Json<NotifierResponse>, ApiError> {
    Ok(Json(NotifierResponse::of(notifiers::get(&app, &caller, &id).await?)?))
}

/// Creates a notifier.
#[utoipa::path(post, path = "/notifiers", tag = "notifiers", request_body = NotifierRequest, responses(
    (status = 200, body = NotifierResponse),
    (status = 402, body = ErrorBody, description = "The organisation is blocked for a failed payment."),
))]
pub async fn create(
    State(app): State<Arc<App>>,
    caller: Caller,
    Json(request): Json<NotifierRequest>,
) -> Result<Json<NotifierResponse>, ApiError> {
    Ok(Json(NotifierResponse::of(notifiers::create(&app, &caller, request.into()).await?)?))
}

/// Replaces a notifier. An unknown id is not created.
#[utoipa::path(put, path = "/notifiers/{id}", tag = "notifiers", params(("id" = String, Path)),
    request_body = NotifierRequest, responses((status = 200, body = NotifierResponse)))]
pub async fn replace(
    State(app): State<Arc<App>>,
    caller: Caller,
    PathId(id): PathId,
    Json(request): Json<NotifierRequest>,
) -> Result<Json<NotifierResponse>, ApiError> {
    Ok(Json(NotifierResponse::of(notifiers::replace(&app, &caller, &id, request.into()).await?)?))
}

/// Deletes a notifier.
#[utoipa::path(delete, path = "/notifiers/{id}", tag = "notifiers", params(("id" = String, Path)),
    responses((status = 204, description = "Deleted.")))]
pub async fn delete(
    State(app): State<Arc<App>>,
    caller: Caller,
    PathId(id): PathId,
) -> Result<StatusCode, ApiError> {
    notifiers::delete(&app, &caller, &id).await?;
    Ok(StatusCode::NO_CONTENT)
}
