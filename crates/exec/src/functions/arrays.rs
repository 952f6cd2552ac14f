//! Functions of arrays. What is no array gives null unless the function says otherwise. Elements keep the text they
//! have, so that numbers stay as they were written.

use serde_json::value::RawValue;
use tidegauge_lang::tree::Type;

use super::call::{Call, Function, MANY, function};
use super::elements::{self, elements, key, write_raw};
use super::rows;
use crate::error::Result;
use crate::expr::{Kernel, Typed};
use crate::kernels::{json, logic};
use crate::value::Value;

pub(super) const FUNCTIONS: &[Function] = &[
    function("array_length", 1, 1, length),
    function("len", 1, 1, len),
    function("array_concat", 1, MANY, concat),
    function("array_slice", 3, 3, slice),
    function("array_reverse", 1, 1, reverse),
    function("array_rotate_left", 2, 2, |call| rotate(call, 1)),
    function("array_rotate_right", 2, 2, |call| rotate(call, -1)),
    function("array_shift_left", 1, 3, |call| shift(call, 1)),
    function("array_shift_right", 1, 3, |call| shift(call, -1)),
    function("array_split", 2, 2, split),
    function("array_index_of", 2, 5, index_of),
    function("array_iff", 3, 3, iff),
    function("array_sum", 1, 1, sum),
    function("array_select_dict", 3, 3, select),
    function("pack_array", 0, MANY, pack),
    function("strcat_array", 1, 2, join),
];

fn length(call: &Call<'_>) -> Result<Value> {
    call.result(Type::Integer, [call.json(0)?], length_kernel())
}

fn length_kernel() -> Kernel {
    rows::integers(|row| i64::try_from(json::elements(row.text(0))?.count()).ok())
}

/// The characters of a text, or the elements of an array.
fn len(call: &Call<'_>) -> Result<Value> {
    let mut parts = Vec::new();
    for variant in &call.value(0).variants {
        let run = match variant.kind {
            Type::String => rows::integers(|row| i64::try_from(row.text(0).chars().count()).ok()),
            Type::Array => length_kernel(),
            Type::Dynamic => rows::integers(|row| {
                let text = row.text(0);
                if text.starts_with('"') {
                    let plain: String = serde_json::from_str(text).ok()?;
                    return i64::try_from(plain.chars().count()).ok();
                }
                i64::try_from(json::elements(text)?.count()).ok()
            }),
            _ => continue,
        };
        parts.push(Typed::call(call.name, Type::Integer, vec![variant.clone()], run)?);
    }
    let length = call.required(0, logic::first_of(parts)?, "a string or an array")?;
    Ok(length.map(Value::from).unwrap_or_default())
}

/// All elements in one array. What is no array counts as an element, and null as none.
fn concat(call: &Call<'_>) -> Result<Value> {
    let run = call.texts_of_all(|row, text| {
        let mut is_there = false;
        for place in (0..row.count()).filter(|place| !row.is_null(*place)) {
            let source = row.text(place).trim();
            let inner = source.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
            let inner = inner.unwrap_or(source).trim();
            is_there = true;
            if !inner.is_empty() {
                text.push(if text.is_empty() { '[' } else { ',' });
                text.push_str(inner);
            }
        }
        text.push_str(if text.is_empty() { "[]" } else { "]" });
        is_there.then_some(())
    });
    let arrays = (0..call.count()).map(|place| call.json(place)).collect::<Result<Vec<_>>>()?;
    call.result_of_all(Type::Array, arrays, run)
}

/// A place in an array: from its end where the number is negative, and never outside.
fn place_in(number: i64, count: usize) -> usize {
    match usize::try_from(number) {
        Ok(place) => place.min(count),
        Err(_) => count.saturating_sub(usize::try_from(number.unsigned_abs()).unwrap_or(usize::MAX)),
    }
}

/// From a place up to and without another.
fn slice(call: &Call<'_>) -> Result<Value> {
    let run = call.texts(|row, text| {
        let elements = elements(row.text(0))?;
        let start = place_in(row.integer(1), elements.len());
        let end = place_in(row.integer(2), elements.len()).max(start);
        write_raw(text, elements[start..end].iter().copied());
        Some(())
    });
    call.result(Type::Array, [call.json(0)?, call.integer(1)?, call.integer(2)?], run)
}

fn reverse(call: &Call<'_>) -> Result<Value> {
    let run = call.texts(|row, text| {
        write_raw(text, elements(row.text(0))?.into_iter().rev());
        Some(())
    });
    call.result(Type::Array, [call.json(0)?], run)
}

/// To the left by so many places, those in front to the end; negative to the right.
fn rotate(call: &Call<'_>, sign: i64) -> Result<Value> {
    let run = call.texts(move |row, text| {
        let mut elements = elements(row.text(0))?;
        let count = i64::try_from(elements.len()).ok().filter(|count| *count > 0);
        if let Some(count) = count {
            let places = (row.integer(1) % count * sign).rem_euclid(count);
            elements.rotate_left(usize::try_from(places).ok()?);
        }
        write_raw(text, elements);
        Some(())
    });
    call.result(Type::Array, [call.json(0)?, call.integer(1)?], run)
}

/// To the left by so many places; negative to the right. Freed places are null, or what is given for them.
fn shift(call: &Call<'_>, sign: i64) -> Result<Value> {
    let run = call.texts(move |row, text| {
        let elements = elements(row.text(0))?;
        let count = i64::try_from(elements.len()).ok()?;
        let places = row.integer(1).clamp(-count, count) * sign;
        let filling = row.text(2);
        elements::write_array(text, 0..count, |place, text| {
            let source = usize::try_from(place + places).ok().and_then(|place| elements.get(place));
            text.push_str(source.map_or(filling, |element| element.get()));
        });
        Some(())
    });
    let filling = call.json(2)?.unwrap_or_else(|| super::call::literal_text("null"));
    call.result(Type::Array, [call.json(0)?, call.integer_or(1, 1)?, Some(filling)], run)
}

