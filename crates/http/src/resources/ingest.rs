//! `/datasets/{name}/ingest` and `/ingest/{name}`: events come in here. What these routes have in common with those of
//! senders is in `event_body`.

mod odd_type;

use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use tidegauge_app::App;
use tidegauge_app::service::ingest::{self, IngestAnswer, IngestInput};
use tidegauge_ingest::Format;
use tidegauge_model::ErrorKind;
use tidegauge_web::error::{ApiError, ErrorBody};
use tidegauge_web::extract::{Caller, Json, PathId, Query};
use tidegauge_web::quota_headers;
use utoipa::{IntoParams, ToSchema};

use super::endpoints::{logplex, msgpack};
use super::event_body::{EVENT_LABELS, check_length, encoding, length, settle, text, unreadable};
use crate::senders::head::is_of_logplex;

/// Ours first; the second is what existing clients send.
const CSV_FIELDS: [&str; 2] = ["x-tidegauge-csv-fields", "x-axiom-csv-fields"];

const IDEMPOTENCY_KEY: &str = "idempotency-key";
const COMMIT: HeaderName = HeaderName::from_static("x-tidegauge-commit");
const REPEATED: HeaderName = HeaderName::from_static("x-tidegauge-repeated");
const WITH_TIME_FIELD: HeaderName = HeaderName::from_static("x-tidegauge-with-timestamp-field");

/// How the body is to be read.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(rename_all = "kebab-case")]
pub struct IngestParameters {
    /// The field that holds the time of an event. Without it, `_time`; without that, the time of arrival.
    pub timestamp_field: Option<String>,
    /// How the time is written, as a Go layout such as `2006-01-02 15:04:05`. The usual forms need none.
    pub timestamp_format: Option<String>,
    /// What stands between the values of a CSV body; a comma unless given.
    pub csv_delimiter: Option<String>,
}

/// The same as headers. They are read by name, because each has a second one; this is for the document.
#[derive(Debug, IntoParams)]
#[into_params(parameter_in = Header)]
#[expect(dead_code, reason = "the fields are only described")]
struct IngestHeaders {
    /// Repeating a request with its key stores it once.
    #[param(rename = "Idempotency-Key", max_length = 255)]
    idempotency_key: Option<String>,
    /// A JSON object whose pairs are added to every event.
    #[param(rename = "X-Tidegauge-Event-Labels", example = "{}")]
    event_labels: Option<String>,
    /// The names of the columns of a CSV body, with commas between; its first line then holds values.
    #[param(rename = "X-Tidegauge-CSV-Fields", example = "name,count")]
    csv_fields: Option<String>,
}

/// What became of the events.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct IngestResponse {
    /// Events stored.
    #[schema(example = 2)]
    pub ingested: u64,
    /// Events not stored.
    pub failed: u64,
    /// Why, for the first of them.
    pub failures: Vec<IngestFailureResponse>,
    /// Bytes of the uncompressed body, and of the labels.
    #[schema(example = 48)]
    pub processed_bytes: u64,
    /// Always 0; segments are made later.
    pub blocks_created: u32,
    /// Requests of this dataset that are in the log and in no segment yet.
    pub wal_length: u64,
    /// What is to be known of the events that were stored; absent if there is nothing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub messages: Vec<IngestMessageResponse>,
}

/// An event that was not stored.
#[derive(Debug, Serialize, ToSchema)]
pub struct IngestFailureResponse {
    /// When the request came in.
    #[schema(format = DateTime)]
    pub timestamp: String,
    /// Which event of the request, counted from 0, and what is wrong with it.
    #[schema(example = "event 3: field \"_time\" is not a time: \"tomorrow\"")]
    pub error: String,
}

/// Something to know of events that were stored, such as values that stand in the place of what was sent.
#[derive(Debug, Serialize, ToSchema)]
pub struct IngestMessageResponse {
    #[schema(example = "warn")]
    pub priority: &'static str,
    #[schema(example = "string_too_long")]
    pub code: String,
    /// How many values it is about.
    #[schema(example = 1)]
    pub count: u64,
    pub msg: String,
}

