//! `/apl-starred-queries`: queries that people keep. The text of the query is not compiled here: one that is broken
//! today may be kept and mended.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use tidegauge_catalog::starred::StarredQuery;
use tidegauge_model::{Rule, Violation};
use utoipa::{IntoParams, ToSchema};

use super::documents::raw;
use super::schemas::StarredKind;
use crate::app::App;
use crate::http::error::{ApiError, ErrorBody};
use crate::http::extract::{Json, PathId, Query};
use crate::http::json::{object, optional_objects};
use crate::service::Caller;
use crate::service::starred::{self, StarredInput, StarredQuestion};

const LIMIT_DEFAULT: i64 = 100;
const LIMIT_MAX: i64 = 1_000;

/// Longest text of a query, in characters.
const APL_MAX: usize = 500_000;

const FLAGS: &[&str] =
    &["disableCache", "disableStats", "disableTrace", "noAggregation", "noFill", "noInterpolation"];
const NUMBERS: &[&str] = &["maxDataPoints", "maxSeries"];
const PRIORITIES: &[&str] = &["low", "medium", "high"];

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
    #[schema(max_length = 256)]
    pub dataset: Option<String>,
    /// Anything that a client wants to remember.
    #[schema(value_type = Object)]
    pub metadata: Map<String, Value>,
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
    pub variables: Option<Map<String, Value>>,
    /// The known options are checked; all others are kept and repeated.
    #[schema(value_type = Option<Object>)]
    pub query_options: Option<Map<String, Value>>,
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

impl StarredRequest {
    fn check(mut self) -> Result<StarredInput, Violation> {
        if self.query.apl.chars().count() > APL_MAX {
            let problem = format!("should be at most {APL_MAX} chars long");
            return Err(Violation::new("query.apl", Rule::TooLong, problem));
        }
        let options = self.query.query_options.get_or_insert_default();
        check_options(options)?;
        // Clients that list starred queries demand these keys.
        self.query.default_order.get_or_insert_default();
        self.query.libraries.get_or_insert_default();
        Ok(StarredInput {
            apl: self.query.apl.clone(),
            kind: self.kind,
            name: self.name,
            who: self.who,
            dataset: self.dataset,
            metadata: Value::Object(self.metadata).to_string(),
            query: serde_json::to_string(&self.query).unwrap_or_default(),
        })
    }
}

/// Checks the options that mean something. Some clients send every value as text, so that is accepted as well.
fn check_options(options: &Map<String, Value>) -> Result<(), Violation> {
    for (key, value) in options {
        let field = || format!("query.queryOptions.{key}");
        let text = value.as_str();
        if value.is_null() {
            continue;
        }
        if FLAGS.contains(&key.as_str()) {
            let is_flag = value.is_boolean() || matches!(text, Some("true" | "false" | ""));
            if !is_flag {
                return Err(Violation::wrong_type(field(), "true or false"));
            }
        } else if NUMBERS.contains(&key.as_str()) {
            let is_number =
                value.is_i64() || text.is_some_and(|text| text.is_empty() || text.parse::<i64>().is_ok());
            if !is_number {
                return Err(Violation::wrong_type(field(), "a whole number"));
            }
        } else if key == "priority" && !text.is_some_and(|text| text.is_empty() || PRIORITIES.contains(&text))
        {
            return Err(Violation::one_of(field(), PRIORITIES));
        } else if key == "resolution" && text.is_none() {
            return Err(Violation::wrong_type(field(), "a string"));
        }
    }
    Ok(())
}

impl StarredParameters {
    fn check(self) -> Result<StarredQuestion, Violation> {
        let limit = self.limit.unwrap_or(LIMIT_DEFAULT);
        if !(1..=LIMIT_MAX).contains(&limit) {
            let rule = if limit < 1 { Rule::Minimum } else { Rule::Maximum };
            return Err(
                Violation::new("limit", rule, format!("must be between 1 and {LIMIT_MAX}")).in_query()
            );
        }
        let offset = self.offset.unwrap_or(0);
        if offset < 0 {
            return Err(Violation::new("offset", Rule::Minimum, "must be 0 or more").in_query());
        }
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
    Ok(Json(StarredResponse::of(starred::create(&app, &caller, request.check()?).await?)?))
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
    Ok(Json(StarredResponse::of(starred::replace(&app, &caller, &id, request.check()?).await?)?))
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
