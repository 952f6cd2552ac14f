//! From one type to another. A value that has no counterpart becomes null.

use std::fmt::Write;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{ArrayRef, Float64Array, Int64Array, StringViewArray};
use tidegauge_lang::tree::Type;

use super::cellwise::{booleans, floats, integers, texts};
use super::digits::{self, Number};
use super::{json, ranks, times};
use crate::error::Result;
use crate::expr::{At, Kernel, Typed, Values};

/// The text of a value as people write it.
pub fn to_text(value: Typed) -> Result<Typed> {
    let kind = value.kind;
    let run: Kernel = match kind {
        Type::String => return Ok(value),
        Type::Boolean => texts(write_boolean),
        Type::Integer => texts(|array, row, text| {
            let _ = write!(text, "{}", array.as_primitive::<Int64Type>().value(row));
        }),
        Type::Float => {
            texts(|array, row, text| json::write_float(array.as_primitive::<Float64Type>().value(row), text))
        }
        Type::Datetime => texts(|array, row, text| {
            times::write_datetime(array.as_primitive::<Int64Type>().value(row), text);
        }),
        Type::Timespan => texts(|array, row, text| {
            times::write_timespan(array.as_primitive::<Int64Type>().value(row), text);
        }),
        Type::Array | Type::Map | Type::LongInteger => {
            return Typed::call(
                "as_text",
                Type::String,
                vec![value],
                Arc::new(|values: &[Values], _| Ok(Arc::clone(values[0].array()))),
            );
        }
        Type::Dynamic => texts(|array, row, text| write_dynamic(array.as_string_view().value(row), text)),
    };
    Typed::call("tostring", Type::String, vec![value], run)
}

/// The text of a dynamic value; null for a number, which its order alone tells apart from others.
pub fn to_text_unless_number(value: Typed) -> Result<Typed> {
    let run: Kernel = Arc::new(|values: &[Values], _| {
        let of = |json: &&str| Number::of_json(json).is_none();
        let texts = values[0].array().as_string_view().iter();
        let texts: StringViewArray = texts.map(|json| json.filter(of).map(json::plain)).collect();
        Ok(Arc::new(texts) as ArrayRef)
    });
    Typed::call("text_unless_number", Type::String, vec![value], run)
}

/// The text of a dynamic value; null for an array, of which the elements are looked at instead.
pub fn to_text_unless_array(value: Typed) -> Result<Typed> {
    let run: Kernel = Arc::new(|values: &[Values], _| {
        let of = |json: &&str| json::elements(json).is_none();
        let texts = values[0].array().as_string_view().iter();
        let texts: StringViewArray = texts.map(|json| json.filter(of).map(dynamic_text)).collect();
        Ok(Arc::new(texts) as ArrayRef)
    });
    Typed::call("text_unless_array", Type::String, vec![value], run)
}

/// The text of a string in JSON is what it says, not how it is quoted, and a float has the text of its own kind.
pub fn write_dynamic(json: &str, text: &mut String) {
    match Number::of_json(json) {
        Some(Number::Float(float)) => json::write_float(float, text),
        _ => json::write_plain(json, text),
    }
}

fn dynamic_text(json: &str) -> String {
    let mut text = String::new();
    write_dynamic(json, &mut text);
    text
}

/// JSON text of a value. Whole floats are written as integers, so that equal numbers have equal texts.
pub fn to_json(value: Typed) -> Result<Typed> {
    let run: Kernel = match value.kind {
        Type::Boolean | Type::Integer => return Ok(Typed { kind: Type::Dynamic, ..to_text(value)? }),
        Type::Float => texts(|array, row, text| {
            json::write_number_key(array.as_primitive::<Float64Type>().value(row), text);
        }),
        Type::String => texts(|array, row, text| json::write_string(array.as_string_view().value(row), text)),
        Type::Datetime => texts(|array, row, text| {
            text.push('"');
            times::write_datetime(array.as_primitive::<Int64Type>().value(row), text);
            text.push('"');
        }),
        Type::Timespan => texts(|array, row, text| {
            text.push('"');
            times::write_timespan(array.as_primitive::<Int64Type>().value(row), text);
            text.push('"');
        }),
        Type::Array | Type::Map | Type::Dynamic | Type::LongInteger => {
            return Ok(Typed { kind: Type::Dynamic, ..value });
        }
    };
    Typed::call("to_json", Type::Dynamic, vec![value], run)
}

