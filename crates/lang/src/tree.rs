//! The tree that every query becomes, whether it came as JSON or as text. It says what is asked, in the words of the
//! asker: names are not resolved and types not known yet. Spans point into the text where there is one.

use tidegauge_model::RowId;

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
    Dataset { name: String, range: TimeRange },
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
    /// Keeps the rows that come after one row in the order of the sort before it, which is by time.
    After(Cursor),
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
    pub aggregates: Vec<NamedAggregate>,
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
    /// Different values, at most so many.
    MakeSet(u32),
    MakeList(u32),
    /// The sum for each second of the bucket, or of the whole range.
    Rate,
}

/// One key of an order.
#[derive(Clone, Debug, PartialEq)]
pub struct SortKey {
    pub field: String,
    pub is_descending: bool,
}

/// A place between rows: the identity of one row, and whether that row itself still belongs to what follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cursor {
    pub row: RowId,
    pub is_included: bool,
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
    /// A field by its flattened name.
    Field(String),
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

/// A value that stands in a query.
#[derive(Clone, Debug, PartialEq)]
pub enum Literal {
    Null,
    Boolean(bool),
    Integer(i64),
    Float(f64),
    String(String),
    /// In nanoseconds since 1970.
    Datetime(i64),
    /// In nanoseconds.
    Timespan(i64),
    /// JSON text.
    Dynamic(String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOperator {
    Or,
    And,
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TextTest {
    /// `=~`: equal as text. The case-sensitive form is the text comparison of the JSON query.
    Equals,
    Contains,
    StartsWith,
    EndsWith,
    /// A whole word: a run of letters and digits.
    Has,
    HasPrefix,
    HasSuffix,
    /// A regular expression somewhere in the text.
    Matches,
}

/// The type of a value in a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Type {
    Boolean,
    Integer,
    Float,
    String,
    Datetime,
    Timespan,
    Array,
    Map,
    /// Any of these, known only value by value.
    Dynamic,
}

impl Expr {
    pub fn new(kind: ExprKind, span: Span) -> Self {
        Self { kind, span }
    }
}