/// Stores events. The answer comes when they are on disk and the next query can see them. A bad event fails alone and
/// is named in `failures`; of a body that cannot be read nothing is stored. With an `Idempotency-Key` a repeated
/// request is stored once.
#[utoipa::path(post, path = "/datasets/{name}/ingest", tag = "ingest",
    params(("name" = String, Path), IngestParameters, IngestHeaders),
    request_body(content(
        (Vec<Object> = "application/json", example = json!([{"_time": "2026-06-01T12:00:00Z", "status": 200}])),
        (String = "application/x-ndjson"),
        (String = "text/csv"),
        (String = "application/logplex-1"),
        (String = "text/plain", example = "2026-06-01T12:00:00Z started"),
    ), description = "A JSON array, objects one after the other, CSV, or lines of text, each of which becomes the \
        field `message`; gzip, zstd and deflate are understood."),
    responses(
        (status = 200, body = IngestResponse, headers(
            ("X-Tidegauge-Commit" = u64, description = "The sequence of the events; absent when there were none."),
            ("X-Tidegauge-Repeated" = String, description = "`true` when this is the answer to an earlier request."),
            ("X-Tidegauge-With-Timestamp-Field" = u64,
                description = "How many of the stored events had the field of `timestamp-field`, if one was named."),
        )),
        (status = 402, body = ErrorBody, description = "The organisation is blocked for a failed payment."),
        (status = 413, body = ErrorBody, description = "The body or an event is too large."),
        (status = 415, body = ErrorBody, description = "The media type or the content encoding is not understood."),
        (status = 430, body = ErrorBody, description = "The bytes of this month, or the storage, are used up."),
        (status = 507, body = ErrorBody, description = "The disk is full; nothing was stored."),
    ))]
pub async fn into_dataset(
    state: State<Arc<App>>,
    caller: Caller,
    name: PathId,
    parameters: Query<IngestParameters>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, ApiError> {
    take(state, caller, name, parameters, headers, body).await
}

/// The same under its shorter path.
#[utoipa::path(post, path = "/ingest/{name}", tag = "ingest",
    params(("name" = String, Path), IngestParameters, IngestHeaders),
    request_body(content(
        (Vec<Object> = "application/json"),
        (String = "application/x-ndjson"),
        (String = "text/csv"),
        (String = "application/logplex-1"),
        (String = "text/plain"),
    )),
    responses(
        (status = 200, body = IngestResponse, headers(
            ("X-Tidegauge-Commit" = u64, description = "The sequence of the events; absent when there were none."),
            ("X-Tidegauge-Repeated" = String, description = "`true` when this is the answer to an earlier request."),
            ("X-Tidegauge-With-Timestamp-Field" = u64,
                description = "How many of the stored events had the field of `timestamp-field`, if one was named."),
        )),
        (status = 402, body = ErrorBody, description = "The organisation is blocked for a failed payment."),
        (status = 413, body = ErrorBody, description = "The body or an event is too large."),
        (status = 415, body = ErrorBody, description = "The media type or the content encoding is not understood."),
        (status = 430, body = ErrorBody, description = "The bytes of this month, or the storage, are used up."),
        (status = 507, body = ErrorBody, description = "The disk is full; nothing was stored."),
    ))]
