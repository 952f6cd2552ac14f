//! `/datasets/_apl` and `/query/_apl`: queries in text. The two differ only in that the second can be told by `Accept`
//! how to answer. Many at once are in `batch`.

mod asking;
pub mod batch;
pub mod body;
pub mod parameters;
mod parts;
mod spent;
pub mod stream;
pub mod tail;

use std::sync::Arc;

use axum::Extension;
use axum::body::Body;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use tidegauge_app::App;
use tidegauge_app::service::query::apl;
use tidegauge_web::error::{ApiError, ErrorBody};
use tidegauge_web::extract::{Caller, Query};

use self::body::AplRequest;
use self::parameters::AplParameters;
use super::schemas::AplResponse;
use super::{ExplainHeader, as_text, read_body, respond};
use crate::guard::InFlight;
use crate::resources::query::event_stream::{self, StreamEvent};

pub use self::asking::Asking;

/// Answers a query in text. Needs `query|read` on every dataset that the query reads; a pattern of names stands for
/// those of them that the caller may read.
#[utoipa::path(post, path = "/datasets/_apl", tag = "query", params(AplParameters, ExplainHeader),
    request_body = AplRequest,
    responses(
        (status = 200, content(
            (AplResponse = "application/json"), (String = "text/csv"), (String = "application/x-ndjson"),
            (Vec<u8> = "application/vnd.apache.arrow.stream")), headers(
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
    let (request, text) = read_body::<AplRequest>(&app, &headers, body).await?;
    answered(&app, &caller, Asking::new(request, asked, as_text(&text))?).await
}

/// Answers a query in text, as `/datasets/_apl` does. Without `format`, `Accept` can ask for `text/csv`,
/// `application/x-ndjson` or `application/vnd.apache.arrow.stream`. With `Accept: text/event-stream` the answer comes
/// as server-sent events: `progress` twice a second at most, with `partial=true` also `partial` with the answer over
/// the newest part of the range, then `result` and `done` with what it took, or `error`.
#[utoipa::path(post, path = "/query/_apl", tag = "query", params(AplParameters, ExplainHeader),
    request_body = AplRequest,
    responses(
        (status = 200, content(
            (AplResponse = "application/json"), (String = "text/csv"), (String = "application/x-ndjson"),
            (Vec<u8> = "application/vnd.apache.arrow.stream"),
            (StreamEvent = "text/event-stream"))),
        (status = 400, body = ErrorBody, description = "The text cannot be understood; `detail` says where."),
        (status = 404, body = ErrorBody, description = "There is no such dataset in the organisation."),
        (status = 430, body = ErrorBody, description = "The organisation has used what its licence allows this month."),
        (status = 432, body = ErrorBody, description = "The query needs more memory than it may have."),
    ))]
pub async fn in_query(
    State(app): State<Arc<App>>,
    caller: Caller,
    Query(parameters): Query<AplParameters>,
    Extension(in_flight): Extension<Arc<InFlight>>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, ApiError> {
    let asked = parameters.read(&headers, parameters::accepted(&headers))?;
    let is_watched = parameters::accepts(&headers, event_stream::MEDIA_TYPE);
    if is_watched {
        stream::check_format(asked.format)?;
    }
    let (request, text) = read_body::<AplRequest>(&app, &headers, body).await?;
    let asking = Asking::new(request, asked, as_text(&text))?;
    match is_watched {
        true => Ok(stream::watched(app, caller, in_flight, asking)),
        false => answered(&app, &caller, asking).await,
    }
}

/// Runs a query and answers it.
pub async fn answered(app: &App, caller: &Caller, asking: Asking) -> Result<Response, ApiError> {
    let queried = Box::pin(apl::query(app, caller, asking.input)).await?;
    respond(app, asking.format, asking.shows_nulls, queried).await
}
