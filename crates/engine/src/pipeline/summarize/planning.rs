//! What a `summarize` asks for, put together from its text: keys, the bucket of time among them, calls of aggregates, and
//! the columns that are made of these.

use std::collections::HashSet;

use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use tidegauge_exec::expr::Typed;
use tidegauge_exec::kernels::logic;
use tidegauge_lang::Span;
use tidegauge_lang::tree::{AggregateFunction, Bucket, Expr, ExprKind, Named, Summarize, Type};
use tidegauge_model::columns::TIME_FIELD;

use super::super::relation::{Origin, Relation, free_name};
use super::columns::Column;
use super::planned::Planned;
use crate::error::invalid_with;
use crate::plan::{Calls, Computed, GroupsPlan, Outcome, PlannedAggregate, Shape, is_integer, planned};
use crate::{AggregateInfo, Result};

pub(super) fn plan(relation: &mut Relation, summarize: &Summarize) -> Result<Planned> {
    let mut functions = summarize.aggregates.iter().map(|aggregate| &aggregate.call.function);
    let is_text = functions.any(|function| matches!(function, AggregateFunction::Computed(_)));
    let mut bucket = summarize.bucket.map(|bucket| (bucket, relation.scope.time()));
    let mut bucket_name = bucket.as_ref().map(|_| TIME_FIELD.to_owned());
    let mut written: Vec<String> = bucket_name.iter().cloned().collect();
    let mut keys: Vec<(String, Typed)> = Vec::with_capacity(summarize.keys.len());
    let mut spans = Vec::with_capacity(summarize.keys.len());
    let mut kinds = Vec::new();
    for key in &summarize.keys {
        // A query in JSON has its keys under the names that it gives them.
        let is_named = summarize.bucket.is_some();
        let is_taken = |name: &str| written.iter().any(|known| known == name);
        let name = if is_named { key.name.clone() } else { free_name(&key.name, is_taken) };
        written.push(name.clone());
        if bucket.is_none()
            && may_be_bucket(summarize, key)
            && let Some(found) = bucket_of(relation, key)?
        {
            bucket = Some(found);
            bucket_name = Some(name);
            continue;
        }
        let value = relation.scope.bind(&key.expr)?;
        kinds.extend(is_integer(&value)?.map(|is_integer| (keys.len(), is_integer)));
        spans.push(key.expr.span);
        keys.push((name, value.key()?.unwrap_or_else(|| logic::null(Type::String))));
    }
    let scope = &mut relation.scope;
    let mut calls = Calls::default();
    let mut outcomes = Vec::new();
    let mut aggregates = Vec::new();
    for aggregate in &summarize.aggregates {
        match &aggregate.call.function {
            AggregateFunction::Computed(expr) => {
                outcomes.extend(calls.plan(scope, &aggregate.name, expr)?);
            }
            _ => aggregates.push(planned(scope, aggregate)?),
        }
    }
    let outcomes = if is_text { distinct_names(outcomes, &written) } else { outcomes };
    let infos = outcomes.iter().map(|outcome| (outcome.name.clone(), outcome.info.clone()));
    let mut infos: Vec<(String, AggregateInfo)> = infos.collect();
    infos.extend(aggregates.iter().map(|aggregate| (aggregate.name.clone(), aggregate.info.clone())));
    let columns = is_text.then(|| {
        let keys = written.iter().map(|name| {
            let is_bucket = Some(name) == bucket_name.as_ref();
            let of = if is_bucket { TIME_FIELD.to_owned() } else { name.clone() };
            Column::Key { name: name.clone(), of }
        });
        keys.chain(outcomes.into_iter().map(Column::Outcome)).collect()
    });
    let mut plan = GroupsPlan::new(keys, if is_text { calls.aggregates } else { aggregates });
    plan.bucket = bucket;
    kinds.into_iter().for_each(|(place, is_integer)| plan.tell_kind(place, is_integer));
    check_counters(&plan, &spans)?;
    let time = if plan.aggregates.iter().any(is_rate) { time_of_rows(relation)? } else { None };
    Ok(Planned::new(plan, columns, infos, written, bucket_name, time))
}

