//! Sums, averages, ends, counts and deviations: what the engine expects of DataFusion's functions, and its own.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, BooleanArray, Float64Array, Int64Array, StringViewArray};
use arrow_schema::DataType;
use datafusion_common::ScalarValue;
use tidegauge_aggregates::{avg, avg_time, count, max, min, split_sums, stdev, sum, variance};

use crate::aggregate_plans::{Asked, WAYS};

fn whole(values: Vec<Option<i64>>) -> Vec<ArrayRef> {
    vec![Arc::new(Int64Array::from(values))]
}

fn floats(values: Vec<Option<f64>>) -> Vec<ArrayRef> {
    vec![Arc::new(Float64Array::from(values))]
}

/// The sum as a whole number, or as a fraction if it does not fit.
fn split(answer: &ScalarValue) -> (Option<i64>, Option<f64>) {
    let (fitting, large) = split_sums(&answer.to_array().unwrap()).unwrap();
    let large = large.filter(|large| large.is_valid(0)).map(|large| large.value(0));
    (fitting.is_valid(0).then(|| fitting.value(0)), large)
}

#[test]
fn sums_of_whole_numbers_do_not_go_round() {
    let sum_of = |values| split(&Asked::new(sum(&DataType::Int64), whole(values)).answer_in_all_ways()[&0]);
    assert_eq!(sum_of(vec![Some(1), None, Some(-3)]), (Some(-2), None));
    assert_eq!(sum_of(vec![Some(i64::MAX), Some(1), Some(-1)]), (Some(i64::MAX), None));
    assert_eq!(sum_of(vec![Some(i64::MAX), Some(i64::MAX)]), (None, Some(i64::MAX as f64 * 2.0)));
    assert_eq!(sum_of(vec![Some(i64::MIN), Some(-1)]), (None, Some(i64::MIN as f64)));
    assert_eq!(sum_of(vec![None, None]), (None, None));
    assert_eq!(sum_of(vec![]), (None, None));
}

#[test]
fn sums_by_group() {
    let values = (0..1000).map(|row| (row % 5 > 0).then_some(row)).collect();
    let asked = Asked::new(sum(&DataType::Int64), whole(values)).by((0..1000).map(|row| row % 5));
    let answers = asked.answer_in_all_ways();
    assert_eq!(split(&answers[&0]), (None, None));
    assert_eq!(split(&answers[&2]), (Some((0..1000).filter(|row| row % 5 == 2).sum()), None));
    let floats = floats(vec![Some(0.5), None, Some(0.25), None]);
    let answers = Asked::new(sum(&DataType::Float64), floats).by([1, 1, 1, 2]).answer_in_all_ways();
    assert_eq!(answers[&1], ScalarValue::Float64(Some(0.75)));
    assert_eq!(answers[&2], ScalarValue::Float64(None));
}

#[test]
fn averages_of_whole_numbers_are_exact() {
    let average = |values| Asked::new(avg(&DataType::Int64), whole(values)).answer_in_all_ways()[&0].clone();
    assert_eq!(average(vec![Some(1), None, Some(2)]), ScalarValue::Float64(Some(1.5)));
    assert_eq!(average(vec![Some(i64::MAX); 3]), ScalarValue::Float64(Some(i64::MAX as f64)));
    assert_eq!(average(vec![None]), ScalarValue::Float64(None));
    let time = 1_700_000_000_123_456_789;
    let average = |values| Asked::new(avg_time(), whole(values)).answer_in_all_ways()[&0].clone();
    assert_eq!(average(vec![Some(time), Some(time + 1), Some(time + 2)]), ScalarValue::Int64(Some(time + 1)));
    assert_eq!(average(vec![Some(-1), Some(-2)]), ScalarValue::Int64(Some(-1)));
    assert_eq!(average(vec![Some(i64::MIN), Some(i64::MIN)]), ScalarValue::Int64(Some(i64::MIN)));
    assert_eq!(average(vec![]), ScalarValue::Int64(None));
    let average =
        |values| Asked::new(avg(&DataType::Float64), floats(values)).answer_in_all_ways()[&0].clone();
    assert_eq!(average(vec![Some(1.0), None, Some(2.0)]), ScalarValue::Float64(Some(1.5)));
    assert_eq!(average(vec![None]), ScalarValue::Float64(None));
}

#[test]
fn least_and_greatest_of_all_types() {
    let columns: Vec<(ArrayRef, ScalarValue, ScalarValue)> = vec![
        (
            Arc::new(Int64Array::from(vec![Some(5), None, Some(-7)])),
            ScalarValue::Int64(Some(-7)),
            ScalarValue::Int64(Some(5)),
        ),
        (
            Arc::new(Float64Array::from(vec![Some(5.5), None, Some(-7.5)])),
            ScalarValue::Float64(Some(-7.5)),
            ScalarValue::Float64(Some(5.5)),
        ),
        (
            Arc::new(BooleanArray::from(vec![Some(true), None, Some(false)])),
            ScalarValue::Boolean(Some(false)),
            ScalarValue::Boolean(Some(true)),
        ),
        (
            Arc::new(StringViewArray::from(vec![Some("b"), None, Some("a text that is not held in place")])),
            ScalarValue::Utf8View(Some("a text that is not held in place".to_owned())),
            ScalarValue::Utf8View(Some("b".to_owned())),
        ),
    ];
    for (column, least, greatest) in columns {
        for groups in [[1, 1, 1], [1, 2, 1]] {
            let least_of = Asked::new(min(), vec![Arc::clone(&column)]).by(groups).answer_in_all_ways();
            assert_eq!(least_of[&1], least);
            assert!(least_of.get(&2).is_none_or(ScalarValue::is_null));
            let greatest_of = Asked::new(max(), vec![Arc::clone(&column)]).by(groups).answer_in_all_ways();
            assert_eq!(greatest_of[&1], greatest);
        }
        assert_eq!(Asked::new(min(), vec![Arc::clone(&column)]).answer_in_all_ways()[&0], least);
        assert_eq!(Asked::new(max(), vec![column]).answer_in_all_ways()[&0], greatest);
    }
}

#[test]
fn counts_are_never_null() {
    let count_of = |values| Asked::new(count(), whole(values)).answer_in_all_ways()[&0].clone();
    assert_eq!(count_of(vec![Some(1), None, Some(1)]), ScalarValue::Int64(Some(2)));
    assert_eq!(count_of(vec![]), ScalarValue::Int64(Some(0)));
}

#[test]
fn deviations_are_those_of_a_sample() {
    let values =
        vec![Some(2.0), Some(4.0), None, Some(4.0), Some(4.0), Some(5.0), Some(5.0), Some(7.0), Some(9.0)];
    for (function, expected) in [(variance(), 32.0 / 7.0), (stdev(), (32.0_f64 / 7.0).sqrt())] {
        for way in WAYS {
            let answers = Asked::new(Arc::clone(&function), floats(values.clone())).answer(way);
            let ScalarValue::Float64(Some(found)) = answers[&0] else { panic!("{answers:?}") };
            assert!((found - expected).abs() < 1e-12, "{way:?}: {found}");
            let one = Asked::new(Arc::clone(&function), floats(vec![Some(2.0), None, None])).by([1, 1, 2]);
            let answers = one.answer(way);
            assert!(answers[&1].is_null() && answers[&2].is_null(), "{way:?}: {answers:?}");
        }
    }
}
