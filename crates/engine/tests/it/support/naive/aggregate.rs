//! Aggregations over the rows of a group. Null is left out of all of them.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use serde_json::Value as Json;

use super::{Kind, Row, Schema, array, text, value};
use crate::support::reply::float;

/// What the result of an aggregation must be.
#[derive(Clone, Debug)]
pub(crate) enum Result {
    /// This value. Numbers are equal whatever their type.
    Exactly(Json),
    /// A number that far away at most.
    Near(f64, f64),
    /// The most frequent of these values with their counts.
    Top(BTreeMap<String, u64>, usize),
    /// So many of these values with their counts, in any order.
    Some(BTreeMap<String, u64>, usize),
    /// Counts of these numbers, sorted, in so many ranges.
    Bins(Vec<f64>, usize),
    /// One of these.
    OneOf(Vec<Json>),
}

impl Result {
    pub(super) fn order(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Exactly(a), Self::Exactly(b)) => value::order(a, b, &Default::default()),
            other => panic!("groups are not ordered by {other:?}"),
        }
    }
}

/// Whether the aggregation has what it needs: those of numbers need a field that has had some.
pub(super) fn is_possible(call: &Json, schema: &Schema) -> bool {
    let needs_numbers =
        ["sum", "avg", "percentiles", "histogram", "stdev", "variance", "rate"].contains(&text(&call["op"]));
    !needs_numbers || schema.is_number(text(&call["field"]))
}

pub(super) fn compute(call: &Json, rows: &[&Row], schema: &Schema, seconds: f64) -> Result {
    let field = text(&call["field"]);
    let values: Vec<Json> =
        rows.iter().map(|row| row.field(field)).filter(|value| !value.is_null()).collect();
    let numbers: Vec<Json> = values.iter().filter(|value| value.is_number()).cloned().collect();
    let floats: Vec<f64> = numbers.iter().filter_map(Json::as_f64).collect();
    let sum: f64 = floats.iter().sum();
    let error = floats.iter().map(|value| value.abs()).sum::<f64>() * 1e-12;
    let count = |default: usize| call["argument"].as_u64().map_or(default, |count| count as usize);
    match text(&call["op"]) {
        "count" if field == "*" => Result::Exactly(Json::from(rows.len())),
        "count" => Result::Exactly(Json::from(values.len())),
        "distinct" => Result::Exactly(Json::from(counted(&values).len())),
        "sum" if numbers.is_empty() => Result::Exactly(Json::Null),
        "sum" => whole_sum(&numbers, field, schema).unwrap_or(Result::Near(sum, error)),
        "avg" if numbers.is_empty() => Result::Exactly(Json::Null),
        "avg" => Result::Near(sum / floats.len() as f64, error / floats.len() as f64),
        "rate" if numbers.is_empty() => Result::Exactly(Json::Null),
        "rate" => Result::Near(sum / seconds, error / seconds),
        "min" => Result::Exactly(ends(&values, field, schema).first().cloned().unwrap_or_default()),
        "max" => Result::Exactly(ends(&values, field, schema).last().cloned().unwrap_or_default()),
        op @ ("variance" | "stdev") => spread(&floats, op == "stdev"),
        "topk" => Result::Top(counted(&values), count(10)),
        "makeset" => Result::Some(counted(&values).into_keys().map(|key| (key, 1)).collect(), count(128)),
        "makelist" => Result::Some(counted(&values), count(1 << 20)),
        "histogram" => Result::Bins(sorted(floats), count(10)),
        "percentiles" if numbers.is_empty() => Result::Exactly(Json::Null),
        "percentiles" => Result::Exactly(percentiles(&sorted(floats), &array(&call["argument"]))),
        op @ ("argmin" | "argmax") => beside(call, rows, schema, op == "argmax"),
        other => panic!("no aggregation is called {other}"),
    }
}

fn counted(values: &[Json]) -> BTreeMap<String, u64> {
    let mut counts = BTreeMap::new();
    values.iter().for_each(|value| *counts.entry(value::key(value)).or_default() += 1);
    counts
}

fn sorted(mut values: Vec<f64>) -> Vec<f64> {
    values.sort_by(f64::total_cmp);
    values
}

/// The sum of a field that has only whole numbers: exact, and a float where it is beyond 64 bits.
fn whole_sum(numbers: &[Json], field: &str, schema: &Schema) -> Option<Result> {
    let kinds = schema.kinds(field);
    if kinds.contains(&Kind::Float) || kinds.contains(&Kind::LongInteger) {
        return None;
    }
    let sum: i128 = numbers.iter().map(|number| i128::from(number.as_i64().unwrap())).sum();
    Some(match i64::try_from(sum) {
        Ok(sum) => Result::Exactly(Json::from(sum)),
        Err(_) => Result::Exactly(float(sum as f64)),
    })
}

/// The values in order: of a field of one type as they are, else its numbers, else texts.
fn ends(values: &[Json], field: &str, schema: &Schema) -> Vec<Json> {
    let kinds = schema.kinds(field);
    let mut values = values.to_vec();
    if kinds.len() > 1 && schema.has_numbers(field) {
        values.retain(Json::is_number);
    } else if kinds.len() > 1 {
        values = values.iter().map(|value| Json::from(value::text(value))).collect();
    }
    values.sort_by(|a, b| value::order(a, b, &kinds));
    values
}

/// Variance or standard deviation of a sample.
fn spread(values: &[f64], is_root: bool) -> Result {
    if values.len() < 2 {
        return Result::Exactly(Json::Null);
    }
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    let variance = squares / (values.len() - 1) as f64;
    if !variance.is_finite() {
        return Result::Exactly(Json::Null);
    }
    let scale = values.iter().map(|value| value.abs()).fold(0.0, f64::max);
    if is_root {
        return Result::Near(variance.sqrt(), scale * 1e-6);
    }
    Result::Near(variance, scale * scale * 1e-9)
}

/// By nearest rank: the least value that at least so many percent are not above.
fn percentiles(sorted: &[f64], wanted: &[Json]) -> Json {
    let count = sorted.len();
    let of = |percent: &Json| {
        let thousandths = (percent.as_f64().unwrap() * 1000.0).round() as usize;
        let rank = (thousandths * count).div_ceil(100_000).clamp(1, count);
        float(sorted[rank - 1])
    };
    Json::Array(wanted.iter().map(of).collect())
}

/// The value of another field in the row where this one is at an end.
fn beside(call: &Json, rows: &[&Row], schema: &Schema, is_max: bool) -> Result {
    let field = text(&call["field"]);
    let other = call["argument"].as_str().unwrap_or(field);
    let values: Vec<Json> =
        rows.iter().map(|row| row.field(field)).filter(|value| !value.is_null()).collect();
    let ends = ends(&values, field, schema);
    let end = if is_max { ends.last() } else { ends.first() };
    let Some(end) = end else { return Result::Exactly(Json::Null) };
    let is_there = |row: &&&Row| {
        let own = row.field(field);
        match end {
            Json::Number(_) => value::numbers(&own, end) == Some(Ordering::Equal),
            Json::String(end) => !own.is_null() && value::text(&own) == *end,
            end => own == *end,
        }
    };
    let found: Vec<Json> = rows.iter().filter(is_there).map(|row| row.field(other)).collect();
    // Of several rows one that has a value is taken.
    if found.iter().all(Json::is_null) {
        return Result::Exactly(Json::Null);
    }
    Result::OneOf(found.into_iter().filter(|value| !value.is_null()).collect())
}
