//! Sums, products and their kin. Integers stay integers and overflow to null; a division by zero is null.

use std::sync::Arc;

use arrow_array::ArrayRef;
use arrow_array::builder::{Float64Builder, Int64Builder};
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use tidegauge_lang::tree::{BinaryOperator, Type};

use super::{cellwise, convert};
use crate::error::Result;
use crate::expr::{At, Kernel, Typed, Values};

/// Computes with two numbers, times or timespans; none where the types have no such operation.
pub fn binary(left: Typed, right: Typed, operator: BinaryOperator) -> Result<Option<Typed>> {
    use BinaryOperator::{Add, Divide, Modulo, Multiply, Subtract};
    use Type::{Datetime, Float, Integer, Timespan};
    let kind = match (left.kind, operator, right.kind) {
        (Integer, _, Integer) => Integer,
        (Integer | Float, _, Integer | Float) => Float,
        (Datetime, Subtract, Datetime) => Timespan,
        (Datetime, Add | Subtract, Timespan) | (Timespan, Add, Datetime) => Datetime,
        (Timespan, Add | Subtract | Modulo, Timespan) => Timespan,
        (Timespan, Multiply | Divide, Integer) | (Integer, Multiply, Timespan) => Timespan,
        (Timespan, Divide, Timespan) => Float,
        (Timespan, Multiply | Divide, Float) | (Float, Multiply, Timespan) => {
            let (left, right) = (convert::to_float(left)?, convert::to_float(right)?);
            let product = Typed::call(name(operator), Float, vec![left, right], floats(operator))?;
            return Ok(Some(Typed { kind: Timespan, ..convert::parse_integer(product)? }));
        }
        _ => return Ok(None),
    };
    if kind == Float {
        let (left, right) = (convert::to_float(left)?, convert::to_float(right)?);
        return Typed::call(name(operator), Float, vec![left, right], floats(operator)).map(Some);
    }
    Typed::call(name(operator), kind, vec![left, right], integers(operator)).map(Some)
}

/// A number with the other sign.
pub fn negate(value: Typed) -> Result<Typed> {
    let kind = value.kind;
    let run: Kernel = match kind {
        Type::Float => cellwise::floats(|array, row| Some(-array.as_primitive::<Float64Type>().value(row))),
        _ => cellwise::integers(|array, row| array.as_primitive::<Int64Type>().value(row).checked_neg()),
    };
    Typed::call("-", kind, vec![value], run)
}

fn name(operator: BinaryOperator) -> &'static str {
    match operator {
        BinaryOperator::Add => "+",
        BinaryOperator::Subtract => "-",
        BinaryOperator::Multiply => "*",
        BinaryOperator::Divide => "/",
        _ => "%",
    }
}

fn integers(operator: BinaryOperator) -> Kernel {
    let compute = move |left: i64, right: i64| match operator {
        BinaryOperator::Add => left.checked_add(right),
        BinaryOperator::Subtract => left.checked_sub(right),
        BinaryOperator::Multiply => left.checked_mul(right),
        BinaryOperator::Divide => left.checked_div(right),
        // The least number by -1 has a remainder, though it has no quotient.
        _ => (right != 0).then(|| left.wrapping_rem(right)),
    };
    Arc::new(move |values: &[Values], At { rows, .. }| {
        let (left, right) = (&values[0], &values[1]);
        let mut result = Int64Builder::with_capacity(rows);
        for row in 0..rows {
            let is_null = left.is_null(row) || right.is_null(row);
            let at = |values: &Values| values.array().as_primitive::<Int64Type>().value(values.place(row));
            result.append_option(if is_null { None } else { compute(at(left), at(right)) });
        }
        Ok(Arc::new(result.finish()) as ArrayRef)
    })
}

fn floats(operator: BinaryOperator) -> Kernel {
    let compute = move |left: f64, right: f64| match operator {
        BinaryOperator::Add => left + right,
        BinaryOperator::Subtract => left - right,
        BinaryOperator::Multiply => left * right,
        BinaryOperator::Divide => left / right,
        _ => left % right,
    };
    Arc::new(move |values: &[Values], At { rows, .. }| {
        let (left, right) = (&values[0], &values[1]);
        let mut result = Float64Builder::with_capacity(rows);
        for row in 0..rows {
            let is_null = left.is_null(row) || right.is_null(row);
            let at = |values: &Values| values.array().as_primitive::<Float64Type>().value(values.place(row));
            result.append_option(if is_null { None } else { Some(compute(at(left), at(right))) });
        }
        Ok(Arc::new(result.finish()) as ArrayRef)
    })
}
