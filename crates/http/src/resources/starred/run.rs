//! `/apl-starred-queries/{id}/run`: a kept query, run as it was kept or over another time and with other values.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::body::{Body, to_bytes};
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use serde::Deserialize;
use serde_json::value::RawValue;
use tidegauge_app::App;
use tidegauge_app::service::starred;
use tidegauge_model::ErrorKind;
use tidegauge_web::error::{ApiError, ErrorBody};
use tidegauge_web::extract::{Caller, PathId, Query};
use tidegauge_web::json;
use utoipa::ToSchema;

use crate::resources::query::apl::body::AplRequest;
use crate::resources::query::apl::parameters::{AplParameters, accepted};
use crate::resources::query::apl::{Asking, answered};
use crate::resources::query::schemas::AplResponse;

/// What is asked otherwise than it was kept; what is absent, null or empty stays.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct StarredRunRequest {
    /// RFC 3339, or relative to now, such as `now-1h`.
    #[schema(example = "now-1h")]
    pub start_time: Option<String>,
    /// Like `startTime`.
    #[schema(example = "now")]
    pub end_time: Option<String>,
    /// Values by name, beside the kept ones or in their place.
    #[schema(value_type = Option<Object>)]
    pub variables: Option<BTreeMap<String, Box<RawValue>>>,
}

/// Runs a starred query. Also needs `query|read` on every dataset that the query reads.
#[utoipa::path(post, path = "/apl-starred-queries/{id}/run", tag = "starred queries",
    params(("id" = String, Path), AplParameters), request_body = Option<StarredRunRequest>,
    responses(
        (status = 200, content(
            (AplResponse = "application/json"), (String = "text/csv"), (String = "application/x-ndjson"),
            (Vec<u8> = "application/vnd.apache.arrow.stream"))),
        (status = 400, body = ErrorBody, description = "The text cannot be understood; `detail` says where."),
        (status = 430, body = ErrorBody, description = "The organisation has used what its licence allows this month."),
        (status = 432, body = ErrorBody, description = "The query needs more memory than it may have."),
    ))]
pub async fn run(
    State(app): State<Arc<App>>,
    caller: Caller,
    PathId(id): PathId,
    Query(parameters): Query<AplParameters>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, ApiError> {
    let asked = parameters.read(&headers, accepted(&headers))?;
    let changes = changes(&app, body).await?;
    let starred = starred::get(&app, &caller, &id).await?;
    let mut request: AplRequest = json::read(starred.query.as_bytes())?;
    request.take_over(changes.start_time, changes.end_time, changes.variables);
    answered(&app, &caller, Asking::new(request, asked, starred.query)?).await
}

/// Reads the body; none at all changes nothing.
async fn changes(app: &App, body: Body) -> Result<StarredRunRequest, ApiError> {
    let read = to_bytes(body, app.queries.limits.max_body_bytes);
    let bytes = match tokio::time::timeout(app.http.request_timeout, read).await {
        Ok(read) => read.map_err(|_| {
            ApiError::new(ErrorKind::TooLarge, "the body is larger than this service accepts")
                .hint("the setting max_query_body_bytes is the limit")
        })?,
        Err(_) => return Err(ApiError::new(ErrorKind::TimedOut, "the body did not come in time")),
    };
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Ok(StarredRunRequest::default());
    }
    json::read(&bytes)
}
