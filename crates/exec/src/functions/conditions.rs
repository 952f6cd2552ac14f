//! Choices between values, and whether there is one. A choice keeps the types of what is chosen from; integers become
//! floats where floats stand beside them, but for those that no float is equal to.

use arrow_array::ArrayRef;
use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use tidegauge_lang::tree::Type;

use super::call::{Call, Function, MANY, function};
use super::rows;
use crate::error::Result;
use crate::expr::Typed;
use crate::kernels::cellwise::{floats, integers};
use crate::kernels::ranks::lost_digits;
use crate::kernels::{convert, logic};
use crate::value::Value;

pub(super) const FUNCTIONS: &[Function] = &[
    function("iff", 3, 3, iff),
    function("iif", 3, 3, iff),
    function("case", 3, MANY, case),
    function("coalesce", 1, MANY, coalesce),
    function("not", 1, 1, |call| Ok(logic::not(call.condition(0)?)?.into())),
    function("isnull", 1, 1, |call| Ok(logic::not(call.value(0).exists()?)?.into())),
    function("isnotnull", 1, 1, |call| Ok(call.value(0).exists()?.into())),
    function("notnull", 1, 1, |call| Ok(call.value(0).exists()?.into())),
    function("isempty", 1, 1, |call| Ok(logic::not(is_not_empty(call.value(0))?)?.into())),
    function("isnotempty", 1, 1, |call| Ok(is_not_empty(call.value(0))?.into())),
    function("notempty", 1, 1, |call| Ok(is_not_empty(call.value(0))?.into())),
];

fn iff(call: &Call<'_>) -> Result<Value> {
    let values = of_one_number_type(&call.arguments[1..])?;
    chosen(&call.condition(0)?, &values[0], &values[1])
}

/// Pairs of a condition and a value, with the value for the rest behind them.
fn case(call: &Call<'_>) -> Result<Value> {
    if call.count().is_multiple_of(2) {
        let message = "`case` takes pairs of a condition and a value, and a last value for the rest";
        return Err(call.invalid(message, "write `case(x > 0, \"more\", x < 0, \"less\", \"none\")`"));
    }
    let places: Vec<usize> = (0..call.count() - 1).step_by(2).collect();
    let values = places
        .iter()
        .map(|place| call.value(place + 1).clone())
        .chain([call.value(call.count() - 1).clone()]);
    let mut values = of_one_number_type(&values.collect::<Vec<Value>>())?;
    let mut result = values.pop().unwrap_or_default();
    for place in places.into_iter().rev() {
        result = chosen(&call.condition(place)?, &values.pop().unwrap_or_default(), &result)?;
    }
    Ok(result)
}

/// The first value that is there. Of texts the first that is not empty; the last stands even if it is.
fn coalesce(call: &Call<'_>) -> Result<Value> {
    let mut values = of_one_number_type(call.arguments)?;
    values.retain(|value| !value.is_null());
    let mut result = values.pop().unwrap_or_default();
    for value in values.into_iter().rev() {
        result = match (value.variants.as_slice(), result.variants.as_slice()) {
            ([one], [other])
                if one.kind == other.kind && !matches!(one.kind, Type::String | Type::Dynamic) =>
            {
                let first = logic::first_of(vec![one.clone(), other.clone()])?;
                first.map(Value::from).unwrap_or_default()
            }
            _ => chosen(&is_not_empty(&value)?, &value, &result)?,
        };
    }
    Ok(result)
}

/// Whether a value is there and is not the empty text.
fn is_not_empty(value: &Value) -> Result<Typed> {
    let mut parts = Vec::new();
    for variant in &value.variants {
        let run = match variant.kind {
            Type::String => rows::booleans_of_all(|row| !row.is_null(0) && !row.text(0).is_empty()),
            Type::Dynamic => rows::booleans_of_all(|row| !row.is_null(0) && row.text(0).trim() != "\"\""),
            _ => {
                parts.push(Value::from(variant.clone()).exists()?);
                continue;
            }
        };
        parts.push(Typed::call("isnotempty", Type::Boolean, vec![variant.clone()], run)?);
    }
    Ok(if parts.is_empty() { logic::constant(false) } else { Typed::any(parts) })
}

/// One value where a condition is true, the other elsewhere, in each type that one of them has.
fn chosen(condition: &Typed, then: &Value, otherwise: &Value) -> Result<Value> {
    let mut kinds = then.types();
    kinds.extend(otherwise.types().into_iter().filter(|kind| then.of_type(*kind).is_none()));
    let of = |value: &Value, kind: Type| value.of_type(kind).cloned().unwrap_or_else(|| logic::null(kind));
    let variants =
        kinds.into_iter().map(|kind| logic::choose(condition.clone(), of(then, kind), of(otherwise, kind)));
    Ok(Value { variants: variants.collect::<Result<Vec<Typed>>>()? })
}

/// The values with floats instead of integers if one of them has floats. Integers that are no floats stay what they are.
fn of_one_number_type(values: &[Value]) -> Result<Vec<Value>> {
    let has = |kind: Type| values.iter().any(|value| value.of_type(kind).is_some());
    if !has(Type::Integer) || !has(Type::Float) {
        return Ok(values.to_vec());
    }
    values.iter().map(with_floats).collect()
}

fn with_floats(value: &Value) -> Result<Value> {
    let Some(integer) = value.of_type(Type::Integer) else { return Ok(value.clone()) };
    let is_known = integer.as_literal().is_some_and(|literal| {
        literal.as_primitive::<Int64Type>().iter().flatten().all(|number| lost_digits(number) == 0)
    });
    let (float, rest) = match is_known {
        true => (convert::to_float(integer.clone())?, None),
        false => {
            let number = |array: &ArrayRef, row: usize| array.as_primitive::<Int64Type>().value(row);
            let of_float = floats(move |array, row| {
                Some(number(array, row))
                    .filter(|number| lost_digits(*number) == 0)
                    .map(|number| number as f64)
            });
            let of_rest = integers(move |array, row| {
                Some(number(array, row)).filter(|number| lost_digits(*number) != 0)
            });
            let parts = vec![integer.clone()];
            (
                Typed::call("integer_as_float", Type::Float, parts.clone(), of_float)?,
                Some(Typed::call("integer_beyond_float", Type::Integer, parts, of_rest)?),
            )
        }
    };
    let floats = value.of_type(Type::Float).cloned().into_iter().chain([float]).collect();
    let is_other = |variant: &&Typed| !matches!(variant.kind, Type::Integer | Type::Float);
    let others = value.variants.iter().filter(is_other).cloned();
    Ok(Value { variants: logic::first_of(floats)?.into_iter().chain(rest).chain(others).collect() })
}
