//! Watching: from the answer of a query to what is told, and when it is asked again. Everything here is pure; running
//! queries, storing states and sending messages is left to others.

mod anomaly;
mod evaluate;
mod events;
mod messages;
mod outcome;
mod samples;
mod schedule;
mod state;
mod step;
mod verdict;

pub use events::{EVENT_BYTES_MAX, EVENTS_A_DAY_MAX, EVENTS_A_MINUTE_MAX};
pub use messages::{body, message, reason_text, title};
pub use outcome::{Check, CheckOutcome, Notification, NotificationKind, Outcome, Reason};
pub use samples::{GroupKey, MatchedEvent, Point, Samples, Series};
pub use schedule::{Due, Window, due, first_run_after, next_due, spread, window};
pub use state::{Damaged, State};
pub use step::{GROUPS_MAX, Run, evaluate, failed, resolved_by_hand};
