//! `/datasets/{dataset_name}/query`: questions about the events of a dataset, asked in JSON. What was asked can be kept;
//! reading that is left to `history`.

pub mod apl;
pub mod body;
pub mod compact;
pub mod delete;
pub mod estimate;
pub mod event_stream;
pub mod field_statistics;
pub mod history;
pub mod history_list;
pub mod parameters;
pub mod patterns;
pub mod schemas;
mod written_body;

use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use serde::de::DeserializeOwned;
use tidegauge_app::App;
use tidegauge_app::service;
use tidegauge_app::service::query::history::Kept;
use tidegauge_app::service::query::{self, Queried, QueryInput};
use tidegauge_formats::{self as formats, Shown, Written};
use tidegauge_model::ErrorKind;
use tidegauge_web::error::{ApiError, ErrorBody};
use tidegauge_web::extract::{Caller, PathId, Query, read_json};
use tidegauge_web::quota_headers;

use self::body::QueryRequest;
use self::parameters::{Format, QueryParameters};
use self::schemas::QueryResponse;

/// Ours first; the second of each pair is what existing clients read.
const HISTORY_ID: [HeaderName; 2] = [
    HeaderName::from_static("x-tidegauge-history-query-id"),
    HeaderName::from_static("x-axiom-history-query-id"),
];
const COST: [HeaderName; 2] = [
    HeaderName::from_static("x-tidegauge-query-cost-gbms"),
    HeaderName::from_static("x-axiom-query-cost-gbms"),
];

const MESSAGES: HeaderName = HeaderName::from_static("x-tidegauge-messages");
const CONTINUATION_TOKEN: HeaderName = HeaderName::from_static("x-tidegauge-continuation-token");

/// The paths of queries as the router knows them.
pub const ROUTES: [&str; 12] = [
    "/v1/datasets/{dataset_name}/query",
    "/v1/datasets/{dataset_name}/patterns",
    "/v1/datasets/_apl",
    "/v2/datasets/_apl/delete",
    "/v1/query/_apl",
    "/v1/query/fields",
    "/v1/query/estimate",
    "/v2/answers",
    "/v2/monitors/backtest",
    "/v2/exports/{link}",
    "/v1/apl-starred-queries/{id}/run",
    "/v2/apl-starred-queries/{id}/run",
];

/// An answer with more values than this is written by a thread that may take its time.
const CELLS_AT_ONCE: usize = 20_000;

/// Answers a query. Without aggregations the answer is events, newest first unless ordered otherwise; with them it is
/// groups, over all time and by time. `status` tells what the work was.
#[utoipa::path(post, path = "/datasets/{dataset_name}/query", tag = "query",
    params(("dataset_name" = String, Path), QueryParameters, ExplainHeader),
    request_body = QueryRequest,
    responses(
        (status = 200, body = QueryResponse, headers(
            ("X-QueryLimit-Limit" = u64, description = "What the licence allows in a month, in GB·ms."),
            ("X-QueryLimit-Remaining" = u64, description = "What is left of it."),
            ("X-QueryLimit-Reset" = i64, description = "When the next month begins, in seconds since 1970."),
            ("X-Tidegauge-Query-Cost-Gbms" = u64, description = "What this query took of it."),
            ("X-Tidegauge-History-Query-Id" = String, description = "Where the history has the query, if it was to be kept."),
        )),
        (status = 413, body = ErrorBody, description = "The body is too large."),
        (status = 415, body = ErrorBody, description = "The body is not JSON."),
        (status = 430, body = ErrorBody, description = "The organisation has used what its licence allows this month."),
        (status = 432, body = ErrorBody, description = "The query needs more memory than it may have."),
    ))]
