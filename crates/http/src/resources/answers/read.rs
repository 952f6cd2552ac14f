//! `/answers/{id}`: an answer as it was seen.

use std::sync::Arc;

use axum::extract::State;
use serde::Serialize;
use serde_json::value::RawValue;
use tidegauge_app::App;
use tidegauge_app::service::answers::{self, KeptAnswer};
use tidegauge_web::error::{ApiError, ErrorBody};
use tidegauge_web::extract::{Caller, Json, PathId};
use utoipa::ToSchema;

use crate::resources::documents::raw;

/// An answer as it was seen.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct KeptAnswerResponse {
    pub id: String,
    pub apl: String,
    #[schema(format = DateTime)]
    pub start_time: String,
    #[schema(format = DateTime)]
    pub end_time: String,
    /// When it was asked.
    #[schema(format = DateTime)]
    pub created_at: String,
    /// The id of who asked.
    pub created_by: String,
    /// In the form `tabular`.
    #[schema(value_type = Object)]
    pub answer: Box<RawValue>,
}

/// Reads an answer that was kept. It is there for who may query all that it read, as long as these datasets are there and
/// none of the events that it may show was deleted.
#[utoipa::path(get, path = "/answers/{id}", tag = "query", params(("id" = String, Path)),
    responses((status = 200, body = KeptAnswerResponse), (status = 404, body = ErrorBody)))]
pub async fn read(
    State(app): State<Arc<App>>,
    caller: Caller,
    PathId(id): PathId,
) -> Result<Json<KeptAnswerResponse>, ApiError> {
    let KeptAnswer { frozen, text } = answers::find(&app, &caller, &id).await?;
    Ok(Json(KeptAnswerResponse {
        id: frozen.id,
        apl: frozen.apl,
        start_time: frozen.start_time,
        end_time: frozen.end_time,
        created_at: frozen.created.to_string(),
        created_by: frozen.who,
        answer: raw(text)?,
    }))
}
