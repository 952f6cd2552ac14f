//! Which fields a query has: from its source and through its stages.

use super::{Columns, Tables, merge, schema_after};
use crate::tree::{Column, Expr, ExprKind, LetValue, Literal, NamePattern, Query, Source};

/// How deep definitions may name each other.
const DEPTH_MAX: usize = 8;

/// What a table counts for, and each of its fields, beside comparisons.
const SOURCE_WORK: usize = 10_000;
const FIELD_WORK: usize = 100;

impl Tables<'_> {
    /// The fields of a query's rows.
    pub(in crate::complete) fn columns(&self, query: &Query) -> Columns {
        self.columns_within(query, DEPTH_MAX)
    }

    pub(super) fn columns_within(&self, query: &Query, depth: usize) -> Columns {
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

fn of_columns(declared: &[Column]) -> Columns {
    let mut columns = Columns::default();
    for column in declared {
        columns.set(&column.name, vec![column.kind]);
    }
    columns
}
