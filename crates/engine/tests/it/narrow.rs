//! Numbers that are kept in half of their bytes where memory is short: each is given back to the bit, and questions are
//! answered as without.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{Array, ArrayRef, Float64Array, Int64Array, UInt32Array};
use arrow_select::take::take;
use proptest::prelude::*;
use serde_json::{Value, json};
use tidegauge_engine::Engine;
use tidegauge_engine::testing::narrowed;
use tidegauge_store::DatasetState;

use crate::properties::{config, run_with};
use crate::support::engines::{asked, engine};
use crate::support::house::{House, Placement, SECOND, START, block_on};
use crate::support::reply::value;

fn integers(values: impl IntoIterator<Item = i64>) -> ArrayRef {
    Arc::new(Int64Array::from_iter_values(values))
}

fn floats(values: impl IntoIterator<Item = f64>) -> ArrayRef {
    Arc::new(Float64Array::from_iter_values(values))
}

/// Floats as their bits: nothing is equal to a NaN, and zero is to the one below it.
fn bits(array: &ArrayRef) -> Vec<Option<i64>> {
    match array.as_primitive_opt::<Int64Type>() {
        Some(integers) => integers.iter().collect(),
        None => array
            .as_primitive::<Float64Type>()
            .iter()
            .map(|float| Some(float?.to_bits().cast_signed()))
            .collect(),
    }
}

fn is_given_back(array: &ArrayRef) -> Result<(), String> {
    let some: Vec<u32> = (0..array.len() as u32).filter(|row| row % 3 != 1).collect();
    let picked = take(array, &UInt32Array::from(some.clone()), None).unwrap();
    for (was, rows) in [(array, None), (&picked, Some(some))] {
        if let Some(given_back) = narrowed(array, rows)
            && bits(&given_back) != bits(was)
        {
            return Err(format!("{was:?} became {given_back:?}"));
        }
    }
    Ok(())
}

#[test]
fn what_mostly_occurs_is_kept_in_half() {
    for unit in [1, 1_000, 1_000_000] {
        let times = integers((0..1_000).map(|number| START + number * number * 4_001 * unit));
        assert!(narrowed(&times, None).is_some(), "{unit}");
        is_given_back(&times).unwrap();
    }
    for decimals in [1.0, 10.0, 100.0, 1_000.0, 10_000.0] {
        let durations =
            floats((0..1_000).map(|number| (f64::from(number * 7_919 % 90_001) - 40_000.0) / decimals));
        assert!(narrowed(&durations, None).is_some(), "{decimals}");
        is_given_back(&durations).unwrap();
    }
    let extremes = integers([i64::MIN, i64::MIN + i64::from(u32::MAX)]);
    assert!(narrowed(&extremes, None).is_some());
    is_given_back(&extremes).unwrap();
}

#[test]
fn what_could_not_be_given_back_is_left() {
    let late = |value: f64| floats((0..100).map(f64::from).chain([value]));
    for odd in [0.1 + 0.2, -0.0, f64::NAN, f64::INFINITY, 1e300, 5e9, std::f64::consts::PI] {
        assert!(narrowed(&late(odd), None).is_none(), "{odd}");
    }
    assert!(narrowed(&integers([0, 1 << 32, 1]), None).is_none(), "not whole microseconds");
    assert!(narrowed(&integers([i64::MIN, i64::MAX]), None).is_none());
    let nothing: ArrayRef = Arc::new(Int64Array::from(vec![None, None]));
    assert!(narrowed(&nothing, None).is_none());
}

#[test]
fn any_numbers_are_given_back_or_left() {
    let base = prop_oneof![Just(0_i64), Just(i64::MIN), Just(i64::MAX), any::<i64>(), Just(START)];
    let unit = prop::sample::select(vec![1_i64, 10, 1_000, 1_000_000, 7]);
    let steps = prop::collection::vec(prop::option::weighted(0.9, any::<u32>()), 1..200);
    run_with(config(), (base, unit, steps), |(base, unit, steps)| {
        let number = |step: u32| base.wrapping_add(i64::from(step).wrapping_mul(unit));
        let integers = steps.iter().map(|step| step.map(number)).collect::<Int64Array>();
        is_given_back(&(Arc::new(integers) as ArrayRef))?;
        let decimal = |step: u32| (base as f64 % 1e9 + f64::from(step)) / unit as f64;
        let floats = steps.iter().map(|step| step.map(decimal)).collect::<Float64Array>();
        is_given_back(&(Arc::new(floats) as ArrayRef))
    });
}

const EVENTS: i64 = 30_000;

async fn dataset(house: &House) -> Arc<DatasetState> {
    let line = |number: &i64| {
        let mut event =
            json!({ "_time": START + number * SECOND, "took": (number * 7_919 % 90_001) as f64 / 1e3 });
        if number % 5 > 0 {
            event["bytes"] = json!(number * 104_729 % 1_000_003);
        }
        event.to_string() + "\n"
    };
    let numbers: Vec<i64> = (0..EVENTS).collect();
    let requests = numbers.chunks(10_000).map(|part| part.iter().map(line).collect());
    house.filled(&requests.collect::<Vec<String>>(), Placement::Segments).await.state
}

async fn answers(engine: &Engine, state: &Arc<DatasetState>, query: &str) -> Vec<Vec<Value>> {
    let answer = asked(engine, state, query).await;
    let table = &answer.tables[0];
    table.fields.iter().map(|field| (0..table.rows).map(|row| value(field, row)).collect()).collect()
}

#[test]
fn questions_are_answered_the_same_in_whichever_form_numbers_are_kept() {
    let queries = [
        "logs | summarize count(), max(took), sum(bytes), percentile(took, 95) by bin(_time, 1h) | sort by _time asc",
        "logs | where bytes > 999000 | summarize n = count(), sum(bytes), min(took), max(_time)",
        "logs | where took == 12.345 or bytes == 104729 | project _time, took, bytes | sort by _time asc",
        "logs | where isnull(bytes) and took < 0.01 | project _time, took | sort by _time asc",
    ];
    block_on(async {
        let house = House::new().await;
        let state = dataset(&house).await;
        let without = engine(&house, |_| {});
        for cache_bytes in [300 << 10, 600 << 10, 900 << 10, 16 << 20] {
            let engine = engine(&house, |settings| settings.cache_bytes = cache_bytes);
            for query in queries.iter().cycle().take(3 * queries.len()) {
                let expected = answers(&without, &state, query).await;
                assert_eq!(answers(&engine, &state, query).await, expected, "{query} {cache_bytes}");
            }
        }
    });
}
