//! Aggregates over rows that a filter chose, against the same without the others.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, BooleanArray, Float64Array, Int64Array, StringViewArray};
use arrow_schema::DataType;
use datafusion_expr::AggregateUDF;
use tidegauge_aggregates::{
    argmax, argmin, avg, avg_time, count, distinct, histogram, makelist, makeset, max, min, percentiles, sum,
    topk,
};

use crate::aggregate_plans::{Asked, Way};

const ROWS: i64 = 3000;

fn cases() -> Vec<(Arc<AggregateUDF>, Vec<ArrayRef>)> {
    let numbers = || (0..ROWS).map(|row| (row % 11 > 0).then_some(row * 7919 % 3001));
    let whole: ArrayRef = Arc::new(numbers().collect::<Int64Array>());
    let floats: ArrayRef =
        Arc::new(numbers().map(|value| value.map(|value| value as f64)).collect::<Float64Array>());
    let texts: ArrayRef =
        Arc::new(numbers().map(|value| value.map(|value| value.to_string())).collect::<StringViewArray>());
    vec![
        (percentiles(&[50.0, 99.0]), vec![Arc::clone(&floats)]),
        (histogram(7), vec![floats]),
        (topk(5), vec![Arc::clone(&texts)]),
        (distinct(), vec![Arc::clone(&texts), Arc::clone(&whole)]),
        (argmin(), vec![Arc::clone(&whole), Arc::clone(&texts)]),
        (argmax(), vec![Arc::clone(&texts), Arc::clone(&texts)]),
        (makeset(50), vec![Arc::clone(&texts)]),
        (makelist(50), vec![Arc::clone(&texts)]),
        (sum(&DataType::Int64), vec![Arc::clone(&whole)]),
        (avg(&DataType::Int64), vec![Arc::clone(&whole)]),
        (avg_time(), vec![Arc::clone(&whole)]),
        (min(), vec![Arc::clone(&texts)]),
        (max(), vec![Arc::clone(&whole)]),
        (count(), vec![whole]),
    ]
}

#[test]
fn rows_that_the_filter_left_out_do_not_count() {
    let filter: BooleanArray =
        (0..ROWS).map(|row| [Some(true), Some(false), None, Some(true)][row as usize % 4]).collect();
    let chosen = BooleanArray::new(filter.values() & filter.nulls().unwrap().inner(), None);
    let groups: Vec<i64> = (0..ROWS).map(|row| row % 3).collect();
    let chosen_groups: Vec<i64> = groups
        .iter()
        .zip(chosen.values())
        .filter(|(_, is_chosen)| *is_chosen)
        .map(|(group, _)| *group)
        .collect();
    for (function, inputs) in cases() {
        let name = function.name().to_owned();
        let chosen_inputs: Vec<ArrayRef> =
            inputs.iter().map(|input| arrow_select::filter::filter(input, &chosen).unwrap()).collect();
        let expected = Asked::new(Arc::clone(&function), chosen_inputs);
        let asked = Asked::new(function, inputs).where_true(filter.clone());
        let ways = [Way::AtOnce, Way::InParts { parts: 1, rows: 64 }, Way::RowByRow { parts: 1, rows: 64 }];
        for way in ways {
            assert_eq!(asked.answer(way), expected.answer(Way::AtOnce), "{name}, {way:?}");
        }
        let (asked, expected) = (asked.by(groups.clone()), expected.by(chosen_groups.clone()));
        for way in ways {
            assert_eq!(asked.answer(way), expected.answer(Way::AtOnce), "{name} by group, {way:?}");
        }
    }
}
