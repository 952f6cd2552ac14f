//! Which of the events that matched are told: each once, the oldest first, and no more than people can read. How many
//! were told is part of the state, so that a restart does not begin anew.

use tidegauge_model::Timestamp;

use crate::state::State;

/// How many events are told in a minute, and on a day (of UTC).
pub const EVENTS_A_MINUTE_MAX: usize = 10;
pub const EVENTS_A_DAY_MAX: usize = 500;

/// Larger events are told without their text.
pub const EVENT_BYTES_MAX: usize = 100_000;

const MICROS_A_MINUTE: i64 = 60_000_000;
const MICROS_A_DAY: i64 = 24 * 60 * MICROS_A_MINUTE;

/// How many of so many events may be told by a run, which the state then counts.
pub(crate) fn take_quota(state: &mut State, at: Timestamp, wanted: usize) -> usize {
    let minute = at.as_micros().div_euclid(MICROS_A_MINUTE);
    let day = at.as_micros().div_euclid(MICROS_A_DAY);
    if state.notified_minute != minute {
        (state.notified_minute, state.notified_in_minute) = (minute, 0);
    }
    if state.notified_day != day {
        (state.notified_day, state.notified_on_day) = (day, 0);
    }
    let left_in_minute = EVENTS_A_MINUTE_MAX.saturating_sub(state.notified_in_minute);
    let left_on_day = EVENTS_A_DAY_MAX.saturating_sub(state.notified_on_day);
    let told = wanted.min(left_in_minute).min(left_on_day);
    state.notified_in_minute += told;
    state.notified_on_day += told;
    told
}
