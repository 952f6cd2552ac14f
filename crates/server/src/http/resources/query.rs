//! `/datasets/{dataset_name}/query`: questions about the events of a dataset, asked in JSON.

pub mod answer;
pub mod body;
pub mod parameters;
pub mod schemas;

use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use tidegauge_model::ErrorKind;

use self::answer::Shown;
use self::body::QueryRequest;
use self::parameters::{Format, QueryParameters};
use self::schemas::QueryResponse;
use crate::app::App;
use crate::http::error::{ApiError, ErrorBody};
use crate::http::extract::{PathId, Query, read_json};
use crate::service::query::{self, Queried, QueryInput};
use crate::service::{self, Caller};

/// The path as the router knows it.
pub const ROUTE: &str = "/v1/datasets/{dataset_name}/query";

/// An answer with more values than this is written by a thread that may take its time.
const CELLS_AT_ONCE: usize = 20_000;

/// Answers a query. Without aggregations the answer is events, newest first unless ordered otherwise; with them it is
/// groups, over all time and by time. `status` tells what the work was.
#[utoipa::path(post, path = "/datasets/{dataset_name}/query", tag = "query",
    params(("dataset_name" = String, Path), QueryParameters, ExplainHeader),
    request_body = QueryRequest,
    responses(
        (status = 200, body = QueryResponse),
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
    let limit = (app.queries.limits.max_body_bytes, "max_query_body_bytes");
    let read = read_json::<QueryRequest>(&headers, body, limit);
    // The route's own limit of time is for the query and not for a body that does not come.
    let (request, _) = match tokio::time::timeout(app.http.request_timeout, read).await {
        Ok(read) => read?,
        Err(_) => return Err(ApiError::new(ErrorKind::TimedOut, "the body did not come in time")),
    };
    let shows_nulls = request.shows_nulls();
    let input = QueryInput {
        dataset: dataset.clone(),
        query: request.into_query()?,
        wait: asked.wait,
        bypasses_cache: asked.bypasses_cache,
        is_explained: asked.is_explained,
    };
    let queried = Box::pin(query::query(&app, &caller, input)).await?;
    let bytes = write(&dataset, asked.format, shows_nulls, queried).await?;
    Ok(([(header::CONTENT_TYPE, HeaderValue::from_static("application/json"))], bytes).into_response())
}

/// Writes a small answer here and a large one where it keeps nobody waiting.
async fn write(
    dataset: &str,
    format: Format,
    shows_nulls: bool,
    queried: Queried,
) -> Result<Vec<u8>, service::Error> {
    if answer::cells(&queried.answer) <= CELLS_AT_ONCE {
        return written(dataset, format, shows_nulls, &queried);
    }
    let dataset = dataset.to_owned();
    let writing = tokio::task::spawn_blocking(move || written(&dataset, format, shows_nulls, &queried));
    writing.await.unwrap_or_else(|error| {
        let failed = service::Error::new(ErrorKind::Internal, "the answer could not be written");
        Err(service::Error { source: Some(Box::new(error)), ..failed })
    })
}

fn written(
    dataset: &str,
    format: Format,
    shows_nulls: bool,
    queried: &Queried,
) -> Result<Vec<u8>, service::Error> {
    let shown = Shown {
        answer: &queried.answer,
        dataset,
        fields: &queried.fields,
        operations: &queried.operations,
        continuation_token: queried.continuation_token.as_deref(),
        default_limit: queried.default_limit,
        is_window_cut: queried.is_window_cut,
        shows_nulls,
    };
    match format {
        Format::Legacy => answer::write_legacy(&shown),
        Format::Tabular => answer::write_tabular(&shown),
    }
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