pub async fn by_name(
    state: State<Arc<App>>,
    caller: Caller,
    name: PathId,
    parameters: Query<IngestParameters>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, ApiError> {
    take(state, caller, name, parameters, headers, body).await
}

async fn take(
    State(app): State<Arc<App>>,
    caller: Caller,
    PathId(dataset): PathId,
    Query(parameters): Query<IngestParameters>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, ApiError> {
    let length = length(&headers);
    check_length(length, app.ingest.limits.max_body_bytes)?;
    let given = |text: Option<String>| text.filter(|text| !text.is_empty());
    if msgpack::is_meant(&headers) {
        let field = given(parameters.timestamp_field);
        let key = text(&headers, &[IDEMPOTENCY_KEY])?;
        return msgpack::take((app, caller), dataset, field, key, &headers, body).await.map(respond);
    }
    if is_of_logplex(&headers) {
        let key = text(&headers, &[IDEMPOTENCY_KEY])?;
        return logplex::take((app, caller), dataset, key, &headers, body).await.map(respond);
    }
    let encoding = encoding(&headers)?;
    let (format, body) = match format(&headers) {
        Some(format) => (format, body),
        None => match odd_type::is_json(encoding, body).await.map_err(unreadable)? {
            (true, body) => (Format::Json, body),
            (false, _) => return Err(unknown_type(&headers)),
        },
    };
    let mut input = IngestInput {
        dataset,
        format,
        encoding,
        timestamp_field: given(parameters.timestamp_field),
        timestamp_format: given(parameters.timestamp_format),
        csv_delimiter: given(parameters.csv_delimiter),
        csv_fields: text(&headers, &CSV_FIELDS)?
            .map(|names| names.split(',').map(|name| name.trim().to_owned()).collect()),
        labels: text(&headers, &EVENT_LABELS)?,
        idempotency_key: text(&headers, &[IDEMPOTENCY_KEY])?,
    };
    let (body, encoding, is_small) = settle(&app, input.encoding, length, body).await?;
    input.encoding = encoding;
    let to_app = Arc::clone(&app);
    // Boxed once here, or every layer around it would copy it.
    let work =
        Box::pin(async move { ingest::ingest(&to_app, &caller, input, body.into_data_stream()).await });
    let answer = if is_small { work.await? } else { app.background.run(work).await? };
    Ok(respond(answer))
}

fn respond(answer: IngestAnswer) -> Response {
    let IngestAnswer { ingested, sequence, is_repeated, log_length, with_time_field, quota_remaining: left } =
        answer;
    let failure = |failure: ingest::IngestFailure| IngestFailureResponse {
        timestamp: failure.timestamp,
        error: failure.error,
    };
    let message = |ingest::IngestMessage { code, count, msg }| IngestMessageResponse {
        priority: "warn",
        code,
        count,
        msg,
    };
    let mut response = Json(IngestResponse {
        ingested: ingested.ingested,
        failed: ingested.failed,
        failures: ingested.failures.into_iter().map(failure).collect(),
        processed_bytes: ingested.processed_bytes,
        blocks_created: 0,
        wal_length: log_length,
        messages: ingested.messages.into_iter().map(message).collect(),
    })
    .into_response();
    let headers = response.headers_mut();
    if let Some(sequence) = sequence {
        headers.insert(COMMIT, HeaderValue::from(sequence));
    }
    if let Some(events) = with_time_field {
        headers.insert(WITH_TIME_FIELD, HeaderValue::from(events));
    }
    if is_repeated {
        headers.insert(REPEATED, HeaderValue::from_static("true"));
    }
    quota_headers::set(headers, &left);
    response
}

/// The media type that a body is said to have, without parameters and in lower case; empty if nothing is said.
fn essence(headers: &HeaderMap) -> String {
    let Some(value) = headers.get(header::CONTENT_TYPE) else { return String::new() };
    let text = value.to_str().unwrap_or("unreadable");
    text.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

/// How a body is to be read; none if its media type is not known.
fn format(headers: &HeaderMap) -> Option<Format> {
    match essence(headers).as_str() {
        ""
        | "application/json"
        | "application/x-ndjson"
        | "application/nd-json"
        | "application/ndjson"
        | "application/jsonl"
        | "application/x-jsonlines" => Some(Format::Json),
        "text/csv" => Some(Format::Csv),
        "text/plain" => Some(Format::Lines),
        other if other.starts_with("application/") && other.ends_with("+json") => Some(Format::Json),
        _ => None,
    }
}

fn unknown_type(headers: &HeaderMap) -> ApiError {
    let known =
        "application/json application/x-ndjson application/msgpack application/logplex-1 text/csv text/plain";
    let message = format!("unsupported media type {:?}, only [{known}] are allowed", essence(headers));
    ApiError::new(ErrorKind::UnsupportedMedia, message).hint(
        "send the header Content-Type: application/json; JSON of another type must begin with an object or an array",
    )
}
