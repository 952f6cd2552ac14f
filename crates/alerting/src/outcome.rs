//! What a run leads to: a new state, what is to be told, and what the history keeps. What of it is put into words, and
//! how, is in `words`.

use tidegauge_model::monitor::AlertState;

use crate::samples::GroupKey;
use crate::state::State;

/// What a run leads to.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    pub state: State,
    pub notifications: Vec<Notification>,
    /// The first one is about the run as a whole, the others about single groups.
    pub checks: Vec<Check>,
}

/// Something that people are to be told.
#[derive(Clone, Debug, PartialEq)]
pub struct Notification {
    pub kind: NotificationKind,
    /// The same for the opening of an alert and its end, and for no other.
    pub incident: String,
    /// The group that it is about: the one that is furthest out, where several opened in one run.
    pub group: GroupKey,
    /// How many other groups it stands for.
    pub others: usize,
    pub value: f64,
    pub reason: Reason,
    /// The event that matched, as JSON text.
    pub event: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotificationKind {
    Opened,
    /// The alert is open since an earlier run.
    Repeated,
    Closed,
}

impl NotificationKind {
    pub fn state(self) -> AlertState {
        match self {
            Self::Opened | Self::Repeated => AlertState::Open,
            Self::Closed => AlertState::Closed,
        }
    }
}

/// Why a state is what it is.
#[derive(Clone, Debug, PartialEq)]
pub enum Reason {
    /// A value is on the side of the threshold that is told.
    Crossed,
    /// No value is.
    Within,
    /// A value is further from what was expected than is allowed.
    Unexpected {
        expected: f64,
        allowed: f64,
    },
    AsExpected {
        expected: f64,
        allowed: f64,
    },
    /// There is too little to know what is expected.
    NothingExpected,
    /// The answer has no values.
    NoData,
    /// The group is not in the answer any more.
    DataGone,
    /// There are values again.
    DataBack,
    ByHand,
    /// The definition was changed to one of another kind.
    Changed,
    /// Events matched. The rest are those that are not told, because there were too many.
    Matched {
        count: usize,
        suppressed: usize,
    },
    /// The event matched, and is too large to be part of a message.
    MatchedLarge,
    NoMatch,
    Failed(String),
}

/// A line of the history.
#[derive(Clone, Debug, PartialEq)]
pub struct Check {
    pub group: GroupKey,
    pub state: AlertState,
    pub outcome: CheckOutcome,
    /// Whether the state was another one before.
    pub is_change: bool,
    pub value: Option<f64>,
    pub reason: Reason,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckOutcome {
    Evaluated,
    NoData,
    Failed,
}