/// Cut before a place, or before each of several.
fn split(call: &Call<'_>) -> Result<Value> {
    let run = call.texts(|row, text| {
        let array = elements(row.text(0))?;
        let places: Vec<i64> = match elements(row.text(1)) {
            Some(places) => places.iter().map(|place| place.get().parse().ok()).collect::<Option<_>>()?,
            None => vec![row.text(1).trim().parse().ok()?],
        };
        let mut parts: Vec<&[&RawValue]> = Vec::with_capacity(places.len() + 1);
        let mut start = 0;
        for place in places {
            let end = place_in(place, array.len()).max(start);
            parts.push(&array[start..end]);
            start = end;
        }
        parts.push(&array[start..]);
        elements::write_array(text, parts, |part, text| write_raw(text, part.iter().copied()));
        Some(())
    });
    call.result(Type::Array, [call.json(0)?, call.json(1)?], run)
}

/// Where the nth element that equals a value stands; -1 if there is none.
fn index_of(call: &Call<'_>) -> Result<Value> {
    let run = rows::integers(|row| {
        let (elements, wanted) = (elements(row.text(0))?, key(row.text(1)));
        let start = place_in(row.integer(2), elements.len());
        let length = usize::try_from(row.integer(3)).unwrap_or(usize::MAX);
        let occurrence = usize::try_from(row.integer(4)).ok()?.checked_sub(1)?;
        let stretch = elements.iter().enumerate().skip(start).take(length);
        let found = stretch.filter(|(_, element)| key(element.get()) == wanted).nth(occurrence);
        found.map_or(Some(-1), |(place, _)| i64::try_from(place).ok())
    });
    let (start, length, occurrence) =
        (call.integer_or(2, 0)?, call.integer_or(3, -1)?, call.integer_or(4, 1)?);
    call.result(Type::Integer, [call.json(0)?, call.json(1)?, start, length, occurrence], run)
}

/// Element by element the one or the other, which may also be one value for all. Null where it has too few, and where
/// there is no condition.
fn iff(call: &Call<'_>) -> Result<Value> {
    let run = call.texts_of_all(|row, text| {
        let conditions = if row.is_null(0) { None } else { elements(row.text(0)) }?;
        let choices = [1, 2].map(|place| if row.is_null(place) { "null" } else { row.text(place) });
        let arrays = choices.map(elements);
        elements::write_array(text, conditions.iter().enumerate(), |(place, condition), text| {
            let Some(is_true) = is_true(condition.get()) else { return text.push_str("null") };
            let side = usize::from(!is_true);
            text.push_str(match &arrays[side] {
                Some(elements) => elements.get(place).map_or("null", |element| element.get()),
                None => choices[side],
            });
        });
        Some(())
    });
    call.result_of_all(Type::Array, vec![call.json(0)?, call.json(1)?, call.json(2)?], run)
}

/// Conditions in arrays are booleans, or numbers, of which zero is false. What is neither is none.
fn is_true(json: &str) -> Option<bool> {
    match json {
        "true" => Some(true),
        "false" => Some(false),
        _ => json::number(json).map(|number| number != 0.0),
    }
}

/// The sum of the numbers; null where there are none.
fn sum(call: &Call<'_>) -> Result<Value> {
    let run = rows::floats(|row| {
        let elements = elements(row.text(0))?;
        let numbers = elements.iter().filter_map(|element| json::number(element.get()));
        numbers.fold(None, |sum, number| Some(sum.unwrap_or(0.0) + number))
    });
    call.result(Type::Float, [call.json(0)?], run)
}

/// The first map of an array in which a member has a value.
fn select(call: &Call<'_>) -> Result<Value> {
    let run = call.texts(|row, text| {
        let wanted = key(row.text(2));
        let is_wanted = |element: &&RawValue| {
            json::member(element.get(), row.text(1)).is_some_and(|value| key(value) == wanted)
        };
        text.push_str(elements(row.text(0))?.into_iter().find(is_wanted)?.get());
        Some(())
    });
    call.result(Type::Map, [call.json(0)?, call.text(1)?, call.json(2)?], run)
}

fn pack(call: &Call<'_>) -> Result<Value> {
    if call.count() == 0 {
        return Ok(Typed { kind: Type::Array, ..super::call::literal_text("[]") }.into());
    }
    let run = call.texts_of_all(|row, text| {
        elements::write_array(text, 0..row.count(), |place, text| {
            text.push_str(if row.is_null(place) { "null" } else { row.text(place) });
        });
        Some(())
    });
    let values = (0..call.count()).map(|place| call.json(place)).collect::<Result<Vec<_>>>()?;
    call.result_of_all(Type::Array, values, run)
}

/// The texts of the elements with a delimiter between them.
fn join(call: &Call<'_>) -> Result<Value> {
    let run = call.texts(|row, text| {
        for (place, element) in elements(row.text(0))?.into_iter().enumerate() {
            if place > 0 {
                text.push_str(row.text(1));
            }
            json::write_plain(element.get(), text);
            if text.len() > rows::TEXT_BYTES_MAX {
                return None;
            }
        }
        Some(())
    });
    call.result(Type::String, [call.json(0)?, call.text_or(1, "")?], run)
}
