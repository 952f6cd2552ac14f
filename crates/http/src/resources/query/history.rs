//! `/datasets/_history/{id}`: queries that were asked to be kept.

use std::sync::Arc;

use axum::extract::State;
use serde::Serialize;
use serde_json::value::RawValue;
use tidegauge_app::App;
use tidegauge_app::service::query::history;
use tidegauge_catalog::query_history::SavedQuery;
use tidegauge_web::error::{ApiError, ErrorBody};
use tidegauge_web::extract::{Caller, Json, PathId};
use utoipa::ToSchema;

use crate::resources::documents::raw;

/// A query that was kept.
#[derive(Debug, Serialize, ToSchema)]
pub struct SavedQueryResponse {
    #[schema(example = "h7TqVx20KcWm94ZpLd")]
    pub id: String,
    /// `analytics`, `stream` or `apl`.
    #[schema(example = "analytics")]
    pub kind: String,
    /// Of a query in text the names of all that it read, with commas between them.
    #[schema(example = "web")]
    pub dataset: String,
    /// The id of who asked.
    pub who: String,
    /// As it was sent.
    #[schema(value_type = Object)]
    pub query: Box<RawValue>,
    #[schema(format = DateTime)]
    pub created: String,
}

impl SavedQueryResponse {
    pub(super) fn of(saved: SavedQuery) -> Result<Self, ApiError> {
        Ok(Self {
            id: saved.id,
            kind: saved.kind,
            dataset: saved.dataset,
            who: saved.who,
            query: raw(saved.query)?,
            created: saved.created.to_string(),
        })
    }
}

/// A query that was sent with `saveAsKind`, by the id that its answer had in `X-Axiom-History-Query-Id`. An organisation
/// has its newest 1000 queries of the last 30 days.
#[utoipa::path(get, path = "/datasets/_history/{id}", tag = "query", params(("id" = String, Path)),
    responses((status = 200, body = SavedQueryResponse), (status = 404, body = ErrorBody)))]
pub async fn saved(
    State(app): State<Arc<App>>,
    caller: Caller,
    PathId(id): PathId,
) -> Result<Json<SavedQueryResponse>, ApiError> {
    Ok(Json(SavedQueryResponse::of(history::find(&app, &caller, &id).await?)?))
}
