//! The most frequent values against counting.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::StringViewArray;
use datafusion_common::ScalarValue;
use datafusion_expr::{EmitTo, GroupsAccumulator};
use proptest::prelude::*;
use serde_json::{Value, json};
use tidegauge_aggregates::topk;

use crate::aggregate_plans::{Asked, WAYS, Way, estimate, json};
use crate::memory::accumulator;
use crate::numbers::Numbers;

fn asked(k: usize, keys: impl Iterator<Item = Option<u64>>) -> Asked {
    let texts: StringViewArray = keys.map(|key| key.map(|key| format!("\"value {key}\""))).collect();
    Asked::new(topk(k), vec![Arc::new(texts)])
}

/// Keys of which small numbers are frequent and large ones rare.
fn skewed(numbers: &mut Numbers, different: u64) -> u64 {
    let power = numbers.uniform();
    ((different as f64).powf(power) - 1.0) as u64
}

fn exact(keys: &[Option<u64>]) -> HashMap<String, u64> {
    let mut counts = HashMap::new();
    for key in keys.iter().flatten() {
        *counts.entry(format!("value {key}")).or_default() += 1;
    }
    counts
}

/// Each count is right within its error, no error is greater than promised, and what is missing is rarer.
fn assert_bounds(answer: &Value, keys: &[Option<u64>], k: usize, places: u64) {
    let exact = exact(keys);
    let entries = answer.as_array().unwrap();
    assert_eq!(entries.len(), k.min(exact.len()));
    let mut least = u64::MAX;
    for entry in entries {
        let (count, error) = (entry["count"].as_u64().unwrap(), entry["error"].as_u64().unwrap());
        let truth = exact[entry["key"].as_str().unwrap()];
        assert!(count - error <= truth && truth <= count, "{entry}: truly {truth}");
        assert!(error <= keys.len() as u64 / places, "{entry}");
        assert!(count <= least, "{entry} is out of order");
        least = count;
    }
    let named = |key: &String| entries.iter().any(|entry| entry["key"].as_str() == Some(key));
    let missing = exact.iter().filter(|(key, _)| !named(key)).map(|(_, count)| *count).max();
    assert!(entries.len() < k || missing.is_none_or(|missing| missing <= least), "{missing:?} is missing");
}

#[test]
fn few_different_values_are_counted_exactly() {
    let mut numbers = Numbers(5);
    let keys: Vec<Option<u64>> =
        (0..9000).map(|_| (numbers.below(5) > 0).then(|| skewed(&mut numbers, 900))).collect();
    let answers = asked(10, keys.iter().copied()).answer_in_all_ways();
    let (value, is_estimate) = estimate(&answers[&0]);
    assert!(!is_estimate);
    let mut expected: Vec<(String, u64)> = exact(&keys).into_iter().collect();
    expected.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    let expected: Vec<Value> = expected
        .iter()
        .take(10)
        .map(|(key, count)| json!({"key": key, "count": count, "error": 0}))
        .collect();
    assert_eq!(json(&value), Value::Array(expected));
}

#[test]
fn many_different_values_keep_their_bounds() {
    let mut numbers = Numbers(6);
    let keys: Vec<Option<u64>> = (0..60_000).map(|_| Some(skewed(&mut numbers, 1_000_000))).collect();
    let asked = asked(10, keys.iter().copied());
    for way in [Way::AtOnce, Way::InParts { parts: 4, rows: 1000 }, Way::Twice { parts: 7, rows: 999 }] {
        let (value, _) = estimate(&asked.answer(way)[&0]);
        assert_bounds(&json(&value), &keys, 10, 1000);
    }
}

#[test]
fn values_that_all_are_rare_are_an_estimate() {
    let keys: Vec<Option<u64>> = (0..10_000).map(|row| Some(row % 5000)).collect();
    for way in [Way::AtOnce, Way::InParts { parts: 3, rows: 1000 }] {
        let (value, is_estimate) = estimate(&asked(5, keys.iter().copied()).answer(way)[&0]);
        assert!(is_estimate, "{way:?}");
        assert_bounds(&json(&value), &keys, 5, 1000);
    }
}

