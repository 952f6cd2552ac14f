//! What is computed of the elements that stand at the same place of two series. One of them may also be a number, which
//! then stands at each place. A sum and a quotient end with the shorter series; elsewhere missing elements are null.

use tidegauge_lang::tree::Type;

use super::super::call::{Call, Function, function};
use super::super::elements;
use super::{Number, operand};
use crate::error::Result;
use crate::value::Value;

pub(in crate::functions) const FUNCTIONS: &[Function] = &[
    function("series_add", 2, 2, |call| computed(call, Ends::Shorter, add)),
    function("series_divide", 2, 2, |call| computed(call, Ends::Shorter, divide)),
    function("series_subtract", 2, 2, |call| computed(call, Ends::Longer, subtract)),
    function("series_multiply", 2, 2, |call| computed(call, Ends::Longer, multiply)),
    function("series_pow", 2, 2, |call| computed(call, Ends::Longer, power)),
    function("series_max", 2, 2, |call| computed(call, Ends::Longer, greater)),
    function("series_min", 2, 2, |call| computed(call, Ends::Longer, less)),
    function("series_equals", 2, 2, |call| compared(call, |one, other| one == other)),
    function("series_not_equals", 2, 2, |call| compared(call, |one, other| one != other)),
    function("series_greater", 2, 2, |call| compared(call, |one, other| one > other)),
    function("series_greater_equals", 2, 2, |call| compared(call, |one, other| one >= other)),
    function("series_less", 2, 2, |call| compared(call, |one, other| one < other)),
    function("series_less_equals", 2, 2, |call| compared(call, |one, other| one <= other)),
];

/// Which of two series says how long the result is.
#[derive(Clone, Copy)]
enum Ends {
    Shorter,
    Longer,
}

/// A series, or a number for each of its places.
enum Operand {
    Series(Vec<Option<Number>>),
    Number(Option<Number>),
}

impl Operand {
    fn read(json: &str) -> Self {
        super::numbers(json).map_or_else(|| Self::Number(Number::read(json)), Self::Series)
    }

    fn count(&self) -> Option<usize> {
        match self {
            Self::Series(numbers) => Some(numbers.len()),
            Self::Number(_) => None,
        }
    }

    fn at(&self, place: usize) -> Option<Number> {
        match self {
            Self::Series(numbers) => numbers.get(place).copied().flatten(),
            Self::Number(number) => *number,
        }
    }
}

/// What two operands have at each place. None where neither is a series.
fn pairs(one: &str, other: &str, ends: Ends) -> Option<impl Iterator<Item = Option<(Number, Number)>>> {
    let (one, other) = (Operand::read(one), Operand::read(other));
    let count = match (one.count(), other.count(), ends) {
        (Some(one), Some(other), Ends::Shorter) => one.min(other),
        (Some(one), Some(other), Ends::Longer) => one.max(other),
        (one, other, _) => one.or(other)?,
    };
    Some((0..count).map(move |place| one.at(place).zip(other.at(place))))
}

fn computed(call: &Call<'_>, ends: Ends, compute: fn(Number, Number) -> Number) -> Result<Value> {
    let run = call.texts(move |row, text| {
        let pairs = pairs(row.text(0), row.text(1), ends)?;
        super::write_numbers(text, pairs.map(|pair| pair.map(|(one, other)| compute(one, other))));
        Some(())
    });
    call.result(Type::Array, [operand(call, 0)?, operand(call, 1)?], run)
}

fn compared(call: &Call<'_>, compare: fn(f64, f64) -> bool) -> Result<Value> {
    let run = call.texts(move |row, text| {
        let pairs = pairs(row.text(0), row.text(1), Ends::Longer)?;
        elements::write_array(text, pairs, |pair, text| {
            text.push_str(match pair.map(|(one, other)| compare(one.float(), other.float())) {
                None => "null",
                Some(true) => "true",
                Some(false) => "false",
            });
        });
        Some(())
    });
    call.result(Type::Array, [operand(call, 0)?, operand(call, 1)?], run)
}

/// Integers as long as the result is one of 64 bits, else floats.
fn whole(
    one: Number,
    other: Number,
    of_integers: fn(i64, i64) -> Option<i64>,
    of_floats: fn(f64, f64) -> f64,
) -> Number {
    let integer = match (one, other) {
        (Number::Integer(one), Number::Integer(other)) => of_integers(one, other),
        _ => None,
    };
    integer.map_or_else(|| Number::Float(of_floats(one.float(), other.float())), Number::Integer)
}

fn add(one: Number, other: Number) -> Number {
    whole(one, other, i64::checked_add, |one, other| one + other)
}

fn subtract(one: Number, other: Number) -> Number {
    whole(one, other, i64::checked_sub, |one, other| one - other)
}

fn multiply(one: Number, other: Number) -> Number {
    whole(one, other, i64::checked_mul, |one, other| one * other)
}

fn power(one: Number, other: Number) -> Number {
    let of_integers = |base: i64, exponent: i64| {
        u32::try_from(exponent).ok().and_then(|exponent| base.checked_pow(exponent))
    };
    whole(one, other, of_integers, f64::powf)
}

fn divide(one: Number, other: Number) -> Number {
    Number::Float(one.float() / other.float())
}

fn greater(one: Number, other: Number) -> Number {
    if one.float() >= other.float() { one } else { other }
}

fn less(one: Number, other: Number) -> Number {
    if one.float() <= other.float() { one } else { other }
}
