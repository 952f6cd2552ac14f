//! Aggregates as a text calls them: each call in an expression is planned by itself and leaves its result's name in its
//! place, so that what is computed of results is an expression like any other.

use std::sync::Arc;

use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use tidegauge_lang::Span;
use tidegauge_lang::tree::{AggregateCall, AggregateFunction, Expr, ExprKind, Literal, Type};
use tidegauge_lang::{functions, print_expression};

use super::groups::{PlannedAggregate, Shape, comparable, info, of_field, or_null};
use crate::aggregates;
use crate::bind::{Scope, invalid, type_names};
use crate::expr::Typed;
use crate::functions::logic;
use crate::value::Value;
use crate::{AggregateInfo, Result};

/// How many values a set has, where the query does not say.
const SET_MAX: i64 = 128;
/// How many a list has, and a set with a condition.
const LIST_MAX: i64 = 1_048_576;

/// The calls of a `summarize`, each once.
#[derive(Debug, Default)]
pub(crate) struct Calls {
    pub(crate) aggregates: Vec<PlannedAggregate>,
    texts: Vec<String>,
}

/// One column of the result of a `summarize`.
#[derive(Clone, Debug)]
pub(crate) struct Outcome {
    pub(crate) name: String,
    pub(crate) of: Computed,
    pub(crate) info: AggregateInfo,
}

/// How a column is computed of the results of calls.
#[derive(Clone, Debug)]
pub(crate) enum Computed {
    /// As it is, by the place of the call.
    Call(usize),
    Expr(Expr),
    /// An element of a list, in the types that it had.
    Element {
        call: usize,
        place: usize,
        kinds: Vec<Type>,
    },
}

/// The name of the result of a call.
pub(crate) fn result_name(call: usize) -> String {
    format!("@{call}")
}

/// A call with its arguments.
struct Parts<'a> {
    function: &'a str,
    arguments: &'a [Expr],
    span: Span,
}

impl Calls {
    /// Plans what a named aggregate computes. Some give several columns.
    pub(crate) fn plan(&mut self, scope: &mut Scope, name: &str, expr: &Expr) -> Result<Vec<Outcome>> {
        if let ExprKind::Call { function, arguments } = &expr.kind {
            let parts = Parts { function, arguments, span: expr.span };
            match function.as_str() {
                "arg_max" | "arg_min" => return self.arg(scope, name, &parts),
                function if functions::find_aggregate(function).is_some() => {
                    let (of, info) = self.call(scope, &parts)?;
                    return Ok(vec![Outcome { name: name.to_owned(), of, info }]);
                }
                _ => {}
            }
        }
        let mut computed = expr.clone();
        self.replace(scope, &mut computed)?;
        let info = AggregateInfo { name: "computed", fields: Vec::new(), arguments: Vec::new() };
        Ok(vec![Outcome { name: name.to_owned(), of: Computed::Expr(computed), info }])
    }

    /// Puts the names of results in the place of calls.
    fn replace(&mut self, scope: &mut Scope, expr: &mut Expr) -> Result<()> {
        let span = expr.span;
        if let ExprKind::Call { function, arguments } = &expr.kind
            && functions::find_aggregate(function).is_some()
        {
            let parts = Parts { function, arguments, span };
            if matches!(function.as_str(), "arg_max" | "arg_min") {
                return Err(invalid(
                    span,
                    format!("`{function}` gives columns, with which nothing can be computed here"),
                ));
            }
            let (computed, _) = self.call(scope, &parts)?;
            let field = |call: usize| Expr::new(ExprKind::Field(result_name(call)), span);
            *expr = match computed {
                Computed::Call(call) => field(call),
                Computed::Expr(inner) => inner,
                Computed::Element { call, place, .. } => {
                    let key = Expr::new(ExprKind::Literal(Literal::Integer(place as i64)), span);
                    let element = ExprKind::Member { of: Box::new(field(call)), key: Box::new(key) };
                    let arguments = vec![Expr::new(element, span)];
                    Expr::new(ExprKind::Call { function: "toreal".to_owned(), arguments }, span)
                }
            };
            return Ok(());
        }
        for child in expr.children_mut() {
            self.replace(scope, child)?;
        }
        Ok(())
    }

    /// Keeps an aggregate; one that is called twice is computed once.
    fn add(&mut self, text: String, planned: impl FnOnce(String) -> PlannedAggregate) -> usize {
        match self.texts.iter().position(|known| *known == text) {
            Some(place) => place,
            None => {
                let place = self.aggregates.len();
                self.aggregates.push(planned(result_name(place)));
                self.texts.push(text);
                place
            }
        }
    }

