//! What a monitor would have done in the past: at once, or as server-sent events for who wants to see that it goes on.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Extension;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use serde_json::Number;
use tidegauge_app::App;
use tidegauge_app::service::Error;
use tidegauge_app::service::alerting::backtest::{self, Alert, Backtest, BacktestInput, Progress, Value};
use tidegauge_model::{Timestamp, Violation};
use utoipa::ToSchema;

use super::backtest_stream::watched;
use super::body::{MonitorRequest, number};
use crate::error::{ApiError, ErrorBody};
use crate::extract::{Caller, Json};
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

/// What would have happened.
#[derive(Debug, Serialize, ToSchema)]
pub struct BacktestResponse {
    pub monitor: Replayed,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub compare: Option<Replayed>,
}

/// What one definition would have done.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Replayed {
    /// How many runs would have been due.
    pub runs: usize,
    /// How many alerts would have opened.
    pub opened: usize,
    /// How many messages each notifier would have got.
    pub notifications: usize,
    /// The alerts, the oldest first, at most 10,000 of them.
    pub alerts: Vec<ReplayedAlert>,
    /// What runs would have found: those that change the state, and of the others as many as a chart can show.
    pub values: Vec<ReplayedValue>,
    /// What the queries cost, in gigabytes times milliseconds.
    pub cost: u64,
    /// Whether one query served many runs. Where not, each run was a query of its own.
    pub is_joined: bool,
}

/// An alert that would have been.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReplayedAlert {
    #[schema(format = DateTime)]
    pub opened_at: String,
    /// Left out where it would still be open at the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(format = DateTime, nullable = false)]
    pub closed_at: Option<String>,
    /// The values of its group by their names.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub group: BTreeMap<String, String>,
    #[schema(value_type = Option<f64>)]
    pub value: Option<Number>,
    pub reason: String,
}

/// What a run would have found.
#[derive(Debug, Serialize, ToSchema)]
pub struct ReplayedValue {
    #[schema(format = DateTime)]
    pub timestamp: String,
    #[schema(value_type = Option<f64>)]
    pub value: Option<Number>,
    /// `open` or `closed`.
    pub state: &'static str,
}

impl From<Alert> for ReplayedAlert {
    fn from(alert: Alert) -> Self {
        Self {
            opened_at: alert.opened.to_string(),
            closed_at: alert.closed.map(|time| time.to_string()),
            group: alert.group.into_iter().collect(),
            value: alert.value.map(number),
            reason: alert.reason,
        }
    }
}

impl From<Value> for ReplayedValue {
    fn from(value: Value) -> Self {
        Self { timestamp: value.at.to_string(), value: value.value.map(number), state: value.state.name() }
    }
}

impl From<Backtest> for Replayed {
    fn from(found: Backtest) -> Self {
        Self {
            runs: found.runs,
            opened: found.opened,
            notifications: found.notifications,
            alerts: found.alerts.into_iter().map(ReplayedAlert::from).collect(),
            values: found.values.into_iter().map(ReplayedValue::from).collect(),
            cost: found.cost,
            is_joined: found.is_joined,
        }
    }
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

/// Tries what is asked for.
pub(super) async fn replayed(
    app: &App,
    caller: &Caller,
    input: BacktestInput,
    progress: &Progress,
) -> Result<BacktestResponse, ApiError> {
    let (monitor, compare) = backtest::backtest(app, caller, input, progress).await?;
    Ok(BacktestResponse { monitor: monitor.into(), compare: compare.map(Replayed::from) })
}
