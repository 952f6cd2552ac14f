//! Aggregates that look at texts or at whole rows: the row where a value is greatest or least, the sequences of words in
//! texts, and what distinguishes some rows from the others.

use tidegauge_aggregates as aggregates;
use tidegauge_bind::{Scope, Surroundings};
use tidegauge_exec::expr::Typed;
use tidegauge_exec::words::{conversion, type_names};
use tidegauge_exec::{ARRIVAL_FIELD, Value, functions};
use tidegauge_lang::Span;
use tidegauge_lang::tree::{Expr, ExprKind, Type};
use tidegauge_model::columns::TIME_FIELD;

use super::arguments::{number, told_name};
use super::parts::Parts;
use super::{Calls, Computed, Outcome};
use crate::error::{invalid, invalid_with};
use crate::plan::groups::{PlannedAggregate, Shape, comparable, or_null};
use crate::{AggregateInfo, Result};

/// How many sequences of words are given, where the query does not say.
const PHRASES: i64 = 10;

/// Of more columns of a row, each tells of the value and of itself alone: the names of all beside each are their square.
const TOLD_MAX: usize = 64;

impl Calls {
    /// The row where a value is greatest or least: the value, and what else is asked of the row.
    pub(super) fn arg(&mut self, scope: &mut Scope, name: &str, parts: &Parts<'_>) -> Result<Vec<Outcome>> {
        let Some((by, others)) = parts.arguments.split_first() else {
            return Err(invalid(parts.span, format!("`{}` needs a value", parts.function)));
        };
        let key = scope.bind(by)?;
        let mut wanted: Vec<(String, Value)> = vec![(name.to_owned(), key.clone())];
        for other in others {
            match &other.kind {
                ExprKind::AllFields => {
                    let fields = scope.fields()?;
                    // The value itself is there already, under its own name or with a number.
                    let is_there = |field: &str| field == name || field_name(by).as_deref() == Some(field);
                    wanted.extend(fields.into_iter().filter(|(field, _)| !is_there(field)));
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
        let names: Vec<String> = wanted.iter().map(|(name, _)| name.clone()).collect();
        let told = |fields: Vec<String>| AggregateInfo {
            name: told_name(parts.function),
            fields,
            arguments: Vec::new(),
        };
        let planned = told(names.clone());
        let call = self.add(parts.text(), |name| PlannedAggregate {
            name,
            info: planned,
            function: aggregates::arg_row(is_max, is_first),
            arguments: vec![key, payload],
            shape: Shape::As(Type::Array),
        });
        let outcome = |(place, (name, value)): (usize, (String, Value))| Outcome {
            info: told(match names.len() <= TOLD_MAX {
                true => names.clone(),
                false => vec![names[0].clone(), name.clone()],
            }),
            name,
            of: Computed::Element { call, place, kinds: value.types() },
        };
        Ok(wanted.into_iter().enumerate().map(outcome).collect())
    }

    /// The most frequent sequences of words of a text.
    pub(super) fn phrases(
        &mut self,
        scope: &mut Scope,
        parts: &Parts<'_>,
    ) -> Result<(Computed, AggregateInfo)> {
        let Some(of) = parts.arguments.first() else {
            return Err(invalid(parts.span, "`phrases` needs a text"));
        };
        let value = scope.bind(of)?;
        let is_text = |kind: &Type| matches!(kind, Type::String | Type::Dynamic);
        if !value.is_null() && !value.types().iter().any(is_text) {
            let message = format!("`phrases` looks at texts, and this is {}", type_names(&value));
            return Err(invalid_with(of.span, message, conversion("a string", &value)));
        }
        let wanted = number(scope, parts, parts.arguments.get(1), (1, 10_000), Some(PHRASES))?;
        let info = AggregateInfo {
            name: told_name(parts.function),
            fields: field_name(of).into_iter().collect(),
            arguments: vec![wanted.to_string()],
        };
        let planned = info.clone();
        let notices = &scope.surroundings().notices.clone();
        let text = or_null(value.text()?, Type::String);
        let call = self.add(parts.text(), |name| PlannedAggregate {
            name,
            info: planned,
            function: aggregates::phrases_with(wanted as usize, notices),
            arguments: vec![text],
            shape: Shape::As(Type::Array),
        });
        Ok((Computed::Call(call), info))
    }

    /// What distinguishes the rows that a condition is true for.
    pub(super) fn spotlight(
        &mut self,
        scope: &mut Scope,
        parts: &Parts<'_>,
    ) -> Result<(Computed, AggregateInfo)> {
        let Some((condition, others)) = parts.arguments.split_first() else {
            return Err(invalid(parts.span, "`spotlight` needs a condition"));
        };
        let condition = scope.condition(condition)?;
        let mut fields: Vec<(String, Value)> = Vec::new();
        for other in others {
            match &other.kind {
                ExprKind::AllFields => {
                    // Hardly two events have the same time.
                    let is_time = |name: &str| matches!(name, TIME_FIELD | ARRIVAL_FIELD);
                    fields.extend(scope.fields()?.into_iter().filter(|(name, _)| !is_time(name)));
                }
                _ => {
                    let name = field_name(other).unwrap_or_else(|| tidegauge_lang::print_expression(other));
                    fields.push((name, scope.bind(other)?));
                }
            }
        }
        let names: Vec<String> = fields.iter().map(|(name, _)| name.clone()).collect();
        let values: Vec<Value> = fields.into_iter().map(|(_, value)| with_spans_as_numbers(value)).collect();
        let packed = packed(&values)?;
        let info =
            AggregateInfo { name: told_name(parts.function), fields: names.clone(), arguments: Vec::new() };
        let planned = info.clone();
        let notices = &scope.surroundings().notices.clone();
        let call = self.add(parts.text(), |name| PlannedAggregate {
            name,
            info: planned,
            function: aggregates::spotlight_with(&names, notices),
            arguments: vec![condition, packed],
            shape: Shape::As(Type::Array),
        });
        Ok((Computed::Call(call), info))
    }
}

pub(super) fn field_name(expr: &Expr) -> Option<String> {
    match &expr.kind {
        ExprKind::Field(name) => Some(name.clone()),
        _ => None,
    }
}

/// Timespans are compared by their nanoseconds.
fn with_spans_as_numbers(value: Value) -> Value {
    let as_number = |variant: Typed| match variant.kind {
        Type::Timespan => Typed { kind: Type::Integer, ..variant },
        _ => variant,
    };
    Value { variants: value.variants.into_iter().map(as_number).collect() }
}

/// All values of a row in one JSON array.
pub(super) fn packed(values: &[Value]) -> Result<Typed> {
    let packed =
        functions::call_with_many("pack_array", values, Span::default(), Surroundings::default().around())?;
    let packed = packed.unwrap_or_default();
    let array = packed.of_type(Type::Array).cloned();
    array.ok_or_else(|| invalid(Span::default(), format!("a row cannot be {}", type_names(&packed))))
}
