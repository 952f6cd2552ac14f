//! From what aggregates give to the values of the answer.

use std::fmt::Write;
use std::sync::Arc;

use arrow_array::builder::{Float64Builder, Int64Builder, StringViewBuilder};
use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use arrow_array::{Array, ArrayRef, BooleanArray, Float64Array, RecordBatch};
use arrow_buffer::NullBuffer;
use datafusion_common::ScalarValue;
use tidegauge_aggregates as aggregates;
use tidegauge_exec::kernels::digits::Number;
use tidegauge_exec::kernels::times;
use tidegauge_lang::tree::Type;

use crate::plan::Shape;
use crate::{Error, Result};

/// An array for each type that occurs.
type Variants = Vec<(Type, ArrayRef)>;

/// The column of an aggregate in a table, of which some need the rows beside. Keys stand before it, behind the bucket.
pub(super) fn settled(
    shape: Shape,
    column: &ArrayRef,
    batch: &RecordBatch,
    keys: usize,
    has_bucket: bool,
) -> Result<ArrayRef> {
    if !matches!(shape, Shape::Counter(_) | Shape::CounterRate) {
        return Ok(Arc::clone(column));
    }
    let along = match batch.columns().split_first().filter(|_| has_bucket) {
        None => None,
        Some((buckets, others)) => Some(aggregates::Along {
            buckets: buckets.as_primitive_opt().ok_or_else(unexpected)?,
            keys: others.get(..keys).ok_or_else(unexpected)?,
        }),
    };
    Ok(aggregates::settled(column, along)?)
}

/// The values of one aggregate, and whether one of them is an estimate.
pub(super) fn values(shape: Shape, column: &ArrayRef, seconds: f64) -> Result<(Variants, bool)> {
    let (column, is_estimate) = aggregates::split_estimates(column);
    let values = match shape {
        Shape::As(kind) | Shape::Counter(kind) => of_kind(kind, column),
        Shape::OrZero(kind) => {
            let is_null = column.logical_nulls();
            let mut values = of_kind(kind, column);
            // The first type is that of the values; others are for the few that do not fit.
            if let (Some(is_null), Some((_, array))) = (is_null, values.first_mut()) {
                *array = with_zeros(array, &is_null)?;
            }
            values
        }
        Shape::Numbers => {
            let (integers, floats) = aggregates::split_numbers(&column).ok_or_else(unexpected)?;
            vec![(Type::Integer, integers), (Type::Float, floats)]
        }
        Shape::NumberTexts => numbers_of_texts(&column)?,
        Shape::List(kind) => vec![(Type::Array, lists(kind, &column)?)],
        Shape::PerSecond | Shape::CounterRate => {
            let sums = column.as_primitive_opt::<Float64Type>().ok_or_else(unexpected)?;
            // Of a range whose length is not known there is no rate.
            let rate = |sum: f64| seconds.is_finite().then_some(sum / seconds);
            let rates: Float64Array = sums.iter().map(|sum| sum.and_then(rate)).collect();
            vec![(Type::Float, Arc::new(rates) as ArrayRef)]
        }
    };
    Ok((values, is_estimate))
}

/// Numbers that are JSON texts, each in its type.
fn numbers_of_texts(column: &ArrayRef) -> Result<Variants> {
    let texts = column.as_string_view_opt().ok_or_else(unexpected)?;
    let (mut integers, mut floats) = (Int64Builder::new(), Float64Builder::new());
    let mut long = StringViewBuilder::new();
    for text in texts.iter() {
        let number = text.and_then(Number::of_json);
        integers.append_option(if let Some(Number::Integer(integer)) = number {
            Some(integer)
        } else {
            None
        });
        floats.append_option(if let Some(Number::Float(float)) = number { Some(float) } else { None });
        long.append_option(if let Some(Number::Long(digits)) = number { Some(digits) } else { None });
    }
    Ok(vec![
        (Type::Integer, Arc::new(integers.finish())),
        (Type::Float, Arc::new(floats.finish())),
        (Type::LongInteger, Arc::new(long.finish())),
    ])
}

fn of_kind(kind: Type, column: ArrayRef) -> Variants {
    match aggregates::split_sums(&column) {
        Some((whole, beyond)) => {
            let whole: (Type, ArrayRef) = (kind, Arc::new(whole));
            let beyond = beyond.map(|beyond| (Type::Float, Arc::new(beyond) as ArrayRef));
            std::iter::once(whole).chain(beyond).collect()
        }
        None => vec![(kind, column)],
    }
}

/// Zero where the nulls say so.
fn with_zeros(array: &ArrayRef, nulls: &NullBuffer) -> Result<ArrayRef> {
    let is_null = BooleanArray::new(!nulls.inner(), None);
    let zero = ScalarValue::new_zero(array.data_type())?.to_scalar()?;
    Ok(arrow_select::zip::zip(&is_null, &zero, array)?)
}

/// Lists of numbers as JSON text of values of a type.
fn lists(kind: Type, column: &ArrayRef) -> Result<ArrayRef> {
    let lists = column.as_list_opt::<i32>().ok_or_else(unexpected)?;
    let mut texts = StringViewBuilder::with_capacity(lists.len());
    let mut text = String::new();
    for list in lists.iter() {
        let Some(list) = list else {
            texts.append_null();
            continue;
        };
        text.clear();
        text.push('[');
        for (place, number) in list.as_primitive::<Float64Type>().iter().enumerate() {
            if place > 0 {
                text.push(',');
            }
            match number.filter(|number| number.is_finite()) {
                Some(number) => write_number(kind, number, &mut text),
                None => text.push_str("null"),
            }
        }
        text.push(']');
        texts.append_value(&text);
    }
    Ok(Arc::new(texts.finish()))
}

fn write_number(kind: Type, number: f64, text: &mut String) {
    // An estimate is the middle of a range that begins with a whole number, at its end nearer to zero: 143.5 stands for
    // [143, 144), where only 143 is whole. A float beyond 64 bits becomes the nearest number that has them.
    let whole = number.trunc() as i64;
    let _ = match kind {
        Type::Integer => write!(text, "{whole}"),
        Type::Timespan | Type::Datetime => {
            text.push('"');
            let write = if kind == Type::Datetime { times::write_datetime } else { times::write_timespan };
            write(whole, text);
            text.push('"');
            Ok(())
        }
        _ => write!(text, "{number:?}"),
    };
}

fn unexpected() -> Error {
    Error::Internal { message: "an aggregate gave values of another type".to_owned() }
}
