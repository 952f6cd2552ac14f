//! Numbers beside each other: amounts, signs, least and greatest, and ranges of them.

use std::fmt::Write;
use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray};
use arrow_ord::cmp;
use tidegauge_lang::tree::Type;

use super::calendar::HOUR;
use super::call::{Call, Function, MANY, function, literal_integer};
use super::elements;
use super::rows;
use crate::error::Result;
use crate::expr::{At, Typed, Values};
use crate::kernels::{convert, json, times};
use crate::notices::Message;
use crate::notices::Notices;
use crate::value::Value;

pub(super) const FUNCTIONS: &[Function] = &[
    function("abs", 1, 1, abs),
    function("sign", 1, 1, sign),
    function("isnan", 1, 1, |call| is(call, f64::is_nan)),
    function("isinf", 1, 1, |call| is(call, f64::is_infinite)),
    function("isfinite", 1, 1, |call| is(call, f64::is_finite)),
    function("min_of", 1, MANY, |call| extreme(call, true)),
    function("max_of", 1, MANY, |call| extreme(call, false)),
    function("range", 2, 3, range),
];

/// The most elements that a range has.
const RANGE_MAX: usize = 1 << 20;

const RANGE_CUT: Message = Message::Cut { function: "range", limit: RANGE_MAX as u64, unit: "elements" };

/// A number or a timespan, whichever it is.
fn amount(call: &Call<'_>, place: usize) -> Result<Option<Typed>> {
    let timespan = call.value(place).of_type(Type::Timespan).cloned();
    let number = if timespan.is_some() { timespan } else { call.value(place).number()? };
    call.required(place, number, "a number or a timespan")
}

fn abs(call: &Call<'_>) -> Result<Value> {
    let amount = amount(call, 0)?;
    match amount.as_ref().map(|amount| amount.kind) {
        Some(Type::Float) => call.result(Type::Float, [amount], rows::floats(|row| Some(row.float(0).abs()))),
        Some(kind) => call.result(kind, [amount], rows::integers(|row| row.integer(0).checked_abs())),
        None => Ok(Value::NULL),
    }
}

fn sign(call: &Call<'_>) -> Result<Value> {
    let amount = amount(call, 0)?;
    match amount.as_ref().map(|amount| amount.kind) {
        Some(Type::Float) => {
            let run = rows::integers(|row| {
                let number = row.float(0);
                (!number.is_nan()).then(|| i64::from(number > 0.0) - i64::from(number < 0.0))
            });
            call.result(Type::Integer, [amount], run)
        }
        Some(_) => call.result(Type::Integer, [amount], rows::integers(|row| Some(row.integer(0).signum()))),
        None => Ok(Value::NULL),
    }
}

fn is(call: &Call<'_>, test: fn(f64) -> bool) -> Result<Value> {
    call.result(Type::Boolean, [call.float(0)?], rows::booleans(move |row| Some(test(row.float(0)))))
}

/// The least or the greatest argument. Nulls are passed over.
fn extreme(call: &Call<'_>, is_least: bool) -> Result<Value> {
    let places: Vec<usize> = (0..call.count()).filter(|place| !call.value(*place).is_null()).collect();
    let Some(first) = places.first() else { return Ok(Value::NULL) };
    let own = [Type::Datetime, Type::Timespan, Type::String]
        .into_iter()
        .find(|kind| call.value(*first).of_type(*kind).is_some());
    let mut parts = Vec::new();
    for place in places {
        let value = call.value(place);
        let (part, what) = match own {
            Some(Type::Datetime) => (value.datetime(), "a datetime like the first"),
            Some(Type::Timespan) => (value.of_type(Type::Timespan).cloned(), "a timespan like the first"),
            Some(_) => (value.of_type(Type::String).cloned(), "a string like the first"),
            None => (value.number()?, "a number"),
        };
        parts.extend(call.required(place, part, what)?);
    }
    if parts.iter().any(|part| part.kind == Type::Float) {
        parts = parts.into_iter().map(convert::to_float).collect::<Result<Vec<Typed>>>()?;
    }
    let kind = parts[0].kind;
    let run = move |values: &[Values], At { rows, .. }: At<'_>| {
        let mut best = values[0].clone().into_array(rows)?;
        for value in &values[1..] {
            best = better(&best, &value.clone().into_array(rows)?, is_least)?;
        }
        Ok(best)
    };
    Ok(Typed::call(call.name, kind, parts, Arc::new(run))?.into())
}

