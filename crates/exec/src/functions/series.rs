//! Series: arrays of numbers, of which the places are moments. This module reads and writes their elements; what is
//! computed with them is left to the modules below. What is no number counts as null, and null has no text but `null`.

pub(super) mod fills;
pub(super) mod filters;
pub(super) mod of_one;
pub(super) mod of_two;
pub(super) mod statistics;
pub(super) mod transforms;

use std::fmt::Write;

use tidegauge_lang::tree::Type;

use super::call::Call;
use super::elements;
use crate::error::Result;
use crate::expr::Typed;
use crate::kernels::{convert, json, logic};

/// An element of a series. Integers stay such where the result of a function is whole by nature.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Number {
    Integer(i64),
    Float(f64),
}

impl Number {
    fn read(json: &str) -> Option<Self> {
        let text = json.trim();
        match text.parse() {
            Ok(integer) => Some(Self::Integer(integer)),
            Err(_) => json::number(text).map(Self::Float),
        }
    }

    fn float(self) -> f64 {
        match self {
            Self::Integer(integer) => integer as f64,
            Self::Float(float) => float,
        }
    }
}

/// The elements of a series. None for what is no array.
fn numbers(series: &str) -> Option<Vec<Option<Number>>> {
    Some(elements::elements(series)?.iter().map(|element| Number::read(element.get())).collect())
}

/// The elements of a series with NaN for what is no number.
fn floats(series: &str) -> Option<Vec<f64>> {
    let float = |number: Option<Number>| number.map_or(f64::NAN, Number::float);
    Some(numbers(series)?.into_iter().map(float).collect())
}

fn write_number(number: Option<Number>, text: &mut String) {
    match number {
        None => text.push_str("null"),
        Some(Number::Integer(integer)) => {
            let _ = write!(text, "{integer}");
        }
        Some(Number::Float(float)) => json::write_number_key(float, text),
    }
}

fn write_numbers(text: &mut String, numbers: impl IntoIterator<Item = Option<Number>>) {
    elements::write_array(text, numbers, write_number);
}

/// What is not finite has no JSON and is null.
fn write_floats(text: &mut String, floats: impl IntoIterator<Item = f64>) {
    elements::write_array(text, floats, json::write_number_key);
}

/// The JSON of an argument that must be an array. A map is none, which is known only from the rows where it is dynamic.
fn series(call: &Call<'_>, place: usize) -> Result<Option<Typed>> {
    of_types(call, place, &[Type::Array, Type::Map, Type::Dynamic], "an array")
}

/// The JSON of an argument that is a series, or a number that stands for each element of one.
fn operand(call: &Call<'_>, place: usize) -> Result<Option<Typed>> {
    let types = [Type::Array, Type::Map, Type::Dynamic, Type::Integer, Type::Float];
    of_types(call, place, &types, "an array or a number")
}

fn of_types(call: &Call<'_>, place: usize, types: &[Type], what: &str) -> Result<Option<Typed>> {
    let variants = call.value(place).variants.iter().filter(|variant| types.contains(&variant.kind));
    let texts = variants.map(|variant| convert::to_json(variant.clone())).collect::<Result<Vec<Typed>>>()?;
    call.required(place, logic::first_of(texts)?, what)
}
