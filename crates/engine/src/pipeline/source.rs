//! Where the rows of a query come from.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, new_null_array};
use hashbrown::HashSet;
use tidegauge_lang::tree::{
    DataTable, Expr, ExprKind, Literal, Named, Query, Source, Stage, TimeRange, Type,
};
use tidegauge_lang::{Span, nearest};
use tidegauge_model::columns::TIME_FIELD;

use super::recipe::Recipe;
use super::rows::of_arrays;
use super::segment::{About, DatasetRows, Origin, Pending, Segment};
use crate::bind::{Scope, Surroundings, check_constants, invalid_with, type_names};
use crate::expr::Typed;
use crate::functions::convert;
use crate::question::Dataset;
use crate::run::Run;
use crate::types::{arrow_type, type_name};
use crate::value::Value;
use crate::{Question, Result};

impl Run {
    pub(super) async fn source(&self, source: &Source, around: &Surroundings) -> Result<Segment> {
        match source {
            Source::Dataset { name, range, span } => self.dataset(name, *range, *span, around),
            Source::Datasets { pattern, range } => {
                self.datasets(std::slice::from_ref(pattern), *range, around).await
            }
            Source::Search(search) => {
                let found = self.datasets(&search.tables, search.range, around).await?;
                self.filter(found, &search.predicate).await
            }
            Source::Values(table) => values(table, around),
            Source::Print(fields) => print(fields, around),
            Source::Union(union) => self.union(None, union, around).await,
            Source::External(external) => self.external(external, around).await,
            Source::Table { name, .. } => {
                let message = "the dataset must be known by its name here";
                Err(invalid_with(name.span, message, "write its name, such as `['web-logs']`"))
            }
        }
    }

    /// The events of one dataset.
    pub(super) fn dataset(
        &self,
        name: &str,
        range: TimeRange,
        span: Span,
        around: &Surroundings,
    ) -> Result<Segment> {
        let Some(dataset) = self.question.datasets.iter().find(|dataset| dataset.name == name) else {
            let known = self.question.datasets.iter().map(|dataset| dataset.name.as_str());
            let hint = nearest(name, known).map(|near| format!("did you mean `{near}`?"));
            let hint = hint.unwrap_or_else(|| "write the name of a dataset that there is".to_owned());
            return Err(invalid_with(span, format!("dataset not found: \"{name}\""), hint));
        };
        Ok(of_dataset(&self.question, dataset, range, around))
    }
}

fn of_dataset(question: &Question, dataset: &Dataset, range: TimeRange, around: &Surroundings) -> Segment {
    let scope = Scope::new(Arc::clone(&dataset.state), &dataset.virtual_fields, around.clone());
    Segment {
        scope,
        origin: Origin::Dataset(DatasetRows {
            name: dataset.name.clone(),
            state: Arc::clone(&dataset.state),
            range,
            prunes: Vec::new(),
        }),
        conditions: Vec::new(),
        pending: Pending::default(),
        about: About {
            sources: vec![dataset.name.clone()],
            range: Some(range),
            is_events: true,
            ..About::default()
        },
        recipe: Recipe::of_dataset(question, dataset, around.auto_step),
        ready: None,
        totals: None,
    }
}

/// One row of values.
fn print(fields: &[Named], around: &Surroundings) -> Result<Segment> {
    let mut segment = of_arrays(Vec::new(), &[], 1, Vec::new(), around, About::default())?;
    // Values do not see each other: there is no row that they could be fields of.
    let mut values = Vec::with_capacity(fields.len());
    let mut length = 0_usize;
    for field in fields {
        let value = segment.scope.bind(&field.expr)?;
        length = length.saturating_add(value.literal_bytes());
        check_constants(length, field.expr.span)?;
        values.push((field.name.clone(), value));
    }
    segment.list(values);
    Ok(segment)
}

/// Rows that stand in the query, each value in the type of its column.
fn values(table: &DataTable, around: &Surroundings) -> Result<Segment> {
    let width = table.columns.len().max(1);
    let mut arrays = Vec::with_capacity(width);
    let mut kinds = Vec::with_capacity(width);
    let mut fields = Vec::with_capacity(width);
    for (place, column) in table.columns.iter().enumerate() {
        let cells = table.values.iter().skip(place).step_by(width);
        let cells =
            cells.map(|cell| cell_of(cell, column.kind, around)).collect::<Result<Vec<ArrayRef>>>()?;
        let parts: Vec<&dyn Array> = cells.iter().map(AsRef::as_ref).collect();
        let array = match parts.is_empty() {
            true => new_null_array(&arrow_type(column.kind), 0),
            false => arrow_select::concat::concat(&parts)?,
        };
        fields.push((column.name.clone(), Value::from(Typed::input(column.kind, place))));
        arrays.push(array);
        kinds.push(column.kind);
    }
    let rows = table.values.len() / width;
    of_arrays(arrays, &kinds, rows, fields, around, About::default())
}

