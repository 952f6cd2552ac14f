//! Integers beyond 64 bits, which are kept as their digits: a minus or none, no zero first. They compare exactly with
//! each other, with integers of 64 bits and with floats, and have a place in the order of all numbers. The range of a
//! float bounds them, so that each has a float next to it.

use std::cmp::Ordering;
use std::fmt::Write;
use std::sync::Arc;

use arrow_array::builder::{BooleanBuilder, StringViewBuilder};
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{Array, ArrayRef};
use tidegauge_lang::tree::{BinaryOperator, Type};

use super::order::{holds, integer_to_float};
use super::{cellwise, json, ranks};
use crate::error::Result;
use crate::expr::{At, Kernel, Typed, Values};

/// Integers written in so many bytes fit 64 bits, their minus included.
const INTEGER_BYTES_SURE: usize = 18;

/// More digits than the greatest float has: what is longer has no float next to it.
const LENGTH_BEYOND: usize = 999;

/// A number of any kind.
#[derive(Clone, Copy, Debug)]
pub enum Number<'a> {
    Integer(i64),
    Float(f64),
    /// The digits of an integer beyond 64 bits.
    Long(&'a str),
}

impl<'a> Number<'a> {
    /// The number that JSON text is.
    pub fn of_json(json: &'a str) -> Option<Self> {
        let text = json.trim();
        if !text.starts_with(|first: char| first.is_ascii_digit() || first == '-') {
            return None;
        }
        if let Ok(integer) = text.parse() {
            return Some(Self::Integer(integer));
        }
        if is_long(text) {
            return Some(Self::Long(text));
        }
        json::number(text).map(Self::Float)
    }

    /// The number of a row in an array of a type that is a number, or dynamic.
    fn at(kind: Type, array: &'a ArrayRef, place: usize) -> Option<Self> {
        match kind {
            Type::Integer => Some(Self::Integer(array.as_primitive::<Int64Type>().value(place))),
            Type::Float => Some(Self::Float(array.as_primitive::<Float64Type>().value(place))),
            Type::LongInteger => Some(Self::Long(array.as_string_view().value(place))),
            _ => Self::of_json(array.as_string_view().value(place)),
        }
    }

    /// The exact order of two numbers. None for what is no number.
    pub fn order(self, other: Self) -> Option<Ordering> {
        match (self, other) {
            (Self::Integer(one), Self::Integer(other)) => Some(one.cmp(&other)),
            (Self::Float(one), Self::Float(other)) => one.partial_cmp(&other),
            (Self::Integer(one), Self::Float(other)) => integer_to_float(one, other),
            (Self::Long(one), Self::Long(other)) => Some(order(one, other)),
            // What is beyond 64 bits is beyond every integer of them.
            (Self::Long(one), Self::Integer(_)) => Some(from_zero(one)),
            (Self::Long(one), Self::Float(other)) => long_to_float(one, other),
            (one, other) => other.order(one).map(Ordering::reverse),
        }
    }

    /// Writes what puts numbers in their order as a text: the float next to it, and how it stands to that.
    pub fn write_rank(self, text: &mut String) {
        match self {
            Self::Integer(integer) => ranks::write_rank(integer as f64, ranks::lost_digits(integer), text),
            Self::Float(float) => ranks::write_rank(float, 0, text),
            Self::Long(digits) => {
                ranks::write_float_rank(float(digits), text);
                self.write_lost(text);
            }
        }
    }

    /// Writes how a number stands to the float next to it, in the order of the numbers that have the same one.
    pub fn write_lost(self, text: &mut String) {
        match self {
            Self::Integer(integer) => ranks::write_lost(ranks::lost_digits(integer), text),
            Self::Float(_) => ranks::write_lost(0, text),
            Self::Long(digits) => match long_to_float(digits, float(digits)) {
                None | Some(Ordering::Equal) => ranks::write_lost(0, text),
                Some(side) => write_aside(digits, side, text),
            },
        }
    }
}

/// Whether a text is an integer that does not fit 64 bits.
pub fn is_long(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    text.len() > INTEGER_BYTES_SURE
        && digits.len() < LENGTH_BEYOND
        && digits.bytes().all(|byte| byte.is_ascii_digit())
        && text.parse::<i64>().is_err()
}

/// The float next to an integer.
pub fn float(digits: &str) -> f64 {
    digits.parse().unwrap_or(f64::NAN)
}

