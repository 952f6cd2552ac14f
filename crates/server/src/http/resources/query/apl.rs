//! `/datasets/_apl` and `/query/_apl`: queries in text. The two differ only in that the second can be told its format
//! by `Accept`.

pub mod body;
pub mod parameters;

use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;

use self::body::AplRequest;
use self::parameters::AplParameters;
use super::schemas::AplResponse;
use super::{ExplainHeader, as_text, read_body, respond};
use crate::app::App;
use crate::http::error::{ApiError, ErrorBody};
use crate::http::extract::Query;
use crate::service::Caller;
use crate::service::query::apl;
use crate::service::query::history::Kept;

/// Answers a query in text. Needs `query|read` on every dataset that the query reads; a pattern of names stands for
/// those of them that the caller may read.
#[utoipa::path(post, path = "/datasets/_apl", tag = "query", params(AplParameters, ExplainHeader),
    request_body = AplRequest,
    responses(
        (status = 200, body = AplResponse, headers(
            ("X-QueryLimit-Limit" = u64, description = "What the licence allows in a month, in GB·ms."),
            ("X-QueryLimit-Remaining" = u64, description = "What is left of it."),
            ("X-QueryLimit-Reset" = i64, description = "When the next month begins, in seconds since 1970."),
            ("X-Tidegauge-Query-Cost-Gbms" = u64, description = "What this query took of it."),
            ("X-Tidegauge-History-Query-Id" = String, description = "Where the history has the query, if it was to be kept."),
        )),
        (status = 400, body = ErrorBody, description = "The text cannot be understood; `detail` says where."),
        (status = 404, body = ErrorBody, description = "There is no such dataset in the organisation."),
        (status = 430, body = ErrorBody, description = "The organisation has used what its licence allows this month."),
        (status = 432, body = ErrorBody, description = "The query needs more memory than it may have."),
    ))]
pub async fn in_datasets(
    State(app): State<Arc<App>>,
    caller: Caller,
    Query(parameters): Query<AplParameters>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, ApiError> {
    let asked = parameters.read(&headers, None)?;
    answered(&app, &caller, asked, &headers, body).await
}

/// Answers a query in text, as `/datasets/_apl` does. Without `format`, `Accept` can ask for `text/csv`,
/// `application/x-ndjson` or `application/vnd.apache.arrow.stream`.
#[utoipa::path(post, path = "/query/_apl", tag = "query", params(AplParameters, ExplainHeader),
    request_body = AplRequest,
    responses(
        (status = 200, body = AplResponse),
        (status = 400, body = ErrorBody, description = "The text cannot be understood; `detail` says where."),
        (status = 404, body = ErrorBody, description = "There is no such dataset in the organisation."),
        (status = 430, body = ErrorBody, description = "The organisation has used what its licence allows this month."),
        (status = 432, body = ErrorBody, description = "The query needs more memory than it may have."),
    ))]
pub async fn in_query(
    State(app): State<Arc<App>>,
    caller: Caller,
    Query(parameters): Query<AplParameters>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, ApiError> {
    let asked = parameters.read(&headers, parameters::accepted(&headers))?;
    answered(&app, &caller, asked, &headers, body).await
}

async fn answered(
    app: &App,
    caller: &Caller,
    asked: parameters::AplAsked,
    headers: &HeaderMap,
    body: Body,
) -> Result<Response, ApiError> {
    let (request, text) = read_body::<AplRequest>(app, headers, body).await?;
    let shows_nulls = request.shows_nulls();
    let mut input = request.into_input()?;
    input.manner = asked.manner;
    input.cursor = input.cursor.or(asked.cursor);
    input.kept = asked.save_as.map(|save_as| Kept { save_as, text: as_text(&text) });
    let queried = Box::pin(apl::query(app, caller, input)).await?;
    respond(asked.format, shows_nulls, queried).await
}
