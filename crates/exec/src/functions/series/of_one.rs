//! What is computed of each element of one series.

use tidegauge_lang::tree::Type;

use super::super::call::{Call, Function, function};
use super::Number;
use crate::error::Result;
use crate::value::Value;

pub(in crate::functions) const FUNCTIONS: &[Function] = &[
    function("series_abs", 1, 1, |call| of_each(call, abs)),
    function("series_sign", 1, 1, |call| of_each(call, sign)),
    function("series_ceiling", 1, 1, |call| of_float(call, f64::ceil)),
    function("series_floor", 1, 1, |call| of_float(call, f64::floor)),
    function("series_exp", 1, 1, |call| of_float(call, f64::exp)),
    function("series_log", 1, 1, |call| of_float(call, f64::ln)),
    function("series_sin", 1, 1, |call| of_float(call, f64::sin)),
    function("series_cos", 1, 1, |call| of_float(call, f64::cos)),
    function("series_tan", 1, 1, |call| of_float(call, f64::tan)),
    function("series_asin", 1, 1, |call| of_float(call, f64::asin)),
    function("series_acos", 1, 1, |call| of_float(call, f64::acos)),
    function("series_atan", 1, 1, |call| of_float(call, f64::atan)),
];

fn of_each(
    call: &Call<'_>,
    compute: impl Fn(Number) -> Number + Copy + Send + Sync + 'static,
) -> Result<Value> {
    let run = call.texts(move |row, text| {
        let numbers = super::numbers(row.text(0))?;
        super::write_numbers(text, numbers.into_iter().map(|number| number.map(compute)));
        Some(())
    });
    call.result(Type::Array, [super::series(call, 0)?], run)
}

fn of_float(call: &Call<'_>, compute: fn(f64) -> f64) -> Result<Value> {
    of_each(call, move |number| Number::Float(compute(number.float())))
}

fn abs(number: Number) -> Number {
    match number {
        Number::Integer(integer) => {
            integer.checked_abs().map_or(Number::Float((integer as f64).abs()), Number::Integer)
        }
        Number::Float(float) => Number::Float(float.abs()),
    }
}

fn sign(number: Number) -> Number {
    let float = number.float();
    Number::Integer(i64::from(float > 0.0) - i64::from(float < 0.0))
}
