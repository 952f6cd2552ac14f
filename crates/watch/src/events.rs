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
pub(crate) fn take_allowance(state: &mut State, at: Timestamp, wanted: usize) -> usize {
    let minute = at.as_micros().div_euclid(MICROS_A_MINUTE);
    let day = at.as_micros().div_euclid(MICROS_A_DAY);
    if state.told_minute != minute {
        (state.told_minute, state.told_in_minute) = (minute, 0);
    }
    if state.told_day != day {
        (state.told_day, state.told_on_day) = (day, 0);
    }
    let left_in_minute = EVENTS_A_MINUTE_MAX.saturating_sub(state.told_in_minute);
    let left_on_day = EVENTS_A_DAY_MAX.saturating_sub(state.told_on_day);
    let told = wanted.min(left_in_minute).min(left_on_day);
    state.told_in_minute += told;
    state.told_on_day += told;
    told
}
