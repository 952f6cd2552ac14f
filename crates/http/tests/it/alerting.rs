//! The watch over monitors, on a clock that the test moves: what runs find, tell and keep, who makes them, and that a
//! backtest opens and closes at the same runs.

mod deleted;
mod findings;
mod live;
mod nodes;
mod replaced;
mod replayed;
mod support;

use crate::cases::Case;

/// Every case with its name.
pub(crate) fn all() -> impl Iterator<Item = &'static (&'static str, Case)> {
    [deleted::ALL, findings::ALL, live::ALL, nodes::ALL, replaced::ALL, replayed::ALL].into_iter().flatten()
}
