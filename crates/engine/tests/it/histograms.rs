//! Histograms against counting.

use std::sync::Arc;

use arrow_array::Float64Array;
use serde_json::{Value, json};
use tidegauge_aggregates::histogram;

use crate::aggregate_plans::{Asked, estimate, json};
use crate::numbers::Numbers;

fn bins(values: &[Option<f64>], count: usize) -> (Value, bool) {
    let asked = Asked::new(histogram(count), vec![Arc::new(Float64Array::from(values.to_vec()))]);
    let answers = asked.answer_in_all_ways();
    let (value, is_estimate) = estimate(&answers[&0]);
    (json(&value), is_estimate)
}

fn counts(bins: &Value) -> Vec<u64> {
    bins.as_array().unwrap().iter().map(|bin| bin["count"].as_u64().unwrap()).collect()
}

#[test]
fn few_numbers_are_counted_exactly() {
    let values: Vec<Option<f64>> = (0..=100).map(|value| Some(f64::from(value))).collect();
    let (found, is_estimate) = bins(&values, 4);
    assert!(!is_estimate);
    let expected = json!([
        {"from": 0.0, "to": 25.0, "count": 25},
        {"from": 25.0, "to": 50.0, "count": 25},
        {"from": 50.0, "to": 75.0, "count": 25},
        {"from": 75.0, "to": 100.0, "count": 26},
    ]);
    assert_eq!(found, expected);
}

#[test]
fn no_numbers_and_equal_numbers() {
    assert_eq!(bins(&[], 5), (json!([]), false));
    assert_eq!(bins(&[None, Some(f64::NAN)], 5), (json!([]), false));
    let one = json!([{"from": 2.5, "to": 2.5, "count": 3}]);
    assert_eq!(bins(&[Some(2.5), None, Some(2.5), Some(2.5)], 5), (one, false));
    let (many, is_estimate) = bins(&vec![Some(2.5); 5000], 5);
    assert_eq!((many, is_estimate), (json!([{"from": 2.5, "to": 2.5, "count": 5000}]), true));
    let ends = json!([{"from": f64::MIN, "to": 0.0, "count": 1}, {"from": 0.0, "to": f64::MAX, "count": 1}]);
    assert_eq!(bins(&[Some(f64::MAX), Some(f64::MIN)], 2), (ends, false));
}

#[test]
fn many_numbers_are_counted_to_the_width_of_a_bucket() {
    let mut numbers = Numbers(4);
    let values: Vec<f64> = (0..20_000).map(|_| numbers.normal() * 10.0 + 5.0).collect();
    let rows: Vec<Option<f64>> = values.iter().map(|value| Some(*value)).collect();
    let (found, is_estimate) = bins(&rows, 20);
    assert!(is_estimate);
    assert_eq!(counts(&found).iter().sum::<u64>(), 20_000);
    for bin in found.as_array().unwrap() {
        let (from, to) = (bin["from"].as_f64().unwrap(), bin["to"].as_f64().unwrap());
        let within =
            |low: f64, high: f64| values.iter().filter(|value| **value >= low && **value < high).count();
        // A value can be on the wrong side of a bound by the width of its bucket.
        let unsure = |bound: f64| within(bound - bound.abs() * 0.008, bound + bound.abs() * 0.008) as u64;
        let exact = within(from, to) as u64;
        let count = bin["count"].as_u64().unwrap();
        assert!(count.abs_diff(exact) <= unsure(from) + unsure(to) + 1, "{bin}: exactly {exact}");
    }
}

#[test]
fn many_zeros_lie_in_their_bin() {
    let rows: Vec<Option<f64>> = (0..4000).map(|row| Some([0.0, 0.0, -10.0, 10.0][row % 4])).collect();
    assert_eq!(counts(&bins(&rows, 2).0), [1000, 3000]);
    assert_eq!(counts(&bins(&rows, 4).0), [1000, 0, 2000, 1000]);
}
