//! Which datasets a query reads, wherever in it they are named.

use std::collections::BTreeSet;

use crate::tree::{
    AggregateFunction, Expr, ExprKind, LetValue, Literal, Program, Query, Source, Stage, Statement,
};

/// The names of datasets in the order of the text, without what `let` defines; patterns with their stars.
pub(in crate::complete) fn sources_of(program: &Program) -> Vec<String> {
    let mut reading = Reading { defined: BTreeSet::new(), told: BTreeSet::new(), names: Vec::new() };
    for statement in &program.statements {
        if let Statement::Let(defined) = statement {
            match &defined.value {
                LetValue::Table(query) => reading.query(query),
                LetValue::Scalar(expr) => reading.expr(expr),
            }
            reading.defined.insert(defined.name.clone());
        }
    }
    reading.query(&program.query);
    reading.names
}

struct Reading {
    defined: BTreeSet<String>,
    told: BTreeSet<String>,
    names: Vec<String>,
}

impl Reading {
    fn name(&mut self, name: &str) {
        if !self.defined.contains(name) && self.told.insert(name.to_owned()) {
            self.names.push(name.to_owned());
        }
    }

    fn query(&mut self, query: &Query) {
        self.source(&query.source);
        for stage in &query.stages {
            self.stage(stage);
        }
    }

    fn source(&mut self, source: &Source) {
        match source {
            Source::Dataset { name, .. } => self.name(name),
            Source::Datasets { pattern, .. } => self.name(&pattern.parts.join("*")),
            Source::Table { name, .. } => {
                if let ExprKind::Literal(Literal::String(name)) = &name.kind {
                    self.name(name);
                }
            }
            Source::Values(_) | Source::External(_) => {}
            Source::Print(values) => values.iter().for_each(|value| self.expr(&value.expr)),
            Source::Union(union) => union.tables.iter().for_each(|table| self.query(table)),
            Source::Search(search) if search.tables.is_empty() => self.name("*"),
            Source::Search(search) => {
                search.tables.iter().for_each(|pattern| self.name(&pattern.parts.join("*")));
            }
        }
    }

    fn stage(&mut self, stage: &Stage) {
        match stage {
            Stage::Union(union) => union.tables.iter().for_each(|table| self.query(table)),
            Stage::Join(join) => self.query(&join.right),
            Stage::Lookup(lookup) => self.query(&lookup.table),
            Stage::Filter(expr) | Stage::Take(expr) | Stage::Sample(expr) => self.expr(expr),
            Stage::Search(search) => self.expr(&search.predicate),
            Stage::Extend(fields)
            | Stage::ExtendValid(fields)
            | Stage::Project(fields)
            | Stage::Distinct(fields) => fields.iter().for_each(|field| self.expr(&field.expr)),
            Stage::Summarize(summarize) => {
                for aggregate in &summarize.aggregates {
                    if let AggregateFunction::Computed(expr) = &aggregate.call.function {
                        self.expr(expr);
                    }
                }
                summarize.keys.iter().for_each(|key| self.expr(&key.expr));
            }
            Stage::MakeSeries(make) => {
                make.series.iter().for_each(|series| self.expr(&series.expr));
                make.keys.iter().for_each(|key| self.expr(&key.expr));
            }
            Stage::Order(keys) => keys.iter().for_each(|key| self.expr(&key.expr)),
            Stage::Top(top) => top.keys.iter().for_each(|key| self.expr(&key.expr)),
            Stage::Parse(parse) | Stage::ParseWhere(parse) => self.expr(&parse.of),
            Stage::ParseKeyValue(parse) => self.expr(&parse.of),
            Stage::Expand(expand) => expand.fields.iter().for_each(|field| self.expr(&field.expr)),
            Stage::Sort(_)
            | Stage::Limit(_)
            | Stage::After(_)
            | Stage::ProjectAway(_)
            | Stage::ProjectKeep(_)
            | Stage::ProjectRename(_)
            | Stage::ProjectReorder(_)
            | Stage::Count
            | Stage::Redact(_)
            | Stage::GetSchema => {}
        }
    }

    fn expr(&mut self, expr: &Expr) {
        if let ExprKind::Table(query) = &expr.kind {
            self.query(query);
        }
        expr.children().into_iter().for_each(|child| self.expr(child));
    }
}