/// JSON text of floats that reads back as floats, also of those that are whole.
pub fn float_to_json(value: Typed) -> Result<Typed> {
    let run = texts(|array, row, text| {
        json::write_float_json(array.as_primitive::<Float64Type>().value(row), text);
    });
    Typed::call("float_to_json", Type::Dynamic, vec![value], run)
}

/// A number as a float. Of dynamic values the numbers alone.
pub fn to_float(value: Typed) -> Result<Typed> {
    let run: Kernel = match value.kind {
        Type::Float => return Ok(value),
        Type::Integer | Type::Timespan | Type::Datetime => Arc::new(|values: &[Values], _| {
            let floats: Float64Array =
                values[0].array().as_primitive::<Int64Type>().unary(|value| value as f64);
            Ok(Arc::new(floats) as ArrayRef)
        }),
        Type::Dynamic => floats(|array, row| json::number(array.as_string_view().value(row))),
        Type::LongInteger => floats(|array, row| Some(digits::float(array.as_string_view().value(row)))),
        _ => floats(|_, _| None),
    };
    Typed::call("to_float", Type::Float, vec![value], run)
}

/// What an integer differs by from the float next to it. Zero for what is no integer.
pub fn lost_as_float(integer: Typed) -> Result<Typed> {
    let run: Kernel = Arc::new(|values: &[Values], At { rows, .. }| {
        let array = values[0].clone().into_array(rows)?;
        let lost = array.as_primitive::<Int64Type>().iter().map(|value| value.map_or(0, ranks::lost_digits));
        Ok(Arc::new(lost.map(Some).collect::<Int64Array>()) as ArrayRef)
    });
    Typed::call("lost_as_float", Type::Integer, vec![integer], run)
}

/// Texts in the order of the numbers, exactly: that of the floats, then of the digits they lose.
pub fn rank(number: Typed) -> Result<Typed> {
    let run = match number.kind {
        Type::Integer => texts(|array, row, text| {
            let integer = array.as_primitive::<Int64Type>().value(row);
            ranks::write_rank(integer as f64, ranks::lost_digits(integer), text);
        }),
        _ => texts(|array, row, text| {
            ranks::write_rank(array.as_primitive::<Float64Type>().value(row), 0, text)
        }),
    };
    Typed::call("rank", Type::String, vec![number], run)
}

/// Texts in the order of dynamic values: numbers by their size, and after them all others by their text.
pub fn dynamic_rank(value: Typed) -> Result<Typed> {
    let run = texts(|array, row, text| {
        let json = array.as_string_view().value(row);
        match Number::of_json(json) {
            Some(number) => {
                text.push('0');
                number.write_rank(text);
            }
            None => {
                text.push('1');
                json::write_plain(json, text);
            }
        }
    });
    Typed::call("dynamic_rank", Type::String, vec![value], run)
}

/// Reads a number from whatever it is; texts are parsed.
pub fn parse_float(value: Typed) -> Result<Typed> {
    let run: Kernel = match value.kind {
        Type::Boolean => floats(|array, row| Some(f64::from(u8::from(array.as_boolean().value(row))))),
        Type::String => floats(|array, row| parsed_float(array.as_string_view().value(row))),
        Type::Dynamic => floats(|array, row| {
            let mut text = String::new();
            json::write_plain(array.as_string_view().value(row), &mut text);
            parsed_float(&text)
        }),
        _ => return to_float(value),
    };
    Typed::call("todouble", Type::Float, vec![value], run)
}

