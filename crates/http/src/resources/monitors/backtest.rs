//! What a monitor would have done in the past: at once, or as server-sent events for who wants to see that it goes on.
//! What is answered is in `backtest_answer`.

use std::sync::Arc;

use axum::Extension;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use tidegauge_app::App;
use tidegauge_app::service::Error;
use tidegauge_app::service::alerting::backtest::{BacktestInput, Progress};
use tidegauge_model::{Timestamp, Violation};
use tidegauge_web::error::{ApiError, ErrorBody};
use tidegauge_web::extract::{Caller, Json};
use utoipa::ToSchema;

use super::backtest_answer::{BacktestResponse, replayed};
use super::backtest_stream::watched;
use super::body::MonitorRequest;
use crate::guard::InFlight;
use crate::resources::query::apl::parameters::accepts;
use crate::resources::query::event_stream::{MEDIA_TYPE, StreamEvent};

/// Which definition is tried over which time.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BacktestRequest {
    pub monitor: MonitorRequest,
    /// Another definition, to see what is different.
    pub compare: Option<MonitorRequest>,
    #[schema(format = DateTime, example = "2026-01-01T00:00:00Z")]
    pub start_time: String,
    /// At most 90 days later.
    #[schema(format = DateTime, example = "2026-01-02T00:00:00Z")]
    pub end_time: String,
}

fn time(field: &str, text: &str) -> Result<Timestamp, Error> {
    Timestamp::parse(text).map_err(|_| Violation::not_a_timestamp(field).into())
}

/// Tells what a definition would have done between two times, without keeping it and without telling anybody. Every run
/// that would have been due is judged as live runs are. The caller must be allowed to read what the query reads. It has
/// the time that a query has. With `Accept: text/event-stream` the answer comes as server-sent events: `progress` twice
/// a second at most, then `result`, or `error`; it ends when nobody reads any more.
#[utoipa::path(post, path = "/monitors/backtest", tag = "monitors", request_body = BacktestRequest, responses(
    (status = 200, content((BacktestResponse = "application/json"), (StreamEvent = "text/event-stream"))),
    (status = 404, body = ErrorBody, description = "There is no such dataset."),
    (status = 430, body = ErrorBody, description = "The month's queries are used up."),
))]
pub async fn backtest(
    State(app): State<Arc<App>>,
    caller: Caller,
    Extension(in_flight): Extension<Arc<InFlight>>,
    headers: HeaderMap,
    Json(request): Json<BacktestRequest>,
) -> Result<Response, ApiError> {
    let input = BacktestInput {
        start: time("startTime", &request.start_time)?,
        end: time("endTime", &request.end_time)?,
        monitor: request.monitor.into(),
        compare: request.compare.map(Into::into),
    };
    if accepts(&headers, MEDIA_TYPE) {
        return Ok(watched(app, caller, in_flight, input));
    }
    Ok(Json(replayed(&app, &caller, input, &Progress::default()).await?).into_response())
}
