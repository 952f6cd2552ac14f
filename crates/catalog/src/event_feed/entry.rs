//! The entries themselves: what each kind of thing that happens writes, inside the transaction of that thing. None holds a
//! secret, what was sent, or what events hold: who may read the audit trail need not be allowed to query every dataset.

use serde_json::json;
use tidegauge_model::Timestamp;
use tidegauge_model::dataset::is_audit_name;
use tidegauge_model::message::DeliveryState;
use tidegauge_model::monitor::AlertState;

use super::EntryKind;
use crate::monitor_checks::CheckOutcome;
use crate::monitor_runs::RecordedRun;
use crate::outbox::attempts::Attempt;

/// Who does what nobody asked for.
const SERVICE: &str = "service";

/// An entry that is about to be written.
#[derive(Clone, Debug)]
pub(crate) struct NewEntry {
    pub(crate) org: String,
    pub(crate) kind: EntryKind,
    pub(crate) at: Timestamp,
    pub(crate) actor: String,
    pub(crate) action: String,
    pub(crate) target: String,
    pub(crate) outcome: &'static str,
    pub(crate) detail: String,
    pub(crate) request_id: String,
    pub(crate) times: i64,
    /// A JSON object.
    pub(crate) details: String,
}

pub(crate) const INSERT: &str = "INSERT INTO event_feed \
    (org_id, kind, at, actor, action, target, outcome, detail, request_id, times, details, batch, batched) \
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, '', 0)";

/// Writes an entry inside a transaction.
macro_rules! feed {
    ($connection:expr, $entry:expr) => {{
        let entry: $crate::event_feed::NewEntry = $entry;
        sqlx::query($crate::event_feed::INSERT)
            .bind(entry.org)
            .bind(entry.kind.name())
            .bind(entry.at.as_micros())
            .bind(entry.actor)
            .bind(entry.action)
            .bind(entry.target)
            .bind(entry.outcome)
            .bind(entry.detail)
            .bind(entry.request_id)
            .bind(entry.times)
            .bind(entry.details)
            .execute(&mut *$connection)
            .await?;
    }};
}

pub(crate) use feed;

/// Whether a stored list of names has the dataset of the audit trail: what a monitor of it comes to is not told in it, or
/// each run would give the next one something to find.
pub(crate) fn reads_audit(datasets: &str) -> bool {
    let names: Vec<String> = serde_json::from_str(datasets).unwrap_or_default();
    names.iter().any(|name| is_audit_name(name))
}

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

/// A message as its row has it.
pub(crate) struct Sending<'a> {
    pub(crate) org: &'a str,
    pub(crate) delivery: &'a str,
    pub(crate) notifier: &'a str,
    pub(crate) monitor: &'a str,
    /// How many attempts there were.
    pub(crate) attempts: i64,
    /// What it came to.
    pub(crate) state: DeliveryState,
}

/// What is told of an attempt to send a message.
pub(crate) fn of_attempt(sending: &Sending<'_>, attempt: &Attempt) -> NewEntry {
    let outcome = match sending.state {
        DeliveryState::Waiting => "failed",
        ended => ended.name(),
    };
    let mut details = json!({
        "notifier": sending.notifier,
        "monitor": sending.monitor,
        "attempt": sending.attempts,
        "latencyMs": u64::try_from(attempt.latency.as_millis()).unwrap_or(u64::MAX),
    });
    if let Some(status) = attempt.status {
        details["status"] = status.into();
    }
    let detail = crate::audit::detail::cut(attempt.error.clone().unwrap_or_default());
    NewEntry { outcome, detail, ..ended("delivery.attempt", sending, attempt.at, details.to_string()) }
}

/// What is told of a message that nobody could send in time.
pub(crate) fn of_expiry(sending: &Sending<'_>, at: Timestamp) -> NewEntry {
    let details =
        json!({"notifier": sending.notifier, "monitor": sending.monitor, "attempt": sending.attempts})
            .to_string();
    ended("delivery.expire", sending, at, details)
}

fn ended(action: &str, sending: &Sending<'_>, at: Timestamp, details: String) -> NewEntry {
    NewEntry {
        org: sending.org.to_owned(),
        kind: EntryKind::Delivery,
        at,
        actor: SERVICE.to_owned(),
        action: action.to_owned(),
        target: sending.delivery.to_owned(),
        outcome: sending.state.name(),
        detail: String::new(),
        request_id: String::new(),
        times: 1,
        details,
    }
}