    fn call(&mut self, scope: &mut Scope, parts: &Parts<'_>) -> Result<(Computed, AggregateInfo)> {
        let (base, condition) = condition_of(parts);
        let condition = match condition {
            Some(place) => match parts.arguments.get(place) {
                Some(expr) => Some(scope.condition(expr)?),
                None => None,
            },
            None => None,
        };
        let settings: Vec<&Expr> = settings(parts, condition_of(parts).1);
        let function = function_of(scope, base, parts, &settings)?;
        let of = parts.arguments.first().filter(|_| base != "count" || condition.is_none());
        let mut value = match of {
            Some(of) => Some(scope.bind(of)?),
            None => None,
        };
        if let Some(condition) = &condition {
            value = Some(match value {
                Some(value) => masked(&value, condition)?,
                None => masked(&Value::literal(&Literal::Integer(1)), condition)?,
            });
        }
        let call = AggregateCall { function: function.clone(), of: of.cloned(), span: parts.span };
        let mut told = info(&call);
        told.name = told_name(parts.function);
        let (udf, arguments, shape) = match (parts.function, &value) {
            ("phrases" | "spotlight", _) => self.of_rows(scope, parts, &settings)?,
            ("count", None) => (aggregates::count(), Vec::new(), Shape::As(Type::Integer)),
            (_, Some(value)) if base == "count" => {
                (aggregates::count(), vec![or_null(value.key()?, Type::String)], Shape::As(Type::Integer))
            }
            (_, Some(value)) => of_field(scope, &call, &function, &spans_as_numbers(base, value))?,
            (_, None) => return Err(invalid(parts.span, format!("`{}` needs a value", parts.function))),
        };
        let text = print_expression(&Expr::new(
            ExprKind::Call { function: parts.function.to_owned(), arguments: parts.arguments.to_vec() },
            parts.span,
        ));
        let planned_info = told.clone();
        let place = self.add(text, |name| PlannedAggregate {
            name,
            info: planned_info,
            function: udf,
            arguments,
            shape,
        });
        let computed = match base {
            "sum" => or_zero(place, shape, parts.span),
            "percentile" => {
                let kinds = value.map(|value| value.types()).unwrap_or_default();
                let kind = kinds.into_iter().find(|kind| matches!(kind, Type::Datetime | Type::Timespan));
                Computed::Element { call: place, place: 0, kinds: vec![kind.unwrap_or(Type::Float)] }
            }
            _ => Computed::Call(place),
        };
        Ok((computed, told))
    }

    /// The row where a value is greatest or least: the value, and what else is asked of the row.
    fn arg(&mut self, scope: &mut Scope, name: &str, parts: &Parts<'_>) -> Result<Vec<Outcome>> {
        let Some((by, others)) = parts.arguments.split_first() else {
            return Err(invalid(parts.span, format!("`{}` needs a value", parts.function)));
        };
        let key = scope.bind(by)?;
        let mut wanted: Vec<(String, Value)> = vec![(name.to_owned(), key.clone())];
        for other in others {
            match &other.kind {
                ExprKind::AllFields => {
                    let fields = scope.fields()?;
                    wanted.extend(fields.into_iter().filter(|(field, _)| field != name));
                }
                ExprKind::Named { name, value } => wanted.push((name.clone(), scope.bind(value)?)),
                ExprKind::Field(field) => wanted.push((field.clone(), scope.bind(other)?)),
                _ => {
                    let number = wanted.len();
                    wanted.push((format!("Column{number}"), scope.bind(other)?));
                }
            }
        }
        let values: Vec<Value> = wanted.iter().map(|(_, value)| value.clone()).collect();
        let payload = packed(&values)?;
        let is_max = parts.function == "arg_max";
        // The events of a dataset are read in no order.
        let is_first = !scope.is_of_dataset();
        let key = or_null(comparable(&key)?, Type::Float);
        let told = AggregateInfo {
            name: told_name(parts.function),
            fields: wanted.iter().map(|(name, _)| name.clone()).collect(),
            arguments: Vec::new(),
        };
        let arguments = print_expression(&Expr::new(
            ExprKind::Call { function: parts.function.to_owned(), arguments: parts.arguments.to_vec() },
            parts.span,
        ));
        let planned = told.clone();
        let call = self.add(arguments, |name| PlannedAggregate {
            name,
            info: planned,
            function: aggregates::arg_row(is_max, is_first),
            arguments: vec![key, payload],
            shape: Shape::As(Type::Array),
        });
        let outcome = |(place, (name, value)): (usize, (String, Value))| Outcome {
            name,
            of: Computed::Element { call, place, kinds: value.types() },
            info: told.clone(),
        };
        Ok(wanted.into_iter().enumerate().map(outcome).collect())
    }

