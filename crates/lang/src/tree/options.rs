//! What sources and stages are told that holds no expression: kinds, orders, names and stretches of time.

use tidegauge_model::RowId;

use super::names::{Column, NamePattern};
use crate::Span;

/// A stretch of time: from the start, up to and without the end, in nanoseconds since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeRange {
    pub start: i64,
    pub end: i64,
}

impl TimeRange {
    pub const ALL: Self = Self { start: i64::MIN, end: i64::MAX };

    pub fn contains(self, time: i64) -> bool {
        self.start <= time && (time < self.end || self.end == i64::MAX)
    }
}

/// Stretches of time of one length, which begin at whole multiples of it since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bucket {
    /// In nanoseconds, above zero.
    pub step: i64,
}

/// One key of an order.
#[derive(Clone, Debug, Default)]
pub struct SortKey {
    pub field: String,
    pub is_descending: bool,
    pub span: Span,
}

/// Where it stands is no part of it.
impl PartialEq for SortKey {
    fn eq(&self, other: &Self) -> bool {
        self.field == other.field && self.is_descending == other.is_descending
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nulls {
    First,
    Last,
}

/// A place between rows: the identity of one row, and whether that row itself still belongs to what follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cursor {
    pub row: RowId,
    pub is_included: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JoinKind {
    Inner,
    /// The first row of the right for each of the left.
    InnerUnique,
    LeftOuter,
    RightOuter,
    FullOuter,
    LeftAnti,
    RightAnti,
    LeftSemi,
    RightSemi,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LookupKind {
    /// Rows without an entry stay, with nulls.
    LeftOuter,
    Inner,
}

/// What the members of maps become.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExpandKind {
    /// Maps of one member.
    Bag,
    /// Arrays of a key and its value.
    Array,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParseMode {
    /// The whole pattern must fit, with the types of the columns.
    Simple,
    /// The constants are regular expressions.
    Regex,
    /// A column whose type does not fit is null, and the others stay.
    Relaxed,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParsePart {
    /// Anything, which is left out: `*`.
    Skip,
    Text(String),
    Column(Column),
}

/// A field and its new name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Renamed {
    pub name: String,
    pub from: String,
    /// Where the old name stands.
    pub span: Span,
}

/// Fields whose names fit, and how they are ordered among themselves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reordered {
    pub pattern: NamePattern,
    pub order: Option<ReorderBy>,
}

/// An order of names: of their letters, or with the numbers in them as numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReorderBy {
    Ascending,
    Descending,
    GrannyAscending,
    GrannyDescending,
}

/// What is replaced, by what, and in which fields.
#[derive(Clone, Debug, PartialEq)]
pub struct Redact {
    /// What stands there instead: one character for each letter, or a longer text for the whole. `*` if not told.
    pub token: Option<String>,
    /// Whether a short hash stands there instead.
    pub is_hash: bool,
    /// Whether only groups of the expressions are replaced.
    pub is_groups: bool,
    pub patterns: Vec<String>,
    /// Where they stand.
    pub span: Span,
    /// None stands for all fields.
    pub fields: Vec<NamePattern>,
}

/// Whether texts are compared with their case. The tests in the predicate have it already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchCase {
    Insensitive,
    Sensitive,
}

/// Columns, where their rows are, and how they are written there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExternalData {
    pub columns: Vec<Column>,
    pub addresses: Vec<String>,
    /// Where they stand.
    pub span: Span,
    /// None is told by the address.
    pub format: Option<ExternalFormat>,
    /// Whether the first row of each file is left out.
    pub skips_first: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExternalFormat {
    Csv,
    Scsv,
    Tsv,
    Psv,
    Json,
    MultiJson,
    Raw,
    Txt,
}
