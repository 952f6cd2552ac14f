//! What is told of the runs of monitors.

use serde_json::json;
use tidegauge_model::monitor::AlertState;

use super::EntryKind;
use super::entry::{NewEntry, SERVICE};
use crate::monitor_checks::CheckOutcome;
use crate::monitor_runs::RecordedRun;

/// What is told of a run: one that failed, and one that changed a state, unless its monitor reads what is told here.
pub(crate) fn of_run(run: &RecordedRun, reads_audit: bool) -> Option<NewEntry> {
    let count =
        |is: &dyn Fn(CheckOutcome) -> bool| run.checks.iter().filter(|check| is(check.outcome)).count();
    let failed = count(&|outcome| outcome == CheckOutcome::Failed);
    let without_data = count(&|outcome| outcome == CheckOutcome::NoData);
    let changed = run.checks.iter().filter(|check| check.is_change).count();
    let open = run.checks.iter().filter(|check| check.state == AlertState::Open).count();
    if failed == 0 && (changed == 0 || reads_audit) {
        return None;
    }
    let first = run.checks.first()?;
    let outcome = match (failed, without_data) {
        (0, 0) => CheckOutcome::Evaluated,
        (0, _) => CheckOutcome::NoData,
        _ => CheckOutcome::Failed,
    };
    let details = json!({
        "checks": run.checks.len(),
        "changed": changed,
        "open": open,
        "failed": failed,
        "withoutData": without_data,
        "missed": first.missed,
        "messages": run.deliveries.len(),
        "windowStart": first.window.0.to_string(),
        "windowEnd": first.window.1.to_string(),
    });
    Some(NewEntry {
        org: run.org.as_str().to_owned(),
        kind: EntryKind::MonitorRun,
        at: first.finished,
        actor: SERVICE.to_owned(),
        action: "monitor.run".to_owned(),
        target: run.monitor.as_str().to_owned(),
        outcome: outcome.name(),
        detail: String::new(),
        request_id: String::new(),
        times: 1,
        details: details.to_string(),
    })
}
