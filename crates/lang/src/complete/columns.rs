//! Which fields a table has, and the types of expressions over them, as far as they can be told from the text. What
//! stages make of fields is in `schema_after`; how values come about is left to the engine.

mod read;
mod schema_after;

use std::cell::Cell;
use std::collections::HashMap;

use super::{Existing, KnownField};
use crate::functions::{self, ResultType};
use crate::tree::{
    BinaryOperator, Column, Expr, ExprKind, LetValue, Literal, NamePattern, Query, Source, Type,
};

pub(super) use read::sources_of;

/// How deep definitions may name each other.
const DEPTH_MAX: usize = 8;

/// How much is looked at for one completion, in comparisons of names: some hundredths of a second.
pub(super) const WORK_MAX: usize = 20_000_000;
/// What a table counts for, and each of its fields, beside comparisons.
const SOURCE_WORK: usize = 10_000;
const FIELD_WORK: usize = 100;

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

impl Tables<'_> {
    /// The fields of a query's rows.
    pub(super) fn columns(&self, query: &Query) -> Columns {
        self.columns_within(query, DEPTH_MAX)
    }

    fn columns_within(&self, query: &Query, depth: usize) -> Columns {
        let Some(depth) = depth.checked_sub(1) else { return Columns::default() };
        // Before it is looked into, so that what is left out ends at once.
        if !self.spend(SOURCE_WORK) {
            return Columns::default();
        }
        let mut columns = self.of_source(&query.source, depth);
        if !self.spend(FIELD_WORK * columns.list.len()) {
            return columns;
        }
        for stage in &query.stages {
            if !self.spend(columns.list.len().max(1) * schema_after::items(stage)) {
                return columns;
            }
            columns = self.schema_after(columns, stage, depth);
        }
        columns
    }

    /// Whether so much work may still be done, which is counted.
    fn spend(&self, work: usize) -> bool {
        let left = self.work_left.get().checked_sub(work);
        self.work_left.set(left.unwrap_or(0));
        left.is_some()
    }

    /// The fields of a table by its name.
    fn of_table(&self, name: &str, depth: usize) -> Columns {
        match self.lets.iter().rev().find(|(existing, _)| existing == name) {
            Some((_, Some(LetValue::Table(query)))) => self.columns_within(query, depth),
            Some((_, Some(LetValue::Scalar(Expr { kind: ExprKind::Field(other), .. })))) if depth > 0 => {
                self.of_table(other, depth - 1)
            }
            Some(_) => Columns::default(),
            None => Columns { list: (self.existing.fields)(name) },
        }
    }

    fn of_source(&self, source: &Source, depth: usize) -> Columns {
        match source {
            Source::Dataset { name, .. } => self.of_table(name, depth),
            Source::Datasets { pattern, .. } => self.of_pattern(pattern),
            Source::Table { name, .. } => match &name.kind {
                ExprKind::Literal(Literal::String(name)) => self.of_table(name, depth),
                _ => Columns::default(),
            },
            Source::Values(table) => of_columns(&table.columns),
            Source::External(external) => of_columns(&external.columns),
            Source::Print(values) => schema_after::project(&Columns::default(), values),
            Source::Union(union) => {
                let mut columns = Columns::default();
                self.add_union(&mut columns, union, depth);
                columns
            }
            Source::Search(search) if search.tables.is_empty() => {
                self.of_pattern(&NamePattern::new(vec![String::new(), String::new()]))
            }
            Source::Search(search) => {
                let mut columns = Columns::default();
                for pattern in &search.tables {
                    merge(&mut columns, self.of_pattern(pattern));
                }
                columns
            }
        }
    }

    fn of_pattern(&self, pattern: &NamePattern) -> Columns {
        /// Fields of more datasets than these are no help.
        const DATASETS_MAX: usize = 20;
        let mut columns = Columns::default();
        let fitting = self.existing.datasets.iter().filter(|name| pattern.fits(name));
        for name in fitting.take(DATASETS_MAX) {
            merge(&mut columns, Columns { list: (self.existing.fields)(name) });
        }
        columns
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

fn of_columns(declared: &[Column]) -> Columns {
    let mut columns = Columns::default();
    for column in declared {
        columns.set(&column.name, vec![column.kind]);
    }
    columns
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
