//! Ways through a tree: the expressions of a stage or a source, and the queries inside a query. Only one level deep;
//! who wants all of them goes on from there.

use super::{Expr, ExprKind, Query, Source, Stage};

impl Query {
    /// The expressions that stand in it directly, outside of the queries inside it.
    pub fn exprs_mut(&mut self) -> Vec<&mut Expr> {
        let mut exprs = self.source.exprs_mut();
        for stage in &mut self.stages {
            exprs.extend(stage.exprs_mut());
        }
        exprs
    }

    /// The queries that stand in it directly: tables of stages, and those after `in`.
    pub fn queries_mut(&mut self) -> Vec<&mut Self> {
        let mut queries = Vec::new();
        match &mut self.source {
            Source::Union(union) => queries.extend(union.tables.iter_mut()),
            other => other.exprs_mut().into_iter().for_each(|expr| tables_of(expr, &mut queries)),
        }
        for stage in &mut self.stages {
            match stage {
                Stage::Union(union) => queries.extend(union.tables.iter_mut()),
                Stage::Join(join) => queries.push(&mut join.right),
                Stage::Lookup(lookup) => queries.push(&mut lookup.table),
                other => other.exprs_mut().into_iter().for_each(|expr| tables_of(expr, &mut queries)),
            }
        }
        queries
    }
}

fn tables_of<'a>(expr: &'a mut Expr, queries: &mut Vec<&'a mut Query>) {
    if !matches!(expr.kind, ExprKind::Table(_)) {
        expr.children_mut().into_iter().for_each(|child| tables_of(child, queries));
    } else if let ExprKind::Table(query) = &mut expr.kind {
        queries.push(query);
    }
}

impl Source {
    /// The expressions that stand in it directly.
    pub fn exprs_mut(&mut self) -> Vec<&mut Expr> {
        match self {
            Self::Dataset { .. } | Self::Datasets { .. } | Self::External(_) | Self::Union(_) => Vec::new(),
            Self::Table { name, .. } => vec![name],
            Self::Values(table) => table.values.iter_mut().collect(),
            Self::Print(values) => values.iter_mut().map(|named| &mut named.expr).collect(),
            Self::Search(search) => vec![&mut search.predicate],
        }
    }
}

impl Stage {
    /// The expressions that stand in it directly.
    pub fn exprs_mut(&mut self) -> Vec<&mut Expr> {
        match self {
            Self::Filter(expr) | Self::Take(expr) | Self::Sample(expr) => vec![expr],
            Self::Extend(fields)
            | Self::Project(fields)
            | Self::ExtendValid(fields)
            | Self::Distinct(fields) => fields.iter_mut().map(|named| &mut named.expr).collect(),
            Self::Summarize(summarize) => {
                let aggregates = summarize.aggregates.iter_mut().flat_map(|named| {
                    let computed = match &mut named.call.function {
                        super::AggregateFunction::Computed(expr) => Some(&mut **expr),
                        super::AggregateFunction::ArgMin(other) | super::AggregateFunction::ArgMax(other) => {
                            other.as_mut()
                        }
                        _ => None,
                    };
                    computed.into_iter().chain(named.call.of.as_mut())
                });
                aggregates.chain(summarize.keys.iter_mut().map(|key| &mut key.expr)).collect()
            }
            Self::Order(keys) => keys.iter_mut().map(|key| &mut key.expr).collect(),
            Self::Top(top) => {
                std::iter::once(&mut top.count).chain(top.keys.iter_mut().map(|key| &mut key.expr)).collect()
            }
            Self::Join(join) => {
                join.on.iter_mut().flat_map(|pair| [&mut pair.left, &mut pair.right]).collect()
            }
            Self::Lookup(lookup) => {
                lookup.on.iter_mut().flat_map(|pair| [&mut pair.left, &mut pair.right]).collect()
            }
            Self::Parse(parse) | Self::ParseWhere(parse) => vec![&mut parse.of],
            Self::ParseKeyValue(parse) => vec![&mut parse.of],
            Self::Expand(expand) => expand.fields.iter_mut().map(|field| &mut field.expr).collect(),
            Self::Search(search) => vec![&mut search.predicate],
            Self::MakeSeries(series) => {
                let arrays = series.series.iter_mut();
                let mut exprs: Vec<&mut Expr> = arrays
                    .flat_map(|array| std::iter::once(&mut array.expr).chain(array.default.as_mut()))
                    .collect();
                exprs.push(&mut series.axis);
                exprs.extend(series.from.as_mut());
                exprs.extend(series.to.as_mut());
                exprs.push(&mut series.step);
                exprs.extend(series.keys.iter_mut().map(|key| &mut key.expr));
                exprs
            }
            Self::Sort(_)
            | Self::Limit(_)
            | Self::After(_)
            | Self::ProjectAway(_)
            | Self::ProjectKeep(_)
            | Self::ProjectRename(_)
            | Self::ProjectReorder(_)
            | Self::Count
            | Self::Union(_)
            | Self::Redact(_)
            | Self::GetSchema => Vec::new(),
        }
    }
}