fn is_rate(aggregate: &PlannedAggregate) -> bool {
    matches!(aggregate.shape, Shape::PerSecond | Shape::CounterRate)
}

/// Counters rise from one point to the next: where a key parts the points of a series by their time, and is not the bucket,
/// what lies between would be lost.
fn check_counters(plan: &GroupsPlan, spans: &[Span]) -> Result<()> {
    for aggregate in &plan.aggregates {
        let (Shape::Counter(_) | Shape::CounterRate, Some(time)) =
            (aggregate.shape, aggregate.arguments.first())
        else {
            continue;
        };
        let times = time.inputs();
        let is_parted = |key: &Typed| key.inputs().iter().any(|place| times.contains(place));
        if let Some(place) = plan.keys.iter().position(|(_, key)| is_parted(key)) {
            let span = spans.get(place).copied().unwrap_or_default();
            let message = "counters go on from one stretch of time to the next, which they can along one \
                           `bin(_time, …)` alone";
            let hint = "group by `bin(_time, 1m)` and no other time here, and its results further in the stages after";
            return Err(invalid_with(span, message, hint));
        }
    }
    Ok(())
}

/// Whether a key may become the bucket: not without aggregates, of which there are no totals, and not beside a key that
/// has the name of the time.
fn may_be_bucket(summarize: &Summarize, key: &Named) -> bool {
    let is_time = |other: &Named| other.name == TIME_FIELD && other != key;
    !summarize.aggregates.is_empty() && !summarize.keys.iter().any(is_time)
}

/// The time of rows that are no events, if they have one.
fn time_of_rows(relation: &mut Relation) -> Result<Option<Typed>> {
    if matches!(relation.origin, Origin::Dataset(_)) || !relation.scope.has(TIME_FIELD) {
        return Ok(None);
    }
    Ok(relation.scope.field(TIME_FIELD, Span::default())?.datetime())
}

/// Columns whose names are not taken by keys or by others before them.
fn distinct_names(outcomes: Vec<Outcome>, keys: &[String]) -> Vec<Outcome> {
    let mut taken: HashSet<String> = keys.iter().cloned().collect();
    let mut kept: Vec<Outcome> = Vec::with_capacity(outcomes.len());
    for mut outcome in outcomes {
        if matches!(outcome.of, Computed::Element { .. }) && keys.contains(&outcome.name) {
            // `arg_max(x, *)` has the keys among its fields.
            continue;
        }
        outcome.name = free_name(&outcome.name, |name| taken.contains(name));
        taken.insert(outcome.name.clone());
        kept.push(outcome);
    }
    kept
}

/// A key that is the time of events in buckets of one length.
fn bucket_of(relation: &mut Relation, key: &Named) -> Result<Option<(Bucket, Typed)>> {
    let ExprKind::Call { function, arguments } = &key.expr.kind else { return Ok(None) };
    let is_time = |expr: &Expr| matches!(&expr.kind, ExprKind::Field(name) if name == TIME_FIELD);
    if !arguments.first().is_some_and(is_time) {
        return Ok(None);
    }
    let step = match (function.as_str(), arguments.as_slice()) {
        ("bin_auto", [_]) => relation.scope.surroundings().auto_step,
        ("bin", [_, size]) => {
            let size = relation.scope.bind(size)?;
            let literal =
                size.of_type(Type::Timespan).and_then(Typed::as_literal).filter(|one| one.is_valid(0));
            literal.map(|literal| literal.as_primitive::<Int64Type>().value(0))
        }
        _ => None,
    };
    let Some(step) = step.filter(|step| *step > 0) else { return Ok(None) };
    let time = relation.scope.field(TIME_FIELD, key.expr.span)?;
    Ok(time.of_type(Type::Datetime).map(|time| (Bucket { step }, time.clone())))
}
