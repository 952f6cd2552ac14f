//! Numbers and times cut to steps.

use tidegauge_lang::tree::Type;

use super::call::{Call, Function, function};
use super::rows;
use crate::error::Result;
use crate::kernels::convert;
use crate::value::Value;

pub(super) const FUNCTIONS: &[Function] = &[
    function("bin", 2, 2, bin),
    function("floor", 1, 1, |call| whole(call, f64::floor)),
    function("ceiling", 1, 1, |call| whole(call, f64::ceil)),
    function("round", 1, 2, round),
];

/// The greatest multiple of a size that is not above the value. Those of times count from 1970.
fn bin(call: &Call<'_>) -> Result<Value> {
    // Of what is null in every row it is not known whether it is a time or a number.
    if call.value(0).is_null() {
        return Ok(Value::NULL);
    }
    let own = [Type::Datetime, Type::Timespan].into_iter().find_map(|kind| call.value(0).of_type(kind));
    if let Some(time) = own {
        // The first step of times begins with the first time that there is, as it does for groups over time.
        let run = rows::integers(|row| {
            let (value, size) = (row.integer(0), row.integer(1));
            if size <= 0 { None } else { Some(value.div_euclid(size).saturating_mul(size)) }
        });
        return call.result(time.kind, [Some(time.clone()), call.timespan(1)?], run);
    }
    let run = rows::integers(|row| {
        let (value, size) = (row.integer(0), row.integer(1));
        if size <= 0 { None } else { value.div_euclid(size).checked_mul(size) }
    });
    let (value, size) = (call.number(0)?, call.number(1)?);
    let Some((value, size)) = value.zip(size) else { return Ok(Value::NULL) };
    if value.kind == Type::Integer && size.kind == Type::Integer {
        return call.result(Type::Integer, [Some(value), Some(size)], run);
    }
    let run = rows::floats(|row| {
        let (value, size) = (row.float(0), row.float(1));
        Some((value / size).floor() * size).filter(|step| size > 0.0 && step.is_finite())
    });
    call.result(Type::Float, [Some(convert::to_float(value)?), Some(convert::to_float(size)?)], run)
}

/// As an integer; null where no integer is near.
fn whole(call: &Call<'_>, round: fn(f64) -> f64) -> Result<Value> {
    let number = call.number(0)?;
    if number.as_ref().is_some_and(|number| number.kind == Type::Integer) {
        return Ok(number.map(Value::from).unwrap_or_default());
    }
    let run = rows::integers(move |row| convert::truncated(round(row.float(0))));
    call.result(Type::Integer, [number], run)
}

/// To so many digits behind the point, or in front of it where they are negative. Halves go away from zero.
fn round(call: &Call<'_>) -> Result<Value> {
    let run = rows::floats(|row| {
        let (number, digits) = (row.float(0), row.integer(1));
        // No float has digits behind the first of these places, nor in front of the second.
        if digits > 400 || number.is_nan() {
            return Some(number).filter(|number| !number.is_nan());
        }
        if digits < -308 {
            return Some(0.0);
        }
        let scale = 10_f64.powi(i32::try_from(digits.unsigned_abs()).ok()?);
        let is_in_front = digits < 0;
        let rounded =
            if is_in_front { (number / scale).round() * scale } else { (number * scale).round() / scale };
        // Where the scaled number is too large, no digit was there to be rounded.
        Some(if rounded.is_finite() { rounded } else { number })
    });
    call.result(Type::Float, [call.float(0)?, call.integer_or(1, 0)?], run)
}
