//! `/datasets/_history`: the queries that were kept, as a list. One of them by its id is in `history`.

use std::sync::Arc;

use axum::extract::State;
use serde::Deserialize;
use tidegauge_app::App;
use tidegauge_app::service::query::history::{self, HistoryQuestion};
use tidegauge_web::error::ApiError;
use tidegauge_web::extract::{Caller, Json, Query};
use utoipa::IntoParams;

use super::history::SavedQueryResponse;
use crate::resources::paging;

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct HistoryParameters {
    /// `me`, which is also meant where nothing is said, `team` for all others, `all`, or the id of a person.
    who: Option<String>,
    /// Only queries that read this dataset.
    dataset: Option<String>,
    /// The id of a query: only those from before it.
    before: Option<String>,
    #[param(minimum = 1, maximum = 1000, default = 100)]
    limit: Option<i64>,
}

/// Lists queries that were kept, the newest first. A query is seen by who may query all that it reads; one that reads
/// nothing, by its asker alone.
#[utoipa::path(get, path = "/datasets/_history", tag = "query", params(HistoryParameters),
    responses((status = 200, body = [SavedQueryResponse])))]
pub async fn list(
    State(app): State<Arc<App>>,
    caller: Caller,
    Query(parameters): Query<HistoryParameters>,
) -> Result<Json<Vec<SavedQueryResponse>>, ApiError> {
    let question = HistoryQuestion {
        limit: paging::limit(parameters.limit)?,
        who: parameters.who,
        dataset: parameters.dataset.filter(|dataset| !dataset.is_empty()),
        before: parameters.before,
    };
    let found = history::list(&app, &caller, question).await?;
    Ok(Json(found.into_iter().map(SavedQueryResponse::of).collect::<Result<_, _>>()?))
}