pub async fn query(
    State(app): State<Arc<App>>,
    caller: Caller,
    PathId(dataset): PathId,
    Query(parameters): Query<QueryParameters>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, ApiError> {
    let asked = parameters.read(&headers)?;
    let (request, text) = read_body::<QueryRequest>(&app, &headers, body).await?;
    let shows_nulls = request.shows_nulls();
    let mut query = request.into_query()?;
    if asked.format == Format::Legacy {
        body::add_arrival(&mut query);
    }
    let input = QueryInput {
        dataset,
        query,
        kept: asked.save_as.map(|save_as| Kept { save_as, text: as_text(&text) }),
        run_options: asked.run_options,
    };
    let queried = Box::pin(query::query(&app, &caller, input)).await?;
    respond(&app, asked.format, shows_nulls, queried).await
}

/// Reads the body of a query. The route's own limit of time is for the query and not for a body that does not come.
pub(super) async fn read_body<T: DeserializeOwned>(
    app: &App,
    headers: &HeaderMap,
    body: Body,
) -> Result<(T, Bytes), ApiError> {
    let limit = (app.queries.limits.max_body_bytes, "max_query_body_bytes");
    match tokio::time::timeout(app.http.request_timeout, read_json::<T>(headers, body, limit)).await {
        Ok(read) => read,
        Err(_) => Err(ApiError::new(ErrorKind::TimedOut, "the body did not come in time")),
    }
}

/// An answer with its headers.
async fn respond(
    app: &App,
    format: Format,
    shows_nulls: bool,
    queried: Queried,
) -> Result<Response, ApiError> {
    let mut headers = headers_of(&queried);
    if !format.has_status() {
        note_messages(&mut headers, &Shown::of(&queried, shows_nulls));
    }
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(format.media_type()));
    let written = write(app, format, shows_nulls, queried).await?;
    Ok((headers, written_body::of(written)).into_response())
}

/// JSON is UTF-8, or it would not have been read.
fn as_text(body: &[u8]) -> String {
    String::from_utf8_lossy(body).trim().to_owned()
}

fn headers_of(queried: &Queried) -> HeaderMap {
    let mut headers = HeaderMap::new();
    quota_headers::set(&mut headers, &queried.quota_remaining);
    for name in COST {
        headers.insert(name, HeaderValue::from(queried.cost));
    }
    if let Some(id) = queried.history_id.as_deref().and_then(|id| HeaderValue::from_str(id).ok()) {
        for name in HISTORY_ID {
            headers.insert(name, id.clone());
        }
    }
    headers
}

/// What `status` says of an answer, for the forms that have rows alone.
fn note_messages(headers: &mut HeaderMap, shown: &Shown<'_>) {
    let (codes, continuation_token) = formats::notes(shown);
    let notes = [(MESSAGES, codes.as_str()), (CONTINUATION_TOKEN, continuation_token.unwrap_or_default())];
    for (name, note) in notes.into_iter().filter(|(_, note)| !note.is_empty()) {
        if let Ok(note) = HeaderValue::from_str(note) {
            headers.insert(name, note);
        }
    }
}

/// Writes a small answer here and a large one where it keeps nobody waiting: those who ask little go before it.
pub(super) async fn write(
    app: &App,
    format: Format,
    shows_nulls: bool,
    queried: Queried,
) -> Result<Written, service::Error> {
    if formats::cells(&queried.answer) <= CELLS_AT_ONCE {
        return written(format, shows_nulls, queried);
    }
    app.background.compute(move || written(format, shows_nulls, queried)).await
}

fn written(format: Format, shows_nulls: bool, queried: Queried) -> Result<Written, service::Error> {
    let shown = Shown::of(&queried, shows_nulls);
    let written = match format {
        Format::Legacy => formats::write_legacy(&shown),
        Format::Tabular => formats::write_tabular(&shown),
        Format::TabularRows => formats::write_tabular_rows(&shown),
        Format::Csv => formats::write_csv(&shown),
        Format::Ndjson => formats::write_ndjson(&shown),
        Format::Arrow => formats::write_arrow(&shown),
    };
    drop(queried);
    written.map(Written::alone)
}

/// The parameter `explain` as a header; this is for the document.
#[derive(Debug, utoipa::IntoParams)]
#[into_params(parameter_in = Header)]
#[expect(dead_code, reason = "the fields are only described")]
struct ExplainHeader {
    /// `true` adds to the answer what was planned and done.
    #[param(rename = "X-Tidegauge-Explain")]
    explain: Option<bool>,
}
