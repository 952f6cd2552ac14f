//! What reading a body ends with: the count of events and the events that failed alone, or the reason why nothing of
//! the body can be taken.

use std::fmt;

/// A body that was read to its end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    pub ingested: u64,
    /// Of those, how many had the field that the request names for the time, or `_time` if it names none.
    pub with_time_field: u64,
    pub failed: u64,
    /// The first failures, as many as the limits list.
    pub failures: Vec<Failure>,
    pub replaced: Replaced,
}

/// How many values of the events that were taken are stored as something else than was sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Replaced {
    /// Strings that were longer than the limit.
    pub too_long: u64,
    /// Strings that are not valid UTF-8.
    pub not_text: u64,
    /// Objects and arrays that were nested too deeply.
    pub too_deep: u64,
    /// Floats beyond their range.
    pub infinite: u64,
}

impl Replaced {
    pub(crate) fn add(&mut self, other: Self) {
        self.too_long += other.too_long;
        self.not_text += other.not_text;
        self.too_deep += other.too_deep;
        self.infinite += other.infinite;
    }
}

/// An event that was left out while the others were taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Which event of the body, counted from 0, failed ones included.
    pub index: u64,
    pub error: String,
}

/// Why nothing of a body can be taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Malformed {
    pub kind: MalformedKind,
    /// From 1.
    pub line: u64,
    /// In bytes, from 1.
    pub column: u64,
    /// In the uncompressed body, from 0.
    pub offset: u64,
    pub message: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MalformedKind {
    /// The body is not what its format asks for.
    Malformed,
    /// One event, or the whole body, is larger than the limits allow.
    TooLarge,
}

impl fmt::Display for Malformed {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.kind {
            MalformedKind::Malformed => "malformed body",
            MalformedKind::TooLarge => "body too large",
        };
        let Self { line, column, offset, message, .. } = self;
        write!(formatter, "{what} at line {line}, column {column} (byte {offset}): {message}")
    }
}

impl std::error::Error for Malformed {}
