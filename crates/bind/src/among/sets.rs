//! Tests against sets of literals. Each says of a value what testing the literals one after the other would say: what
//! is equal to what is settled by `compare`, and what a word is by `text`.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{Array, ArrayRef, BooleanArray};
use arrow_buffer::BooleanBuffer;
use hashbrown::HashSet;
use tidegauge_exec::expr::{At, Typed, Values};
use tidegauge_exec::kernels::text::fold;
use tidegauge_exec::kernels::{convert, digits, text, times};
use tidegauge_exec::{Result, Value};
use tidegauge_lang::tree::Type;

use super::elements::Number;

/// Whether a value is equal to one of the texts.
pub(super) fn texts(value: &Value, texts: Vec<String>, is_case_sensitive: bool) -> Result<Vec<Typed>> {
    let mut parts = Vec::new();
    if is_case_sensitive && let Some(time) = value.of_type(Type::Datetime) {
        // Beside texts, times are times and not texts.
        let known: HashSet<i64> = texts.iter().filter_map(|text| times::read(text)).collect();
        parts.push(whole_among(time.clone(), Arc::new(known))?);
    }
    let texts: HashSet<String> = match is_case_sensitive {
        true => texts.into_iter().collect(),
        false => texts.iter().map(|text| fold::folded(text)).collect(),
    };
    let texts = Arc::new(texts);
    for variant in &value.variants {
        let is_number =
            matches!(variant.kind, Type::Integer | Type::Float | Type::Boolean | Type::LongInteger);
        let is_other = variant.kind == Type::Datetime || (is_number && variant.as_literal().is_some());
        if is_case_sensitive && is_other {
            continue;
        }
        let texts = Arc::clone(&texts);
        parts.push(member_of("in", convert::to_text(variant.clone())?, move |array, row| {
            let text = array.as_string_view().value(row);
            if is_case_sensitive { texts.contains(text) } else { texts.contains(&fold::folded(text)) }
        })?);
    }
    Ok(parts)
}

/// A number as one of a set: equal numbers are one, whatever their type.
#[derive(PartialEq, Eq, Hash)]
enum Key {
    Whole(i64),
    Bits(u64),
}

impl Key {
    fn of(number: Number) -> Self {
        match number {
            Number::Integer(integer) => Self::Whole(integer),
            Number::Float(float) => match convert::truncated(float) {
                Some(whole) if float.fract() == 0.0 => Self::Whole(whole),
                _ => Self::Bits(float.to_bits()),
            },
        }
    }
}

/// Whether a value is equal to one of the numbers.
pub(super) fn numbers(value: &Value, numbers: &[Number]) -> Result<Vec<Typed>> {
    // What is no number is not equal to itself either.
    let is_equal_to_itself = |number: &&Number| !matches!(number, Number::Float(float) if float.is_nan());
    let keys: HashSet<Key> =
        numbers.iter().filter(is_equal_to_itself).map(|number| Key::of(*number)).collect();
    let keys = Arc::new(keys);
    let mut parts = Vec::new();
    for variant in &value.variants {
        let keys = Arc::clone(&keys);
        let variant = variant.clone();
        match variant.kind {
            Type::Integer => parts.push(member_of("in", variant, move |array, row| {
                keys.contains(&Key::Whole(array.as_primitive::<Int64Type>().value(row)))
            })?),
            Type::Float => parts.push(member_of("in", variant, move |array, row| {
                keys.contains(&Key::of(Number::Float(array.as_primitive::<Float64Type>().value(row))))
            })?),
            Type::Dynamic => {
                let wholes = wholes_beyond(numbers);
                parts.push(member_of("in", variant, move |array, row| {
                    match digits::Number::of_json(array.as_string_view().value(row)) {
                        None => false,
                        Some(digits::Number::Integer(integer)) => keys.contains(&Key::Whole(integer)),
                        Some(digits::Number::Float(float)) => keys.contains(&Key::of(Number::Float(float))),
                        Some(digits::Number::Long(digits)) => wholes.contains(digits),
                    }
                })?);
            }
            Type::LongInteger => {
                let wholes = wholes_beyond(numbers);
                parts.push(member_of("in", variant, move |array, row| {
                    wholes.contains(array.as_string_view().value(row))
                })?);
            }
            Type::Datetime | Type::Timespan => {
                let integers = numbers.iter().filter_map(|number| match number {
                    Number::Integer(integer) => Some(*integer),
                    Number::Float(_) => None,
                });
                parts.push(whole_among(variant, Arc::new(integers.collect()))?);
            }
            Type::Boolean | Type::String | Type::Array | Type::Map => {}
        }
    }
    Ok(parts)
}