/// The digits of a float that is an integer beyond 64 bits, exactly.
pub fn of_float(float: f64) -> Option<String> {
    let is_beyond = !(-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(&float);
    // Beyond 2^53 every float is whole, and this form has all of its digits.
    (is_beyond && float.is_finite()).then(|| format!("{float:.0}"))
}

/// The digits come after those of the integers that have the same float, or before them: below it seven, above it nine.
fn write_aside(digits: &str, side: Ordering, text: &mut String) {
    text.push(if side.is_lt() { '7' } else { '9' });
    match digits.strip_prefix('-') {
        None => {
            let _ = write!(text, "{:03}{digits}", digits.len());
        }
        // Of numbers below zero the longer and the greater in digits is the less.
        Some(digits) => {
            let _ = write!(text, "{:03}", LENGTH_BEYOND.saturating_sub(digits.len()));
            text.extend(digits.bytes().map(|digit| char::from(b'9' - (digit - b'0'))));
        }
    }
}

/// On which side of zero, and of all integers of 64 bits, a long integer is.
fn from_zero(digits: &str) -> Ordering {
    if digits.starts_with('-') { Ordering::Less } else { Ordering::Greater }
}

fn order(one: &str, other: &str) -> Ordering {
    let by_size = |one: &str, other: &str| one.len().cmp(&other.len()).then_with(|| one.cmp(other));
    match (one.strip_prefix('-'), other.strip_prefix('-')) {
        (None, None) => by_size(one, other),
        (Some(one), Some(other)) => by_size(other, one),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
    }
}

fn long_to_float(digits: &str, float: f64) -> Option<Ordering> {
    if float.is_nan() {
        return None;
    }
    Some(match of_float(float) {
        Some(exact) => order(digits, &exact),
        None if float.is_infinite() => {
            if float > 0.0 {
                Ordering::Less
            } else {
                Ordering::Greater
            }
        }
        None => from_zero(digits),
    })
}

/// How two numbers stand to each other of which one at least may be beyond 64 bits; unknown where one is no number.
pub fn compared(left: &Typed, right: &Typed, operator: BinaryOperator, name: &'static str) -> Result<Typed> {
    let kinds = [left.kind, right.kind];
    let run: Kernel = Arc::new(move |values: &[Values], At { rows, .. }| {
        let mut result = BooleanBuilder::with_capacity(rows);
        for row in 0..rows {
            let at = |side: usize| {
                let values = &values[side];
                let place = values.place(row);
                if values.is_null(row) { None } else { Number::at(kinds[side], values.array(), place) }
            };
            let pair = at(0).zip(at(1));
            let order = pair.map(|(left, right)| left.order(right));
            result.append_option(order.map(|order| order.is_some_and(|order| holds(operator, order))));
        }
        Ok(Arc::new(result.finish()) as ArrayRef)
    });
    Typed::call(name, Type::Boolean, vec![left.clone(), right.clone()], run)
}

/// Texts in the order of the numbers, exactly; null for what is no number.
pub fn rank(number: Typed) -> Result<Typed> {
    ranked("number_rank", number, |number, text| number.write_rank(text))
}

/// The same for who looks for the least or the greatest: of equal numbers an integer is found before a float.
pub fn rank_of_end(number: Typed, is_least: bool) -> Result<Typed> {
    let name = if is_least { "least_rank" } else { "greatest_rank" };
    ranked(name, number, move |number, text| {
        number.write_rank(text);
        let is_float = matches!(number, Number::Float(_));
        text.push(if is_float == is_least { '1' } else { '0' });
    })
}

fn ranked(
    name: &'static str,
    number: Typed,
    write: impl Fn(Number<'_>, &mut String) + Send + Sync + 'static,
) -> Result<Typed> {
    let kind = number.kind;
    let run: Kernel = Arc::new(move |values: &[Values], At { rows, .. }| {
        let array = values[0].clone().into_array(rows)?;
        let mut builder = StringViewBuilder::with_capacity(rows);
        let mut text = String::new();
        for row in 0..rows {
            let number = if array.is_null(row) { None } else { Number::at(kind, &array, row) };
            text.clear();
            if let Some(number) = number {
                write(number, &mut text);
            }
            builder.append_option(number.map(|_| text.as_str()));
        }
        Ok(Arc::new(builder.finish()) as ArrayRef)
    });
    Typed::call(name, Type::String, vec![number], run)
}

/// JSON text of dynamic values in which equal numbers have equal texts. All else stays as it is.
pub fn dynamic_key(value: Typed) -> Result<Typed> {
    let run: Kernel = Arc::new(|values: &[Values], _| {
        let array = values[0].array();
        let texts = array.as_string_view();
        // Most are texts, or integers, and then there is nothing to do.
        if texts.iter().flatten().all(is_own_key) {
            return Ok(Arc::clone(array));
        }
        let mut builder = StringViewBuilder::with_capacity(texts.len());
        let mut key = String::new();
        for text in texts {
            match text {
                Some(text) if !is_own_key(text) => {
                    key.clear();
                    write_key(text, &mut key);
                    builder.append_value(&key);
                }
                other => builder.append_option(other),
            }
        }
        Ok(Arc::new(builder.finish()) as ArrayRef)
    });
    Typed::call("number_key", Type::Dynamic, vec![value], run)
}

/// Whether JSON text is no number, or an integer, which can be written in one way only.
fn is_own_key(json: &str) -> bool {
    let digits = json.strip_prefix('-').unwrap_or(json);
    match digits.bytes().next() {
        Some(b'0'..=b'9') => json != "-0" && digits.bytes().all(|byte| byte.is_ascii_digit()),
        Some(first) => !first.is_ascii_whitespace(),
        None => true,
    }
}

/// Writes JSON text such that equal numbers have equal texts, all of their digits for whole ones.
pub fn write_key(json: &str, key: &mut String) {
    match Number::of_json(json) {
        Some(Number::Integer(integer)) => {
            let _ = write!(key, "{integer}");
        }
        Some(Number::Float(float)) if float.is_finite() => write_float_key(float, key),
        _ => key.push_str(json.trim()),
    }
}

fn write_float_key(float: f64, key: &mut String) {
    match of_float(float) {
        Some(digits) => key.push_str(&digits),
        None => json::write_number_key(float, key),
    }
}

/// JSON text of floats in which every whole number has all of its digits, as it has beside long integers.
pub fn float_to_json(value: Typed) -> Result<Typed> {
    let run = cellwise::texts(|array, row, text| {
        write_float_key(array.as_primitive::<Float64Type>().value(row), text);
    });
    Typed::call("to_exact_json", Type::Dynamic, vec![value], run)
}
