//! Aggregates of counters and of histograms. How much a series rose is told by the times of its points, which a call
//! does not name: they are in `_time`, and whether points are increases by themselves is in `temporality`.

use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use tidegauge_aggregates as aggregates;
use tidegauge_bind::{Scope, Surroundings};
use tidegauge_exec::expr::Typed;
use tidegauge_exec::kernels::{convert, logic};
use tidegauge_exec::words::{conversion, type_names};
use tidegauge_exec::{Value, functions};
use tidegauge_lang::tree::{BinaryOperator, Expr, ExprKind, Literal, Type};
use tidegauge_model::columns::TIME_FIELD;

use super::arguments::told_name;
use super::parts::Parts;
use super::rows::{field_name, packed};
use super::{Calls, Computed};
use crate::error::{invalid, invalid_with};
use crate::plan::groups::{PlannedAggregate, Shape, or_null};
use crate::{AggregateInfo, Result};

/// Says of a point whether it holds what came since the one before, or since a beginning.
pub(crate) const TEMPORALITY_FIELD: &str = "temporality";

/// What it says in the first case.
const DELTA: &str = "delta";

/// The fields that a point has for its histogram, by the names that they have in datasets of metrics.
const HISTOGRAM_FIELDS: [&str; 9] = [
    "bounds",
    "counts",
    "scale",
    "zero_count",
    "zero_threshold",
    "positive.offset",
    "positive.counts",
    "negative.offset",
    "negative.counts",
];

impl Calls {
    /// How much counters rose: numbers, as such or for each second, or histograms.
    pub(super) fn increase(
        &mut self,
        scope: &mut Scope,
        parts: &Parts<'_>,
    ) -> Result<(Computed, AggregateInfo)> {
        let Some((of, series)) = parts.arguments.split_first() else {
            return Err(invalid(parts.span, format!("`{}` needs a value", parts.function)));
        };
        let (function, value, shape) = match parts.function {
            "histogram_increase" => {
                (aggregates::histogram_increase(), histogram(scope, of, parts)?, Shape::Counter(Type::Map))
            }
            "rate" => (aggregates::increase(), number(scope, of, parts)?, Shape::CounterRate),
            _ => (aggregates::increase(), number(scope, of, parts)?, Shape::Counter(Type::Float)),
        };
        let arguments = vec![time(scope, parts)?, value, name_of(scope, series)?, is_delta(scope)?];
        let name = if shape == Shape::CounterRate { "counterrate" } else { told_name(parts.function) };
        let info =
            AggregateInfo { name, fields: field_name(of).into_iter().collect(), arguments: Vec::new() };
        let planned = info.clone();
        let call = self.add(parts.text(), |name| PlannedAggregate {
            name,
            info: planned,
            function,
            arguments,
            shape,
        });
        Ok((Computed::Call(call), info))
    }

    /// A quantile of histograms, or of buckets that come one by one.
    pub(super) fn histogram_quantile(
        &mut self,
        scope: &mut Scope,
        parts: &Parts<'_>,
    ) -> Result<(Computed, AggregateInfo)> {
        let [quantile, of, others @ ..] = parts.arguments else {
            return Err(invalid(parts.span, "`histogram_quantile` needs a quantile and a histogram"));
        };
        let share = share(scope, quantile)?;
        let (function, arguments) = match others.first() {
            None => (aggregates::histogram_quantile(share), vec![histogram(scope, of, parts)?]),
            Some(counts) => {
                let (bounds, counted) = (scope.bind(of)?, scope.bind(counts)?);
                if is_list(&bounds) && is_list(&counted) {
                    let map = map_of(&[("bounds", bounds), ("counts", counted)])?;
                    (aggregates::histogram_quantile(share), vec![map])
                } else {
                    let count = number(scope, counts, parts)?;
                    let bound = or_null(bounds.text()?, Type::String);
                    (aggregates::bounds_quantile(share), vec![count, bound])
                }
            }
        };
        let info = AggregateInfo {
            name: told_name(parts.function),
            fields: field_name(of).into_iter().collect(),
            arguments: vec![share.to_string()],
        };
        let planned = info.clone();
        let call = self.add(parts.text(), |name| PlannedAggregate {
            name,
            info: planned,
            function,
            arguments,
            shape: Shape::As(Type::Float),
        });
        Ok((Computed::Call(call), info))
    }
}

/// The time of points.
fn time(scope: &mut Scope, parts: &Parts<'_>) -> Result<Typed> {
    let time = match scope.has(TIME_FIELD) {
        true => scope.field(TIME_FIELD, parts.span)?.datetime(),
        false => None,
    };
    time.ok_or_else(|| {
        let message =
            format!("`{}` needs the time of points, and these rows have no `_time`", parts.function);
        invalid_with(parts.span, message, "keep `_time` in the stages before")
    })
}

