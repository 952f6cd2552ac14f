//! Aggregates as a text calls them: each call in an expression is planned by itself and leaves its result's name in its
//! place, so that what is computed of results is an expression like any other.

mod arguments;
mod counters;
mod parts;
mod rows;

use std::sync::Arc;

use datafusion_expr::AggregateUDF;
use tidegauge_aggregates as aggregates;
use tidegauge_bind::Scope;
use tidegauge_exec::Value;
use tidegauge_exec::expr::Typed;
use tidegauge_lang::functions;
use tidegauge_lang::tree::{AggregateCall, AggregateFunction, Expr, ExprKind, Literal, Type};

use self::arguments::{condition_of, function_of, masked, settings, told_name};
pub(crate) use self::counters::TEMPORALITY_FIELD;
use self::parts::Parts;
use super::groups::{PlannedAggregate, Shape, info, of_field, or_null};
use crate::error::{invalid, invalid_with};
use crate::{AggregateInfo, Result};

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
                let message = format!("`{function}` gives columns, with which nothing can be computed here");
                return Err(invalid_with(
                    span,
                    message,
                    "compute with its columns in an `extend` after this",
                ));
            }
            let (computed, _) = self.call(scope, &parts)?;
            let field = |call: usize| Expr::new(ExprKind::Field(result_name(call)), span);
            *expr = match computed {
                Computed::Call(call) => field(call),
                Computed::Expr(inner) => inner,
                Computed::Element { call, place, kinds } => {
                    let key = Expr::new(ExprKind::Literal(Literal::Integer(place as i64)), span);
                    let element = ExprKind::Member { of: Box::new(field(call)), key: Box::new(key) };
                    let arguments = vec![Expr::new(element, span)];
                    let function = match kinds.first() {
                        Some(Type::Integer) => "tolong",
                        Some(Type::Timespan) => "totimespan",
                        Some(Type::Datetime) => "todatetime",
                        _ => "toreal",
                    };
                    Expr::new(ExprKind::Call { function: function.to_owned(), arguments }, span)
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
        match parts.function {
            "phrases" => return self.phrases(scope, parts),
            "spotlight" => return self.spotlight(scope, parts),
            "increase" | "histogram_increase" => return self.increase(scope, parts),
            "rate" if parts.arguments.len() > 1 => return self.increase(scope, parts),
            "histogram_quantile" => return self.histogram_quantile(scope, parts),
            _ => {}
        }
        let (base, condition_place) = condition_of(parts);
        let condition = condition_place.and_then(|place| parts.arguments.get(place));
        let condition = condition.map(|expr| scope.condition(expr)).transpose()?;
        let settings: Vec<&Expr> = settings(parts, condition_place);
        let function = function_of(scope, base, parts, &settings)?;
        let of = parts.arguments.first().filter(|_| base != "count" || condition.is_none());
        let mut value = of.map(|of| scope.bind(of)).transpose()?;
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
            ("count", None) => (aggregates::count(), Vec::new(), Shape::As(Type::Integer)),
            (_, Some(value)) if base == "count" => {
                (aggregates::count(), vec![or_null(value.key()?, Type::String)], Shape::As(Type::Integer))
            }
            (_, Some(value)) => {
                let (udf, arguments, shape) =
                    of_field(scope, &call, &function, &spans_as_numbers(base, value))?;
                (of_times(&function, value).unwrap_or(udf), arguments, shape_in_text(base, shape, value))
            }
            (_, None) => return Err(invalid(parts.span, format!("`{}` needs a value", parts.function))),
        };
        let planned_info = told.clone();
        let place = self.add(parts.text(), |name| PlannedAggregate {
            name,
            info: planned_info,
            function: udf,
            arguments,
            shape,
        });
        let computed = match base {
            "percentile" => Computed::Element {
                call: place,
                place: 0,
                kinds: value.iter().map(kind_of_numbers).collect(),
            },
            _ => Computed::Call(place),
        };
        Ok((computed, told))
    }
}

/// A text has zero for the sum of nothing, and percentiles in the type of the values.
fn shape_in_text(base: &str, shape: Shape, value: &Value) -> Shape {
    match shape {
        Shape::As(kind) if base == "sum" => Shape::OrZero(kind),
        Shape::List(_) => Shape::List(kind_of_numbers(value)),
        shape => shape,
    }
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

/// The function for times, where it is another than for their nanoseconds.
fn of_times(function: &AggregateFunction, value: &Value) -> Option<Arc<AggregateUDF>> {
    match function {
        AggregateFunction::Percentiles(wanted) if value.of_type(Type::Datetime).is_some() => {
            Some(aggregates::percentiles_of_times(wanted))
        }
        _ => None,
    }
}

/// The type of numbers that are chosen among those of a value.
fn kind_of_numbers(value: &Value) -> Type {
    let is = |kind: Type| value.of_type(kind).is_some();
    match [Type::Timespan, Type::Datetime].into_iter().find(|kind| is(*kind)) {
        Some(kind) => kind,
        None if is(Type::Integer) && ![Type::Float, Type::Dynamic, Type::LongInteger].into_iter().any(is) => {
            Type::Integer
        }
        None => Type::Float,
    }
}
