//! One value for a whole series, or for two of them.

use tidegauge_lang::tree::Type;

use super::super::call::{Call, Function, function};
use super::super::elements::{self, write_member};
use super::super::rows::{self, Row};
use super::{Number, floats, numbers, series, write_number};
use crate::error::Result;
use crate::expr::Kernel;
use crate::kernels::{convert, logic};
use crate::value::Value;

pub(in crate::functions) const FUNCTIONS: &[Function] = &[
    function("series_sum", 1, 1, |call| of_one(call, |values| Some(values.iter().sum()))),
    function("series_magnitude", 1, 1, |call| of_one(call, |values| Some(product(values, values).sqrt()))),
    function("series_dot_product", 2, 2, |call| of_two(call, |one, other| Some(product(one, other)))),
    function("series_cosine_similarity", 2, 2, |call| of_two(call, cosine)),
    function("series_pearson_correlation", 2, 2, correlation),
    function("series_stats", 1, 2, |call| statistics(call, Type::Array)),
    function("series_stats_dynamic", 1, 2, |call| statistics(call, Type::Map)),
];

/// Of the numbers of a series, without what is none.
fn of_one(call: &Call<'_>, compute: fn(&[f64]) -> Option<f64>) -> Result<Value> {
    let run = rows::floats(move |row| {
        let mut values = floats(row.text(0))?;
        values.retain(|value| !value.is_nan());
        compute(&values)
    });
    call.result(Type::Float, [series(call, 0)?], run)
}

/// Of the places at which both series have a number.
fn of_two(call: &Call<'_>, compute: fn(&[f64], &[f64]) -> Option<f64>) -> Result<Value> {
    let run = rows::floats(move |row| {
        let (one, other) = (floats(row.text(0))?, floats(row.text(1))?);
        let both = one.into_iter().zip(other).filter(|(one, other)| !one.is_nan() && !other.is_nan());
        let (one, other): (Vec<f64>, Vec<f64>) = both.unzip();
        compute(&one, &other)
    });
    call.result(Type::Float, [series(call, 0)?, series(call, 1)?], run)
}

fn product(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}

fn cosine(one: &[f64], other: &[f64]) -> Option<f64> {
    let lengths = product(one, one).sqrt() * product(other, other).sqrt();
    (lengths > 0.0).then(|| product(one, other) / lengths)
}

/// Null where the series are not equally long, where one has no number, and where one is constant.
fn correlation(call: &Call<'_>) -> Result<Value> {
    let run = rows::floats(|row| {
        let (mut one, mut other) = (floats(row.text(0))?, floats(row.text(1))?);
        if one.len() != other.len() {
            return None;
        }
        for values in [&mut one, &mut other] {
            let average = values.iter().sum::<f64>() / values.len() as f64;
            values.iter_mut().for_each(|value| *value -= average);
        }
        cosine(&one, &other).map(|cosine| cosine.clamp(-1.0, 1.0))
    });
    call.result(Type::Float, [series(call, 0)?, series(call, 1)?], run)
}

/// What is told of a series, by the names it has in a map. The first seven make the array.
const NAMES: [&str; 9] = ["min", "min_idx", "max", "max_idx", "avg", "variance", "stdev", "sum", "len"];
const NAMES_IN_ARRAY: usize = 7;

fn statistics(call: &Call<'_>, kind: Type) -> Result<Value> {
    let run: Kernel = call.texts_of_all(move |row, text| {
        let statistics = read_statistics(row)?;
        if kind == Type::Array {
            elements::write_array(text, statistics.into_iter().take(NAMES_IN_ARRAY), write_number);
            return Some(());
        }
        text.push('{');
        for (name, value) in NAMES.into_iter().zip(statistics) {
            write_member(text, name, |text| write_number(value, text));
        }
        text.push('}');
        Some(())
    });
    let Some(values) = series(call, 0)? else { return Ok(Value::NULL) };
    let skips = if call.count() == 2 { call.condition(1)? } else { logic::constant(false) };
    call.result_of_all(kind, vec![Some(values), Some(convert::to_json(skips)?)], run)
}

/// All are null, but for the length, where an element is no number, unless such elements are passed over.
fn read_statistics(row: Row<'_, '_>) -> Option<[Option<Number>; NAMES.len()]> {
    if row.is_null(0) {
        return None;
    }
    let skips = !row.is_null(1) && row.text(1) == "true";
    let elements = numbers(row.text(0))?;
    let count = |count: usize| i64::try_from(count).ok().map(Number::Integer);
    let mut statistics = [None; NAMES.len()];
    let there: Vec<(usize, Number)> =
        elements.iter().enumerate().filter_map(|(place, number)| Some((place, (*number)?))).collect();
    let is_told = !there.is_empty() && (skips || there.len() == elements.len());
    let length = if skips { there.len() } else { elements.len() };
    statistics[8] = count(length);
    if !is_told {
        return Some(statistics);
    }
    let (mut least, mut greatest) = (there[0], there[0]);
    for number in &there[1..] {
        least = if number.1.float() < least.1.float() { *number } else { least };
        greatest = if number.1.float() > greatest.1.float() { *number } else { greatest };
    }
    let sum: f64 = there.iter().map(|(_, number)| number.float()).sum();
    let average = sum / there.len() as f64;
    let squares: f64 = there.iter().map(|(_, number)| (number.float() - average).powi(2)).sum();
    let variance = squares / (there.len() - 1).max(1) as f64;
    let float = |float: f64| Some(Number::Float(float));
    Some([
        Some(least.1),
        count(least.0),
        Some(greatest.1),
        count(greatest.0),
        float(average),
        float(variance),
        float(variance.sqrt()),
        float(sum),
        count(length),
    ])
}
