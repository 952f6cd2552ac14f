//! Monitors: what somebody wants to be told about, as they defined it, and the states that a watch of it can be in.
//! Reading a definition from JSON, running its query and deciding are left to others.

use std::time::Duration;

use crate::id::NotifierId;
use crate::notifier::DisabledUntil;
use crate::string_enum::string_enum;

string_enum! (
    /// How the answer of the query is judged.
    MonitorKind {
        Threshold = "Threshold",
        MatchEvent = "MatchEvent",
        AnomalyDetection = "AnomalyDetection",
    }
);

string_enum! (
    /// On which side of the threshold, or of what was expected, a value is a reason to tell.
    Operator {
        Below = "Below",
        BelowOrEqual = "BelowOrEqual",
        Above = "Above",
        AboveOrEqual = "AboveOrEqual",
        AboveOrBelow = "AboveOrBelow",
    }
);

string_enum! (
    /// What a message tells, and what a check in the history of a monitor has found.
    AlertState {
        Open = "open",
        Closed = "closed",
    }
);

/// A monitor as its maker defined it.
#[derive(Clone, Debug, PartialEq)]
pub struct Definition {
    pub name: String,
    pub description: String,
    pub kind: MonitorKind,
    /// The query in text.
    pub query: String,
    /// None where the kind asks for none.
    pub operator: Option<Operator>,
    pub threshold: f64,
    /// How often the query is run, at least one minute.
    pub interval_minutes: u32,
    /// How much time before its end the query looks at, at least one minute.
    pub range_minutes: u32,
    /// How long after the end of its range a run waits for events that come late.
    pub delay_seconds: u32,
    pub notifiers: Vec<NotifierId>,
    /// Whether an empty answer is a reason to tell.
    pub alerts_on_no_data: bool,
    /// Whether each group of the answer has a state of its own.
    pub notifies_by_group: bool,
    /// Whether people may close an alert by hand.
    pub is_resolvable: bool,
    pub notifies_every_run: bool,
    /// Whether the end of an alert is kept to itself.
    pub skips_resolved: bool,
    /// An alert opens when this many of the last `of_runs` runs gave a reason.
    pub after_positives: u32,
    pub of_runs: u32,
    /// How many times its usual variation a value may be away from what was expected.
    pub tolerance: f64,
    /// How many days back what is expected is taken from; 0 is the series itself.
    pub compare_days: u32,
    /// The column that is judged; none is every column of numbers.
    pub column: Option<String>,
    pub is_disabled: bool,
    pub disabled_until: Option<DisabledUntil>,
}

impl Definition {
    pub fn interval(&self) -> Duration {
        Duration::from_secs(u64::from(self.interval_minutes) * 60)
    }

    pub fn range(&self) -> Duration {
        Duration::from_secs(u64::from(self.range_minutes) * 60)
    }

    pub fn delay(&self) -> Duration {
        Duration::from_secs(u64::from(self.delay_seconds))
    }
}
