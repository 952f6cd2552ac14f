//! One run of a monitor: its query over its window, what that leads to, and all of it into the catalogue in one
//! transaction. A query that fails is a finding as well: the history has it, and nobody is told.

use std::time::Duration;

use tidegauge_alerting::{
    Check, CheckOutcome, Due, NotificationKind, Outcome, Run, State, body, due, evaluate, failed, message,
    next_due, reason_text, title, window,
};
use tidegauge_catalog::annotations::Annotation;
use tidegauge_catalog::monitor_checks::{self, MonitorCheck};
use tidegauge_catalog::monitor_runs::{LeasedMonitor, RecordedRun};
use tidegauge_catalog::monitors::Monitor;
use tidegauge_catalog::outbox::NewDelivery;
use tidegauge_engine::Lane;
use tidegauge_model::Timestamp;
use tidegauge_model::monitor::MonitorKind;

use super::monitor_query::MonitorQuery;
use crate::app::App;
use crate::service::monitors::reader::reader;
use crate::service::{Error, Result, run_ids};

/// The kind of the annotations that triggers make.
const ANNOTATION_KIND: &str = "monitor-triggered";
const ANNOTATION_TITLE_MAX: usize = 256;
const ANNOTATION_DESCRIPTION_MAX: usize = 512;

/// How long after a lease was of no use the monitor is looked at again.
const LATER: Duration = Duration::from_secs(60);

/// What became of a leased monitor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ran {
    /// The run was made and recorded; this many messages were put into the outbox.
    Recorded { told: usize, is_failed: bool },
    /// No run was due: only the schedule was made anew.
    Scheduled,
    /// The monitor is gone or was changed meanwhile, or somebody else has its lease now.
    Lost,
}

/// Makes the run of a leased monitor that is due, if one is.
pub async fn run(app: &App, leased: LeasedMonitor, owner: &str) -> Result<Ran> {
    match app.catalog.monitor_to_run(&leased.id).await? {
        Some(monitor) => run_as_read(app, monitor, leased, owner).await,
        None => Ok(Ran::Lost),
    }
}

/// The same with the definition that was read for it.
pub async fn run_as_read(app: &App, monitor: Monitor, leased: LeasedMonitor, owner: &str) -> Result<Ran> {
    let now = app.now();
    let Some(due) = due_run(&monitor, &leased, now) else {
        return schedule(app, &monitor, leased, owner, now).await;
    };
    let made = make(app, &monitor, &leased, due, now).await;
    let told = made.outcome.notifications.len();
    let is_failed = made.outcome.checks.iter().any(|check| check.outcome == CheckOutcome::Failed);
    let recorded = recorded(&monitor, owner, due, made, app.now());
    Ok(match app.catalog.record_monitor_run(&recorded).await? {
        true => Ran::Recorded { told, is_failed },
        false => Ran::Lost,
    })
}

/// Since when runs count: the last one, or when the monitor was made or came back.
fn runs_after(monitor: &Monitor, leased: &LeasedMonitor) -> Timestamp {
    let enabled = enabled_again(monitor).unwrap_or(monitor.created);
    leased.last_run.unwrap_or(monitor.created).max(enabled)
}

/// When the monitor came back after it was off until then.
fn enabled_again(monitor: &Monitor) -> Option<Timestamp> {
    monitor.definition.disabled_until.as_ref().map(|until| until.time)
}

fn due_run(monitor: &Monitor, leased: &LeasedMonitor, now: Timestamp) -> Option<Due> {
    let is_off = monitor.definition.is_disabled || enabled_again(monitor).is_some_and(|until| until > now);
    if is_off {
        return None;
    }
    due(&monitor.definition, &monitor.id, runs_after(monitor, leased), monitor.modified, now)
}

/// Gives the lease back with the time of the next run.
async fn schedule(
    app: &App,
    monitor: &Monitor,
    leased: LeasedMonitor,
    owner: &str,
    now: Timestamp,
) -> Result<Ran> {
    let next_due = match monitor.definition.is_disabled {
        true => now.plus(LATER),
        false => next_due(&monitor.definition, &monitor.id, runs_after(monitor, &leased)),
    };
    let recorded = RecordedRun {
        monitor: monitor.id.clone(),
        org: monitor.org.clone(),
        owner: owner.to_owned(),
        revision: monitor.revision,
        last_run: leased.last_run,
        next_due,
        state: state_before(monitor, leased.revision, leased.state),
        checks: Vec::new(),
        annotation: None,
        deliveries: Vec::new(),
    };
    let is_recorded = app.catalog.record_monitor_run(&recorded).await?;
    Ok(if is_recorded { Ran::Scheduled } else { Ran::Lost })
}

/// The stored state that a monitor goes on from, of a revision of its definition. One of an earlier epoch says what
/// another query has found, and whoever is told now may not be told that: its alerts are over.
pub(super) fn state_before(monitor: &Monitor, revision: i64, state: String) -> String {
    if revision >= monitor.epoch || state.is_empty() {
        return state;
    }
    State::from_text(&state).map(State::anew).unwrap_or_default().to_text()
}

/// A run that was made.
struct Made {
    run: Run,
    outcome: Outcome,
    /// The state in its stored form.
    state: String,
    cost: u64,
}

