//! Percentiles against those of the sorted numbers.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use arrow_array::{Array, Float64Array};
use datafusion_common::ScalarValue;
use proptest::prelude::*;
use tidegauge_aggregates::percentiles;

use crate::aggregate_plans::{Asked, WAYS, Way, estimate};
use crate::numbers::Numbers;

const WANTED: [f64; 9] = [50.0, 0.0, 1.0, 25.0, 90.0, 99.0, 99.9, 100.0, 7.0];

fn asked(values: Vec<Option<f64>>) -> Asked {
    Asked::new(percentiles(&WANTED), vec![Arc::new(Float64Array::from(values))])
}

fn list(answer: &ScalarValue) -> (Option<Vec<f64>>, bool) {
    let (value, is_estimate) = estimate(answer);
    let ScalarValue::List(list) = value else { panic!("{value:?} is no list") };
    let values = list.is_valid(0).then(|| list.value(0).as_primitive::<Float64Type>().values().to_vec());
    (values, is_estimate)
}

/// Nearest rank in whole numbers: percentiles are given in thousandths.
fn naive(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let rank = |percentile: f64| {
        let thousandths = (percentile * 1000.0).round() as usize;
        (thousandths * sorted.len()).div_ceil(100_000).max(1)
    };
    WANTED.iter().map(|percentile| sorted[rank(*percentile) - 1]).collect()
}

fn assert_close(name: &str, values: &[f64]) {
    let rows = values.iter().map(|value| Some(*value)).collect();
    let answers = asked(rows).answer_in_all_ways();
    let (found, is_estimate) = list(&answers[&0]);
    let found = found.unwrap();
    assert_eq!(is_estimate, values.len() > 1024, "{name}");
    for ((found, exact), wanted) in found.iter().zip(naive(values)).zip(WANTED) {
        let error = (found - exact).abs();
        let allowed = if is_estimate { 0.005 * exact.abs() } else { 0.0 };
        assert!(error <= allowed, "{name}: p{wanted} is {exact}, found {found}");
        if wanted == 0.0 || wanted == 100.0 {
            assert_eq!(*found, exact, "{name}: the ends are exact");
        }
    }
}

#[test]
fn percentiles_are_exact_for_few_numbers_and_close_for_many() {
    let mut numbers = Numbers(1);
    for count in [1, 2, 3, 100, 1000, 1024, 1025, 6000] {
        let mut make = |value: &mut dyn FnMut(&mut Numbers) -> f64| -> Vec<f64> {
            (0..count).map(|_| value(&mut numbers)).collect()
        };
        assert_close("uniform", &make(&mut |numbers| numbers.uniform() * 1000.0));
        assert_close("whole", &make(&mut |numbers| numbers.below(50) as f64));
        assert_close("exponential", &make(&mut |numbers| numbers.exponential() * 1e-6));
        assert_close("lognormal", &make(&mut |numbers| (3.0 * numbers.normal()).exp()));
        assert_close("negative", &make(&mut |numbers| -numbers.exponential()));
        assert_close("normal", &make(&mut |numbers| numbers.normal()));
        assert_close("constant", &make(&mut |_| 42.125));
        assert_close("zero", &make(&mut |_| 0.0));
        assert_close("mostly zero", &make(&mut |numbers| if numbers.below(4) == 0 { -1e9 } else { 0.0 }));
        assert_close("the ends", &make(&mut |numbers| [f64::MAX, f64::MIN][numbers.below(2) as usize]));
    }
}

#[test]
fn numbers_of_all_magnitudes_lose_precision_but_no_order() {
    let mut numbers = Numbers(2);
    let values: Vec<f64> = std::iter::repeat_with(|| f64::from_bits(numbers.word()))
        .filter(|value| value.is_finite())
        .take(20_000)
        .collect();
    let rows = values.iter().map(|value| Some(*value)).collect();
    let answers = asked(rows).answer_in_all_ways();
    let found = list(&answers[&0]).0.unwrap();
    for (found, exact) in found.iter().zip(naive(&values)) {
        assert!((found - exact).abs() <= 0.2 * exact.abs(), "{exact}, found {found}");
    }
}

#[test]
fn parts_of_different_precision_are_put_together() {
    let mut numbers = Numbers(9);
    let wide = std::iter::repeat_with(|| f64::from_bits(numbers.word())).filter(|value| value.is_finite());
    let mut rows: Vec<Option<f64>> = wide.take(3000).map(Some).collect();
    rows.extend((0..3000).map(|row| Some(f64::from(row))));
    let at_once = asked(rows.clone()).answer(Way::AtOnce);
    for _ in 0..2 {
        assert_eq!(asked(rows.clone()).answer(Way::InParts { parts: 2, rows: 3000 }), at_once);
        assert_eq!(asked(rows.clone()).answer(Way::Twice { parts: 2, rows: 3000 }), at_once);
        rows.rotate_left(3000);
    }
}

#[test]
fn groups_are_apart_and_without_numbers_there_is_no_list() {
    let mut numbers = Numbers(3);
    let rows: Vec<(i64, Option<f64>)> = (0..8000)
        .map(|row| match row % 10 {
            0 => (row % 3, None),
            1 => (7, [None, Some(f64::NAN), Some(f64::INFINITY)][row as usize % 3]),
            2 => (row, Some(row as f64)),
            _ => (row % 3, Some(numbers.normal())),
        })
        .collect();
    let asked =
        asked(rows.iter().map(|(_, value)| *value).collect()).by(rows.iter().map(|(group, _)| *group));
    let answers = asked.answer_in_all_ways();
    assert_eq!(list(&answers[&7]), (None, false));
    assert_eq!(list(&answers[&12]).0.unwrap(), vec![12.0; WANTED.len()]);
    assert!(list(&answers[&1]).1);
}

#[test]
fn no_rows_have_no_percentiles() {
    for way in WAYS {
        assert_eq!(list(&asked(Vec::new()).answer(way)[&0]), (None, false), "{way:?}");
        assert!(asked(Vec::new()).by([]).answer(way).is_empty(), "{way:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10))]

    #[test]
    fn any_cut_gives_the_same(
        seed: u64,
        count in 0_usize..3000,
        spread in 0.0_f64..40.0,
        nulls in 1_u64..9,
        groups in 1_u64..5,
    ) {
        let mut numbers = Numbers(seed);
        let row = |numbers: &mut Numbers| {
            (numbers.below(nulls) > 0 || nulls == 1).then(|| (numbers.normal() * spread).exp())
        };
        let rows: Vec<Option<f64>> = (0..count).map(|_| row(&mut numbers)).collect();
        asked(rows.clone()).answer_in_all_ways();
        asked(rows).by((0..count).map(|_| numbers.below(groups) as i64)).answer_in_all_ways();
    }
}
