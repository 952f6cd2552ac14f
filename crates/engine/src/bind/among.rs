//! Whether a value is among others: `in`, `has_any` and their likes. Arrays in a list stand for their elements. The texts
//! and the numbers of a long list become sets, so that a row costs the same however long it is.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{Array, ArrayRef, BooleanArray};
use arrow_buffer::BooleanBuffer;
use hashbrown::HashSet;
use tidegauge_lang::tree::{Expr, TextTest, Type};

use super::Scope;
use crate::Result;
use crate::expr::{Typed, Values};
use crate::functions::text::fold;
use crate::functions::{compare, convert, json, library, logic, text};
use crate::value::Value;

/// From so many elements on, a set is made of them.
const SET_LEAST: usize = 4;

impl Scope {
    pub(super) fn is_among(&mut self, value: &Expr, list: &[Expr], is_case_sensitive: bool) -> Result<Typed> {
        let span = value.span;
        let value = self.bind(value)?;
        let mut parts = Vec::new();
        let mut elements = Vec::new();
        for element in list {
            let element = self.bind(element)?;
            match elements_of(&element) {
                Some(inner) => elements.extend(inner),
                None if element.of_type(Type::Array).is_some() => {
                    let arguments = [element, value.clone()];
                    let is_inside = library::call("set_has_element", &arguments, span, self.surroundings())?;
                    let is_inside = is_inside.and_then(|value| value.of_type(Type::Boolean).cloned());
                    parts.extend(is_inside.map(logic::known).transpose()?);
                }
                None => elements.push(element),
            }
        }
        // Nothing is equal to null.
        elements.retain(|element| !element.is_null());
        let (texts, others): (Vec<Value>, Vec<Value>) =
            elements.into_iter().partition(|element| element.of_type(Type::String).is_some());
        let (numbers, others): (Vec<Value>, Vec<Value>) =
            others.into_iter().partition(|element| number_of(element).is_some());
        let mut singles = others;
        match set_of_texts(&value, &texts, is_case_sensitive)? {
            Some(is_in_set) => parts.push(is_in_set),
            None => singles.extend(texts),
        }
        match set_of_numbers(&value, &numbers)? {
            Some(is_in_set) => parts.push(is_in_set),
            None => singles.extend(numbers),
        }
        for element in singles {
            let is_text = element.of_type(Type::String).is_some();
            parts.push(if is_text && !is_case_sensitive {
                text::test(TextTest::Equals, false, &value, &element)?
            } else {
                logic::known(compare::equal(&value, &element)?)?
            });
        }
        Ok(if parts.is_empty() { logic::constant(false) } else { Typed::any(parts) })
    }

    pub(super) fn has_any(&mut self, value: &Expr, list: &[Expr], is_case_sensitive: bool) -> Result<Typed> {
        let value = self.bind(value)?;
        let mut parts = Vec::new();
        for word in list {
            let word = self.bind(word)?;
            for word in elements_of(&word).unwrap_or_else(|| vec![word.clone()]) {
                parts.push(text::test(TextTest::Has, is_case_sensitive, &value, &word)?);
            }
        }
        Ok(if parts.is_empty() { logic::constant(false) } else { Typed::any(parts) })
    }
}

/// The elements of an array that stands in the query, and of the arrays in it.
fn elements_of(value: &Value) -> Option<Vec<Value>> {
    let literal = value.of_type(Type::Array)?.as_literal()?;
    if literal.is_null(0) {
        return Some(Vec::new());
    }
    let mut elements = Vec::new();
    for element in json::elements(literal.as_string_view().value(0))? {
        let element = Value::of_json(element);
        match elements_of(&element) {
            Some(inner) => elements.extend(inner),
            None => elements.push(element),
        }
    }
    Some(elements)
}

/// A number as one of a set: equal numbers are one, whatever their type.
#[derive(PartialEq, Eq, Hash)]
enum Number {
    Whole(i64),
    Bits(u64),
}

