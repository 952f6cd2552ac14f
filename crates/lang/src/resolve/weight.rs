//! How much a table is that a name stands for, before it is copied. It is gone through without recursion: tables that
//! are made of tables can be far deeper than a text.

use crate::tree::{Expr, ExprKind, Literal, NamePattern, ParsePart, Query, Source, Stage};

/// About how many bytes a part of a tree takes, beside its texts.
const PART_BYTES: usize = 64;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Weight {
    /// Stages and tables, with those of the queries inside it.
    pub(super) stages: usize,
    /// About how many bytes a copy takes.
    pub(super) bytes: usize,
}

impl Weight {
    pub(super) fn of(query: &mut Query) -> Self {
        let mut weight = Self::default();
        let mut waiting = vec![query];
        while let Some(query) = waiting.pop() {
            weight.stages += query.stages.len() + 1;
            weight.bytes += (query.stages.len() + 1) * PART_BYTES + of_source(&query.source);
            weight.bytes += query.stages.iter().map(of_stage).sum::<usize>();
            weight.bytes += of_exprs(query.exprs_mut());
            waiting.extend(query.queries_mut());
        }
        weight
    }
}

fn of_exprs(mut waiting: Vec<&mut Expr>) -> usize {
    let mut bytes = 0;
    while let Some(expr) = waiting.pop() {
        let text = match &expr.kind {
            ExprKind::Literal(
                Literal::String(text) | Literal::Dynamic(text) | Literal::LongInteger(text),
            )
            | ExprKind::Field(text)
            | ExprKind::Named { name: text, .. }
            | ExprKind::Call { function: text, .. } => text.len(),
            _ => 0,
        };
        bytes += PART_BYTES + text;
        waiting.extend(expr.children_mut());
    }
    bytes
}

/// The names that a source has beside expressions.
fn of_source(source: &Source) -> usize {
    match source {
        Source::Dataset { name, .. } => name.len(),
        Source::Datasets { pattern, .. } => of_pattern(pattern),
        Source::Values(table) => table.columns.iter().map(|column| of_name(&column.name)).sum(),
        Source::Print(fields) => fields.iter().map(|field| of_name(&field.name)).sum(),
        Source::External(external) => {
            let columns = external.columns.iter().map(|column| of_name(&column.name));
            columns.chain(external.addresses.iter().map(|address| of_name(address))).sum()
        }
        Source::Search(search) => search.tables.iter().map(of_pattern).sum(),
        Source::Table { .. } | Source::Union(_) => 0,
    }
}

/// The names that a stage has beside expressions.
fn of_stage(stage: &Stage) -> usize {
    match stage {
        Stage::Extend(fields)
        | Stage::ExtendValid(fields)
        | Stage::Project(fields)
        | Stage::Distinct(fields) => fields.iter().map(|field| of_name(&field.name)).sum(),
        Stage::Summarize(summarize) => {
            let aggregates = summarize.aggregates.iter().map(|aggregate| of_name(&aggregate.name));
            aggregates.chain(summarize.keys.iter().map(|key| of_name(&key.name))).sum()
        }
        Stage::MakeSeries(make) => {
            let series = make.series.iter().map(|series| of_name(&series.name));
            series.chain(make.keys.iter().map(|key| of_name(&key.name))).sum()
        }
        Stage::Sort(keys) => keys.iter().map(|key| of_name(&key.field)).sum(),
        Stage::ProjectAway(patterns) | Stage::ProjectKeep(patterns) => patterns.iter().map(of_pattern).sum(),
        Stage::ProjectRename(fields) => {
            fields.iter().map(|field| of_name(&field.name) + of_name(&field.from)).sum()
        }
        Stage::ProjectReorder(fields) => fields.iter().map(|field| of_pattern(&field.pattern)).sum(),
        Stage::Parse(parse) | Stage::ParseWhere(parse) => parse.pattern.iter().map(of_part).sum(),
        Stage::ParseKeyValue(parse) => parse.keys.iter().map(|key| of_name(&key.name)).sum(),
        Stage::Expand(expand) => expand.fields.iter().map(|field| of_name(&field.name)).sum(),
        Stage::Search(search) => search.tables.iter().map(of_pattern).sum(),
        Stage::Redact(redact) => {
            let patterns = redact.patterns.iter().map(|pattern| of_name(pattern));
            patterns.chain(redact.fields.iter().map(of_pattern)).sum()
        }
        Stage::Filter(_)
        | Stage::Limit(_)
        | Stage::After(_)
        | Stage::Take(_)
        | Stage::Count
        | Stage::Order(_)
        | Stage::Top(_)
        | Stage::Sample(_)
        | Stage::Union(_)
        | Stage::Join(_)
        | Stage::Lookup(_)
        | Stage::GetSchema => 0,
    }
}

fn of_name(name: &str) -> usize {
    PART_BYTES + name.len()
}

fn of_pattern(pattern: &NamePattern) -> usize {
    pattern.parts.iter().map(|part| of_name(part)).sum()
}

fn of_part(part: &ParsePart) -> usize {
    match part {
        ParsePart::Skip => PART_BYTES,
        ParsePart::Text(text) => of_name(text),
        ParsePart::Column(column) => of_name(&column.name),
    }
}
