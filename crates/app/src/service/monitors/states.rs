//! How all monitors of an organisation stand, for those who look at the list of them: what is open and since when, the
//! last run and the next.

use tidegauge_alerting::{GroupKey, State};
use tidegauge_catalog::monitor_states::{LastRun, MonitorStatus};
use tidegauge_model::monitor::AlertState;
use tidegauge_model::{MonitorId, Timestamp};

use super::history::hidden_reason;
use super::reader::{may_query, may_see};
use crate::app::App;
use crate::service::{Caller, Result};

/// How many of the groups of one monitor that are open are named.
const GROUPS_NAMED_MAX: usize = 20;

/// How one monitor stands.
#[derive(Clone, Debug)]
pub struct MonitorState {
    pub id: MonitorId,
    pub state: AlertState,
    /// Since when it is so, where it ever was another.
    pub since: Option<Timestamp>,
    /// How many alerts are open.
    pub open: usize,
    /// The groups whose alerts are open, the oldest first; none for those who may not query what the monitor reads.
    pub groups: Vec<(GroupKey, Timestamp)>,
    pub last_run: Option<LastRun>,
    pub next_run: Option<Timestamp>,
    pub is_disabled: bool,
    pub muted_until: Option<Timestamp>,
    /// How many runs have failed one after the other.
    pub failures: u32,
}

/// How the monitors of the caller's organisation stand.
pub async fn states(app: &App, caller: &Caller) -> Result<Vec<MonitorState>> {
    Ok(app.catalog.monitor_statuses(caller.org()?, |monitor| read(caller, monitor)).await?)
}

fn read(caller: &Caller, monitor: MonitorStatus) -> MonitorState {
    let may_see_groups = may_query(caller, &monitor.reads);
    // What a later version of the service has stored is not known here; its runs fail and say so.
    let state = State::from_text(&monitor.state).unwrap_or_default();
    let mut groups: Vec<_> = state.open_groups().map(|(key, since)| (key.clone(), since)).collect();
    groups.sort_by_key(|(_, since)| *since);
    let oldest = groups.first().map(|(_, since)| *since);
    groups.retain(|(key, _)| may_see_groups && !key.is_empty());
    groups.truncate(GROUPS_NAMED_MAX);
    let muted_until = monitor.disabled_until.filter(|until| *until > caller.now);
    let next_run = match monitor.is_disabled {
        true => None,
        false => monitor.due.map(|due| muted_until.map_or(due, |until| until.max(due))),
    };
    MonitorState {
        id: monitor.id,
        state: if state.is_open() { AlertState::Open } else { AlertState::Closed },
        since: oldest.or(monitor.changed),
        open: state.open_alerts(),
        groups,
        last_run: monitor.last.map(|run| match may_see(caller, run.reads.as_ref()) {
            true => run,
            false => without_values(run),
        }),
        next_run,
        is_disabled: monitor.is_disabled,
        muted_until,
        failures: state.failures(),
    }
}

/// A run without what events say.
fn without_values(run: LastRun) -> LastRun {
    LastRun { value: None, reason: hidden_reason(run.outcome), ..run }
}
