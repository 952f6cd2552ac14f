//! Filters of signals: each result is a weighted sum of values around its place, and of results before it.

use tidegauge_lang::tree::Type;

use super::super::call::{Call, Function, function};
use super::super::rows::{Row, Told};
use super::{floats, series, write_floats};
use crate::error::Result;
use crate::kernels::{convert, logic};
use crate::notices::Message;
use crate::value::Value;

pub(in crate::functions) const FUNCTIONS: &[Function] =
    &[function("series_fir", 2, 4, fir), function("series_iir", 3, 3, iir)];

/// The most products that a filter is worth. A longer one gives null, which is told.
const PRODUCTS_MAX: usize = 1 << 28;

/// Whether so many values with so many weights are few enough; tells if they are not.
fn is_worth(values: usize, weights: usize, told: &Told) -> bool {
    let is_worth = values.saturating_mul(weights) <= PRODUCTS_MAX;
    if !is_worth {
        let (function, limit) = (told.function, PRODUCTS_MAX as u64);
        told.notices.tell(Message::NullBeyond { function, limit, unit: "products of values and weights" });
    }
    is_worth
}

/// Weighted sums of the values up to each place, or around it. The weights are made to sum up to one unless there are
/// negative ones among them; values before the start count as zero.
fn fir(call: &Call<'_>) -> Result<Value> {
    let told = call.told();
    let run = call.texts_of_all(move |row, text| {
        if row.is_null(0) || row.is_null(1) {
            return None;
        }
        let (values, mut weights) = (floats(row.text(0))?, floats(row.text(1))?);
        let has_negative = weights.iter().any(|weight| *weight < 0.0);
        let is_normal = flag(row, 2).unwrap_or(!has_negative);
        if is_normal {
            let sum: f64 = weights.iter().sum();
            if has_negative || sum == 0.0 {
                return None;
            }
            weights.iter_mut().for_each(|weight| *weight /= sum);
        }
        let ahead = if flag(row, 3) == Some(true) { weights.len() / 2 } else { 0 };
        if !is_worth(values.len(), weights.len(), &told) {
            return None;
        }
        let filtered = weighted(&values, &weights, ahead);
        write_floats(text, filtered);
        Some(())
    });
    let (Some(values), Some(weights)) = (series(call, 0)?, series(call, 1)?) else { return Ok(Value::NULL) };
    let mut arguments = vec![Some(values), Some(weights)];
    for place in [2, 3] {
        let flag =
            if call.value(place).is_null() { logic::null(Type::Boolean) } else { call.condition(place)? };
        arguments.push(Some(convert::to_json(flag)?));
    }
    call.result_of_all(Type::Array, arguments, run)
}

fn flag(row: Row<'_, '_>, place: usize) -> Option<bool> {
    (!row.is_null(place)).then(|| row.text(place) == "true")
}

/// For each place the sum of the values from so many places ahead backwards, each by its weight.
fn weighted(values: &[f64], weights: &[f64], ahead: usize) -> Vec<f64> {
    let sum_at = |place: usize| {
        let terms = weights.iter().enumerate().filter_map(|(back, weight)| {
            let value = values.get((place + ahead).checked_sub(back)?)?;
            Some(weight * value)
        });
        terms.sum()
    };
    (0..values.len()).map(sum_at).collect()
}

/// Weighted sums of the values up to each place less those of the results before it. The first weight of the results
/// divides all, and must not be zero.
fn iir(call: &Call<'_>) -> Result<Value> {
    let told = call.told();
    let run = call.texts(move |row, text| {
        let (values, forward, back) = (floats(row.text(0))?, floats(row.text(1))?, floats(row.text(2))?);
        let divisor = *back.first().filter(|divisor| **divisor != 0.0)?;
        if !is_worth(values.len(), forward.len().max(back.len()), &told) {
            return None;
        }
        let mut results: Vec<f64> = Vec::with_capacity(values.len());
        for forward in weighted(&values, &forward, 0) {
            let before = results.iter().rev();
            let feedback: f64 = back[1..].iter().zip(before).map(|(weight, result)| weight * result).sum();
            results.push((forward - feedback) / divisor);
        }
        write_floats(text, results);
        Some(())
    });
    call.result(Type::Array, [series(call, 0)?, series(call, 1)?, series(call, 2)?], run)
}
