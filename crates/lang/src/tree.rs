//! The tree that every query becomes, whether it came as JSON or as text. It says what is asked, in the words of the
//! asker: names are not resolved and types not known yet. Spans point into the text where there is one.

mod expr;
mod program;
mod walk;

use tidegauge_model::RowId;

use crate::Span;

pub use crate::sources::{DataTable, ExternalData, ExternalFormat};
pub use crate::stages::{
    Expand, ExpandKind, ExpandedField, Join, JoinKind, JoinPair, Lookup, LookupKind, MakeSeries, Nulls,
    OrderKey, Parse, ParseKeyValue, ParseMode, ParsePart, Redact, Renamed, ReorderBy, Reordered, Search,
    SearchCase, Series, Top, Union,
};
pub use expr::{BinaryOperator, Expr, ExprKind, Literal, TextTest, Type};
pub use program::{Column, Let, LetValue, NamePattern, Program, QueryParameter, Setting, Statement};

/// A whole query: where rows come from and what happens to them, in order.
#[derive(Clone, Debug, PartialEq)]
pub struct Query {
    pub source: Source,
    pub stages: Vec<Stage>,
}

/// Where rows come from.
#[derive(Clone, Debug, PartialEq)]
pub enum Source {
    /// The events of a dataset whose time is in the range.
    Dataset { name: String, range: TimeRange, span: Span },
    /// The events of every dataset whose name fits.
    Datasets { pattern: NamePattern, range: TimeRange },
    /// The dataset that a value names: `table(parameter)`.
    Table { name: Expr, range: TimeRange },
    /// Rows that stand in the query.
    Values(DataTable),
    /// One row of these values.
    Print(Vec<Named>),
    /// Rows of files at addresses.
    External(ExternalData),
    /// The rows of several tables.
    Union(Union),
    /// The events of some datasets in which something is found, of all if none are named.
    Search(Search),
}

impl Source {
    /// Where it stands in the text, if it says so.
    pub fn place(&self) -> Span {
        match self {
            Self::Dataset { span, .. } => *span,
            Self::Datasets { pattern, .. } => pattern.span,
            Self::Table { name, .. } => name.span,
            _ => Span::default(),
        }
    }
}

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

/// One step of a query.
#[derive(Clone, Debug, PartialEq)]
pub enum Stage {
    /// Keeps the rows for which the expression is true.
    Filter(Expr),
    /// Adds or replaces fields. Later ones see earlier ones.
    Extend(Vec<Named>),
    /// Keeps these fields alone, in this order.
    Project(Vec<Named>),
    Summarize(Summarize),
    Sort(Vec<SortKey>),
    /// Keeps so many rows, or so many groups where the rows before it are groups over time buckets.
    Limit(u64),
    /// Keeps the rows that come after one row in the order of the sort before it, which is by time. Only the JSON query
    /// can say it.
    After(Cursor),
    /// As `Extend`, with a test whether the values are of use: neither null, empty, zero nor false.
    ExtendValid(Vec<Named>),
    /// Drops fields.
    ProjectAway(Vec<NamePattern>),
    /// Keeps fields in the order that they have.
    ProjectKeep(Vec<NamePattern>),
    ProjectRename(Vec<Renamed>),
    /// Puts fields first.
    ProjectReorder(Vec<Reordered>),
    /// Keeps as many rows as a constant expression says: `take n` with a name.
    Take(Expr),
    /// How many rows there are.
    Count,
    /// Different combinations of these values; none stands for all fields.
    Distinct(Vec<Named>),
    /// As `Sort`, by what is computed or with a place for nulls.
    Order(Vec<OrderKey>),
    Top(Top),
    /// Keeps about this share of the rows, between 0 and 1.
    Sample(Expr),
    /// The rows of other tables beside these.
    Union(Union),
    Join(Join),
    Lookup(Lookup),
    /// Takes texts apart. Rows that do not fit keep nulls.
    Parse(Parse),
    /// Takes texts apart. Rows that do not fit are dropped.
    ParseWhere(Parse),
    ParseKeyValue(ParseKeyValue),
    /// One row for each element.
    Expand(Expand),
    /// Keeps the rows in which something is found.
    Search(Search),
    Redact(Redact),
    MakeSeries(MakeSeries),
    /// One row for each field, about the field.
    GetSchema,
}

impl Stage {
    /// Whether it makes one row of each, whatever the others are, and leaves them in their order.
    pub fn keeps_rows(&self) -> bool {
        matches!(
            self,
            Self::Extend(_)
                | Self::ExtendValid(_)
                | Self::Project(_)
                | Self::ProjectAway(_)
                | Self::ProjectKeep(_)
                | Self::ProjectRename(_)
                | Self::ProjectReorder(_)
                | Self::Redact(_)
                | Self::Parse(_)
                | Self::ParseKeyValue(_)
        )
    }
}

/// An expression with the name of its result.
#[derive(Clone, Debug, PartialEq)]
pub struct Named {
    pub name: String,
    pub expr: Expr,
}

/// Groups rows and computes one row for each group.
#[derive(Clone, Debug, PartialEq)]
pub struct Summarize {
    /// From a text each of them is `Computed`. None of them is the different combinations of the keys.
    pub aggregates: Vec<NamedAggregate>,
    /// From a text `bin(_time, …)` and `bin_auto(_time)` are among them, at the place where they were written.
    pub keys: Vec<Named>,
    /// Splits the groups by time as well. The answer then has the groups over all time beside them.
    pub bucket: Option<Bucket>,
}

/// Stretches of time of one length, which begin at whole multiples of it since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bucket {
    /// In nanoseconds, above zero.
    pub step: i64,
}

/// An aggregate with the name of its result.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedAggregate {
    pub name: String,
    pub call: AggregateCall,
}

/// An aggregate over the rows of a group.
#[derive(Clone, Debug, PartialEq)]
pub struct AggregateCall {
    pub function: AggregateFunction,
    /// What is aggregated. `None` is every row.
    pub of: Option<Expr>,
    pub span: Span,
}

/// What an aggregate computes, with its settings.
#[derive(Clone, Debug, PartialEq)]
pub enum AggregateFunction {
    Count,
    /// How many different values, by a sketch.
    Distinct,
    Sum,
    Avg,
    Min,
    Max,
    /// The most frequent values.
    TopK(u32),
    /// Values below which so many percent of all lie.
    Percentiles(Vec<f64>),
    /// Counts in so many ranges of equal width.
    Histogram(u32),
    Stdev,
    Variance,
    /// Another field's value, of the row where the aggregated one is least or greatest. Without another, of itself.
    ArgMin(Option<Expr>),
    ArgMax(Option<Expr>),
    /// Different values, at most so many; none is as many as there are where nobody says.
    MakeSet(Option<u32>),
    /// All values, at most so many.
    MakeList(u32),
    /// The sum for each second of the bucket, or of the whole range.
    Rate,
    /// What a text says: calls of aggregation functions, and what is computed of their results. `of` is none.
    Computed(Box<Expr>),
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

/// A place between rows: the identity of one row, and whether that row itself still belongs to what follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cursor {
    pub row: RowId,
    pub is_included: bool,
}
