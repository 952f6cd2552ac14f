//! Members of maps and elements of arrays.

use std::sync::Arc;

use arrow_array::builder::StringViewBuilder;
use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{ArrayRef, StringViewArray};
use serde_json::value::RawValue;
use tidegauge_lang::tree::Type;

use crate::Result;
use crate::expr::{Typed, Values};
use crate::value::Value;

/// The member of a map by its name, or the element of an array by its number; null where there is none.
pub(crate) fn member(of: &Value, key: &Value) -> Result<Value> {
    let Some(of) = of.json()? else { return Ok(Value::NULL) };
    let Some(key) = key.of_type(Type::String).or(key.of_type(Type::Integer)).cloned() else {
        return Ok(Value::NULL);
    };
    let run = |values: &[Values], rows: usize| {
        let (of, keys) = (&values[0], &values[1]);
        let mut result = StringViewBuilder::with_capacity(rows);
        for row in 0..rows {
            if of.is_null(row) || keys.is_null(row) {
                result.append_null();
                continue;
            }
            let json = of.array().as_string_view().value(of.place(row));
            let place = keys.place(row);
            let found = match keys.array().as_string_view_opt() {
                Some(names) => by_name(json, names.value(place)),
                None => by_number(json, keys.array().as_primitive::<Int64Type>().value(place)),
            };
            result.append_option(
                found.filter(|found| found.get() != "null").map(|found| found.get().to_owned()),
            );
        }
        let result: StringViewArray = result.finish();
        Ok(Arc::new(result) as ArrayRef)
    };
    Ok(Typed::call("member", Type::Dynamic, vec![of, key], Arc::new(run))?.into())
}

fn by_name(json: &str, name: &str) -> Option<Box<RawValue>> {
    let mut members: std::collections::HashMap<String, Box<RawValue>> = serde_json::from_str(json).ok()?;
    members.remove(name)
}

fn by_number(json: &str, number: i64) -> Option<Box<RawValue>> {
    let mut elements: Vec<Box<RawValue>> = serde_json::from_str(json).ok()?;
    let count = i64::try_from(elements.len()).ok()?;
    let place = usize::try_from(if number < 0 { number + count } else { number }).ok()?;
    (place < elements.len()).then(|| elements.swap_remove(place))
}
