//! Members of maps and elements of arrays.

use std::sync::Arc;

use arrow_array::builder::StringViewBuilder;
use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{ArrayRef, StringViewArray};
use tidegauge_lang::tree::Type;

use super::json;
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
