//! `make-series`: aggregates along an axis, as arrays. Rows are grouped by the stretch of the axis that they lie in,
//! and the groups of one series are put beside each other.

mod arrays;
mod axis;

use arrow_array::ArrayRef;
use datafusion_execution::memory_pool::MemoryConsumer;
use tidegauge_bind::{Scope, Surroundings};
use tidegauge_exec::Value;
use tidegauge_exec::expr::Typed;
use tidegauge_exec::kernels::{convert, logic};
use tidegauge_lang::Span;
use tidegauge_lang::tree::{
    AggregateCall, AggregateFunction, BinaryOperator, Expr, ExprKind, Literal, MakeSeries, Named,
    NamedAggregate, Summarize, Type,
};

use self::arrays::{Room, Stretches};
use self::axis::Axis;
use super::relation::{About, Relation, free_name};
use super::rows::of_arrays;
use crate::Result;
use crate::context::QueryContext;
use crate::error::invalid_with;

/// The name of the number of a stretch, which no field can have.
const PLACE: &str = "@place";

impl QueryContext {
    pub(super) async fn make_series(
        &self,
        relation: Relation,
        make: &MakeSeries,
        around: &Surroundings,
    ) -> Result<Relation> {
        let mut relation = self.unlimited(relation).await?;
        let axis = Axis::new(&mut relation.scope, make)?;
        if !make.is_range {
            for (operator, bound) in
                [(BinaryOperator::GreaterOrEqual, &make.from), (BinaryOperator::Less, &make.to)]
            {
                if let Some(bound) = bound {
                    relation = self.filter(relation, &compared(operator, &make.axis, bound)).await?;
                }
            }
        }
        let place = axis.place()?;
        relation.keep(Value::from(place.clone()).exists()?);
        relation.scope.define(PLACE, place.into());
        let mut keys = make.keys.clone();
        keys.push(Named {
            name: PLACE.to_owned(),
            expr: Expr::new(ExprKind::Field(PLACE.to_owned()), Span::default()),
        });
        let summarize = Summarize { aggregates: aggregates(make), keys, bucket: None };
        let (mut grouped, _) = self.summarize(relation, &summarize, &[], around).await?;
        let mut keys = Vec::with_capacity(make.keys.len());
        for key in &make.keys {
            keys.push((key.name.clone(), grouped.scope.field(&key.name, key.expr.span)?));
        }
        let mut listed = keys.clone();
        listed.push((PLACE.to_owned(), grouped.scope.field(PLACE, Span::default())?));
        for (number, series) in make.series.iter().enumerate() {
            let value = grouped.scope.field(&series_name(number), series.expr.span)?;
            let json = value.json()?.unwrap_or_else(|| logic::null(Type::Dynamic));
            listed.push((series_name(number), json.into()));
        }
        grouped.list(listed);
        let columns = grouped.columns()?;
        let key_columns = columns.exprs.len() - make.series.len() - 1;
        let key_kinds: Vec<Type> = columns.exprs[..key_columns].iter().map(|key| key.kind).collect();
        let fields: Vec<(String, Value)> = columns.fields.iter().take(keys.len()).cloned().collect();
        let plan = self.plan(&grouped, columns.exprs, columns.schema).await?;
        let batch = self.collected(plan).await?;
        let room = Room::new(MemoryConsumer::new("series").register(self.context.memory_pool()));
        let defaults = defaults(make, around)?;
        let stretches = Stretches { axis: &axis, defaults, span: make.step.span, room };
        let arrays = stretches.arrays(&batch, key_columns, make.is_nonempty && make.keys.is_empty())?;
        let about = About { sources: grouped.about.sources, range: grouped.about.range, ..About::default() };
        answer(make, arrays, fields, key_kinds, around, about)
    }
}

/// The rows of all series: keys, the series, and the axis.
fn answer(
    make: &MakeSeries,
    arrays: Vec<ArrayRef>,
    mut fields: Vec<(String, Value)>,
    mut kinds: Vec<Type>,
    around: &Surroundings,
    about: About,
) -> Result<Relation> {
    let axis = match &make.axis.kind {
        ExprKind::Field(name) => name.as_str(),
        _ => "axis",
    };
    for name in make.series.iter().map(|series| series.name.as_str()).chain([axis]) {
        let unique = free_name(name, |name| fields.iter().any(|(known, _)| known == name));
        fields.push((unique, Typed::input(Type::Array, kinds.len()).into()));
        kinds.push(Type::Array);
    }
    let rows = arrays.first().map_or(0, |array| array.len());
    of_arrays(arrays, &kinds, rows, fields, around, about)
}

fn series_name(number: usize) -> String {
    format!("@series{number}")
}

fn aggregates(make: &MakeSeries) -> Vec<NamedAggregate> {
    let aggregate = |(number, series): (usize, &tidegauge_lang::tree::Series)| NamedAggregate {
        name: series_name(number),
        call: AggregateCall {
            function: AggregateFunction::Computed(Box::new(series.expr.clone())),
            of: None,
            span: series.expr.span,
        },
    };
    make.series.iter().enumerate().map(aggregate).collect()
}

fn compared(operator: BinaryOperator, left: &Expr, right: &Expr) -> Expr {
    let (left, right) = (Box::new(left.clone()), Box::new(right.clone()));
    let span = right.span;
    Expr::new(ExprKind::Binary { operator, left, right }, span)
}

/// What stands where there are no rows, as JSON: zero where nothing else is told.
fn defaults(make: &MakeSeries, around: &Surroundings) -> Result<Vec<String>> {
    let mut defaults = Vec::with_capacity(make.series.len());
    for series in &make.series {
        let value = match &series.default {
            None => Value::literal(&Literal::Integer(0)),
            Some(default) => Scope::without_dataset(around.clone()).bind(default)?,
        };
        let json = value.variants.first().cloned().map(convert::to_json).transpose()?;
        let text = match &json {
            None => Some("null".to_owned()),
            Some(json) => axis::text_of(json),
        };
        let span = series.default.as_ref().map_or(series.expr.span, |default| default.span);
        let problem = || {
            let message = "the default must be one value for all rows";
            invalid_with(span, message, "write one, such as `default = 0`")
        };
        defaults.push(text.ok_or_else(problem)?);
    }
    Ok(defaults)
}
