//! What a monitor would have done in the past, as it is answered: at once, and at the end of server-sent events.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Number;
use tidegauge_app::App;
use tidegauge_app::service::alerting::backtest::{self, Alert, Backtest, BacktestInput, Progress, Value};
use tidegauge_web::error::ApiError;
use tidegauge_web::extract::Caller;
use utoipa::ToSchema;

use super::body::number;

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