impl Number {
    fn of_float(value: f64) -> Self {
        match convert::truncated(value) {
            Some(whole) if value.fract() == 0.0 => Self::Whole(whole),
            _ => Self::Bits(value.to_bits()),
        }
    }
}

/// The number that stands in the query; none for what is no number or not equal to itself.
fn number_of(element: &Value) -> Option<Number> {
    let literal = |kind: Type| element.of_type(kind)?.as_literal().filter(|literal| literal.is_valid(0));
    if let Some(integer) = literal(Type::Integer) {
        return Some(Number::Whole(integer.as_primitive::<Int64Type>().value(0)));
    }
    let float = literal(Type::Float)?.as_primitive::<Float64Type>().value(0);
    (!float.is_nan()).then(|| Number::of_float(float))
}

/// A test against a set of numbers, for values that are equal to them as numbers or not at all.
fn set_of_numbers(value: &Value, elements: &[Value]) -> Result<Option<Typed>> {
    let is_other = |kind: &Type| matches!(kind, Type::Datetime | Type::Timespan | Type::Dynamic);
    if elements.len() < SET_LEAST || value.types().iter().any(is_other) {
        return Ok(None);
    }
    let numbers: Arc<HashSet<Number>> = Arc::new(elements.iter().filter_map(number_of).collect());
    let mut parts = Vec::new();
    if let Some(integers) = value.of_type(Type::Integer) {
        let numbers = Arc::clone(&numbers);
        let is_member = move |array: &ArrayRef, row: usize| {
            numbers.contains(&Number::Whole(array.as_primitive::<Int64Type>().value(row)))
        };
        parts.push(member_of(integers.clone(), is_member)?);
    }
    if let Some(floats) = value.of_type(Type::Float) {
        let is_member = move |array: &ArrayRef, row: usize| {
            numbers.contains(&Number::of_float(array.as_primitive::<Float64Type>().value(row)))
        };
        parts.push(member_of(floats.clone(), is_member)?);
    }
    Ok(Some(if parts.is_empty() { logic::constant(false) } else { Typed::any(parts) }))
}

/// A test against a set of texts.
fn set_of_texts(value: &Value, elements: &[Value], is_case_sensitive: bool) -> Result<Option<Typed>> {
    if elements.len() < SET_LEAST {
        return Ok(None);
    }
    let literal =
        |element: &Value| element.of_type(Type::String)?.as_literal().filter(|one| one.is_valid(0)).cloned();
    let types = value.types();
    let texts: Option<HashSet<String>> = elements
        .iter()
        .map(|element| literal(element).map(|one| one.as_string_view().value(0).to_owned()))
        .collect();
    // Beside texts, times are times and not texts.
    let (Some(texts), false) = (texts, types.contains(&Type::Datetime)) else { return Ok(None) };
    let Some(text) = value.text()? else { return Ok(Some(logic::constant(false))) };
    if is_case_sensitive {
        let is_member = move |array: &ArrayRef, row: usize| texts.contains(array.as_string_view().value(row));
        return member_of(text, is_member).map(Some);
    }
    let texts: HashSet<String> = texts.iter().map(|text| fold::folded(text)).collect();
    let is_member =
        move |array: &ArrayRef, row: usize| texts.contains(&fold::folded(array.as_string_view().value(row)));
    member_of(text, is_member).map(Some)
}

fn member_of(
    value: Typed,
    is_member: impl Fn(&ArrayRef, usize) -> bool + Send + Sync + 'static,
) -> Result<Typed> {
    let run = move |values: &[Values], rows: usize| {
        let array = values[0].clone().into_array(rows)?;
        let bits = BooleanBuffer::collect_bool(rows, |row| array.is_valid(row) && is_member(&array, row));
        Ok(Arc::new(BooleanArray::new(bits, None)) as ArrayRef)
    };
    Typed::call("in", Type::Boolean, vec![value], Arc::new(run))
}
