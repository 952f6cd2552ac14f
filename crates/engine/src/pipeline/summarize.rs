//! `summarize`: groups and their aggregates. What stands behind it is taken with it where that saves work: the order
//! and the number of groups. Groups over time buckets come with the groups over all time.

use std::sync::Arc;

use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use tidegauge_lang::Span;
use tidegauge_lang::tree::{
    AggregateFunction, Bucket, Expr, ExprKind, Literal, Named, SortKey, Stage, Summarize, TimeRange, Type,
};
use tidegauge_model::columns::TIME_FIELD;

use super::rows::of_table;
use super::segment::{About, Origin, Segment};
use crate::answer::Table;
use crate::bind::{Scope, Surroundings};
use crate::expr::Typed;
use crate::functions::{logic, member, unpack};
use crate::groups::{self, GroupedRows};
use crate::plan::{Calls, Computed, GroupsPlan, Outcome, planned, result_name};
use crate::run::Run;
use crate::value::Value;
use crate::{AggregateInfo, Result};

/// A `summarize` that is ready to run.
struct Planned {
    plan: GroupsPlan,
    /// The columns of the result in their order, where they are not what the groups give already.
    columns: Option<Vec<Column>>,
    infos: Vec<(String, AggregateInfo)>,
    /// The keys in the order in which they were written.
    keys: Vec<String>,
}

/// One column of the result.
enum Column {
    Key(String),
    Outcome(Outcome),
}

impl Run {
    /// Groups rows. Tells how many of the stages behind it were taken with it.
    pub(super) async fn summarize(
        &self,
        segment: Segment,
        summarize: &Summarize,
        after: &[Stage],
        around: &Surroundings,
    ) -> Result<(Segment, usize)> {
        let mut segment = self.unlimited(segment).await?;
        let mut planned = plan(&mut segment, summarize)?;
        let used = planned.take_with(after, summarize.bucket.is_some());
        if segment.pending.order.is_some() {
            if planned.plan.is_ordered() {
                segment = self.settled(segment).await?;
                planned = plan(&mut segment, summarize)?;
                planned.take_with(after, summarize.bucket.is_some());
            }
            segment.pending.order = None;
        }
        let tables = self.grouped(&segment, &planned.plan).await?;
        self.note(&segment.scope);
        let about = About {
            sources: std::mem::take(&mut segment.about.sources),
            range: segment.about.range,
            groups: planned.keys.clone(),
            sorted_by: planned.plan.sorted_by.clone(),
            aggregates: planned.infos.iter().cloned().collect(),
            has_limit: planned.plan.limit < usize::MAX,
            ..About::default()
        };
        let mut segments = Vec::with_capacity(tables.len());
        for table in &tables {
            let keys = planned.keys.iter().filter(|key| table.fields.iter().any(|field| field.name == **key));
            let about = About { bucket: table.bucket, groups: keys.cloned().collect(), ..about.clone() };
            let mut grouped = of_table(table, around, about)?;
            if let Some(columns) = &planned.columns {
                shape(&mut grouped, columns)?;
            }
            segments.push(grouped);
        }
        let mut segments = segments.into_iter();
        let Some(mut first) = segments.next() else {
            return Err(crate::Error::Internal { message: "groups gave no table".to_owned() });
        };
        first.totals = segments.next().map(Box::new);
        if planned.columns.is_none() {
            first.ready = Some(tables);
        }
        Ok((first, used))
    }

    async fn grouped(&self, segment: &Segment, plan: &GroupsPlan) -> Result<Vec<Table>> {
        let threads = if plan.is_ordered() { 1 } else { self.threads };
        let mut range_seconds = seconds_of(segment.about.range, None);
        let rows = match &segment.origin {
            Origin::Plan(input) => GroupedRows::Plan(Arc::clone(input), segment.conditions.clone()),
            Origin::Dataset(rows) => {
                let mut scan =
                    self.scan(rows, &segment.scope, &segment.conditions, plan.is_ordered()).await?;
                scan.split_for(threads);
                let times = self.work().scans.last().and_then(|scan| scan.times);
                range_seconds = seconds_of(Some(rows.range), times);
                GroupedRows::Scan(Arc::new(scan))
            }
        };
        let answer = groups::run(plan, &rows, Arc::clone(&self.context), threads, range_seconds).await?;
        let mut work = self.work();
        work.groups = answer.figures.groups;
        work.is_estimate |= answer.figures.is_estimate;
        Ok(answer.tables)
    }
}

