//! When runs are due and which time they look at. Runs are for whole multiples of the interval since 1970, so that the
//! windows of all monitors meet the stretches that queries cut time into; what is spread is the moment at which a run is
//! made, by the id of its monitor.
//!
//! After a pause only the latest of the runs that were missed is made. For events that match, its window goes back to
//! where the last one ended, so that none is passed over, by a day at most.

use std::time::Duration;

use tidegauge_model::monitor::{Definition, MonitorKind};
use tidegauge_model::{MonitorId, Timestamp};

use crate::state::State;

/// How much later than its time a run is made at most, for the sake of the others.
const SPREAD_MAX: Duration = Duration::from_secs(30);

/// How far back events are looked for after a pause.
const CATCH_UP_MAX: Duration = Duration::from_secs(24 * 60 * 60);

/// A stretch of time: from the start, up to and without the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    pub start: Timestamp,
    pub end: Timestamp,
}

/// A run that is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Due {
    /// The time that it is for.
    pub at: Timestamp,
    /// How many before it were due and are not made.
    pub missed: u64,
}

/// How much later than its time the runs of a monitor are made.
pub fn spread(monitor: &MonitorId, interval: Duration) -> Duration {
    // The last digits of ids are by chance; this is FNV-1a, which is the same on every machine and for ever.
    let hash = monitor.as_str().bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    let most = u64::try_from(SPREAD_MAX.min(interval / 2).as_millis()).unwrap_or(u64::MAX);
    Duration::from_millis(hash % most.max(1))
}

/// The first time after a moment that a run is for.
pub fn first_run_after(definition: &Definition, moment: Timestamp) -> Timestamp {
    let step = step(definition);
    Timestamp::from_micros((moment.as_micros().div_euclid(step) + 1).saturating_mul(step))
}

/// The run that is due, if one is: the latest whose time has come. `after` is the last run, or when the monitor was made
/// or is enabled again; `changed` is when its definition was changed, before which runs do not count as missed.
pub fn due(
    definition: &Definition,
    monitor: &MonitorId,
    after: Timestamp,
    changed: Timestamp,
    now: Timestamp,
) -> Option<Due> {
    let step = step(definition);
    let made_until = now.minus(spread(monitor, definition.interval()));
    let latest = Timestamp::from_micros(made_until.as_micros().div_euclid(step).saturating_mul(step));
    if latest <= after {
        return None;
    }
    let first = first_run_after(definition, after.max(changed));
    let missed = latest.as_micros().saturating_sub(first.as_micros()) / step;
    Some(Due { at: latest, missed: u64::try_from(missed).unwrap_or(0) })
}

/// When the next run after a moment is made.
pub fn next_due(definition: &Definition, monitor: &MonitorId, after: Timestamp) -> Timestamp {
    first_run_after(definition, after).plus(spread(monitor, definition.interval()))
}

/// The time that a run looks at. For events that match it begins where the last window ended, but not before `enabled`,
/// the last time that the monitor was off or had another definition.
pub fn window(definition: &Definition, at: Timestamp, state: &State, enabled: Timestamp) -> Window {
    let end = at.minus(definition.delay());
    let usual = end.minus(definition.range());
    let start = match (definition.kind, state.seen_to()) {
        (MonitorKind::MatchEvent, Some(seen_to)) => {
            let looked_back = enabled.minus(definition.delay()).minus(definition.range());
            seen_to.max(looked_back).max(end.minus(CATCH_UP_MAX)).min(end)
        }
        _ => usual,
    };
    Window { start, end }
}

fn step(definition: &Definition) -> i64 {
    i64::from(definition.interval_minutes.max(1)) * 60_000_000
}
