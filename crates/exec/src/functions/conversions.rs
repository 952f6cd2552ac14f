//! `tostring`, `toint` and their kin: a value in another type, null where it has no counterpart.

use std::fmt::Write;

use arrow_array::cast::AsArray;
use tidegauge_lang::tree::Type;

use super::call::{Call, Function, function, literal_text};
use super::elements;
use crate::error::Result;
use crate::expr::Typed;
use crate::kernels::{cellwise, convert, json, logic, times};
use crate::value::Value;

pub(super) const FUNCTIONS: &[Function] = &[
    function("toint", 1, 1, |call| each(call, convert::parse_integer)),
    function("tolong", 1, 1, |call| each(call, convert::parse_integer)),
    function("todouble", 1, 1, |call| each(call, convert::parse_float)),
    function("toreal", 1, 1, |call| each(call, convert::parse_float)),
    function("tobool", 1, 1, to_boolean),
    function("toboolean", 1, 1, to_boolean),
    function("tostring", 1, 1, to_string),
    function("todatetime", 1, 1, |call| each(call, to_datetime)),
    function("totimespan", 1, 1, |call| each(call, to_timespan)),
    function("todynamic", 1, 1, |call| each(call, |value| to_dynamic(call, value, false))),
    function("parse_json", 1, 1, |call| each(call, |value| to_dynamic(call, value, true))),
    function("toarray", 1, 1, to_array),
    function("dynamic_to_json", 1, 1, dynamic_to_json),
    function("tohex", 1, 2, to_hex),
];

/// Converts each type that the argument has.
fn each(call: &Call<'_>, convert: impl Fn(Typed) -> Result<Typed>) -> Result<Value> {
    let converted = call.value(0).variants.iter().map(|variant| convert(variant.clone()));
    let converted = logic::first_of(converted.collect::<Result<Vec<Typed>>>()?)?;
    Ok(converted.map(Value::from).unwrap_or_default())
}

/// What cannot be read as a boolean is false, while null stays null.
fn to_boolean(call: &Call<'_>) -> Result<Value> {
    each(call, |value| {
        let is_there = Value::from(value.clone()).exists()?;
        let parsed = logic::known(convert::parse_boolean(value)?)?;
        logic::choose(is_there, parsed, logic::null(Type::Boolean))
    })
}

/// Null is the empty text.
fn to_string(call: &Call<'_>) -> Result<Value> {
    let empty = literal_text("");
    let text = logic::first_of(call.text(0)?.into_iter().chain([empty]).collect())?;
    Ok(text.map(Value::from).unwrap_or_default())
}

/// Numbers are nanoseconds since 1970, which is also what `toint` makes of a time.
fn to_datetime(value: Typed) -> Result<Typed> {
    match value.kind {
        Type::Datetime => Ok(value),
        Type::Integer => Ok(Typed { kind: Type::Datetime, ..value }),
        Type::String => times::parse(value),
        Type::Dynamic => times::parse(convert::to_text(value)?),
        _ => none(value, Type::Datetime),
    }
}

/// Numbers are nanoseconds.
fn to_timespan(value: Typed) -> Result<Typed> {
    let value = match value.kind {
        Type::Timespan => return Ok(value),
        Type::Integer | Type::Float => {
            return Ok(Typed { kind: Type::Timespan, ..convert::parse_integer(value)? });
        }
        Type::String => value,
        Type::Dynamic => convert::to_text(value)?,
        _ => return none(value, Type::Timespan),
    };
    let run = cellwise::integers(|array, row| times::read_timespan(array.as_string_view().value(row)));
    Typed::call("totimespan", Type::Timespan, vec![value], run)
}

/// Nothing, for a type that has no counterpart.
fn none(value: Typed, kind: Type) -> Result<Typed> {
    Typed::call("none", kind, vec![value], cellwise::integers(|_, _| None))
}

/// What a JSON text says. A text that is no JSON stands for itself where that is asked for.
fn to_dynamic(call: &Call<'_>, value: Typed, keeps_text: bool) -> Result<Typed> {
    if value.kind != Type::String {
        return convert::to_json(value);
    }
    let run = call.texts(move |row, text| {
        let source = row.text(0).trim();
        if elements::is_json(source) {
            elements::write_compact(source, text);
            return (text != "null").then_some(());
        }
        keeps_text.then(|| json::write_string(row.text(0), text))
    });
    Typed::call("parse_json", Type::Dynamic, vec![value], run)
}

/// An array as it is, the values of a map, and anything else as the only element.
fn to_array(call: &Call<'_>) -> Result<Value> {
    let run = call.texts(|row, text| {
        let source = row.text(0).trim();
        match source.as_bytes().first()? {
            b'[' => text.push_str(source),
            b'{' => {
                let members = elements::members(source)?;
                elements::write_array(text, members.values(), |value, text| {
                    let _ = write!(text, "{value}");
                });
            }
            _ => elements::write_array(text, [source], |element, text| text.push_str(element)),
        }
        Some(())
    });
    call.result(Type::Array, [call.json(0)?], run)
}

/// JSON with sorted members and without spaces; scalars as `tostring` writes them.
fn dynamic_to_json(call: &Call<'_>) -> Result<Value> {
    let run = call.texts(|row, text| {
        let source = row.text(0);
        if source.starts_with('"') {
            json::write_plain(source, text);
        } else {
            elements::write_canonical(source, text);
        }
        Some(())
    });
    call.result(Type::String, [call.json(0)?], run)
}

/// Hexadecimal digits, at least so many. A negative number is its complement of as many digits as are asked for, or of
/// sixteen if it does not fit.
fn to_hex(call: &Call<'_>) -> Result<Value> {
    const DIGITS: i64 = 16;
    let run = call.texts(|row, text| {
        let (number, digits) = (row.integer(0), row.integer(1).clamp(0, DIGITS));
        let bits = u32::try_from(digits * 4).ok()?;
        let is_short = number < 0 && (1..64).contains(&bits) && number >= -(1_i64 << (bits - 1));
        let number = number as u64;
        let number = if is_short { number & ((1 << bits) - 1) } else { number };
        let _ = write!(text, "{number:0width$x}", width = usize::try_from(digits).ok()?);
        Some(())
    });
    call.result(Type::String, [call.integer(0)?, call.integer_or(1, 0)?], run)
}
