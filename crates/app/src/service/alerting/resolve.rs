//! People close what is open. It takes the lease of a run, so that a run that goes on meanwhile cannot open it again from
//! what it knew before.

use std::time::Duration;

use tidegauge_alerting::{Run, State, Window, next_due, resolved_by_hand};
use tidegauge_catalog::monitor_runs::RecordedRun;
use tidegauge_catalog::monitors::Monitor;
use tidegauge_model::{ErrorKind, hex, rng};

use super::run::{check, deliveries, state_before};
use crate::app::App;
use crate::service::{Caller, Error, Result, monitors};

/// Nothing is asked of anybody under the lease.
const LEASE: Duration = Duration::from_secs(10);

/// Closes what is open of a monitor, where that is for people to do. Gives how many messages say so.
pub async fn resolve(app: &App, caller: &Caller, id: &str) -> Result<usize> {
    let monitor = monitors::get(app, caller, id).await?;
    if !monitor.definition.is_resolvable {
        let message = "alerts of this monitor end by themselves and cannot be closed by hand";
        return Err(Error::new(ErrorKind::Conflict, message).hint("set resolvable to true in the monitor"));
    }
    close(app, caller, &monitor).await
}

async fn close(app: &App, caller: &Caller, monitor: &Monitor) -> Result<usize> {
    let now = app.now();
    let owner = owner(app);
    let leased = app.catalog.lease_monitor(caller.org()?, &monitor.id, &owner, now, now.plus(LEASE)).await?;
    let leased = leased.ok_or_else(|| {
        Error::new(ErrorKind::Conflict, "the monitor is being run at this moment")
            .hint("try it again in a second")
    })?;
    let stored = state_before(monitor, leased.revision, leased.state);
    let before = State::from_text(&stored).map_err(|damaged| Error {
        source: Some(damaged.into()),
        ..Error::new(ErrorKind::Corrupt, "the state of the monitor cannot be read")
    });
    let (outcome, state) = match &before {
        Ok(before) => {
            let outcome = resolved_by_hand(&monitor.definition, before);
            let state = outcome.state.to_text();
            (Some(outcome), state)
        }
        Err(_) => (None, stored),
    };
    let run = Run { monitor: monitor.id.clone(), at: now, window: Window { start: now, end: now } };
    let changed = outcome.filter(|outcome| outcome.checks.iter().any(|check| check.is_change));
    let after = leased.last_run.unwrap_or(monitor.created);
    let recorded = RecordedRun {
        monitor: monitor.id.clone(),
        org: monitor.org.clone(),
        owner,
        revision: monitor.revision,
        last_run: leased.last_run,
        next_due: leased.due.unwrap_or_else(|| next_due(&monitor.definition, &monitor.id, after)),
        state,
        checks: changed
            .iter()
            .flat_map(|outcome| &outcome.checks)
            .map(|one| check(monitor, &run, one, (0, 0), now))
            .collect(),
        annotation: None,
        deliveries: changed.iter().flat_map(|outcome| deliveries(monitor, &run, outcome, now)).collect(),
    };
    let told = recorded.deliveries.len();
    if !app.catalog.record_monitor_run(&recorded).await? {
        return Err(Error::new(ErrorKind::Conflict, "the monitor was changed at this moment")
            .hint("look at it, and try it again"));
    }
    before.map(|_| told)
}

/// A name for one lease, which no other lease has.
pub fn owner(app: &App) -> String {
    hex::encode(&rng::bytes::<16>(&*app.rng))
}
