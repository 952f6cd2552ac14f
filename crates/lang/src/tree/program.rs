//! A whole text: the statements before the query, and the small parts that stages share.

use super::{Expr, Named, Query, Type};
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

/// A name with a type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    pub name: String,
    pub kind: Type,
}

/// A name in which some stretches may be anything: the parts between them, so one part is a plain name.
#[derive(Clone, Debug)]
pub struct NamePattern {
    pub parts: Vec<String>,
    pub span: Span,
}

/// Where it stands is no part of it.
impl std::hash::Hash for NamePattern {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.parts.hash(state);
    }
}

impl PartialEq for NamePattern {
    fn eq(&self, other: &Self) -> bool {
        self.parts == other.parts
    }
}

impl Eq for NamePattern {}

impl NamePattern {
    /// One that does not stand in a text.
    pub fn new(parts: Vec<String>) -> Self {
        Self { parts, span: Span::default() }
    }

    /// The name, if nothing in it may be anything.
    pub fn plain(&self) -> Option<&str> {
        match self.parts.as_slice() {
            [name] => Some(name),
            _ => None,
        }
    }

    /// Whether a name fits, with its case.
    pub fn fits(&self, name: &str) -> bool {
        let [first, middle @ .., last] = self.parts.as_slice() else {
            return self.plain() == Some(name);
        };
        let Some(mut rest) =
            name.strip_prefix(first.as_str()).and_then(|rest| rest.strip_suffix(last.as_str()))
        else {
            return false;
        };
        for part in middle {
            match rest.split_once(part.as_str()) {
                Some((_, after)) => rest = after,
                None => return false,
            }
        }
        true
    }
}

impl Named {
    /// Whether it is a field under its own name.
    pub(crate) fn is_plain(&self) -> bool {
        matches!(&self.expr.kind, super::ExprKind::Field(name) if *name == self.name)
    }
}