/// Reads an integer from whatever it is; floats lose what is behind the point.
pub fn parse_integer(value: Typed) -> Result<Typed> {
    let run: Kernel = match value.kind {
        Type::Integer => return Ok(value),
        Type::Datetime | Type::Timespan => return Ok(Typed { kind: Type::Integer, ..value }),
        Type::Boolean => integers(|array, row| Some(i64::from(array.as_boolean().value(row)))),
        Type::Float => integers(|array, row| truncated(array.as_primitive::<Float64Type>().value(row))),
        Type::String => integers(|array, row| parsed_integer(array.as_string_view().value(row))),
        Type::Array | Type::Map | Type::LongInteger => integers(|_, _| None),
        Type::Dynamic => integers(|array, row| {
            let mut text = String::new();
            json::write_plain(array.as_string_view().value(row), &mut text);
            parsed_integer(&text)
        }),
    };
    Typed::call("tolong", Type::Integer, vec![value], run)
}

/// Reads a boolean from whatever it is.
pub fn parse_boolean(value: Typed) -> Result<Typed> {
    let run: Kernel = match value.kind {
        Type::Boolean => return Ok(value),
        Type::Integer => booleans(|array, row| Some(array.as_primitive::<Int64Type>().value(row) != 0)),
        Type::Float => booleans(|array, row| Some(array.as_primitive::<Float64Type>().value(row) != 0.0)),
        // An integer beyond 64 bits is not zero.
        Type::LongInteger => booleans(|_, _| Some(true)),
        Type::String => booleans(|array, row| parsed_boolean(array.as_string_view().value(row))),
        Type::Dynamic => booleans(|array, row| {
            let mut text = String::new();
            json::write_plain(array.as_string_view().value(row), &mut text);
            parsed_boolean(&text)
        }),
        _ => booleans(|_, _| None),
    };
    Typed::call("tobool", Type::Boolean, vec![value], run)
}

/// Of dynamic values the booleans alone.
pub fn dynamic_to_boolean(value: Typed) -> Result<Typed> {
    let run = booleans(|array, row| match array.as_string_view().value(row).trim() {
        "true" => Some(true),
        "false" => Some(false),
        _ => None,
    });
    Typed::call("to_boolean", Type::Boolean, vec![value], run)
}

/// Floats in which zero has no sign, so that it is one group.
pub fn with_one_zero(value: Typed) -> Result<Typed> {
    let run: Kernel = Arc::new(|values: &[Values], _| {
        let floats: Float64Array = values[0].array().as_primitive::<Float64Type>().unary(|value| value + 0.0);
        Ok(Arc::new(floats) as ArrayRef)
    });
    Typed::call("with_one_zero", Type::Float, vec![value], run)
}

/// Floats that are numbers; what is none becomes null.
pub fn finite(value: Typed) -> Result<Typed> {
    let run = floats(|array, row| {
        Some(array.as_primitive::<Float64Type>().value(row)).filter(|value| value.is_finite())
    });
    Typed::call("finite", Type::Float, vec![value], run)
}

pub fn parsed_float(text: &str) -> Option<f64> {
    let text = text.trim();
    let is_number =
        text.starts_with(|first: char| first.is_ascii_digit() || matches!(first, '-' | '+' | '.'));
    let number: Option<f64> = if is_number { text.parse().ok() } else { None };
    // "-inf" and numbers beyond a float's bounds.
    number.filter(|number| number.is_finite())
}

fn parsed_integer(text: &str) -> Option<i64> {
    let text = text.trim();
    if let Some(digits) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        return i64::from_str_radix(digits, 16).ok();
    }
    text.parse().ok().or_else(|| parsed_float(text).and_then(truncated))
}

pub fn parsed_boolean(text: &str) -> Option<bool> {
    let text = text.trim();
    if text.eq_ignore_ascii_case("true") {
        return Some(true);
    }
    if text.eq_ignore_ascii_case("false") {
        return Some(false);
    }
    parsed_float(text).map(|number| number != 0.0)
}

/// A float without what is behind its point.
pub fn truncated(value: f64) -> Option<i64> {
    // The bounds are exact as floats; beyond them no integer is near.
    let is_inside = (-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(&value);
    is_inside.then_some(value as i64)
}

fn write_boolean(array: &ArrayRef, row: usize, text: &mut String) {
    text.push_str(if array.as_boolean().value(row) { "true" } else { "false" });
}
