//! Values that were put into JSON, in the types that they had before.

use std::sync::Arc;

use arrow_array::builder::{BooleanBuilder, Float64Builder, Int64Builder, StringViewBuilder};
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, StringViewArray};
use tidegauge_lang::tree::Type;

use crate::error::Result;
use crate::expr::{At, Kernel, Typed, Values};
use crate::kernels::{digits, json, times};
use crate::value::Value;

/// JSON texts as values of the types that they had, each where the text is one of it.
pub fn as_kinds(packed: &Value, kinds: &[Type]) -> Result<Value> {
    let Some(packed) = packed.json()? else { return Ok(Value::NULL) };
    let mut variants = Vec::with_capacity(kinds.len());
    for kind in kinds {
        // Where several may be, whole numbers are integers, the long among them apart, and others floats.
        let others = kinds.iter().filter(|other| *other != kind);
        let others: Vec<Type> = others.filter(|other| is_number(**other)).copied().collect();
        variants.push(as_kind(packed.clone(), *kind, &others)?);
    }
    Ok(Value { variants })
}

fn is_number(kind: Type) -> bool {
    matches!(kind, Type::Integer | Type::Float | Type::LongInteger)
}

fn as_kind(packed: Typed, kind: Type, other_numbers: &[Type]) -> Result<Typed> {
    let is_apart = !other_numbers.is_empty();
    let has_integers = other_numbers.contains(&Type::Integer);
    let has_long = other_numbers.contains(&Type::LongInteger);
    let run: Kernel = match kind {
        Type::Datetime => built(Int64Builder::new, |text, builder| {
            builder.append_option(nanoseconds(text, times::read));
        }),
        Type::Timespan => built(Int64Builder::new, |text, builder| {
            builder.append_option(nanoseconds(text, times::read_timespan));
        }),
        Type::Integer => built(Int64Builder::new, move |text, builder| {
            let of_float = || json::number(text).filter(|_| !is_apart).map(|float| float as i64);
            builder.append_option(text.parse().ok().or_else(of_float));
        }),
        Type::Float => built(Float64Builder::new, move |text, builder| {
            let is_whole =
                (has_integers && text.parse::<i64>().is_ok()) || (has_long && digits::is_long(text));
            builder.append_option(json::number(text).filter(|_| !is_whole));
        }),
        Type::Boolean => built(BooleanBuilder::new, |text, builder| builder.append_option(text.parse().ok())),
        Type::String => built(StringViewBuilder::new, |text, builder| {
            let plain = text.starts_with('"').then(|| {
                let mut plain = String::new();
                json::write_plain(text, &mut plain);
                plain
            });
            builder.append_option(plain);
        }),
        Type::LongInteger => built(StringViewBuilder::new, |text, builder| {
            builder.append_option(digits::is_long(text).then_some(text));
        }),
        Type::Array => built(StringViewBuilder::new, |text, builder| {
            builder.append_option(text.starts_with('[').then_some(text));
        }),
        Type::Map => built(StringViewBuilder::new, |text, builder| {
            builder.append_option(text.starts_with('{').then_some(text));
        }),
        Type::Dynamic => return Ok(packed),
    };
    Typed::call("unpack", kind, vec![packed], run)
}

/// Nanoseconds as they are, or as a text says them.
fn nanoseconds(json: &str, read: fn(&str) -> Option<i64>) -> Option<i64> {
    if !json.starts_with('"') {
        return json.parse().ok().or_else(|| json::number(json).map(|number| number as i64));
    }
    let mut plain = String::new();
    json::write_plain(json, &mut plain);
    read(&plain)
}

/// A kernel that reads each text into a builder.
fn built<B: arrow_array::builder::ArrayBuilder>(
    new: fn() -> B,
    read: impl Fn(&str, &mut B) + Send + Sync + 'static,
) -> Kernel {
    Arc::new(move |values: &[Values], At { rows, .. }| {
        let array = values[0].clone().into_array(rows)?;
        let texts: &StringViewArray = array.as_string_view();
        let mut builder = new();
        for row in 0..rows {
            // What is not there reads as nothing.
            read(if texts.is_valid(row) { texts.value(row) } else { "" }, &mut builder);
        }
        Ok(builder.finish() as ArrayRef)
    })
}
