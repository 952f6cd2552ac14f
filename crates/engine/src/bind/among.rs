//! Whether a value is among others: `in`, `has_any` and their likes. Arrays in a list stand for their elements. Lists
//! of texts or of integers become sets, so that a row costs the same however long they are.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, ArrayRef, BooleanArray};
use arrow_buffer::BooleanBuffer;
use hashbrown::HashSet;
use tidegauge_lang::tree::{Expr, TextTest, Type};

use super::Scope;
use crate::Result;
use crate::expr::{Typed, Values};
use crate::functions::text::fold;
use crate::functions::{compare, json, library, logic, text};
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
                    let is_inside = library::call("set_has_element", &arguments, span, self.now())?;
                    let is_inside = is_inside.and_then(|value| value.of_type(Type::Boolean).cloned());
                    parts.extend(is_inside.map(logic::known).transpose()?);
                }
                None => elements.push(element),
            }
        }
        match set_of(&value, &elements, is_case_sensitive)? {
            Some(is_in_set) => parts.push(is_in_set),
            None => {
                for element in elements {
                    let is_text = element.of_type(Type::String).is_some();
                    parts.push(if is_text && !is_case_sensitive {
                        text::test(TextTest::Equals, false, &value, &element)?
                    } else {
                        logic::known(compare::equal(&value, &element)?)?
                    });
                }
            }
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

/// A test against a set, where all elements are texts or all are integers.
fn set_of(value: &Value, elements: &[Value], is_case_sensitive: bool) -> Result<Option<Typed>> {
    if elements.len() < SET_LEAST {
        return Ok(None);
    }
    let literal = |kind: Type| move |element: &Value| element.of_type(kind)?.as_literal().cloned();
    let types = value.types();
    if types == [Type::Integer] && is_case_sensitive {
        let integers: Option<HashSet<i64>> = elements
            .iter()
            .map(|element| {
                literal(Type::Integer)(element).map(|one| one.as_primitive::<Int64Type>().value(0))
            })
            .collect();
        let (Some(integers), Some(value)) = (integers, value.of_type(Type::Integer)) else { return Ok(None) };
        let is_member = move |array: &ArrayRef, row: usize| {
            integers.contains(&array.as_primitive::<Int64Type>().value(row))
        };
        return member_of(value.clone(), is_member).map(Some);
    }
    let texts: Option<HashSet<String>> = elements
        .iter()
        .map(|element| literal(Type::String)(element).map(|one| one.as_string_view().value(0).to_owned()))
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
