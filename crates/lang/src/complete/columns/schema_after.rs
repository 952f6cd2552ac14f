//! Which fields are visible behind a stage.

use super::{Columns, Tables, merge};
use crate::complete::existing::KnownField;
use crate::tree::{
    AggregateFunction, ExprKind, Join, JoinKind, Lookup, MakeSeries, Named, ParsePart, Stage, Summarize,
    Type, Union,
};

impl Tables<'_> {
    pub(super) fn schema_after(&self, mut columns: Columns, stage: &Stage, depth: usize) -> Columns {
        match stage {
            Stage::Filter(_)
            | Stage::Sort(_)
            | Stage::Order(_)
            | Stage::Top(_)
            | Stage::Limit(_)
            | Stage::Take(_)
            | Stage::Sample(_)
            | Stage::Search(_)
            | Stage::Redact(_)
            | Stage::After(_) => columns,
            Stage::Extend(fields) | Stage::ExtendValid(fields) => extended(columns, fields),
            Stage::Project(fields) => project(&columns, fields),
            Stage::Distinct(fields) if fields.is_empty() => columns,
            Stage::Distinct(fields) => project(&columns, fields),
            Stage::ProjectAway(_)
            | Stage::ProjectKeep(_)
            | Stage::ProjectReorder(_)
            | Stage::ProjectRename(_) => chosen(columns, stage),
            Stage::Summarize(summarize) => summarized(&columns, summarize),
            Stage::Count => of_names(&[("Count", Type::Integer)]),
            Stage::GetSchema => of_names(&[
                ("ColumnName", Type::String),
                ("ColumnOrdinal", Type::Integer),
                ("ColumnType", Type::String),
                ("DataType", Type::String),
            ]),
            Stage::Union(union) => {
                self.add_union(&mut columns, union, depth);
                columns
            }
            Stage::Join(join) => joined(columns, join, self.columns_within(&join.right, depth)),
            Stage::Lookup(lookup) => looked_up(columns, lookup, self.columns_within(&lookup.table, depth)),
            Stage::Parse(_) | Stage::ParseWhere(_) | Stage::ParseKeyValue(_) | Stage::Expand(_) => {
                taken_apart(columns, stage)
            }
            Stage::MakeSeries(make) => series(&columns, make),
        }
    }

    pub(super) fn add_union(&self, columns: &mut Columns, union: &Union, depth: usize) {
        if let Some(name) = &union.source_field {
            columns.set(name, vec![Type::String]);
        }
        for table in &union.tables {
            merge(columns, self.columns_within(table, depth));
        }
    }
}

/// How many names a stage compares each field with.
pub(super) fn items(stage: &Stage) -> usize {
    1 + match stage {
        // Each of them is also compared with those that it adds itself.
        Stage::Extend(fields)
        | Stage::ExtendValid(fields)
        | Stage::Project(fields)
        | Stage::Distinct(fields) => fields.len() * (1 + fields.len() / 100),
        Stage::ProjectAway(patterns) | Stage::ProjectKeep(patterns) => patterns.len(),
        Stage::ProjectReorder(fields) => fields.len(),
        Stage::ProjectRename(fields) => fields.len(),
        Stage::Summarize(summarize) => {
            let count = summarize.keys.len() + summarize.aggregates.len();
            count * (1 + count / 100)
        }
        Stage::Parse(parse) | Stage::ParseWhere(parse) => {
            parse.pattern.len() * (1 + parse.pattern.len() / 100)
        }
        Stage::ParseKeyValue(parse) => parse.keys.len() * (1 + parse.keys.len() / 100),
        Stage::Expand(expand) => expand.fields.len(),
        Stage::MakeSeries(make) => make.series.len() + make.keys.len(),
        Stage::Union(union) => union.tables.len(),
        Stage::Lookup(lookup) => lookup.on.len(),
        _ => 1,
    }
}

fn extended(mut columns: Columns, fields: &[Named]) -> Columns {
    for named in fields {
        let field = columns.named(&named.name, &named.expr);
        columns.set(&field.name, field.kinds);
    }
    columns
}

