//! What the runs of a monitor have found, for those who look back.

use std::time::Duration;

use tidegauge_catalog::monitor_checks::{CheckOutcome, MonitorCheck};
use tidegauge_catalog::monitors::Monitor;
use tidegauge_model::{Rule, Timestamp, Violation};

use super::get;
use super::reader::may_see;
use crate::app::App;
use crate::service::run_ids::check_of_hidden_group;
use crate::service::{Caller, Result};

/// Most runs that a history has.
const RUNS_MAX: i64 = 50_000;

/// How far runs are looked back for, where nobody says it.
const RUNS_BACK: Duration = Duration::from_secs(24 * 60 * 60);

/// What stands where the reason of a run would tell what events say, or which fields they have.
const FOUND: &str = "what was found is for those who may query what the monitor reads";
const FAILED: &str = "the query failed; why is for those who may query what the monitor reads";

/// A stretch of time as a caller wrote it.
#[derive(Debug, Default)]
pub struct Stretch {
    pub start: Option<String>,
    pub end: Option<String>,
}

/// The checks of whole runs between two times, the newest first.
pub async fn history(
    app: &App,
    caller: &Caller,
    id: &str,
    stretch: Stretch,
) -> Result<(Monitor, Vec<MonitorCheck>)> {
    let start = time("startTime", stretch.start)?.ok_or_else(|| required("startTime"))?;
    let end = time("endTime", stretch.end)?.ok_or_else(|| required("endTime"))?;
    check_order(start, end)?;
    let monitor = get(app, caller, id).await?;
    let runs = app.catalog.list_monitor_runs(caller.org()?, &monitor.id, start, end, RUNS_MAX).await?;
    Ok((monitor, runs))
}

/// What runs have found, of the whole and of its groups, the newest first.
pub async fn runs(
    app: &App,
    caller: &Caller,
    id: &str,
    stretch: Stretch,
    limit: i64,
) -> Result<Vec<MonitorCheck>> {
    let now = Timestamp::from_micros(caller.now.as_micros() + 1);
    let end = time("endTime", stretch.end)?.unwrap_or(now);
    let start = time("startTime", stretch.start)?.unwrap_or_else(|| end.minus(RUNS_BACK));
    check_order(start, end)?;
    let monitor = get(app, caller, id).await?;
    let mut checks = app.catalog.list_monitor_checks(caller.org()?, &monitor.id, start, end, limit).await?;
    hide_findings(app, caller, &monitor, &mut checks).await?;
    Ok(checks)
}

/// The last run of a monitor that the caller has read, of the whole. None before the first.
pub async fn last_run(app: &App, caller: &Caller, monitor: &Monitor) -> Result<Option<MonitorCheck>> {
    let (first, now) = (Timestamp::from_micros(0), Timestamp::from_micros(caller.now.as_micros() + 1));
    let mut runs = app.catalog.list_monitor_runs(caller.org()?, &monitor.id, first, now, 1).await?;
    hide_findings(app, caller, monitor, &mut runs).await?;
    Ok(runs.pop())
}

/// Leaves what was found out of the runs that read what the caller may not query. The monitor may read something else by
/// now, and what a run could read is known by its epoch.
async fn hide_findings(
    app: &App,
    caller: &Caller,
    monitor: &Monitor,
    checks: &mut [MonitorCheck],
) -> Result<()> {
    let known = app.catalog.monitor_reads(caller.org()?, Some(&monitor.id)).await?;
    let (mut run, mut place) = (None, 0);
    for check in checks {
        place = if run == Some(check.at) { place + 1 } else { 0 };
        run = Some(check.at);
        if !may_see(caller, known.of(&monitor.id, check.epoch)) {
            hide_values(monitor, check, place);
        }
    }
    Ok(())
}

/// Leaves what events say out of a run: its value, its groups, the text that names them, and the id that is made of them.
fn hide_values(monitor: &Monitor, check: &mut MonitorCheck, place: usize) {
    check.value = None;
    if !check.group_key.is_empty() {
        check.id = check_of_hidden_group(&monitor.id, check.at, place);
    }
    check.group_key = String::new();
    check.reason = hidden_reason(check.outcome);
}

/// What is told in place of the reason of a run.
pub(super) fn hidden_reason(outcome: CheckOutcome) -> String {
    let reason = if outcome == CheckOutcome::Failed { FAILED } else { FOUND };
    reason.to_owned()
}

fn required(field: &str) -> Violation {
    Violation::required(field).in_query()
}

fn check_order(start: Timestamp, end: Timestamp) -> std::result::Result<(), Violation> {
    if start >= end {
        return Err(Violation::new("endTime", Rule::Minimum, "must be after startTime").in_query());
    }
    Ok(())
}

fn time(field: &str, text: Option<String>) -> std::result::Result<Option<Timestamp>, Violation> {
    let Some(text) = text.filter(|text| !text.is_empty()) else { return Ok(None) };
    Timestamp::parse(&text).map(Some).map_err(|_| Violation::not_a_timestamp(field).in_query())
}
