//! `/datasets/{dataset_name}/patterns`: what the texts of a field have in common, with how often and when they occur.

use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue};
use serde::{Deserialize, Serialize};
use tidegauge_app::App;
use tidegauge_app::service::query::patterns::{self, Pattern, PatternsInput};
use tidegauge_formats::time_text;
use tidegauge_web::error::{ApiError, ErrorBody};
use tidegauge_web::extract::{Caller, Json, PathId, Query};
use tidegauge_web::quota_headers;
use utoipa::{IntoParams, ToSchema};

use super::COST;
use super::parameters::flag;
use crate::resources::paging;

/// Which patterns to find.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(rename_all = "camelCase")]
pub struct PatternParameters {
    /// The field whose texts are looked at.
    #[param(required = true, example = "message")]
    field: Option<String>,
    /// RFC 3339, or relative to now such as `now-1h`. Absent for all time that the licence allows.
    start_time: Option<String>,
    end_time: Option<String>,
    /// How many patterns, the most frequent first: 100 unless it is said.
    #[param(minimum = 1, maximum = 1000)]
    limit: Option<i64>,
    /// `true` reads everything anew and keeps nothing for others.
    nocache: Option<String>,
}

/// The patterns of a field.
#[derive(Debug, Serialize, ToSchema)]
pub struct PatternsResponse {
    pub field: String,
    pub patterns: Vec<PatternResponse>,
}

/// One pattern.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PatternResponse {
    /// With `<*>` for each token that differs: one that has a digit, or a long hexadecimal word.
    #[schema(example = "user <*> left after <*> ms")]
    pub pattern: String,
    /// How many events have it.
    pub count: u64,
    /// The time of the first event that has it.
    pub first_seen: String,
    /// The time of the last one.
    pub last_seen: String,
    /// A text that has it.
    #[schema(example = "user 42 left after 7 ms")]
    pub example: Option<String>,
}

impl From<Pattern> for PatternResponse {
    fn from(pattern: Pattern) -> Self {
        Self {
            pattern: pattern.text,
            count: pattern.count,
            first_seen: time_text(pattern.first),
            last_seen: time_text(pattern.last),
            example: pattern.example,
        }
    }
}

/// Finds the patterns of a text field: what its texts have in common, with how many events have it, since when and
/// until when, and an example.
#[utoipa::path(get, path = "/datasets/{dataset_name}/patterns", tag = "query",
    params(("dataset_name" = String, Path), PatternParameters),
    responses(
        (status = 200, body = PatternsResponse),
        (status = 430, body = ErrorBody, description = "The organisation has used what its licence allows this month."),
        (status = 432, body = ErrorBody, description = "The query needs more memory than it may have."),
    ))]
pub async fn patterns(
    State(app): State<Arc<App>>,
    caller: Caller,
    PathId(dataset): PathId,
    Query(parameters): Query<PatternParameters>,
) -> Result<(HeaderMap, Json<PatternsResponse>), ApiError> {
    let PatternParameters { field, start_time, end_time, limit, nocache } = parameters;
    let field = field.unwrap_or_default();
    let is_set = |time: &String| !time.is_empty();
    let input = PatternsInput {
        dataset,
        field: field.clone(),
        start_time: start_time.filter(is_set),
        end_time: end_time.filter(is_set),
        limit: usize::try_from(paging::limit(limit)?).unwrap_or_default(),
        bypasses_cache: flag("nocache", nocache.as_deref())?,
    };
    let found = Box::pin(patterns::find(&app, &caller, input)).await?;
    let mut headers = HeaderMap::new();
    quota_headers::set(&mut headers, &found.quota_remaining);
    for name in COST {
        headers.insert(name, HeaderValue::from(found.cost));
    }
    let patterns = found.patterns.into_iter().map(PatternResponse::from).collect();
    Ok((headers, Json(PatternsResponse { field, patterns })))
}
