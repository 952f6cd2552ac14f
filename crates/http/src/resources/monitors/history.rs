//! What the runs of a monitor have found: in the short form that clients know, and in full; and the end of an alert by
//! hand.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::State;
use serde::{Deserialize, Serialize};
use serde_json::Number;
use tidegauge_app::App;
use tidegauge_app::service::alerting;
use tidegauge_app::service::monitors::history::{self, Stretch};
use tidegauge_catalog::monitor_checks::MonitorCheck;
use tidegauge_web::error::{ApiError, ErrorBody};
use tidegauge_web::extract::{Caller, Json, PathId, Query};
use utoipa::{IntoParams, ToSchema};

use super::body::number;
use crate::resources::paging;

/// Which part of the history.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(rename_all = "camelCase")]
pub struct HistoryParameters {
    #[param(required, nullable = false, format = DateTime, example = "2026-01-01T00:00:00Z")]
    start_time: Option<String>,
    /// Runs of this time and later are not told.
    #[param(required, nullable = false, format = DateTime, example = "2099-01-01T00:00:00Z")]
    end_time: Option<String>,
}

/// Which runs.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(rename_all = "camelCase")]
pub struct RunParameters {
    /// A day before the end if it is not said.
    #[param(format = DateTime)]
    start_time: Option<String>,
    /// Now if it is not said.
    #[param(format = DateTime)]
    end_time: Option<String>,
    #[param(minimum = 1, maximum = 1000)]
    limit: Option<i64>,
}

/// What one run has found.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct HistoryEntry {
    pub check_id: String,
    /// The name of the monitor.
    pub name: String,
    /// `open` or `closed`.
    pub state: &'static str,
    /// The time that the run was for.
    #[schema(format = DateTime)]
    pub timestamp: String,
}

/// What one run has found of a monitor, or of one of its groups.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MonitorRun {
    pub check_id: String,
    /// The time that the run was for.
    #[schema(format = DateTime)]
    pub timestamp: String,
    #[schema(format = DateTime)]
    pub finished_at: String,
    /// The query looked at events from this time on.
    #[schema(format = DateTime)]
    pub query_start_time: String,
    #[schema(format = DateTime)]
    pub query_end_time: String,
    /// `open` or `closed`.
    pub state: &'static str,
    /// Whether the state was another one before.
    pub is_change: bool,
    /// `judged`, `no_data` or `failed`.
    pub outcome: &'static str,
    /// The value that was judged; null where there is none.
    #[schema(value_type = Option<f64>)]
    pub value: Option<Number>,
    /// Why the state is what it is, or what failed.
    pub reason: String,
    /// The values of a group by their names; left out where it is about the whole run.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub group: Option<BTreeMap<String, String>>,
    /// How many runs before this one were due and could not be made.
    pub missed_runs: i64,
    /// What the query cost, in gigabytes times milliseconds.
    pub cost: i64,
}

/// What came of closing alerts by hand.
#[derive(Debug, Serialize, ToSchema)]
pub struct Resolved {
    /// How many messages say so.
    pub messages: usize,
}

impl From<MonitorCheck> for MonitorRun {
    fn from(check: MonitorCheck) -> Self {
        let group = serde_json::from_str::<Vec<(String, String)>>(&check.group_key).ok();
        Self {
            check_id: check.id,
            timestamp: check.at.to_string(),
            finished_at: check.finished.to_string(),
            query_start_time: check.window.0.to_string(),
            query_end_time: check.window.1.to_string(),
            state: check.state.name(),
            is_change: check.is_change,
            outcome: check.outcome.name(),
            value: check.value.map(number),
            reason: check.reason,
            group: group.map(|pairs| pairs.into_iter().collect()),
            missed_runs: check.missed,
            cost: check.cost,
        }
    }
}

/// Tells in which state a monitor was after each of its runs, the newest first.
#[utoipa::path(get, path = "/monitors/{id}/history", tag = "monitors",
    params(("id" = String, Path), HistoryParameters), responses((status = 200, body = [HistoryEntry])))]
pub async fn history(
    State(app): State<Arc<App>>,
    caller: Caller,
    PathId(id): PathId,
    Query(parameters): Query<HistoryParameters>,
) -> Result<Json<Vec<HistoryEntry>>, ApiError> {
    let stretch = Stretch { start: parameters.start_time, end: parameters.end_time };
    let (monitor, checks) = history::history(&app, &caller, &id, stretch).await?;
    let entry = |check: MonitorCheck| HistoryEntry {
        check_id: check.id,
        name: monitor.definition.name.clone(),
        state: check.state.name(),
        timestamp: check.at.to_string(),
    };
    Ok(Json(checks.into_iter().map(entry).collect()))
}

/// Tells what the runs of a monitor have found, of the whole and of its groups, the newest first.
#[utoipa::path(get, path = "/monitors/{id}/runs", tag = "monitors",
    params(("id" = String, Path), RunParameters), responses((status = 200, body = [MonitorRun])))]
pub async fn runs(
    State(app): State<Arc<App>>,
    caller: Caller,
    PathId(id): PathId,
    Query(parameters): Query<RunParameters>,
) -> Result<Json<Vec<MonitorRun>>, ApiError> {
    let limit = paging::limit(parameters.limit)?;
    let stretch = Stretch { start: parameters.start_time, end: parameters.end_time };
    let runs = history::runs(&app, &caller, &id, stretch, limit).await?;
    Ok(Json(runs.into_iter().map(MonitorRun::from).collect()))
}

/// Closes what is open of a monitor that is `resolvable`, as if its reason had gone. What still has its reason opens
/// again after a run that found none.
#[utoipa::path(post, path = "/monitors/{id}/resolve", tag = "monitors", params(("id" = String, Path)), responses(
    (status = 200, body = Resolved),
    (status = 409, body = ErrorBody, description = "The monitor is not resolvable, or is being run at this moment."),
))]
pub async fn resolve(
    State(app): State<Arc<App>>,
    caller: Caller,
    PathId(id): PathId,
) -> Result<Json<Resolved>, ApiError> {
    Ok(Json(Resolved { messages: alerting::resolve::resolve(&app, &caller, &id).await? }))
}