/// Whether a value is equal to one of the integers beyond 64 bits, of which the digits are given.
pub(super) fn long_integers(value: &Value, all: Vec<String>) -> Result<Vec<Typed>> {
    let all: Arc<HashSet<String>> = Arc::new(all.into_iter().collect());
    let mut parts = Vec::new();
    for variant in &value.variants {
        let (all, variant) = (Arc::clone(&all), variant.clone());
        let has_float =
            |all: &HashSet<String>, float| digits::of_float(float).is_some_and(|of| all.contains(&of));
        match variant.kind {
            Type::LongInteger => parts.push(member_of("in", variant, move |array, row| {
                all.contains(array.as_string_view().value(row))
            })?),
            Type::Float => parts.push(member_of("in", variant, move |array, row| {
                has_float(&all, array.as_primitive::<Float64Type>().value(row))
            })?),
            Type::Dynamic => parts.push(member_of("in", variant, move |array, row| {
                match digits::Number::of_json(array.as_string_view().value(row)) {
                    Some(digits::Number::Long(digits)) => all.contains(digits),
                    Some(digits::Number::Float(float)) => has_float(&all, float),
                    Some(digits::Number::Integer(_)) | None => false,
                }
            })?),
            // No integer of 64 bits is one of them, and beside a number that stands in the query, texts are no numbers.
            _ => {}
        }
    }
    Ok(parts)
}

/// The digits of numbers that are integers beyond 64 bits. Of the literals here only floats can be.
fn wholes_beyond(numbers: &[Number]) -> HashSet<String> {
    let digits = numbers.iter().filter_map(|number| match number {
        Number::Integer(_) => None,
        Number::Float(float) => digits::of_float(*float),
    });
    digits.collect()
}

/// Whether a value is equal to one of the times.
pub(super) fn times(value: &Value, known: &[i64]) -> Result<Vec<Typed>> {
    wholes(value, known, Type::Datetime, times::write_datetime)
}

/// Whether a value is equal to one of the lengths of time.
pub(super) fn timespans(value: &Value, known: &[i64]) -> Result<Vec<Typed>> {
    wholes(value, known, Type::Timespan, times::write_timespan)
}

fn wholes(value: &Value, known: &[i64], kind: Type, write: fn(i64, &mut String)) -> Result<Vec<Typed>> {
    let set: Arc<HashSet<i64>> = Arc::new(known.iter().copied().collect());
    let mut parts = Vec::new();
    for variant in &value.variants {
        if variant.kind == kind || variant.kind == Type::Integer {
            parts.push(whole_among(variant.clone(), Arc::clone(&set))?);
        } else if variant.kind == Type::String && kind == Type::Datetime && variant.as_literal().is_some() {
            // A text of the query is read as a time; one of an event is compared with the text of the time.
            parts.push(whole_among(times::parse(variant.clone())?, Arc::clone(&set))?);
        } else if variant.kind == Type::String {
            let texts = known.iter().map(|whole| {
                let mut text = String::new();
                write(*whole, &mut text);
                text
            });
            let texts: HashSet<String> = texts.collect();
            parts.push(member_of("in", variant.clone(), move |array, row| {
                texts.contains(array.as_string_view().value(row))
            })?);
        }
    }
    Ok(parts)
}

/// Whether the text of a value has one of the words, each of which is a single one.
pub(super) fn words(value: &Value, words: Vec<String>, is_case_sensitive: bool) -> Result<Vec<Typed>> {
    let words: HashSet<String> = match is_case_sensitive {
        true => words.into_iter().collect(),
        false => words.iter().map(|word| fold::folded(word)).collect(),
    };
    let words = Arc::new(words);
    let mut parts = Vec::new();
    for variant in &value.variants {
        let words = Arc::clone(&words);
        parts.push(member_of("has", convert::to_text(variant.clone())?, move |array, row| {
            let text = array.as_string_view().value(row);
            let is_known = |word: &str| words.contains(word);
            if is_case_sensitive {
                text::words(text).any(is_known)
            } else {
                text::words(&fold::folded(text)).any(is_known)
            }
        })?);
    }
    Ok(parts)
}

fn whole_among(value: Typed, known: Arc<HashSet<i64>>) -> Result<Typed> {
    member_of("in", value, move |array, row| known.contains(&array.as_primitive::<Int64Type>().value(row)))
}

fn member_of(
    name: &'static str,
    value: Typed,
    is_member: impl Fn(&ArrayRef, usize) -> bool + Send + Sync + 'static,
) -> Result<Typed> {
    let run = move |values: &[Values], At { rows, .. }: At<'_>| {
        let array = values[0].clone().into_array(rows)?;
        let bits = BooleanBuffer::collect_bool(rows, |row| array.is_valid(row) && is_member(&array, row));
        Ok(Arc::new(BooleanArray::new(bits, None)) as ArrayRef)
    };
    Typed::call(name, Type::Boolean, vec![value], Arc::new(run))
}
