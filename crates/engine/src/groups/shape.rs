//! From what aggregates give to the values of the answer.

use std::fmt::Write;
use std::sync::Arc;

use arrow_array::builder::StringViewBuilder;
use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use arrow_array::{Array, ArrayRef, Float64Array};
use tidegauge_lang::tree::Type;

use crate::aggregates;
use crate::plan::Shape;
use crate::{Error, Result};

/// An array for each type that occurs.
type Variants = Vec<(Type, ArrayRef)>;

/// The values of one aggregate, and whether one of them is an estimate.
pub(super) fn values(shape: Shape, column: &ArrayRef, seconds: f64) -> Result<(Variants, bool)> {
    let (column, is_estimate) = aggregates::split_estimates(column);
    let values = match shape {
        Shape::As(kind) => match aggregates::split_sums(&column) {
            Some((whole, beyond)) => {
                let whole: (Type, ArrayRef) = (kind, Arc::new(whole));
                let beyond = beyond.map(|beyond| (Type::Float, Arc::new(beyond) as ArrayRef));
                std::iter::once(whole).chain(beyond).collect()
            }
            None => vec![(kind, column)],
        },
        Shape::Numbers => {
            let (integers, floats) = aggregates::split_numbers(&column).ok_or_else(unexpected)?;
            vec![(Type::Integer, integers), (Type::Float, floats)]
        }
        Shape::List => vec![(Type::Array, lists(&column)?)],
        Shape::PerSecond => {
            let sums = column.as_primitive_opt::<Float64Type>().ok_or_else(unexpected)?;
            let rates: Float64Array = sums.unary(|sum| sum / seconds);
            vec![(Type::Float, Arc::new(rates) as ArrayRef)]
        }
    };
    Ok((values, is_estimate))
}

/// Lists of numbers as JSON text.
fn lists(column: &ArrayRef) -> Result<ArrayRef> {
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
                Some(number) => {
                    let _ = write!(text, "{number:?}");
                }
                None => text.push_str("null"),
            }
        }
        text.push(']');
        texts.append_value(&text);
    }
    Ok(Arc::new(texts.finish()))
}

fn unexpected() -> Error {
    Error::Internal { message: "an aggregate gave values of another type".to_owned() }
}
