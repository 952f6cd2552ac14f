//! How all monitors stand, in one answer: what is open, the last run and the next.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::State;
use serde::Serialize;
use serde_json::Number;
use tidegauge_app::App;
use tidegauge_app::service::monitors::states::{self, MonitorState};
use tidegauge_catalog::monitor_states::LastRun;
use tidegauge_model::Timestamp;
use tidegauge_web::error::ApiError;
use tidegauge_web::extract::{Caller, Json};
use utoipa::ToSchema;

use super::body::number;

/// How a monitor stands.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MonitorStanding {
    #[schema(example = "mon_01890a5dac96774bbcceb302099a8057")]
    pub id: String,
    /// `open` or `closed`.
    pub state: &'static str,
    /// Since when; left out where it was never another.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(format = DateTime, nullable = false)]
    pub since: Option<String>,
    /// How many alerts are open; of a `resolvable` monitor of events, how many nobody has closed.
    pub open: usize,
    /// The groups whose alerts are open, the oldest first, 20 at most. Empty for those who may not query what the
    /// monitor reads.
    pub groups: Vec<StandingGroup>,
    /// Left out before the first run.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub last_run: Option<StandingRun>,
    /// Left out where the monitor rests, and for a moment after it was changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(format = DateTime, nullable = false)]
    pub next_run: Option<String>,
    pub disabled: bool,
    /// Until when it is muted; left out where it is not.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(format = DateTime, nullable = false)]
    pub muted_until: Option<String>,
    /// How many runs have failed one after the other.
    pub failures: u32,
}

/// A group whose alert is open.
#[derive(Debug, Serialize, ToSchema)]
pub struct StandingGroup {
    /// The values of the group by their names.
    pub group: BTreeMap<String, String>,
    #[schema(format = DateTime)]
    pub since: String,
}

/// The run that was made last.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct StandingRun {
    /// The time that the run was for.
    #[schema(format = DateTime)]
    pub timestamp: String,
    #[schema(format = DateTime)]
    pub finished_at: String,
    /// `judged`, `no_data` or `failed`.
    pub outcome: &'static str,
    #[schema(value_type = Option<f64>)]
    pub value: Option<Number>,
    /// Why the state is what it is, or what failed.
    pub reason: String,
    pub missed_runs: i64,
    /// In gigabytes times milliseconds.
    pub cost: i64,
}

impl From<MonitorState> for MonitorStanding {
    fn from(monitor: MonitorState) -> Self {
        let text = |time: Timestamp| time.to_string();
        Self {
            id: monitor.id.into_string(),
            state: monitor.state.name(),
            since: monitor.since.map(text),
            open: monitor.open,
            groups: monitor
                .groups
                .into_iter()
                .map(|(key, since)| StandingGroup { group: key.into_iter().collect(), since: text(since) })
                .collect(),
            last_run: monitor.last_run.map(StandingRun::from),
            next_run: monitor.next_run.map(text),
            disabled: monitor.is_disabled,
            muted_until: monitor.muted_until.map(text),
            failures: monitor.failures,
        }
    }
}

impl From<LastRun> for StandingRun {
    fn from(run: LastRun) -> Self {
        Self {
            timestamp: run.at.to_string(),
            finished_at: run.finished.to_string(),
            outcome: run.outcome.name(),
            value: run.value.map(number),
            reason: run.reason,
            missed_runs: run.missed,
            cost: run.cost,
        }
    }
}

/// Tells how all monitors stand: state and since when, open alerts, the last run and the next.
#[utoipa::path(get, path = "/monitors/states", tag = "monitors",
    responses((status = 200, body = [MonitorStanding])))]
pub async fn states(
    State(app): State<Arc<App>>,
    caller: Caller,
) -> Result<Json<Vec<MonitorStanding>>, ApiError> {
    let states = states::states(&app, &caller).await?;
    Ok(Json(states.into_iter().map(MonitorStanding::from).collect()))
}
