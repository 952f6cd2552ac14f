//! Roots, powers, logarithms and angles. What is no number, such as the root of a negative one, is null. The logarithm
//! of a negative number stays NaN, which answers show as null too.

use std::f64::consts::PI;
use std::sync::Arc;

use arrow_array::Float64Array;
use tidegauge_lang::tree::Type;

use super::call::{Call, Function, function};
use super::gamma::{gamma, log_gamma};
use super::rows;
use crate::error::Result;
use crate::expr::Typed;
use crate::value::Value;

pub(super) const FUNCTIONS: &[Function] = &[
    function("sqrt", 1, 1, |call| of_one(call, f64::sqrt)),
    function("exp", 1, 1, |call| of_one(call, f64::exp)),
    function("exp2", 1, 1, |call| of_one(call, f64::exp2)),
    function("exp10", 1, 1, |call| of_one(call, |x| 10_f64.powf(x))),
    function("log", 1, 1, |call| logarithm(call, f64::ln)),
    function("log2", 1, 1, |call| logarithm(call, f64::log2)),
    function("log10", 1, 1, |call| logarithm(call, f64::log10)),
    function("sin", 1, 1, |call| of_one(call, f64::sin)),
    function("cos", 1, 1, |call| of_one(call, f64::cos)),
    function("tan", 1, 1, |call| of_one(call, f64::tan)),
    function("cot", 1, 1, |call| of_one(call, |x| x.cos() / x.sin())),
    function("asin", 1, 1, |call| of_one(call, f64::asin)),
    function("acos", 1, 1, |call| of_one(call, f64::acos)),
    function("atan", 1, 1, |call| of_one(call, f64::atan)),
    function("degrees", 1, 1, |call| of_one(call, f64::to_degrees)),
    function("radians", 1, 1, |call| of_one(call, f64::to_radians)),
    function("gamma", 1, 1, |call| of_one(call, gamma)),
    function("loggamma", 1, 1, |call| of_one(call, log_gamma)),
    function("atan2", 2, 2, |call| of_two(call, f64::atan2)),
    function("pow", 2, 2, |call| of_two(call, f64::powf)),
    function("pi", 0, 0, |_| Ok(Typed::literal(Type::Float, Arc::new(Float64Array::from(vec![PI]))).into())),
];

fn number(value: f64) -> Option<f64> {
    (!value.is_nan()).then_some(value)
}

fn of_one(call: &Call<'_>, compute: fn(f64) -> f64) -> Result<Value> {
    call.result(Type::Float, [call.float(0)?], rows::floats(move |row| number(compute(row.float(0)))))
}

/// For logarithms, which zero does not have.
fn logarithm(call: &Call<'_>, compute: fn(f64) -> f64) -> Result<Value> {
    let run = rows::floats(move |row| Some(row.float(0)).filter(|x| *x != 0.0).map(compute));
    call.result(Type::Float, [call.float(0)?], run)
}

fn of_two(call: &Call<'_>, compute: fn(f64, f64) -> f64) -> Result<Value> {
    let run = rows::floats(move |row| number(compute(row.float(0), row.float(1))));
    call.result(Type::Float, [call.float(0)?, call.float(1)?], run)
}
