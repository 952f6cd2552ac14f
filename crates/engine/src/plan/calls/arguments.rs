//! The arguments of aggregates as a text gives them: which one is the condition, which ones are numbers that settle how
//! the aggregate is computed, and what these may be.

use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use tidegauge_aggregates as aggregates;
use tidegauge_bind::Scope;
use tidegauge_exec::Value;
use tidegauge_exec::expr::Typed;
use tidegauge_exec::kernels::logic;
use tidegauge_lang::tree::{AggregateFunction, Expr, Type};

use super::parts::Parts;
use crate::Result;
use crate::error::{invalid, invalid_with};

const LIST_MAX: i64 = aggregates::LIST_DEFAULT as i64;

/// The aggregate without its condition, and the place of the condition among the arguments.
pub(super) fn condition_of<'a>(parts: &Parts<'a>) -> (&'a str, Option<usize>) {
    match parts.function {
        "countif" => ("count", Some(0)),
        "dcountif" => ("dcount", Some(1)),
        "sumif" => ("sum", Some(1)),
        "avgif" => ("avg", Some(1)),
        "minif" => ("min", Some(1)),
        "maxif" => ("max", Some(1)),
        "stdevif" => ("stdev", Some(1)),
        "varianceif" => ("variance", Some(1)),
        "make_list_if" => ("make_list", Some(1)),
        "make_set_if" => ("make_set", Some(1)),
        "percentileif" => ("percentile", Some(2)),
        "percentiles_arrayif" => ("percentiles_array", Some(parts.arguments.len().saturating_sub(1))),
        "histogramif" => ("histogram", Some(2)),
        "topkif" => ("topk", Some(2)),
        other => (other, None),
    }
}

/// The arguments that are neither the value nor the condition.
pub(super) fn settings<'a>(parts: &Parts<'a>, condition: Option<usize>) -> Vec<&'a Expr> {
    let others = parts.arguments.iter().enumerate().skip(1);
    others.filter(|(place, _)| Some(*place) != condition).map(|(_, argument)| argument).collect()
}

pub(super) fn function_of(
    scope: &mut Scope,
    base: &str,
    parts: &Parts<'_>,
    settings: &[&Expr],
) -> Result<AggregateFunction> {
    use AggregateFunction as F;
    let mut number = |least: i64, most: i64, default: Option<i64>| {
        number(scope, parts, settings.first().copied(), (least, most), default)
    };
    Ok(match base {
        "dcount" => F::Distinct,
        "sum" => F::Sum,
        "avg" => F::Avg,
        "min" => F::Min,
        "max" => F::Max,
        "stdev" => F::Stdev,
        "variance" => F::Variance,
        "rate" => F::Rate,
        "topk" => F::TopK(number(1, 10_000, None)?),
        "histogram" => F::Histogram(number(1, 10_000, None)?),
        "make_list" => F::MakeList(number(0, LIST_MAX, Some(LIST_MAX))?),
        "make_set" if settings.is_empty() && parts.function == "make_set" => F::MakeSet(None),
        "make_set" => F::MakeSet(Some(number(0, LIST_MAX, Some(LIST_MAX))?)),
        "percentile" | "percentiles_array" => F::Percentiles(percents(scope, settings, parts)?),
        _ => F::Count,
    })
}

/// A whole number within bounds that must be the same for all rows.
pub(super) fn number(
    scope: &mut Scope,
    parts: &Parts<'_>,
    setting: Option<&Expr>,
    (least, most): (i64, i64),
    default: Option<i64>,
) -> Result<u32> {
    let Some(setting) = setting else {
        let default = default
            .ok_or_else(|| invalid(parts.span, format!("`{}` needs a number as well", parts.function)))?;
        return Ok(u32::try_from(default).unwrap_or(u32::MAX));
    };
    match integer(scope, setting)? {
        Some(value) if (least..=most).contains(&value) => Ok(u32::try_from(value).unwrap_or(u32::MAX)),
        _ => {
            let message = format!("a whole number from {least} to {most} must stand here");
            Err(invalid_with(setting.span, message, "write one that is the same for all rows, such as `10`"))
        }
    }
}

/// Percentiles, one by one or in an array.
fn percents(scope: &mut Scope, settings: &[&Expr], parts: &Parts<'_>) -> Result<Vec<f64>> {
    let mut percents = Vec::new();
    for setting in settings {
        let value = scope.bind(setting)?;
        let array = value.of_type(Type::Array).and_then(Typed::as_literal).filter(|one| one.is_valid(0));
        let elements = match array {
            Some(array) => serde_json::from_str(array.as_string_view().value(0)).ok(),
            None => {
                let number = value.float()?;
                let number = number.as_ref().and_then(Typed::as_literal).filter(|one| one.is_valid(0));
                number.map(|number| vec![number.as_primitive::<Float64Type>().value(0)])
            }
        };
        let elements: Vec<f64> = elements.unwrap_or_default();
        if elements.is_empty() || elements.iter().any(|percent| !(0.0..=100.0).contains(percent)) {
            let hint = "write one that is the same for all rows, such as `95`";
            return Err(invalid_with(setting.span, "percentiles are numbers from 0 to 100", hint));
        }
        percents.extend(elements);
    }
    if percents.is_empty() {
        return Err(invalid(parts.span, format!("`{}` needs percentiles from 0 to 100", parts.function)));
    }
    Ok(percents)
}

fn integer(scope: &mut Scope, expr: &Expr) -> Result<Option<i64>> {
    let value = scope.bind(expr)?;
    let literal = value.of_type(Type::Integer).and_then(Typed::as_literal).filter(|one| one.is_valid(0));
    Ok(literal.map(|literal| literal.as_primitive::<Int64Type>().value(0)))
}

/// A value where a condition is true, else null.
pub(super) fn masked(value: &Value, condition: &Typed) -> Result<Value> {
    let mut variants = Vec::with_capacity(value.variants.len());
    for variant in &value.variants {
        variants.push(logic::choose(condition.clone(), variant.clone(), logic::null(variant.kind))?);
    }
    Ok(Value { variants })
}

/// The name of an aggregate in the contract.
pub(super) fn told_name(function: &str) -> &'static str {
    match function {
        "count" => "count",
        "countif" => "countif",
        "dcount" => "distinct",
        "dcountif" => "distinctif",
        "sum" => "sum",
        "sumif" => "sumif",
        "avg" => "avg",
        "avgif" => "avgif",
        "min" => "min",
        "minif" => "minif",
        "max" => "max",
        "maxif" => "maxif",
        "topk" => "topk",
        "topkif" => "topkif",
        "percentile" | "percentiles_array" => "percentiles",
        "percentileif" | "percentiles_arrayif" => "percentilesif",
        "histogram" => "histogram",
        "histogramif" => "histogramif",
        "stdev" => "stdev",
        "stdevif" => "stdevif",
        "variance" => "variance",
        "varianceif" => "varianceif",
        "arg_min" => "argmin",
        "arg_max" => "argmax",
        "rate" => "rate",
        "make_set" => "makeset",
        "make_set_if" => "makesetif",
        "make_list" => "makelist",
        "make_list_if" => "makelistif",
        "phrases" => "phrases",
        "spotlight" => "spotlight",
        "increase" => "increase",
        "histogram_increase" => "histogramincrease",
        "histogram_quantile" => "histogramquantile",
        _ => "computed",
    }
}