/// How long the range is; an open one is as long as the events in it.
fn seconds_of(range: Option<TimeRange>, times: Option<(i64, i64)>) -> f64 {
    let range = range.unwrap_or(TimeRange::ALL);
    let (first, last) = times.unwrap_or((0, 0));
    let start = if range.start == i64::MIN { first } else { range.start };
    let end = if range.end == i64::MAX { last } else { range.end };
    ((end as f64 - start as f64) / 1e9).max(1e-9)
}

fn plan(segment: &mut Segment, summarize: &Summarize) -> Result<Planned> {
    let is_text = summarize
        .aggregates
        .iter()
        .any(|aggregate| matches!(aggregate.call.function, AggregateFunction::Computed(_)));
    let mut bucket = summarize.bucket.map(|bucket| (bucket, segment.scope.time()));
    let mut keys = Vec::with_capacity(summarize.keys.len());
    for key in &summarize.keys {
        // Without an aggregate buckets are keys like any others: nothing would stand in the totals beside them.
        if bucket.is_none()
            && !summarize.aggregates.is_empty()
            && let Some(found) = bucket_of(segment, key)?
        {
            bucket = Some(found);
            continue;
        }
        let value = segment.scope.bind(&key.expr)?;
        keys.push((key.name.clone(), value.key()?.unwrap_or_else(|| logic::null(Type::String))));
    }
    let mut written: Vec<String> = summarize.keys.iter().map(|key| key.name.clone()).collect();
    if summarize.bucket.is_some() {
        written.insert(0, TIME_FIELD.to_owned());
    }
    let scope = &mut segment.scope;
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
    let infos = outcomes.iter().map(|outcome| (outcome.name.clone(), outcome.info.clone()));
    let mut infos: Vec<(String, AggregateInfo)> = infos.collect();
    infos.extend(aggregates.iter().map(|aggregate| (aggregate.name.clone(), aggregate.info.clone())));
    let is_reordered = bucket.is_some() && written.first().is_some_and(|first| first != TIME_FIELD);
    let columns = (is_text || is_reordered).then(|| {
        let keys = written.iter().cloned().map(Column::Key);
        keys.chain(distinct_names(outcomes, &written).into_iter().map(Column::Outcome)).collect()
    });
    let mut plan = GroupsPlan::new(keys, if is_text { calls.aggregates } else { aggregates });
    plan.zeros = zeros(columns.as_deref().unwrap_or_default(), plan.keys.len());
    plan.bucket = bucket;
    Ok(Planned { plan, columns, infos, keys: written })
}

/// The places of sums among the columns of the groups.
fn zeros(columns: &[Column], keys: usize) -> Vec<usize> {
    let sum = |column: &Column| match column {
        Column::Outcome(Outcome { of: Computed::Expr(expr), .. }) => sum_of(expr).map(|call| keys + call),
        _ => None,
    };
    columns.iter().filter_map(sum).collect()
}

/// Columns whose names are not taken by keys or by others before them.
fn distinct_names(outcomes: Vec<Outcome>, keys: &[String]) -> Vec<Outcome> {
    let mut taken: Vec<String> = keys.to_vec();
    let mut kept: Vec<Outcome> = Vec::with_capacity(outcomes.len());
    for mut outcome in outcomes {
        if matches!(outcome.of, Computed::Element { .. }) && keys.contains(&outcome.name) {
            // `arg_max(x, *)` has the keys among its fields.
            continue;
        }
        let base = outcome.name.clone();
        let mut number = 1;
        while taken.contains(&outcome.name) {
            outcome.name = format!("{base}{number}");
            number += 1;
        }
        taken.push(outcome.name.clone());
        kept.push(outcome);
    }
    kept
}

/// A key that is the time of events in buckets of one length.
fn bucket_of(segment: &mut Segment, key: &Named) -> Result<Option<(Bucket, Typed)>> {
    let ExprKind::Call { function, arguments } = &key.expr.kind else { return Ok(None) };
    let is_time = |expr: &Expr| matches!(&expr.kind, ExprKind::Field(name) if name == TIME_FIELD);
    if key.name != TIME_FIELD || !arguments.first().is_some_and(is_time) {
        return Ok(None);
    }
    let step = match (function.as_str(), arguments.as_slice()) {
        ("bin_auto", [_]) => segment.scope.surroundings().auto_step,
        ("bin", [_, size]) => {
            let size = segment.scope.bind(size)?;
            let literal =
                size.of_type(Type::Timespan).and_then(Typed::as_literal).filter(|one| one.is_valid(0));
            literal.map(|literal| literal.as_primitive::<Int64Type>().value(0))
        }
        _ => None,
    };
    let Some(step) = step.filter(|step| *step > 0) else { return Ok(None) };
    let time = segment.scope.field(TIME_FIELD, key.expr.span)?;
    Ok(time.of_type(Type::Datetime).map(|time| (Bucket { step }, time.clone())))
}

