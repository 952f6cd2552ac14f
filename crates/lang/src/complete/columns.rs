//! Which fields a table has, and the types of expressions over them, as far as they can be told from the text. What
//! queries and their stages make of fields is in `of_query` and `schema_after`; how values come about is left to the
//! engine.

mod of_query;
mod read;
mod schema_after;

use std::cell::Cell;
use std::collections::HashMap;

use super::existing::{Existing, KnownField};
use crate::functions::{self, ResultType};
use crate::tree::{BinaryOperator, Expr, ExprKind, LetValue, Literal, Type};

pub(super) use read::sources_of;

/// How much is looked at for one completion, in comparisons of names: some hundredths of a second.
pub(super) const WORK_MAX: usize = 20_000_000;

/// Fields in their order.
#[derive(Clone, Debug, Default)]
pub(super) struct Columns {
    pub(super) list: Vec<KnownField>,
}

/// The tables that can be named.
pub(super) struct Tables<'a> {
    pub(super) existing: &'a Existing<'a>,
    /// What `let` defines; none is a parameter of the query.
    pub(super) lets: &'a [(String, Option<LetValue>)],
    /// How much may still be looked at: definitions can name each other again and again.
    pub(super) work_left: Cell<usize>,
}

impl Columns {
    pub(super) fn find(&self, name: &str) -> Option<&KnownField> {
        self.list.iter().find(|field| field.name == name)
    }

    fn set(&mut self, name: &str, kinds: Vec<Type>) {
        match self.list.iter_mut().find(|field| field.name == name) {
            Some(field) => field.kinds = kinds,
            None => self.list.push(KnownField { name: name.to_owned(), kinds, doc: String::new() }),
        }
    }

    fn add_missing(&mut self, field: KnownField) {
        if self.find(&field.name).is_none() {
            self.list.push(field);
        }
    }

    fn named(&self, name: &str, expr: &Expr) -> KnownField {
        match &expr.kind {
            ExprKind::Field(from) if self.find(from).is_some() => {
                let field = self.find(from).cloned();
                let kinds = field.as_ref().map(|field| field.kinds.clone()).unwrap_or_default();
                let doc = field.map(|field| field.doc).unwrap_or_default();
                KnownField { name: name.to_owned(), kinds, doc }
            }
            _ => KnownField { name: name.to_owned(), kinds: self.kinds_of(expr), doc: String::new() },
        }
    }

    /// The types that an expression can have, none if that is not known.
    pub(super) fn kinds_of(&self, expr: &Expr) -> Vec<Type> {
        match &expr.kind {
            ExprKind::Literal(literal) => literal_type(literal).into_iter().collect(),
            ExprKind::Field(name) => self.find(name).map(|field| field.kinds.clone()).unwrap_or_default(),
            ExprKind::Named { value, .. } | ExprKind::Negate(value) => self.kinds_of(value),
            ExprKind::Text { .. }
            | ExprKind::In { .. }
            | ExprKind::HasAny { .. }
            | ExprKind::Between { .. }
            | ExprKind::Exists(_)
            | ExprKind::Not(_) => vec![Type::Boolean],
            ExprKind::Binary { operator, left, right } => match operator {
                BinaryOperator::Add
                | BinaryOperator::Subtract
                | BinaryOperator::Multiply
                | BinaryOperator::Divide
                | BinaryOperator::Modulo => self.sum_of(left, right),
                _ => vec![Type::Boolean],
            },
            ExprKind::Call { function, arguments } => {
                let found = functions::find(function).or_else(|| functions::find_aggregate(function));
                match found.map(|function| function.result) {
                    Some(ResultType::Always(kind)) => vec![kind],
                    Some(ResultType::MeanOf(place)) => {
                        let kinds = arguments.get(place).map(|argument| self.kinds_of(argument));
                        let is_time = |kind: &Type| matches!(kind, Type::Datetime | Type::Timespan);
                        kinds.filter(|kinds| kinds.iter().any(is_time)).unwrap_or_else(|| vec![Type::Float])
                    }
                    Some(ResultType::OfArgument(place) | ResultType::CommonFrom(place)) => {
                        arguments.get(place).map(|argument| self.kinds_of(argument)).unwrap_or_default()
                    }
                    None => Vec::new(),
                }
            }
            ExprKind::AllFields | ExprKind::Table(_) | ExprKind::Member { .. } | ExprKind::Error => {
                Vec::new()
            }
        }
    }

    fn sum_of(&self, left: &Expr, right: &Expr) -> Vec<Type> {
        let (left, right) = (self.kinds_of(left), self.kinds_of(right));
        match (left.as_slice(), right.as_slice()) {
            ([Type::Datetime], [Type::Datetime]) => vec![Type::Timespan],
            ([Type::Datetime], _) | (_, [Type::Datetime]) => vec![Type::Datetime],
            ([Type::Float], _) | (_, [Type::Float]) => vec![Type::Float],
            (same, other) if same == other => left,
            _ => Vec::new(),
        }
    }
}

fn merge(columns: &mut Columns, other: Columns) {
    let existing = columns.list.iter().enumerate().map(|(place, field)| (field.name.clone(), place));
    let mut places: HashMap<String, usize> = existing.collect();
    for field in other.list {
        match places.get(&field.name).and_then(|place| columns.list.get_mut(*place)) {
            Some(existing) => {
                let more: Vec<Type> =
                    field.kinds.into_iter().filter(|kind| !existing.kinds.contains(kind)).collect();
                existing.kinds.extend(more);
            }
            None => {
                places.insert(field.name.clone(), columns.list.len());
                columns.list.push(field);
            }
        }
    }
}

pub(super) fn literal_type(literal: &Literal) -> Option<Type> {
    Some(match literal {
        Literal::Null => return None,
        Literal::Boolean(_) => Type::Boolean,
        Literal::Integer(_) | Literal::LongInteger(_) => Type::Integer,
        Literal::Float(_) => Type::Float,
        Literal::String(_) => Type::String,
        Literal::Datetime(_) => Type::Datetime,
        Literal::Timespan(_) => Type::Timespan,
        Literal::Dynamic(_) => Type::Dynamic,
    })
}
