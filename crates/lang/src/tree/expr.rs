//! Expressions: values, fields and what is computed of them.

use super::Query;
use crate::Span;

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

/// A value that stands in a query.
#[derive(Clone, Debug, PartialEq)]
pub enum Literal {
    Null,
    Boolean(bool),
    Integer(i64),
    Float(f64),
    /// An integer that does not fit 64 bits: its digits, behind a minus or none, without a zero first.
    LongInteger(String),
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
    /// An integer that does not fit 64 bits, as its digits. To people it is an integer like the others.
    LongInteger,
}

impl Literal {
    /// The number that a text of digits is, perhaps with a minus, a point and an exponent; none beyond the range of a
    /// float, which bounds the length of long integers too.
    pub fn number(text: &str) -> Option<Self> {
        let float: f64 = text.parse().ok().filter(|float: &f64| float.is_finite())?;
        let (sign, digits) = match text.strip_prefix('-') {
            Some(digits) => ("-", digits),
            None => ("", text),
        };
        if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return Some(Self::Float(float));
        }
        Some(match text.parse() {
            // Only a float knows minus zero.
            Ok(0) if !sign.is_empty() => Self::Float(-0.0),
            Ok(integer) => Self::Integer(integer),
            Err(_) => Self::LongInteger(format!("{sign}{}", digits.trim_start_matches('0'))),
        })
    }
}

impl Expr {
    pub fn new(kind: ExprKind, span: Span) -> Self {
        Self { kind, span }
    }

    /// Forgets where it stands, and where its parts do.
    pub fn forget_places(&mut self) {
        self.span = Span::default();
        self.children_mut().into_iter().for_each(Self::forget_places);
    }

    /// The expressions that it is made of, in their order. Queries in it are left out.
    pub fn children(&self) -> Vec<&Self> {
        match &self.kind {
            ExprKind::Literal(_)
            | ExprKind::Field(_)
            | ExprKind::AllFields
            | ExprKind::Table(_)
            | ExprKind::Error => Vec::new(),
            ExprKind::Named { value, .. } => vec![value],
            ExprKind::Negate(of) | ExprKind::Exists(of) | ExprKind::Not(of) => vec![of],
            ExprKind::Member { of, key } => vec![of, key],
            ExprKind::Binary { left, right, .. } | ExprKind::Text { left, right, .. } => vec![left, right],
            ExprKind::In { value, list, .. } | ExprKind::HasAny { value, list, .. } => {
                std::iter::once(&**value).chain(list).collect()
            }
            ExprKind::Between { value, low, high, .. } => vec![value, low, high],
            ExprKind::Call { arguments, .. } => arguments.iter().collect(),
        }
    }

    /// As [`Self::children`], to change them.
    pub fn children_mut(&mut self) -> Vec<&mut Self> {
        match &mut self.kind {
            ExprKind::Literal(_)
            | ExprKind::Field(_)
            | ExprKind::AllFields
            | ExprKind::Table(_)
            | ExprKind::Error => Vec::new(),
            ExprKind::Named { value, .. } => vec![value],
            ExprKind::Negate(of) | ExprKind::Exists(of) | ExprKind::Not(of) => vec![of],
            ExprKind::Member { of, key } => vec![of, key],
            ExprKind::Binary { left, right, .. } | ExprKind::Text { left, right, .. } => vec![left, right],
            ExprKind::In { value, list, .. } | ExprKind::HasAny { value, list, .. } => {
                std::iter::once(&mut **value).chain(list).collect()
            }
            ExprKind::Between { value, low, high, .. } => vec![value, low, high],
            ExprKind::Call { arguments, .. } => arguments.iter_mut().collect(),
        }
    }
}