async fn make(app: &App, monitor: &Monitor, leased: &LeasedMonitor, due: Due, now: Timestamp) -> Made {
    let definition = &monitor.definition;
    let enabled = enabled_again(monitor).unwrap_or(monitor.modified).max(monitor.modified);
    let stored = state_before(monitor, leased.revision, leased.state.clone());
    let read = State::from_text(&stored);
    let before = read.as_ref().cloned().unwrap_or_default();
    let mut window = window(definition, due.at, &before, enabled);
    if definition.kind == MonitorKind::MatchEvent
        && let Some(until) = enabled_again(monitor)
    {
        // Events from when it was off are not told.
        window.start = window.start.max(until).min(window.end);
    }
    let run = Run { monitor: monitor.id.clone(), at: due.at, window };
    if let Err(damaged) = read {
        let outcome = failed(&before, damaged.to_string());
        // What cannot be read is left as it is: another version of the service may be able to.
        return Made { run, outcome, state: stored, cost: 0 };
    }
    let (outcome, cost) = match asked(app, monitor, &run, now).await {
        Ok((samples, cost)) => (evaluate(definition, &before, &run, &samples), cost),
        Err(error) => {
            tracing::info!(monitor = %monitor.id, error = %error.message, cause = ?error.source, "the query of a monitor failed");
            (failed(&before, error.message), 0)
        }
    };
    let state = outcome.state.to_text();
    Made { run, outcome, state, cost }
}

async fn asked(
    app: &App,
    monitor: &Monitor,
    run: &Run,
    now: Timestamp,
) -> std::result::Result<(tidegauge_alerting::Samples, u64), Error> {
    let actor = monitor.id.as_str();
    let caller = reader(app, &monitor.org, &monitor.reads, &monitor.created_by, actor, now).await?;
    let monitor_query = MonitorQuery::new(app, &caller, &monitor.definition, Lane::Monitor).await?;
    monitor_query.samples(run.at, run.window).await
}

fn recorded(monitor: &Monitor, owner: &str, due: Due, made: Made, now: Timestamp) -> RecordedRun {
    let Made { run, outcome, state, cost } = made;
    let check = |check: &Check| self::check(monitor, &run, check, (due.missed, cost), now);
    RecordedRun {
        monitor: monitor.id.clone(),
        org: monitor.org.clone(),
        owner: owner.to_owned(),
        revision: monitor.revision,
        last_run: Some(due.at),
        next_due: next_due(&monitor.definition, &monitor.id, due.at),
        state,
        checks: outcome.checks.iter().map(check).collect(),
        annotation: annotation(monitor, &run, &outcome, now),
        deliveries: deliveries(monitor, &run, &outcome, now),
    }
}

/// A line of the history as it is kept.
pub(super) fn check(
    monitor: &Monitor,
    run: &Run,
    check: &Check,
    (missed, cost): (u64, u64),
    now: Timestamp,
) -> MonitorCheck {
    let group_key = run_ids::group_text(&check.group);
    MonitorCheck {
        id: run_ids::check(&monitor.id, run.at, &group_key),
        at: run.at,
        finished: now,
        window: (run.window.start, run.window.end),
        group_key,
        state: check.state,
        outcome: match check.outcome {
            CheckOutcome::Evaluated => monitor_checks::CheckOutcome::Evaluated,
            CheckOutcome::NoData => monitor_checks::CheckOutcome::NoData,
            CheckOutcome::Failed => monitor_checks::CheckOutcome::Failed,
        },
        is_change: check.is_change,
        value: check.value,
        reason: reason_text(&monitor.definition, &check.reason, check.value),
        missed: i64::try_from(missed).unwrap_or(i64::MAX),
        cost: i64::try_from(cost).unwrap_or(i64::MAX),
        epoch: Some(monitor.epoch),
    }
}

/// A message to each notifier for all that is told.
pub(super) fn deliveries(
    monitor: &Monitor,
    run: &Run,
    outcome: &Outcome,
    now: Timestamp,
) -> Vec<NewDelivery> {
    let mut deliveries = Vec::new();
    for notification in &outcome.notifications {
        let message = message(&monitor.definition, run, notification);
        deliveries.extend(monitor.definition.notifiers.iter().map(|notifier| NewDelivery {
            id: run_ids::delivery(&monitor.id, run.at, notification, notifier),
            org: monitor.org.clone(),
            notifier: notifier.clone(),
            message: message.clone(),
            due: now,
        }));
    }
    deliveries
}

/// A trigger is marked on the datasets that the query reads.
fn annotation(monitor: &Monitor, run: &Run, outcome: &Outcome, now: Timestamp) -> Option<Annotation> {
    let notification =
        outcome.notifications.iter().find(|notification| notification.kind == NotificationKind::Opened)?;
    if monitor.reads.datasets.is_empty() {
        return None;
    }
    let cut = |text: String, most: usize| text.chars().take(most).collect::<String>();
    Some(Annotation {
        id: run_ids::annotation(&monitor.id, run.at),
        datasets: monitor.reads.datasets.clone(),
        at: run.at,
        end_at: None,
        kind: ANNOTATION_KIND.to_owned(),
        title: cut(title(&monitor.definition, notification.kind), ANNOTATION_TITLE_MAX),
        description: cut(body(&monitor.definition, notification), ANNOTATION_DESCRIPTION_MAX),
        url: String::new(),
        monitor: Some(monitor.id.clone()),
        epoch: Some(monitor.epoch),
        created: now,
        created_by: monitor.created_by.clone(),
        modified: now,
    })
}