/// One value of a table in the query, as an array of one.
fn cell_of(cell: &Expr, kind: Type, around: &Surroundings) -> Result<ArrayRef> {
    let value = Scope::without_dataset(around.clone()).bind(cell)?;
    if value.is_null() {
        return Ok(new_null_array(&arrow_type(kind), 1));
    }
    let fitting = as_kind(&value, kind)?;
    // A text that is no datetime would become null, which nobody wrote.
    let literal = fitting.as_ref().and_then(Typed::as_literal).filter(|literal| literal.is_valid(0));
    literal.cloned().ok_or_else(|| {
        let kind = type_name(kind);
        let message = format!("this is {}, and the column holds {kind}", type_names(&value));
        invalid_with(cell.span, message, format!("write a {kind} here, or give the column another type"))
    })
}

/// A value in the one type of a column, where it has a counterpart there.
pub(super) fn as_kind(value: &Value, kind: Type) -> Result<Option<Typed>> {
    if let Some(same) = value.of_type(kind) {
        return Ok(Some(same.clone()));
    }
    Ok(match kind {
        Type::Float => value.float()?,
        Type::Dynamic => value.json()?,
        Type::Array | Type::Map => value.json()?.map(|json| Typed { kind, ..json }),
        Type::Integer => value.number()?.map(convert::parse_integer).transpose()?,
        Type::String => value.text()?,
        Type::Datetime => value.text()?.map(crate::functions::times::parse).transpose()?,
        Type::Boolean => value.condition()?,
        Type::Timespan | Type::LongInteger => None,
    })
}

/// Adds every field that a query names, also in the queries inside it.
pub(crate) fn add_names(query: &mut Query, names: &mut HashSet<String>) {
    for stage in &query.stages {
        match stage {
            Stage::Sort(keys) => names.extend(keys.iter().map(|key| key.field.clone())),
            Stage::ProjectRename(renamed) => names.extend(renamed.iter().map(|pair| pair.from.clone())),
            _ => {}
        }
    }
    for expr in query.exprs_mut() {
        add_names_of(expr, names);
    }
    for inner in query.queries_mut() {
        add_names(inner, names);
    }
}

fn add_names_of(expr: &Expr, names: &mut HashSet<String>) {
    if let ExprKind::Field(name) = &expr.kind {
        names.insert(name.clone());
    }
    for child in expr.children() {
        add_names_of(child, names);
    }
}

/// The length of the buckets that `bin_auto` makes: the shortest usual one of which not too many fill the range.
pub(crate) fn auto_step(query: &mut Query, question: &Question) -> Option<i64> {
    const SECOND: i64 = 1_000_000_000;
    const STEPS: &[i64] = &[
        1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 10_800, 21_600, 43_200, 86_400,
        172_800, 604_800, 1_209_600, 2_592_000, 7_776_000, 31_536_000,
    ];
    // Finding where events begin and end takes longer than many questions.
    if !uses_auto_bin(query) {
        return None;
    }
    let range = range_of(query).or_else(|| written_times(query))?;
    let infos = question.datasets.iter().map(|dataset| dataset.state.info());
    let times: Vec<(i64, i64)> = infos.filter_map(|info| info.min_time.zip(info.max_time)).collect();
    let first = times.iter().map(|(first, _)| *first).min();
    let last = times.iter().map(|(_, last)| *last).max();
    // Without events, of which there are none then, an open range is that up to now.
    let options = &question.options;
    let end = match range.end {
        i64::MAX => last.unwrap_or(options.now),
        end if options.is_end_open => last.map_or(end, |last| last.min(end)),
        end => end,
    };
    let start = match range.start {
        i64::MIN => first.unwrap_or(end),
        start if options.is_start_open => first.map_or(start, |first| first.max(start)),
        start => start,
    };
    let length = end.saturating_sub(start).max(1);
    let bins = i64::try_from(question.options.auto_bins_max.max(1)).unwrap_or(i64::MAX);
    let fits = |step: &&i64| length / (**step * SECOND) < bins;
    Some(STEPS.iter().find(fits).or(STEPS.last()).copied()? * SECOND)
}

fn uses_auto_bin(query: &mut Query) -> bool {
    query.exprs_mut().into_iter().any(|expr| has_auto_bin(expr))
        || query.queries_mut().into_iter().any(uses_auto_bin)
}

fn has_auto_bin(expr: &Expr) -> bool {
    let is_called = matches!(&expr.kind, ExprKind::Call { function, .. } if function == "bin_auto");
    is_called || expr.children().into_iter().any(has_auto_bin)
}

/// The range of the times that stand in the query itself.
fn written_times(query: &Query) -> Option<TimeRange> {
    let Source::Values(table) = &query.source else { return None };
    let column = table.columns.iter().position(|column| column.name == TIME_FIELD)?;
    let time = |cell: &Expr| match cell.kind {
        ExprKind::Literal(Literal::Datetime(time)) => Some(time),
        _ => None,
    };
    let cells = table.values.iter().skip(column).step_by(table.columns.len());
    let times: Vec<i64> = cells.filter_map(time).collect();
    Some(TimeRange { start: *times.iter().min()?, end: *times.iter().max()? })
}

/// The range of time of the first dataset that a query reads.
fn range_of(query: &Query) -> Option<TimeRange> {
    match &query.source {
        Source::Dataset { range, .. } | Source::Datasets { range, .. } | Source::Table { range, .. } => {
            Some(*range)
        }
        Source::Search(search) => Some(search.range),
        Source::Union(union) => union.tables.iter().find_map(range_of),
        Source::Values(_) | Source::Print(_) | Source::External(_) => None,
    }
}
