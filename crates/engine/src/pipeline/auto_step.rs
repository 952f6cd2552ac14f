//! How long the buckets of `bin_auto` are: that follows from the range of time, which the conditions before the first
//! other stage narrow.

use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use tidegauge_bind::{Scope, Surroundings};
use tidegauge_exec::kernels::times;
use tidegauge_lang::tree::{BinaryOperator, Expr, ExprKind, Literal, Query, Source, Stage, TimeRange, Type};
use tidegauge_model::columns::TIME_FIELD;

use crate::Question;

/// The length of the buckets that `bin_auto` makes: the shortest usual one of which not too many fill the range.
pub(crate) fn auto_step(query: &mut Query, question: &Question, around: &Surroundings) -> Option<i64> {
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
    let asked = asked_for(query, around);
    let end = match range.end.min(asked.end) {
        end if asked.end <= range.end && end < i64::MAX => end,
        i64::MAX => last.unwrap_or(options.now),
        end if options.is_end_open => last.map_or(end, |last| last.min(end)),
        end => end,
    };
    let start = match range.start.max(asked.start) {
        start if asked.start >= range.start && start > i64::MIN => start,
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

/// The range that conditions on the time ask for, as far as they stand before every other stage and hold without a row.
fn asked_for(query: &Query, around: &Surroundings) -> TimeRange {
    let mut range = TimeRange::ALL;
    for stage in &query.stages {
        let Stage::Filter(condition) = stage else { break };
        narrow(&mut range, condition, around);
    }
    range
}

fn narrow(range: &mut TimeRange, condition: &Expr, around: &Surroundings) {
    use BinaryOperator::{And, Equal, Greater, GreaterOrEqual, Less, LessOrEqual};
    let is_time = |expr: &Expr| matches!(&expr.kind, ExprKind::Field(name) if name == TIME_FIELD);
    match &condition.kind {
        ExprKind::Binary { operator: And, left, right } => {
            narrow(range, left, around);
            narrow(range, right, around);
        }
        ExprKind::Binary { operator, left, right } => {
            let (time, is_turned) = match (is_time(left), is_time(right)) {
                (true, false) => (constant_time(right, around), false),
                (false, true) => (constant_time(left, around), true),
                _ => return,
            };
            let Some(time) = time else { return };
            if matches!(operator, Greater | GreaterOrEqual) != is_turned || *operator == Equal {
                range.start = range.start.max(time);
            }
            if matches!(operator, Less | LessOrEqual) != is_turned || *operator == Equal {
                range.end = range.end.min(time);
            }
        }
        ExprKind::Between { value, low, high, is_negated: false } if is_time(value) => {
            range.start = range.start.max(constant_time(low, around).unwrap_or(i64::MIN));
            range.end = range.end.min(constant_time(high, around).unwrap_or(i64::MAX));
        }
        _ => {}
    }
}

/// The time that an expression without fields gives.
fn constant_time(expr: &Expr, around: &Surroundings) -> Option<i64> {
    if has_fields(expr, around) {
        return None;
    }
    let value = Scope::without_dataset(around.clone()).bind(expr).ok()?;
    let time = match value.of_type(Type::Datetime) {
        Some(time) => time.clone(),
        None => times::parse(value.of_type(Type::String)?.clone()).ok()?,
    };
    let literal = time.as_literal().filter(|literal| literal.is_valid(0))?;
    literal.as_primitive_opt::<Int64Type>().map(|times| times.value(0))
}

fn has_fields(expr: &Expr, around: &Surroundings) -> bool {
    let is_field = match &expr.kind {
        ExprKind::Field(name) => !around.constants.contains_key(name),
        ExprKind::AllFields | ExprKind::Table(_) => true,
        _ => false,
    };
    is_field || expr.children().into_iter().any(|child| has_fields(child, around))
}