    /// Aggregates that look at texts or at whole rows.
    fn of_rows(
        &mut self,
        scope: &mut Scope,
        parts: &Parts<'_>,
        _: &[&Expr],
    ) -> Result<(Arc<datafusion_expr::AggregateUDF>, Vec<Typed>, Shape)> {
        let _ = scope;
        Err(invalid(parts.span, format!("`{}` cannot be run yet", parts.function)))
    }
}

/// The aggregate without its condition, and the place of the condition among the arguments.
fn condition_of<'a>(parts: &Parts<'a>) -> (&'a str, Option<usize>) {
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
fn settings<'a>(parts: &Parts<'a>, condition: Option<usize>) -> Vec<&'a Expr> {
    let others = parts.arguments.iter().enumerate().skip(1);
    others.filter(|(place, _)| Some(*place) != condition).map(|(_, argument)| argument).collect()
}

fn function_of(
    scope: &mut Scope,
    base: &str,
    parts: &Parts<'_>,
    settings: &[&Expr],
) -> Result<AggregateFunction> {
    use AggregateFunction as F;
    let mut number = |least: i64, most: i64, default: Option<i64>| -> Result<u32> {
        let Some(setting) = settings.first() else {
            let default = default
                .ok_or_else(|| invalid(parts.span, format!("`{}` needs a number as well", parts.function)))?;
            return Ok(u32::try_from(default).unwrap_or(u32::MAX));
        };
        let value = integer(scope, setting)?;
        match value {
            Some(value) if (least..=most).contains(&value) => Ok(u32::try_from(value).unwrap_or(u32::MAX)),
            _ => Err(invalid(setting.span, format!("a whole number from {least} to {most} must stand here"))),
        }
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
        "make_set" => {
            let default = if parts.function == "make_set" { SET_MAX } else { LIST_MAX };
            F::MakeSet(number(0, LIST_MAX, Some(default))?)
        }
        "percentile" | "percentiles_array" => F::Percentiles(percents(scope, settings, parts)?),
        _ => F::Count,
    })
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
            return Err(invalid(setting.span, "percentiles are numbers from 0 to 100"));
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
fn masked(value: &Value, condition: &Typed) -> Result<Value> {
    let mut variants = Vec::with_capacity(value.variants.len());
    for variant in &value.variants {
        variants.push(logic::choose(condition.clone(), variant.clone(), logic::null(variant.kind))?);
    }
    Ok(Value { variants })
}

/// Percentiles of times and timespans are those of their nanoseconds.
fn spans_as_numbers(base: &str, value: &Value) -> Value {
    let is_number = matches!(base, "percentile" | "percentiles_array" | "stdev" | "variance" | "histogram");
    let span = [Type::Timespan, Type::Datetime].into_iter().find_map(|kind| value.of_type(kind));
    match span.filter(|_| is_number) {
        Some(span) => Typed { kind: Type::Integer, ..span.clone() }.into(),
        None => value.clone(),
    }
}

/// A sum, which is zero where there is nothing to sum.
fn or_zero(call: usize, shape: Shape, span: Span) -> Computed {
    let zero = match shape {
        Shape::As(Type::Float) => Literal::Float(0.0),
        Shape::As(Type::Timespan) => Literal::Timespan(0),
        _ => Literal::Integer(0),
    };
    let sum = Expr::new(ExprKind::Field(result_name(call)), span);
    let arguments = vec![sum, Expr::new(ExprKind::Literal(zero), span)];
    Computed::Expr(Expr::new(ExprKind::Call { function: "coalesce".to_owned(), arguments }, span))
}

/// All values of a row in one JSON array.
fn packed(values: &[Value]) -> Result<Typed> {
    let packed = crate::functions::library::call_with_many("pack_array", values, Span::default(), 0)?;
    let packed = packed.unwrap_or_default();
    let array = packed.of_type(Type::Array).cloned();
    array.ok_or_else(|| invalid(Span::default(), format!("a row cannot be {}", type_names(&packed))))
}

/// The name of an aggregate in the contract.
fn told_name(function: &str) -> &'static str {
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
        _ => "computed",
    }
}
