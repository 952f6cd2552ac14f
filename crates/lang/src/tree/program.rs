//! A whole text: the statements before the query, and the query.

use super::names::Column;
use super::query::{Expr, Query};
use crate::Span;

/// What a text says: definitions and settings, then the query.
#[derive(Clone, Debug, PartialEq)]
pub struct Program {
    pub statements: Vec<Statement>,
    pub query: Query,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Statement {
    Let(Let),
    Set(Setting),
    /// Values that come with the request. A `let` of the same name goes before them.
    Parameters(Vec<QueryParameter>),
}

/// A name for a value or a table.
#[derive(Clone, Debug, PartialEq)]
pub struct Let {
    pub name: String,
    pub value: LetValue,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub enum LetValue {
    /// A field alone may also be the name of a table.
    Scalar(Expr),
    Table(Query),
}

/// `set name` or `set name = value`.
#[derive(Clone, Debug, PartialEq)]
pub struct Setting {
    pub name: String,
    pub value: Option<Expr>,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub struct QueryParameter {
    pub column: Column,
    pub default: Option<Expr>,
    pub span: Span,
}
