//! `/apl-starred-queries`: queries that people keep. The text of the query is not compiled here: one that is broken
//! today may be kept and mended. Running one is in `run`.

pub mod run;

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use tidegauge_app::App;
use tidegauge_app::service::starred::{self, StarredInput, StarredQuestion};
use tidegauge_catalog::starred::StarredQuery;
use tidegauge_model::Violation;
use tidegauge_web::error::{ApiError, ErrorBody};
use tidegauge_web::extract::{Caller, Json, PathId, Query};
use tidegauge_web::json::{object, optional_objects};
use utoipa::{IntoParams, ToSchema};

use super::documents::raw;
use super::paging;
use super::schemas::StarredKind;

/// What a caller sets of a starred query.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct StarredRequest {
    #[schema(value_type = StarredKind)]
    pub kind: String,
    #[schema(min_length = 1, max_length = 256)]
    pub name: String,
    /// Whose query it is.
    #[schema(max_length = 256)]
    pub who: String,
    #[schema(max_length = 128, pattern = "^([A-Za-z0-9][A-Za-z0-9_.-]*)?$")]
    pub dataset: Option<String>,
    /// Anything that a client wants to remember.
    #[schema(value_type = Object)]
    pub metadata: Box<RawValue>,
    #[serde(deserialize_with = "object")]
    pub query: StarredText,
}

/// The query itself and how to run it.
#[derive(Debug, Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct StarredText {
    #[schema(max_length = 500_000, example = "['web'] | summarize count() by bin_auto(_time)")]
    pub apl: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default_limit: Option<i64>,
    #[serde(default, deserialize_with = "optional_objects")]
    pub default_order: Option<Vec<StarredOrder>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_time: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_time: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub include_cursor: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub include_cursor_field: Option<bool>,
    pub libraries: Option<Vec<String>>,
    /// Values by name that are put into the query.
    #[schema(value_type = Option<Object>)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variables: Option<Box<RawValue>>,
    /// The known options are checked; all others are kept and repeated.
    #[schema(value_type = Option<Object>)]
    pub query_options: Option<Box<RawValue>>,
}

#[derive(Debug, Deserialize, Serialize, ToSchema)]
pub struct StarredOrder {
    pub field: String,
    #[serde(default)]
    pub desc: bool,
}

/// A starred query.
#[derive(Debug, Serialize, ToSchema)]
pub struct StarredResponse {
    #[schema(example = "star_01890a5dac96774bbcceb302099a8057")]
    pub id: String,
    pub kind: String,
    pub name: String,
    pub who: String,
    pub dataset: String,
    #[schema(value_type = Object)]
    pub metadata: Box<RawValue>,
    #[schema(value_type = StarredText)]
    pub query: Box<RawValue>,
}

/// Which starred queries to list.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct StarredParameters {
    #[param(minimum = 1, maximum = 1000)]
    limit: Option<i64>,
    #[param(minimum = 0)]
    offset: Option<i64>,
    /// Only those of this dataset.
    dataset: Option<String>,
    /// Whose: absent for the caller's own, a user's id, `team` for those of others, `all`.
    who: Option<String>,
    /// Text that the name or the query contains, in any case.
    qs: Option<String>,
}

impl StarredResponse {
    fn of(starred: StarredQuery) -> Result<Self, ApiError> {
        Ok(Self {
            id: starred.id.into_string(),
            kind: starred.kind,
            name: starred.name,
            who: starred.who,
            dataset: starred.dataset,
            metadata: raw(starred.metadata)?,
            query: raw(starred.query)?,
        })
    }
}

impl From<StarredRequest> for StarredInput {
    fn from(request: StarredRequest) -> Self {
        let StarredRequest { kind, name, who, dataset, metadata, mut query } = request;
        // Clients that list starred queries demand these keys.
        query.default_order.get_or_insert_default();
        query.libraries.get_or_insert_default();
        query.query_options.get_or_insert_with(empty_object);
        Self {
            kind,
            name,
            who,
            dataset,
            metadata,
            // A struct of texts and documents always has a JSON form.
            query: serde_json::to_string(&query).unwrap_or_default(),
            apl: query.apl,
            variables: query.variables,
            options: query.query_options,
        }
    }
}

fn empty_object() -> Box<RawValue> {
    RawValue::from_string("{}".to_owned()).unwrap_or_default()
}

impl StarredParameters {
    fn check(self) -> Result<StarredQuestion, Violation> {
        let limit = paging::limit(self.limit)?;
        let offset = paging::offset(self.offset)?;
        Ok(StarredQuestion { limit, offset, dataset: self.dataset, who: self.who, text: self.qs })
    }
}

/// Lists starred queries.
#[utoipa::path(get, path = "/apl-starred-queries", tag = "starred queries", params(StarredParameters),
    responses((status = 200, body = [StarredResponse])))]
pub async fn list(
    State(app): State<Arc<App>>,
    caller: Caller,
    Query(parameters): Query<StarredParameters>,
) -> Result<Json<Vec<StarredResponse>>, ApiError> {
    let found = starred::list(&app, &caller, parameters.check()?).await?;
    Ok(Json(found.into_iter().map(StarredResponse::of).collect::<Result<_, _>>()?))
}

/// Reads one starred query.
#[utoipa::path(get, path = "/apl-starred-queries/{id}", tag = "starred queries", params(("id" = String, Path)),
    responses((status = 200, body = StarredResponse)))]
pub async fn get(
    State(app): State<Arc<App>>,
    caller: Caller,
    PathId(id): PathId,
) -> Result<Json<StarredResponse>, ApiError> {
    Ok(Json(StarredResponse::of(starred::get(&app, &caller, &id).await?)?))
}

/// Keeps a query.
#[utoipa::path(post, path = "/apl-starred-queries", tag = "starred queries", request_body = StarredRequest,
    responses(
    (status = 200, body = StarredResponse),
    (status = 402, body = ErrorBody, description = "The organisation is blocked for a failed payment."),
))]
pub async fn create(
    State(app): State<Arc<App>>,
    caller: Caller,
    Json(request): Json<StarredRequest>,
) -> Result<Json<StarredResponse>, ApiError> {
    Ok(Json(StarredResponse::of(starred::create(&app, &caller, request.into()).await?)?))
}

/// Replaces a starred query. An unknown id is not created.
#[utoipa::path(put, path = "/apl-starred-queries/{id}", tag = "starred queries", params(("id" = String, Path)),
    request_body = StarredRequest, responses(
    (status = 200, body = StarredResponse),
    (status = 409, body = ErrorBody, description = "Another request changed it at the same moment."),
))]
pub async fn replace(
    State(app): State<Arc<App>>,
    caller: Caller,
    PathId(id): PathId,
    Json(request): Json<StarredRequest>,
) -> Result<Json<StarredResponse>, ApiError> {
    Ok(Json(StarredResponse::of(starred::replace(&app, &caller, &id, request.into()).await?)?))
}

/// Deletes a starred query.
#[utoipa::path(delete, path = "/apl-starred-queries/{id}", tag = "starred queries", params(("id" = String, Path)),
    responses(
    (status = 204, description = "Deleted."),
    (status = 409, body = ErrorBody, description = "Another request changed it at the same moment."),
))]
pub async fn delete(
    State(app): State<Arc<App>>,
    caller: Caller,
    PathId(id): PathId,
) -> Result<StatusCode, ApiError> {
    starred::delete(&app, &caller, &id).await?;
    Ok(StatusCode::NO_CONTENT)
}
