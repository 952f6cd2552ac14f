//! The state of a watch between two runs, and the form that it is stored in. It has only what is not the usual: a group
//! that is closed and gave no reason in the last runs is not in it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use tidegauge_model::Timestamp;

use crate::samples::GroupKey;

/// The form of stored states. A form that is not known is damage: states of a later version of the service must not be
/// taken for empty ones, which would tell everything again.
const FORM: u32 = 1;

/// The state of a monitor.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct State {
    pub(crate) groups: BTreeMap<GroupKey, GroupState>,
    /// Up to where events have been looked at.
    pub(crate) seen_to: Option<Timestamp>,
    pub(crate) notified_minute: i64,
    pub(crate) notified_in_minute: usize,
    pub(crate) notified_day: i64,
    pub(crate) notified_on_day: usize,
    /// The incidents of events that people may close by hand.
    pub(crate) open_events: Vec<String>,
    /// Whether the last run found events.
    pub(crate) is_matching: bool,
    /// How many runs have failed one after the other.
    pub(crate) failures: u32,
}

/// The state of one group.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct GroupState {
    /// Whether the last runs gave a reason, the newest last.
    pub(crate) runs: Vec<bool>,
    pub(crate) open: Option<OpenAlert>,
    /// Whether people closed it although there still is a reason: it opens again after there was none.
    pub(crate) is_held: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OpenAlert {
    pub(crate) incident: String,
    pub(crate) since: Timestamp,
}

/// The stored state cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("the stored state of the monitor cannot be read: {0}")]
pub struct Damaged(String);

impl State {
    /// The state of a monitor of events that has looked at them up to a time.
    pub fn seen(to: Timestamp) -> Self {
        Self { seen_to: Some(to), ..Self::default() }
    }

    /// What stays when the monitor watches something else: up to where events were looked at, and how many were told.
    #[must_use]
    pub fn anew(self) -> Self {
        Self { groups: BTreeMap::new(), open_events: Vec::new(), is_matching: false, failures: 0, ..self }
    }

    /// Whether the last run found events that match.
    pub fn is_matching(&self) -> bool {
        self.is_matching
    }

    /// Whether something is open.
    pub fn is_open(&self) -> bool {
        self.is_matching || self.groups.values().any(|group| group.open.is_some())
    }

    /// Since when the groups that are open are so.
    pub fn open_groups(&self) -> impl Iterator<Item = (&GroupKey, Timestamp)> {
        self.groups.iter().filter_map(|(key, group)| Some((key, group.open.as_ref()?.since)))
    }

    /// How many alerts are open. Of events that match and end by themselves there is one, however many they are.
    pub fn open_alerts(&self) -> usize {
        let groups = self.groups.values().filter(|group| group.open.is_some()).count();
        let events = self.open_events.len().max(usize::from(self.is_matching));
        groups + events
    }

    pub fn seen_to(&self) -> Option<Timestamp> {
        self.seen_to
    }

    pub fn failures(&self) -> u32 {
        self.failures
    }

    /// The text that is stored.
    pub fn to_text(&self) -> String {
        let groups = self.groups.iter().map(|(key, group)| StoredGroup::of(key, group)).collect();
        let stored = Stored {
            form: FORM,
            groups,
            seen_to: self.seen_to.map(Timestamp::as_micros),
            told: (self.notified_minute, self.notified_in_minute, self.notified_day, self.notified_on_day),
            open_events: self.open_events.clone(),
            is_matching: self.is_matching,
            failures: self.failures,
        };
        // Plain texts and numbers always have a JSON form.
        serde_json::to_string(&stored).unwrap_or_default()
    }

    /// Reads a stored text. An empty one is the state before the first run.
    pub fn from_text(text: &str) -> Result<Self, Damaged> {
        if text.is_empty() {
            return Ok(Self::default());
        }
        let stored: Stored = serde_json::from_str(text).map_err(|error| Damaged(error.to_string()))?;
        if stored.form != FORM {
            return Err(Damaged(format!("its form is {}, and {FORM} is known", stored.form)));
        }
        let (notified_minute, notified_in_minute, notified_day, notified_on_day) = stored.told;
        Ok(Self {
            groups: stored.groups.into_iter().map(StoredGroup::read).collect(),
            seen_to: stored.seen_to.map(Timestamp::from_micros),
            notified_minute,
            notified_in_minute,
            notified_day,
            notified_on_day,
            open_events: stored.open_events,
            is_matching: stored.is_matching,
            failures: stored.failures,
        })
    }
}

#[derive(Serialize, Deserialize)]
struct Stored {
    form: u32,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    groups: Vec<StoredGroup>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    seen_to: Option<i64>,
    #[serde(default)]
    told: (i64, usize, i64, usize),
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    open_events: Vec<String>,
    #[serde(default)]
    is_matching: bool,
    #[serde(default)]
    failures: u32,
}

#[derive(Serialize, Deserialize)]
struct StoredGroup {
    key: GroupKey,
    /// A `1` for each run that gave a reason, a `0` for each that did not.
    runs: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    open: Option<(String, i64)>,
    #[serde(default)]
    held: bool,
}

impl StoredGroup {
    fn of(key: &GroupKey, group: &GroupState) -> Self {
        let open = group.open.as_ref().map(|open| (open.incident.clone(), open.since.as_micros()));
        let runs = group.runs.iter().map(|is_positive| if *is_positive { '1' } else { '0' }).collect();
        Self { key: key.clone(), runs, open, held: group.is_held }
    }

    fn read(self) -> (GroupKey, GroupState) {
        let runs = self.runs.chars().map(|run| run == '1').collect();
        let open =
            self.open.map(|(incident, since)| OpenAlert { incident, since: Timestamp::from_micros(since) });
        (self.key, GroupState { runs, open, is_held: self.held })
    }
}
