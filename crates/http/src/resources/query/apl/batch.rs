//! `/query/batch`: many queries with one request. Each answer is a server-sent event that comes when it is there.

use std::sync::Arc;

use axum::Extension;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use futures_util::{StreamExt, stream};
use serde::Deserialize;
use serde_json::Value as Json;
use tidegauge_app::App;
use tidegauge_model::{ErrorKind, Rule, Violation};
use tidegauge_web::error::ApiError;
use tidegauge_web::extract::{Caller, JsonList, Query};
use tidegauge_web::json::optional_object;
use utoipa::{IntoParams, ToSchema};

use super::asking::Asking;
use super::body::AplRequest;
use super::parameters::AplAsked;
use super::stream::{Answered, error_text, json};
use crate::guard::{InFlight, count_call};
use crate::resources::query::event_stream::{self, Event, StreamEvent};
use crate::resources::query::parameters::{Format, run_options};

/// How many queries one request may have.
const QUERIES_MAX: usize = 100;

/// How many of them run at once, where nobody says it and at most.
const CONCURRENCY_DEFAULT: i64 = 10;
const CONCURRENCY_MAX: i64 = 20;

const QUERY_ID_MAX: usize = 256;

/// How to run the queries.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(rename_all = "camelCase")]
pub struct BatchParameters {
    /// How many queries run at once.
    #[param(minimum = 1, maximum = 20, default = 10)]
    max_concurrency: Option<i64>,
    /// `true` reads everything anew and keeps nothing for others.
    nocache: Option<String>,
}

/// One query of many.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BatchEntry {
    /// What the event with the answer is known by.
    #[schema(max_length = 256, example = "panel-1")]
    pub query_id: String,
    #[serde(default, deserialize_with = "optional_object")]
    #[schema(required = true, value_type = AplRequest)]
    pub apl_request: Option<AplRequest>,
    /// A query of metrics, which is answered with an error.
    #[schema(value_type = Option<Object>)]
    pub mpl_request: Option<Json>,
}

/// Answers up to 100 queries in text as server-sent events, one for each as it ends, in the order in which they end.
/// The data of an event is `{"queryId", "kind": "apl", "cost", "data"}` with the answer in the form `tabular` and what it
/// took in GB·ms, or with `error` instead of the two. Rights are those of `/query/_apl`, and each query counts as a request.
#[utoipa::path(post, path = "/query/batch", tag = "query", params(BatchParameters),
    request_body = Vec<BatchEntry>,
    responses((status = 200, body = StreamEvent, content_type = "text/event-stream", description = "One event for each query.")))]
pub async fn batch(
    State(app): State<Arc<App>>,
    caller: Caller,
    Query(parameters): Query<BatchParameters>,
    Extension(in_flight): Extension<Arc<InFlight>>,
    headers: HeaderMap,
    JsonList(entries): JsonList<BatchEntry>,
) -> Result<Response, ApiError> {
    caller.org_context()?;
    let concurrency = parameters.max_concurrency.unwrap_or(CONCURRENCY_DEFAULT);
    if !(1..=CONCURRENCY_MAX).contains(&concurrency) {
        let problem = format!("must be between 1 and {CONCURRENCY_MAX}");
        return Err(Violation::new("maxConcurrency", Rule::Maximum, problem).in_query().into());
    }
    check(&entries)?;
    let run_options = run_options(parameters.nocache.as_deref(), None, None, &headers)?;
    let batch = Arc::new(Batch { app, caller, in_flight });
    let events = stream::iter(entries.into_iter().enumerate()).map(move |(place, entry)| {
        let batch = Arc::clone(&batch);
        async move {
            let format = Format::Tabular;
            let asked = AplAsked { format, save_as: None, cursor: None, run_options, shows_parts: false };
            batch.event(place, entry, asked).await
        }
    });
    Ok(event_stream::respond(events.buffer_unordered(usize::try_from(concurrency).unwrap_or(1))))
}

fn check(entries: &[BatchEntry]) -> Result<(), Violation> {
    if entries.len() > QUERIES_MAX {
        let problem = format!("should have at most {QUERIES_MAX} items");
        return Err(Violation::new("body", Rule::TooManyItems, problem));
    }
    for (place, entry) in entries.iter().enumerate() {
        if entry.query_id.is_empty() {
            return Err(Violation::required(format!("{place}.queryId")));
        }
        if entry.query_id.chars().count() > QUERY_ID_MAX {
            let problem = format!("should be at most {QUERY_ID_MAX} chars long");
            return Err(Violation::new(format!("{place}.queryId"), Rule::TooLong, problem));
        }
        if entry.apl_request.is_none() && entry.mpl_request.is_none() {
            return Err(Violation::required(format!("{place}.aplRequest")));
        }
    }
    Ok(())
}

/// What all queries of a request share, for as long as one of them runs.
struct Batch {
    app: Arc<App>,
    caller: Caller,
    in_flight: Arc<InFlight>,
}

impl Batch {
    /// Runs one query and tells how it ended.
    async fn event(&self, place: usize, entry: BatchEntry, asked: AplAsked) -> Event {
        let BatchEntry { query_id, apl_request, .. } = entry;
        let kind = if apl_request.is_some() { "apl" } else { "mpl" };
        let answer = match apl_request {
            Some(request) => self.answer(place, request, asked).await,
            None => {
                let error = ApiError::new(ErrorKind::Malformed, "queries of metrics are not answered here");
                Err(error.hint("ask in aplRequest"))
            }
        };
        let start = format!("{{\"queryId\":{},\"kind\":\"{kind}\"", Json::from(query_id));
        match answer {
            Ok(Answered { written, spent }) => {
                let start = format!("{start},\"cost\":{},\"data\":", spent.cost);
                Event::around("", &start, Some(written), "}")
            }
            Err(error) => {
                self.in_flight.note_refusal(&self.app, &self.caller, &error);
                Event::new("", &format!("{start},\"error\":{}}}", error_text(error, &self.caller)))
            }
        }
    }

    async fn answer(&self, place: usize, request: AplRequest, asked: AplAsked) -> Result<Answered, ApiError> {
        // The first one was counted as the request.
        if place > 0 {
            count_call(&self.app, &self.caller)?;
        }
        json(&self.app, &self.caller, Asking::new(request, asked, String::new())?).await
    }
}
