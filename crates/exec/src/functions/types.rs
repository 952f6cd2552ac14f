//! What type a value has, row by row, and texts that are numbers of a kind: cards and devices.

use tidegauge_lang::tree::Type;

use super::call::{Call, Function, function, literal_text};
use super::rows;
use crate::error::Result;
use crate::expr::Typed;
use crate::kernels::logic;
use crate::value::Value;

pub(super) const FUNCTIONS: &[Function] = &[
    function("gettype", 1, 1, get_type),
    function("isbool", 1, 1, |call| is_of(call, &["bool"])),
    function("isstring", 1, 1, |call| is_of(call, &["string"])),
    function("isint", 1, 1, |call| is_of(call, &["long"])),
    function("isreal", 1, 1, |call| is_of(call, &["real"])),
    function("isarray", 1, 1, |call| is_of(call, &["array"])),
    function("ismap", 1, 1, |call| is_of(call, &["dictionary"])),
    function("isutf8", 1, 1, |call| is_of(call, &["string"])),
    function("iscc", 1, 1, |call| is_number_of(call, 12..=19)),
    function("isimei", 1, 1, |call| is_number_of(call, 15..=15)),
];

/// The name of a type; of dynamic values it is told by the value.
fn name(kind: Type) -> Option<&'static str> {
    Some(match kind {
        Type::Boolean => "bool",
        Type::Integer | Type::LongInteger => "long",
        Type::Float => "real",
        Type::String => "string",
        Type::Datetime => "datetime",
        Type::Timespan => "timespan",
        Type::Array => "array",
        Type::Map => "dictionary",
        Type::Dynamic => return None,
    })
}

/// The name of the type that a JSON text has.
fn name_of_json(text: &str) -> &'static str {
    let text = text.trim();
    match text.as_bytes().first() {
        Some(b'[') => "array",
        Some(b'{') => "dictionary",
        Some(b'"') => "string",
        Some(b't' | b'f') => "bool",
        Some(b'0'..=b'9' | b'-') if text.contains(['.', 'e', 'E']) => "real",
        Some(b'0'..=b'9' | b'-') => "long",
        _ => "null",
    }
}

fn get_type(call: &Call<'_>) -> Result<Value> {
    let mut names = Vec::new();
    for variant in &call.value(0).variants {
        names.push(match name(variant.kind) {
            Some(name) => {
                let is_there = Value::from(variant.clone()).exists()?;
                logic::choose(is_there, literal_text(name), logic::null(Type::String))?
            }
            None => {
                let run = call.texts(|row, text| {
                    text.push_str(name_of_json(row.text(0)));
                    Some(())
                });
                Typed::call("gettype", Type::String, vec![variant.clone()], run)?
            }
        });
    }
    names.push(literal_text("null"));
    Ok(logic::first_of(names)?.map(Value::from).unwrap_or_default())
}

/// Whether a value is there and its type has one of these names.
fn is_of(call: &Call<'_>, names: &'static [&'static str]) -> Result<Value> {
    let mut parts = Vec::new();
    for variant in &call.value(0).variants {
        match name(variant.kind) {
            Some(name) if names.contains(&name) => parts.push(Value::from(variant.clone()).exists()?),
            Some(_) => {}
            None => {
                let run = rows::booleans_of_all(|row| {
                    !row.is_null(0) && names.contains(&name_of_json(row.text(0)))
                });
                parts.push(Typed::call(call.name, Type::Boolean, vec![variant.clone()], run)?);
            }
        }
    }
    Ok(if parts.is_empty() { logic::constant(false) } else { Typed::any(parts) }.into())
}

/// Whether a text has so many digits, blanks and dashes aside, of which the last proves the others.
fn is_number_of(call: &Call<'_>, counts: std::ops::RangeInclusive<usize>) -> Result<Value> {
    let run = rows::booleans(move |row| {
        let is_filling = |c: char| matches!(c, ' ' | '-');
        let digits = || row.text(0).chars().filter(|c| !is_filling(*c));
        Some(counts.contains(&digits().count()) && is_proved(digits().rev()))
    });
    let texts = call.text(0)?;
    let Some(texts) = texts else { return Ok(logic::constant(false).into()) };
    let is_number = Typed::call(call.name, Type::Boolean, vec![texts], run)?;
    Ok(logic::known(is_number)?.into())
}

/// Luhn's rule: every second digit from the end doubled, the sum of all digits is a multiple of ten.
fn is_proved(digits_from_end: impl Iterator<Item = char>) -> bool {
    let mut sum = 0;
    for (place, character) in digits_from_end.enumerate() {
        let Some(digit) = character.to_digit(10) else { return false };
        let doubled = if place % 2 == 1 { digit * 2 } else { digit };
        sum += if doubled > 9 { doubled - 9 } else { doubled };
    }
    sum % 10 == 0
}