/// Behind a stage that drops, keeps, orders or renames fields.
fn chosen(mut columns: Columns, stage: &Stage) -> Columns {
    match stage {
        Stage::ProjectAway(patterns) => {
            columns.list.retain(|field| !patterns.iter().any(|pattern| pattern.fits(&field.name)));
        }
        Stage::ProjectKeep(patterns) => {
            columns.list.retain(|field| patterns.iter().any(|pattern| pattern.fits(&field.name)));
        }
        Stage::ProjectReorder(fields) => columns.list.sort_by_cached_key(|field: &KnownField| {
            fields.iter().position(|order| order.pattern.fits(&field.name)).unwrap_or(fields.len())
        }),
        Stage::ProjectRename(renamed) => {
            for renamed in renamed {
                if let Some(field) = columns.list.iter_mut().find(|field| field.name == renamed.from) {
                    field.name.clone_from(&renamed.name);
                }
            }
        }
        _ => {}
    }
    columns
}

/// Behind a stage that makes columns of texts or rows of arrays.
fn taken_apart(mut columns: Columns, stage: &Stage) -> Columns {
    match stage {
        Stage::Parse(parse) | Stage::ParseWhere(parse) => {
            for part in &parse.pattern {
                if let ParsePart::Column(column) = part {
                    columns.set(&column.name, vec![column.kind]);
                }
            }
        }
        Stage::ParseKeyValue(parse) => {
            for column in &parse.keys {
                columns.set(&column.name, vec![column.kind]);
            }
        }
        Stage::Expand(expand) => {
            for field in &expand.fields {
                columns.set(&field.name, field.kind.into_iter().collect());
            }
            if let Some(index) = &expand.index {
                columns.set(index, vec![Type::Integer]);
            }
        }
        _ => {}
    }
    columns
}

fn series(columns: &Columns, make: &MakeSeries) -> Columns {
    let mut made = project(columns, &make.keys);
    for series in &make.series {
        made.set(&series.name, vec![Type::Array]);
    }
    if let ExprKind::Field(axis) = &make.axis.kind {
        made.set(axis, vec![Type::Array]);
    }
    made
}

fn looked_up(mut columns: Columns, lookup: &Lookup, mut right: Columns) -> Columns {
    for pair in &lookup.on {
        if let ExprKind::Field(key) = &pair.right.kind {
            right.list.retain(|field| field.name != *key);
        }
    }
    merge(&mut columns, right);
    columns
}

pub(super) fn project(columns: &Columns, fields: &[Named]) -> Columns {
    let mut projected = Columns::default();
    for named in fields {
        projected.add_missing(columns.named(&named.name, &named.expr));
    }
    projected
}

fn summarized(columns: &Columns, summarize: &Summarize) -> Columns {
    let mut groups = project(columns, &summarize.keys);
    for aggregate in &summarize.aggregates {
        let AggregateFunction::Computed(expr) = &aggregate.call.function else { continue };
        groups.set(&aggregate.name, columns.kinds_of(expr));
        // What stands beside the greatest or the least keeps its names.
        let ExprKind::Call { function, arguments } = &expr.kind else { continue };
        if !matches!(function.as_str(), "arg_max" | "arg_min") {
            continue;
        }
        for argument in arguments.iter().skip(1) {
            match &argument.kind {
                ExprKind::AllFields => merge(&mut groups, columns.clone()),
                ExprKind::Field(name) => groups.add_missing(columns.named(name, argument)),
                ExprKind::Named { name, value } => groups.add_missing(columns.named(name, value)),
                _ => {}
            }
        }
    }
    groups
}

fn joined(mut left: Columns, join: &Join, right: Columns) -> Columns {
    match join.kind {
        JoinKind::LeftAnti | JoinKind::LeftSemi => left,
        JoinKind::RightAnti | JoinKind::RightSemi => right,
        _ => {
            for field in right.list {
                let is_taken = left.find(&field.name).is_some();
                let name = if is_taken { format!("{}1", field.name) } else { field.name.clone() };
                left.add_missing(KnownField { name, ..field });
            }
            left
        }
    }
}

fn of_names(names: &[(&str, Type)]) -> Columns {
    let mut columns = Columns::default();
    for (name, kind) in names {
        columns.set(name, vec![*kind]);
    }
    columns
}
