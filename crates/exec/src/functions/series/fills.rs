//! Values for the places of a series where there is none: null, or what is given as the sign of a missing value.
//! Elements that are there keep the text they have.

use serde_json::value::RawValue;
use tidegauge_lang::tree::Type;

use super::super::call::{Call, Function, function, literal_text};
use super::super::elements::{self, key};
use super::super::rows::Row;
use crate::error::Result;
use crate::kernels::{json, logic};
use crate::value::Value;

pub(in crate::functions) const FUNCTIONS: &[Function] = &[
    function("series_fill_const", 2, 3, fill_const),
    function("series_fill_forward", 1, 2, |call| fill_from(call, Side::Before)),
    function("series_fill_backward", 1, 2, |call| fill_from(call, Side::After)),
    function("series_fill_linear", 1, 4, fill_linear),
];

/// Where the value stands that fills a place.
#[derive(Clone, Copy, PartialEq)]
enum Side {
    Before,
    After,
}

/// The elements of a series, with none for those that are missing.
fn elements_there<'a>(
    row: Row<'a, '_>,
    series: usize,
    placeholder: usize,
) -> Option<Vec<Option<&'a RawValue>>> {
    let missing = key(text_or_null(row, placeholder));
    let is_there = |element: &RawValue| element.get() != "null" && key(element.get()) != missing;
    let elements = elements::elements(row.text(series))?;
    Some(elements.into_iter().map(|element| Some(element).filter(|element| is_there(element))).collect())
}

fn text_or_null<'a>(row: Row<'a, '_>, place: usize) -> &'a str {
    if row.is_null(place) { "null" } else { row.text(place) }
}

fn fill_const(call: &Call<'_>) -> Result<Value> {
    let run = call.texts_of_all(|row, text| {
        if row.is_null(0) {
            return None;
        }
        let (elements, value) = (elements_there(row, 0, 2)?, text_or_null(row, 1));
        elements::write_array(text, elements, |element, text| {
            text.push_str(element.map_or(value, RawValue::get));
        });
        Some(())
    });
    let Some(series) = super::series(call, 0)? else { return Ok(Value::NULL) };
    call.result_of_all(Type::Array, vec![Some(series), call.json(1)?, call.json(2)?], run)
}

/// The nearest value on one side. Where that side has none the place stays as it is.
fn fill_from(call: &Call<'_>, side: Side) -> Result<Value> {
    let run = call.texts_of_all(move |row, text| {
        if row.is_null(0) {
            return None;
        }
        let (mut elements, missing) = (elements_there(row, 0, 1)?, text_or_null(row, 1));
        if side == Side::After {
            elements.reverse();
        }
        let mut last = None;
        for element in &mut elements {
            last = element.or(last);
            *element = last;
        }
        if side == Side::After {
            elements.reverse();
        }
        elements::write_array(text, elements, |element, text| {
            text.push_str(element.map_or(missing, RawValue::get));
        });
        Some(())
    });
    let Some(series) = super::series(call, 0)? else { return Ok(Value::NULL) };
    call.result_of_all(Type::Array, vec![Some(series), call.json(1)?], run)
}

/// A straight line between the values on both sides; at the edges the nearest value, if that is wanted. A series
/// without any value is filled with a constant.
fn fill_linear(call: &Call<'_>) -> Result<Value> {
    let run = call.texts_of_all(|row, text| {
        if row.is_null(0) {
            return None;
        }
        let (elements, missing) = (elements_there(row, 0, 1)?, text_or_null(row, 1));
        let fills_edges = row.is_null(2) || row.text(2) != "false";
        let known: Vec<(usize, f64)> = elements
            .iter()
            .enumerate()
            .filter_map(|(place, element)| Some((place, json::number(element.as_ref()?.get())?)))
            .collect();
        let constant = text_or_null(row, 3);
        elements::write_array(text, elements.iter().enumerate(), |(place, element), text| {
            if let Some(element) = element {
                return text.push_str(element.get());
            }
            let next = known.partition_point(|(known, _)| *known < place);
            match (next.checked_sub(1).and_then(|before| known.get(before)), known.get(next)) {
                (Some(before), Some(after)) => {
                    let share = (place - before.0) as f64 / (after.0 - before.0) as f64;
                    json::write_number_key(before.1 + (after.1 - before.1) * share, text);
                }
                (Some(edge), None) | (None, Some(edge)) if fills_edges => {
                    json::write_number_key(edge.1, text);
                }
                (None, None) => text.push_str(constant),
                _ => text.push_str(missing),
            }
        });
        Some(())
    });
    let Some(series) = super::series(call, 0)? else { return Ok(Value::NULL) };
    let constant = if call.count() == 4 { call.json(3)? } else { Some(literal_text("0")) };
    let fills_edges = if call.count() > 2 { Some(call.condition(2)?) } else { Some(logic::constant(true)) };
    let fills_edges = fills_edges.map(crate::kernels::convert::to_json).transpose()?;
    call.result_of_all(Type::Array, vec![Some(series), call.json(1)?, fills_edges, constant], run)
}
