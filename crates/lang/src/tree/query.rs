//! A query: its source, its stages and their expressions. An expression may hold a query and a query holds expressions,
//! so that they are declared in one file. Ways through them are in `walk`.

use super::names::{Column, NamePattern};
use super::operators::{BinaryOperator, TextTest};
use super::options::{
    Bucket, Cursor, ExpandKind, ExternalData, JoinKind, LookupKind, Nulls, ParseMode, ParsePart, Redact,
    Renamed, Reordered, SearchCase, SortKey, TimeRange,
};
use super::value::{Literal, Type};
use crate::Span;

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

/// An expression and where it stands in the text.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    pub kind: ExprKind,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    Literal(Literal),
    /// A field by its flattened name, or what `let` or a parameter of the query has that name.
    Field(String),
    /// Every field of the row: `*`.
    AllFields,
    /// An argument of `arg_max` or `arg_min` with the name of its column.
    Named {
        name: String,
        value: Box<Expr>,
    },
    /// The values in the first column of a query, after `in`.
    Table(Box<Query>),
    /// A member of a map or an element of an array: `of[key]` or `of.key`, elements from 0 on.
    Member {
        of: Box<Expr>,
        key: Box<Expr>,
    },
    Negate(Box<Expr>),
    Binary {
        operator: BinaryOperator,
        left: Box<Expr>,
        right: Box<Expr>,
    },
    /// A test of text, with its negation and its case rule.
    Text {
        test: TextTest,
        is_negated: bool,
        is_case_sensitive: bool,
        left: Box<Expr>,
        right: Box<Expr>,
    },
    /// Whether a value is among others: `in`, `in~`. An array in the list stands for its elements.
    In {
        value: Box<Expr>,
        list: Vec<Expr>,
        is_negated: bool,
        is_case_sensitive: bool,
    },
    /// Whether a text has any of the whole words: `has_any`, `has_any_cs`. An array in the list stands for its
    /// elements.
    HasAny {
        value: Box<Expr>,
        list: Vec<Expr>,
        is_case_sensitive: bool,
    },
    /// Both ends belong to it.
    Between {
        value: Box<Expr>,
        low: Box<Expr>,
        high: Box<Expr>,
        is_negated: bool,
    },
    Call {
        function: String,
        arguments: Vec<Expr>,
    },
    /// Whether a field has a value at all.
    Exists(Box<Expr>),
    Not(Box<Expr>),
    /// What stands where the text could not be understood. A diagnostic tells why.
    Error,
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

/// One key of an order that may be computed.
#[derive(Clone, Debug, PartialEq)]
pub struct OrderKey {
    pub expr: Expr,
    pub is_descending: bool,
    /// None puts nulls where the least values go.
    pub nulls: Option<Nulls>,
}

/// So many rows, the first in an order.
#[derive(Clone, Debug, PartialEq)]
pub struct Top {
    /// A constant.
    pub count: Expr,
    pub keys: Vec<OrderKey>,
}

/// Tables whose rows are put together.
#[derive(Clone, Debug, PartialEq)]
pub struct Union {
    /// The name of a field that tells which table a row is from.
    pub source_field: Option<String>,
    /// Whether only the fields that all tables have are kept.
    pub is_inner: bool,
    /// Names with stars in them are `Source::Datasets`.
    pub tables: Vec<Query>,
}

/// Another table, and which of its rows belong to which of these.
#[derive(Clone, Debug, PartialEq)]
pub struct Join {
    pub kind: JoinKind,
    pub right: Box<Query>,
    pub on: Vec<JoinPair>,
}

/// Two values that are equal in rows that belong together: one of the left table, one of the right.
#[derive(Clone, Debug, PartialEq)]
pub struct JoinPair {
    pub left: Expr,
    pub right: Expr,
}

/// Another table, and which of its rows belong to which of these.
#[derive(Clone, Debug, PartialEq)]
pub struct Lookup {
    pub kind: LookupKind,
    pub table: Box<Query>,
    pub on: Vec<JoinPair>,
}

/// A text and the pattern that takes it apart.
#[derive(Clone, Debug, PartialEq)]
pub struct Parse {
    pub mode: ParseMode,
    /// Flags of a regular expression.
    pub flags: Option<String>,
    pub of: Expr,
    pub pattern: Vec<ParsePart>,
}

/// A text, the keys that are wanted, and how they are found.
#[derive(Clone, Debug, PartialEq)]
pub struct ParseKeyValue {
    pub of: Expr,
    pub keys: Vec<Column>,
    /// What stands between pairs; a space if it is not told.
    pub pair_delimiter: Option<String>,
    /// What stands between a key and its value; `=` if it is not told.
    pub kv_delimiter: Option<String>,
    /// What stands around values that hold delimiters.
    pub quote: Option<String>,
    pub escape: Option<String>,
    /// Whether a value goes on up to the next key.
    pub is_greedy: bool,
    /// A regular expression with one group for the key and one for the value, in place of delimiters.
    pub regex: Option<String>,
}

/// Fields that are taken apart side by side.
#[derive(Clone, Debug, PartialEq)]
pub struct Expand {
    /// None is the default.
    pub kind: Option<ExpandKind>,
    /// The name of a field with the place of the element, from 0 on.
    pub index: Option<String>,
    pub fields: Vec<ExpandedField>,
    /// The most rows that one row becomes.
    pub limit: Option<u64>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct ExpandedField {
    pub name: String,
    pub expr: Expr,
    /// The type that elements are made of.
    pub kind: Option<Type>,
}

/// What is looked for, and where.
#[derive(Clone, Debug, PartialEq)]
pub struct Search {
    pub case: SearchCase,
    /// Datasets, where it begins a query. None stands for all.
    pub tables: Vec<NamePattern>,
    /// A condition. All fields alone are every row.
    pub predicate: Expr,
    /// The range of time in which datasets are read.
    pub range: TimeRange,
}

/// Arrays of aggregates along an axis.
#[derive(Clone, Debug, PartialEq)]
pub struct MakeSeries {
    pub series: Vec<Series>,
    /// The field that is cut in stretches, a time or a number.
    pub axis: Expr,
    /// Where the first stretch begins; where the rows begin if it is not told.
    pub from: Option<Expr>,
    /// Where the last one ends, without it.
    pub to: Option<Expr>,
    pub step: Expr,
    /// Whether stretches begin at multiples of the step, and the one in which the end lies is the last:
    /// `in range(start, end, step)`.
    pub is_range: bool,
    /// Whether there is a row of defaults where there are no rows at all.
    pub is_nonempty: bool,
    pub keys: Vec<Named>,
}

/// One array: what is computed for each stretch, and what stands where there are no rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    pub name: String,
    pub expr: Expr,
    /// Zero if it is not told.
    pub default: Option<Expr>,
}

/// Columns and the values of all rows, one row after the other. There are as many values as fill whole rows.
#[derive(Clone, Debug, PartialEq)]
pub struct DataTable {
    pub columns: Vec<Column>,
    pub values: Vec<Expr>,
}
