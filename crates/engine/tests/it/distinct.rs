//! Counts of different values against sets.

use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, Float64Array, Int64Array, StringViewArray};
use datafusion_common::ScalarValue;
use tidegauge_aggregates::distinct;

use crate::aggregate_plans::{Asked, estimate};

fn count(inputs: Vec<ArrayRef>) -> (i64, bool) {
    let answers = Asked::new(distinct(), inputs).answer_in_all_ways();
    whole(&answers[&0])
}

fn whole(answer: &ScalarValue) -> (i64, bool) {
    let (value, is_estimate) = estimate(answer);
    let ScalarValue::Int64(Some(count)) = value else { panic!("{value:?} is no count") };
    (count, is_estimate)
}

fn texts(rows: usize, different: usize) -> ArrayRef {
    Arc::new((0..rows).map(|row| Some(format!("host {}", row % different))).collect::<StringViewArray>())
}

#[test]
fn few_different_values_are_counted_exactly() {
    assert_eq!(
        count(vec![Arc::new(BooleanArray::from(vec![Some(true), None, Some(false), Some(true)]))]),
        (2, false)
    );
    assert_eq!(count(vec![Arc::new(Int64Array::from(vec![Some(0), None, Some(-1), Some(0)]))]), (2, false));
    let floats =
        vec![Some(0.0), Some(-0.0), Some(0.5), None, Some(f64::NAN), Some(1e300), Some(f64::INFINITY)];
    assert_eq!(count(vec![Arc::new(Float64Array::from(floats))]), (4, false));
    for different in [1, 2, 100, 1000, 1023, 1024] {
        assert_eq!(count(vec![texts(3000, different)]), (different as i64, false));
    }
}

#[test]
fn many_different_values_are_estimated() {
    for different in [1025, 2000, 5000, 20_000, 100_000] {
        let (found, is_estimate) = count(vec![texts(different, different)]);
        assert!(is_estimate);
        let error = (found - different as i64).abs() as f64 / different as f64;
        // Three and a half times the standard error.
        assert!(error < 0.0285, "{different}, found {found}");
    }
    let whole: ArrayRef = Arc::new(Int64Array::from_iter_values(0..50_000));
    let (found, _) = count(vec![whole]);
    assert!((48_575..51_425).contains(&found), "{found}");
}

#[test]
fn columns_of_several_types_are_counted_as_one() {
    let whole: ArrayRef =
        Arc::new(Int64Array::from(vec![Some(1), Some(2), None, None, None, Some(i64::MAX)]));
    let floats: ArrayRef = Arc::new(Float64Array::from(vec![None, None, Some(2.0), Some(2.5), None, None]));
    let strings: ArrayRef = Arc::new(StringViewArray::from(vec![None, None, None, None, Some("2"), None]));
    assert_eq!(count(vec![whole, floats, strings]), (5, false));
}

#[test]
fn groups_and_no_values() {
    assert_eq!(count(vec![texts(0, 1)]), (0, false));
    let rows = 20_000;
    let values: ArrayRef =
        Arc::new((0..rows).map(|row| (row % 4 > 0).then_some(row % 4 * row)).collect::<Int64Array>());
    let asked = Asked::new(distinct(), vec![values]).by((0..rows).map(|row| row % 4));
    let answers = asked.answer_in_all_ways();
    assert_eq!(whole(&answers[&0]), (0, false));
    let (found, is_estimate) = whole(&answers[&1]);
    assert!(is_estimate && (4850..5150).contains(&found), "{found}");
}