fn better(one: &ArrayRef, other: &ArrayRef, is_least: bool) -> Result<ArrayRef> {
    let is_better = if is_least { cmp::lt_eq(one, other) } else { cmp::gt_eq(one, other) }?;
    // Unknown is the order where one of them is null: then the other one stands.
    let is_other_null: BooleanArray = arrow_arith::boolean::is_null(other)?;
    let is_known = crate::expr::true_bits(&is_better);
    let takes_one = BooleanArray::new(&is_known | is_other_null.values(), None);
    Ok(arrow_select::zip::zip(&takes_one, one, other)?)
}

/// From a start to a stop, both within: numbers, times or timespans.
fn range(call: &Call<'_>) -> Result<Value> {
    if let Some(start) = call.value(0).datetime() {
        return stepped(call, start, call.datetime(1)?, times::write_datetime);
    }
    if let Some(start) = call.value(0).of_type(Type::Timespan).cloned() {
        return stepped(call, start, call.timespan(1)?, times::write_timespan);
    }
    let (start, stop) = (call.number(0)?, call.number(1)?);
    let step = if call.count() == 3 { call.number(2)? } else { Some(literal_integer(1)) };
    let is_float = [&start, &stop, &step].into_iter().flatten().any(|number| number.kind == Type::Float);
    if !is_float {
        let notices = call.notices.clone();
        let run = call.texts(move |row, text| {
            let write = |value: i64, text: &mut String| {
                let _ = write!(text, "{value}");
            };
            write_steps([0, 1, 2].map(|place| row.integer(place)), write, text, &notices)
        });
        return call.result(Type::Array, [start, stop, step], run);
    }
    let float = |number: Option<Typed>| number.map(convert::to_float).transpose();
    let notices = call.notices.clone();
    let run = call.texts(move |row, text| {
        let (start, stop, step) = (row.float(0), row.float(1), row.float(2));
        let count = ((stop - start) / step).floor();
        let is_there = count >= 0.0 && step != 0.0;
        let count = if is_there { (count as usize).saturating_add(1) } else { 0 };
        if count > RANGE_MAX {
            notices.tell(RANGE_CUT);
        }
        let count = count.min(RANGE_MAX);
        let elements = (0..count).map(|place| start + step * place as f64);
        elements::write_array(text, elements, json::write_number_key);
        Some(())
    });
    call.result(Type::Array, [float(start)?, float(stop)?, float(step)?], run)
}

/// A range whose elements are written as texts. An hour apart if nothing else is said.
fn stepped(call: &Call<'_>, start: Typed, stop: Option<Typed>, write: fn(i64, &mut String)) -> Result<Value> {
    let step = if call.count() == 3 { call.timespan(2)? } else { Some(literal_integer(HOUR)) };
    let notices = call.notices.clone();
    let run = call.texts(move |row, text| {
        let quoted = |value: i64, text: &mut String| {
            text.push('"');
            write(value, text);
            text.push('"');
        };
        write_steps([0, 1, 2].map(|place| row.integer(place)), quoted, text, &notices)
    });
    call.result(Type::Array, [Some(start), stop, step], run)
}

fn write_steps(
    [start, stop, step]: [i64; 3],
    write: impl Fn(i64, &mut String),
    text: &mut String,
    notices: &Notices,
) -> Option<()> {
    if step == 0 {
        return None;
    }
    let is_within = |value: &i64| if step > 0 { *value <= stop } else { *value >= stop };
    let values = std::iter::successors(Some(start), |value| value.checked_add(step));
    let mut values = values.take_while(is_within);
    elements::write_array(text, values.by_ref().take(RANGE_MAX), write);
    if values.next().is_some() {
        notices.tell(RANGE_CUT);
    }
    Some(())
}
