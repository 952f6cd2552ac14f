//! The answer of a run as plain data: series of numbers by group, or events that matched. How tables become samples is
//! left to who has the tables.

use tidegauge_model::Timestamp;

/// The names and the values of a group. Empty for what is not grouped.
pub type GroupKey = Vec<(String, String)>;

/// What the query of a run has answered.
#[derive(Clone, Debug, PartialEq)]
pub enum Samples {
    /// None, or series without points, is no data.
    Series(Vec<Series>),
    Events(Vec<MatchedEvent>),
}

/// The numbers of one group.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Series {
    pub key: GroupKey,
    pub points: Vec<Point>,
    /// The numbers of the same group at the same time of earlier days, where those tell what is expected.
    pub earlier: Vec<f64>,
}

/// One number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// The beginning of its stretch of time, where the query asks for stretches.
    pub time: Option<Timestamp>,
    pub value: f64,
    /// Whether its stretch of time lies in the window as a whole.
    pub is_whole: bool,
}

impl Point {
    /// A number that is about the whole window.
    pub fn of(value: f64) -> Self {
        Self { time: None, value, is_whole: true }
    }
}

/// An event that matched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatchedEvent {
    /// Its identity in the store, which never changes.
    pub id: String,
    pub time: Timestamp,
    /// The event as JSON text.
    pub json: String,
}
