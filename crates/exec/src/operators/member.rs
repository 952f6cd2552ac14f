//! Members of maps and elements of arrays.

use std::sync::Arc;

use arrow_array::builder::StringViewBuilder;
use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{ArrayRef, StringViewArray};
use tidegauge_lang::tree::{Literal, Type};

use crate::error::Result;
use crate::expr::{At, Typed, Values};
use crate::kernels::{json, logic};
use crate::value::Value;

/// The member of a map by its name, or the element of an array by its number; null where there is none.
pub fn member(of: &Value, key: &Value) -> Result<Value> {
    let Some(of) = of.json()? else { return Ok(Value::NULL) };
    let Some(key) = key.of_type(Type::String).or(key.of_type(Type::Integer)).cloned() else {
        return Ok(Value::NULL);
    };
    let run = |values: &[Values], At { rows, .. }: At<'_>| {
        let (of, keys) = (&values[0], &values[1]);
        let mut result = StringViewBuilder::with_capacity(rows);
        for row in 0..rows {
            if of.is_null(row) || keys.is_null(row) {
                result.append_null();
                continue;
            }
            let source = of.array().as_string_view().value(of.place(row));
            let place = keys.place(row);
            let found = match keys.array().as_string_view_opt() {
                Some(names) => json::member(source, names.value(place)),
                None => json::element(source, keys.array().as_primitive::<Int64Type>().value(place)),
            };
            result.append_option(found.filter(|found| *found != "null"));
        }
        let result: StringViewArray = result.finish();
        Ok(Arc::new(result) as ArrayRef)
    };
    Ok(Typed::call("member", Type::Dynamic, vec![of, key], Arc::new(run))?.into())
}

/// A path of names with dots between them, into maps that a value holds.
#[derive(Debug)]
pub struct Inside<'a> {
    pub of: Value,
    pub path: &'a str,
}

/// Whether some of the values are maps.
pub fn has_maps(value: &Value) -> bool {
    value.of_type(Type::Map).is_some()
}

/// A value, and in rows where it is null the first that is found inside the others.
pub fn inside(value: &Value, places: &[Inside<'_>]) -> Result<Value> {
    let mut arguments = value.variants.clone();
    let known = arguments.len();
    let mut paths = Vec::with_capacity(places.len());
    for place in places {
        if let Some(of) = place.of.json()? {
            arguments.push(of);
            paths.push(place.path.to_owned());
        }
    }
    if paths.is_empty() {
        return Ok(value.clone());
    }
    // The paths are arguments, so that calls with others are told apart.
    let texts = paths.iter().map(|path| Value::literal(&Literal::String(path.clone())));
    arguments.extend(texts.flat_map(|text| text.variants));
    let run = move |values: &[Values], At { rows, .. }: At<'_>| {
        let (own, maps) = values.split_at(known);
        let mut result = StringViewBuilder::with_capacity(rows);
        for row in 0..rows {
            if own.iter().any(|value| !value.is_null(row)) {
                result.append_null();
                continue;
            }
            let found = maps.iter().zip(&paths).find_map(|(map, path)| {
                let source = || map.array().as_string_view().value(map.place(row));
                if map.is_null(row) { None } else { at_path(source(), path) }
            });
            result.append_option(found);
        }
        let result: StringViewArray = result.finish();
        Ok(Arc::new(result) as ArrayRef)
    };
    let found = Typed::call("inside", Type::Dynamic, arguments, Arc::new(run))?;
    let mut variants = value.variants.clone();
    match variants.iter_mut().find(|variant| variant.kind == Type::Dynamic) {
        Some(variant) => {
            let parts = vec![variant.clone(), found];
            *variant = logic::first_of(parts)?.unwrap_or_else(|| logic::null(Type::Dynamic));
        }
        None => variants.push(found),
    }
    Ok(Value { variants })
}

/// What a path leads to: the member that has the whole path for its name, or what the rest of the path leads to in a
/// member that has a part of it.
fn at_path<'a>(json: &'a str, path: &str) -> Option<&'a str> {
    if let Some(found) = json::member(json, path).filter(|found| *found != "null") {
        return Some(found);
    }
    path.match_indices('.').find_map(|(dot, _)| at_path(json::member(json, &path[..dot])?, &path[dot + 1..]))
}