/// The finite numbers of a counter.
fn number(scope: &mut Scope, of: &Expr, parts: &Parts<'_>) -> Result<Typed> {
    let value = scope.bind(of)?;
    match value.float()? {
        Some(number) => Ok(convert::finite(number)?),
        None if value.is_null() => Ok(logic::null(Type::Float)),
        None => {
            let message = format!("`{}` needs numbers, and this is {}", parts.function, type_names(&value));
            let hint = match value.types().contains(&Type::Map) {
                true => "write `histogram_increase` for histograms".to_owned(),
                false => conversion("a number", &value),
            };
            Err(invalid_with(of.span, message, hint))
        }
    }
}

/// What tells a series from others, as one text.
fn name_of(scope: &mut Scope, series: &[Expr]) -> Result<Typed> {
    let values = series.iter().map(|expr| Ok(scope.bind(expr)?)).collect::<Result<Vec<Value>>>()?;
    match values.as_slice() {
        [only] => Ok(or_null(only.json_key()?, Type::Dynamic)),
        many => packed(many),
    }
}

/// Whether a point is an increase by itself.
fn is_delta(scope: &mut Scope) -> Result<Typed> {
    if !scope.has(TEMPORALITY_FIELD) {
        return Ok(logic::constant(false));
    }
    let span = tidegauge_lang::Span::default();
    let left = Box::new(Expr::new(ExprKind::Field(TEMPORALITY_FIELD.to_owned()), span));
    let right = Box::new(Expr::new(ExprKind::Literal(Literal::String(DELTA.to_owned())), span));
    let is_equal = ExprKind::Binary { operator: BinaryOperator::Equal, left, right };
    Ok(scope.condition(&Expr::new(is_equal, span))?)
}

/// A histogram as JSON text: a map, or for `*` what the fields of the row make.
fn histogram(scope: &mut Scope, of: &Expr, parts: &Parts<'_>) -> Result<Typed> {
    if of.kind == ExprKind::AllFields {
        let mut fields = Vec::new();
        for name in HISTOGRAM_FIELDS.into_iter().filter(|name| scope.has(name)).collect::<Vec<&str>>() {
            fields.push((name, scope.field(name, of.span)?));
        }
        return match fields.is_empty() {
            true => Err(no_histogram(parts, of)),
            false => map_of(&fields),
        };
    }
    let value = scope.bind(of)?;
    let may_be_map = |kind: &Type| matches!(kind, Type::Map | Type::Dynamic);
    if !value.is_null() && !value.types().iter().any(may_be_map) {
        let message = format!("`{}` needs histograms, and this is {}", parts.function, type_names(&value));
        let hint = "write `*` for the histogram of a row, or `pack(\"bounds\", bounds, \"counts\", counts)`";
        return Err(invalid_with(of.span, message, hint));
    }
    Ok(or_null(value.json()?, Type::Map))
}

fn no_histogram(parts: &Parts<'_>, of: &Expr) -> crate::Error {
    let message = format!("`{}` needs a histogram, and these rows have none of its fields", parts.function);
    invalid_with(
        of.span,
        message,
        "keep `bounds` and `counts`, or `scale` and its buckets, in the stages before",
    )
}

/// A map with these members.
fn map_of(fields: &[(&str, Value)]) -> Result<Typed> {
    let span = tidegauge_lang::Span::default();
    let members = fields
        .iter()
        .flat_map(|(name, value)| [Value::literal(&Literal::String((*name).to_owned())), value.clone()]);
    let members: Vec<Value> = members.collect();
    let map = functions::call_with_many("bag_pack", &members, span, Surroundings::default().around())?;
    let map = map.unwrap_or_default();
    map.of_type(Type::Map).cloned().ok_or_else(|| invalid(span, "these fields cannot be a map"))
}

/// Whether nothing but lists can be among its values.
fn is_list(value: &Value) -> bool {
    let is_one = |kind: &Type| matches!(kind, Type::Array | Type::Dynamic);
    !value.is_null() && value.types().iter().all(is_one)
}

/// A share from 0 to 1 that is the same for all rows.
fn share(scope: &mut Scope, quantile: &Expr) -> Result<f64> {
    let value = scope.bind(quantile)?.float()?;
    let literal = value.as_ref().and_then(Typed::as_literal).filter(|literal| literal.is_valid(0));
    let share = literal.map(|literal| literal.as_primitive::<Float64Type>().value(0));
    share.filter(|share| (0.0..=1.0).contains(share)).ok_or_else(|| {
        let hint = "write one that is the same for all rows, such as `0.99`";
        invalid_with(quantile.span, "a quantile is a number from 0 to 1", hint)
    })
}