#[test]
fn frequent_values_among_many_rare_ones_are_no_estimate() {
    let keys: Vec<Option<u64>> =
        (0..40_000).map(|row| Some(if row % 2 == 0 { row % 6 } else { row })).collect();
    let (value, is_estimate) = estimate(&asked(3, keys.iter().copied()).answer(Way::AtOnce)[&0]);
    assert!(!is_estimate);
    assert_bounds(&json(&value), &keys, 3, 1000);
}

#[test]
fn a_value_that_was_given_up_in_one_part_is_not_forgotten() {
    let rare = std::iter::repeat_n(9999, 3);
    let others = (0..2400).flat_map(|key| std::iter::repeat_n(key, 5));
    let parts = [rare.chain(others).collect(), vec![9999; 50], (0..60).collect::<Vec<u64>>()];
    let function = topk(1);
    for order in [[0, 1, 2], [1, 0, 2], [2, 1, 0], [2, 0, 1]] {
        let mut merged: Option<Box<dyn GroupsAccumulator>> = None;
        for part in order {
            let inputs = asked(1, parts[part].iter().map(|key| Some(*key))).inputs;
            let mut groups = accumulator(&function, &inputs);
            groups.update_batch(&inputs, &vec![0; parts[part].len()], None, 1).unwrap();
            let state = groups.state(EmitTo::All).unwrap();
            let merged = merged.get_or_insert_with(|| accumulator(&function, &inputs));
            merged.merge_batch(&state, &[0], 1).unwrap();
        }
        let answer = merged.unwrap().evaluate(EmitTo::All).unwrap();
        let (value, is_estimate) = estimate(&ScalarValue::try_from_array(&answer, 0).unwrap());
        let expected = json!([{"key": "value 9999", "count": 55, "error": 5}]);
        assert_eq!((json(&value), is_estimate), (expected, true), "{order:?}");
    }
}

#[test]
fn long_texts_leave_fewer_places() {
    let long = |key: u64| Some(format!("\"{key}{}\"", "x".repeat(100_000)));
    let texts: StringViewArray = (0..200).map(|row| long(if row % 2 == 0 { 0 } else { row })).collect();
    let asked = Asked::new(topk(1), vec![Arc::new(texts)]);
    let (value, _) = estimate(&asked.answer(Way::InParts { parts: 2, rows: 50 })[&0]);
    let count = json(&value)[0]["count"].as_u64().unwrap();
    let error = json(&value)[0]["error"].as_u64().unwrap();
    assert!(count - error <= 100 && 100 <= count, "{count} {error}");
}

#[test]
fn groups_and_no_values() {
    for way in WAYS {
        let (value, is_estimate) = estimate(&asked(3, std::iter::empty()).answer(way)[&0]);
        assert_eq!((json(&value), is_estimate), (json!([]), false), "{way:?}");
    }
    let keys = (0..1000).map(|row| (row % 3 > 0).then_some(row % 3));
    let answers = asked(1, keys).by((0..1000).map(|row| row % 3)).answer_in_all_ways();
    assert_eq!(json(&estimate(&answers[&0]).0), json!([]));
    assert_eq!(json(&estimate(&answers[&2]).0), json!([{"key": "value 2", "count": 333, "error": 0}]));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    #[test]
    fn bounds_hold_for_any_cut(seed: u64, different in 1_u64..20_000, parts in 1_usize..6, rows in 50_usize..3000) {
        let mut numbers = Numbers(seed);
        let keys: Vec<Option<u64>> = (0..15_000).map(|_| Some(skewed(&mut numbers, different))).collect();
        for way in [Way::InParts { parts, rows }, Way::Twice { parts, rows }] {
            let (value, _) = estimate(&asked(20, keys.iter().copied()).answer(way)[&0]);
            assert_bounds(&json(&value), &keys, 20, 1000);
        }
    }
}