impl Planned {
    /// Takes the order and the number of groups from the stages behind.
    fn take_with(&mut self, after: &[Stage], is_always_of_groups: bool) -> usize {
        let (order, limit, used) = match after {
            [Stage::Sort(keys), Stage::Limit(limit), ..] => (Some(keys.as_slice()), Some(*limit), 2),
            [Stage::Sort(keys), ..] => (Some(keys.as_slice()), None, 1),
            [Stage::Limit(limit), ..] => (None, Some(*limit), 1),
            _ => return 0,
        };
        let is_bucketed = self.plan.bucket.is_some();
        if !is_always_of_groups && !self.may_take(order, limit.is_some(), is_bucketed) {
            return 0;
        }
        if let Some(keys) = order {
            let keys = keys.iter().map(|key| self.of_group(key)).collect::<Vec<SortKey>>();
            self.plan.sort(&keys);
            self.plan.sorted_by = match after {
                [Stage::Sort(keys), ..] => keys.clone(),
                _ => keys,
            };
        } else if is_bucketed && !is_always_of_groups && !self.plan.aggregates.is_empty() {
            // The first groups are those with the greatest first aggregate.
            self.plan.order = vec![(self.plan.keys.len(), true)];
        }
        if let Some(limit) = limit {
            self.plan.limit = usize::try_from(limit).unwrap_or(usize::MAX);
        }
        used
    }

    /// Whether an order and a number can be those of whole groups.
    fn may_take(&self, order: Option<&[SortKey]>, has_limit: bool, is_bucketed: bool) -> bool {
        let is_of_group = |key: &SortKey| {
            self.plan.keys.iter().any(|(name, _)| *name == key.field) || self.call_of(&key.field).is_some()
        };
        let is_order_of_groups = order.is_none_or(|keys| keys.iter().all(is_of_group));
        // Rows of buckets are in an order of their own; only a number of groups makes it that of the groups.
        let is_wanted = if is_bucketed { has_limit && !self.plan.keys.is_empty() } else { true };
        is_order_of_groups && is_wanted
    }

    /// The call that a column is, as it is.
    fn call_of(&self, name: &str) -> Option<usize> {
        let Some(columns) = &self.columns else {
            return self.plan.aggregates.iter().position(|aggregate| aggregate.name == name);
        };
        columns.iter().find_map(|column| match column {
            Column::Outcome(Outcome { name: known, of: Computed::Call(call), .. }) if known == name => {
                Some(*call)
            }
            Column::Outcome(Outcome { name: known, of: Computed::Expr(expr), .. }) if known == name => {
                sum_of(expr)
            }
            _ => None,
        })
    }

    /// A key of an order under the name that the groups have for it.
    fn of_group(&self, key: &SortKey) -> SortKey {
        match (&self.columns, self.call_of(&key.field)) {
            (Some(_), Some(call)) => SortKey { field: result_name(call), ..key.clone() },
            _ => key.clone(),
        }
    }
}

/// The call whose result an expression is, with zero in the place of null: what a sum is.
fn sum_of(expr: &Expr) -> Option<usize> {
    let ExprKind::Call { function, arguments } = &expr.kind else { return None };
    let [Expr { kind: ExprKind::Field(field), .. }, Expr { kind: ExprKind::Literal(literal), .. }] =
        arguments.as_slice()
    else {
        return None;
    };
    let is_zero = match literal {
        Literal::Integer(value) | Literal::Timespan(value) => *value == 0,
        Literal::Float(value) => *value == 0.0,
        _ => false,
    };
    (function == "coalesce" && is_zero).then(|| field.strip_prefix('@')?.parse().ok())?
}

/// Makes the columns of the result from those of the groups.
fn shape(segment: &mut Segment, columns: &[Column]) -> Result<()> {
    let mut fields = Vec::with_capacity(columns.len());
    for column in columns {
        match column {
            Column::Key(name) if !segment.scope.has(name) => {}
            Column::Key(name) => {
                fields.push((name.clone(), segment.scope.field(name, Span::default())?));
            }
            Column::Outcome(outcome) => {
                fields.push((outcome.name.clone(), computed(&mut segment.scope, &outcome.of)?));
            }
        }
    }
    segment.list(fields);
    Ok(())
}

fn computed(scope: &mut Scope, of: &Computed) -> Result<Value> {
    match of {
        Computed::Call(call) => scope.field(&result_name(*call), Span::default()),
        Computed::Expr(expr) => scope.bind(expr),
        Computed::Element { call, place, kinds } => {
            let list = scope.field(&result_name(*call), Span::default())?;
            let place = Value::literal(&Literal::Integer(*place as i64));
            unpack::as_kinds(&member::member(&list, &place)?, kinds)
        }
    }
}
