//! Watching: from the answer of a query to what is told, and when it is asked again. Everything here is pure; running
//! queries, storing states and sending messages is left to others.

mod anomaly;
mod events;
mod judge;
mod outcome;
mod readings;
mod schedule;
mod state;
mod step;
mod words;

pub use events::{EVENT_BYTES_MAX, EVENTS_A_DAY_MAX, EVENTS_A_MINUTE_MAX};
pub use outcome::{Check, CheckOutcome, Outcome, Reason, Tell, TellKind};
pub use readings::{GroupKey, MatchedEvent, Point, Readings, Series};
pub use schedule::{Due, Window, due, first_run_after, next_due, spread, window};
pub use state::{Damaged, State};
pub use step::{GROUPS_MAX, Run, failed, judged, resolved_by_hand};
pub use words::{body, message, reason_text, title};
