//! What is found of the numbers of a group. Finding it is left to `evaluate` and `anomaly`.

use crate::outcome::Reason;

/// What is found of the numbers of a group.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Verdict {
    pub(crate) is_positive: bool,
    /// The number that tells most: the one furthest out, or nearest to it.
    pub(crate) value: f64,
    /// How far out it is: the larger, the worse.
    pub(crate) excess: f64,
    pub(crate) reason: Reason,
}
