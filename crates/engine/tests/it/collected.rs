//! Values beside the least and the greatest key, sets and lists, against plain computation.

use std::collections::BTreeSet;
use std::sync::Arc;

use arrow_array::{
    ArrayRef, BooleanArray, Float64Array, Int64Array, StringViewArray, TimestampNanosecondArray,
};
use datafusion_common::ScalarValue;
use proptest::prelude::*;
use serde_json::{Value, json};
use tidegauge_aggregates::{argmax, argmin, makelist, makeset};

use crate::aggregate_plans::{Asked, WAYS, Way, json};
use crate::numbers::Numbers;

fn texts(values: &[Option<String>]) -> ArrayRef {
    Arc::new(values.iter().map(Option::as_deref).collect::<StringViewArray>())
}

fn text(answer: &ScalarValue) -> Option<&str> {
    let ScalarValue::Utf8View(text) = answer else { panic!("{answer:?} is no text") };
    text.as_deref()
}

#[test]
fn the_value_beside_the_least_and_the_greatest_key() {
    let payloads: Vec<Option<String>> = (0..6).map(|row| Some(format!("{{\"row\":{row}}}"))).collect();
    let keys: Vec<ArrayRef> = vec![
        Arc::new(Int64Array::from(vec![None, Some(-5), Some(3), Some(i64::MIN), Some(7), Some(6)])),
        Arc::new(TimestampNanosecondArray::from(vec![None, Some(5), Some(6), Some(-1), Some(9), Some(8)])),
        Arc::new(Float64Array::from(vec![f64::NAN, -5.5, -0.0, f64::NEG_INFINITY, 1e300, 0.0])),
        Arc::new(StringViewArray::from(vec![None, Some("b"), Some("bb"), Some(""), Some("ü"), Some("u")])),
    ];
    for keys in keys {
        let least = Asked::new(argmin(), vec![Arc::clone(&keys), texts(&payloads)]).answer_in_all_ways();
        assert_eq!(text(&least[&0]), Some("{\"row\":3}"), "{keys:?}");
        let greatest = Asked::new(argmax(), vec![Arc::clone(&keys), texts(&payloads)]).answer_in_all_ways();
        assert_eq!(text(&greatest[&0]), Some("{\"row\":4}"), "{keys:?}");
    }
}

#[test]
fn equal_keys_are_decided_by_the_value() {
    let keys: ArrayRef = Arc::new(BooleanArray::from(vec![true, false, true, false, true]));
    let payloads = ["9", "5", "10", "6", "8"].map(|text| Some(text.to_owned()));
    let answers = Asked::new(argmax(), vec![Arc::clone(&keys), texts(&payloads)]).answer_in_all_ways();
    assert_eq!(text(&answers[&0]), Some("10"));
    let answers = Asked::new(argmin(), vec![Arc::clone(&keys), texts(&payloads)]).answer_in_all_ways();
    assert_eq!(text(&answers[&0]), Some("5"));
    let payloads = [None, None, Some("1".to_owned()), None, None];
    let answers = Asked::new(argmax(), vec![Arc::clone(&keys), texts(&payloads)]).answer_in_all_ways();
    assert_eq!(text(&answers[&0]), Some("1"), "a value wins over none");
    let answers = Asked::new(argmin(), vec![keys, texts(&payloads)]).answer_in_all_ways();
    assert_eq!(text(&answers[&0]), None, "the row that won has none");
}

#[test]
fn without_keys_there_is_no_value() {
    let keys: ArrayRef = Arc::new(Float64Array::from(vec![None, Some(f64::NAN), Some(1.0), None]));
    let payloads = ["1", "2", "3", "4"].map(|text| Some(text.to_owned()));
    let asked = Asked::new(argmin(), vec![keys, texts(&payloads)]).by([1, 1, 2, 2]);
    let answers = asked.answer_in_all_ways();
    assert_eq!((text(&answers[&1]), text(&answers[&2])), (None, Some("3")));
    let nothing: ArrayRef = Arc::new(Int64Array::from(Vec::<i64>::new()));
    assert_eq!(text(&Asked::new(argmax(), vec![nothing, texts(&[])]).answer_in_all_ways()[&0]), None);
}

#[test]
fn a_set_has_each_value_once_and_the_first_ones_if_there_are_too_many() {
    let values: Vec<Option<String>> =
        (0..5000).map(|row| (row % 7 > 0).then(|| format!("{:04}", row * 37 % 300))).collect();
    let all: BTreeSet<&String> = values.iter().flatten().collect();
    for items_max in [0, 1, 10, 299, 300, 100_000] {
        let answers = Asked::new(makeset(items_max), vec![texts(&values)]).answer_in_all_ways();
        let expected: Vec<&str> = all.iter().take(items_max).map(|text| text.as_str()).collect();
        assert_eq!(text(&answers[&0]), Some(format!("[{}]", expected.join(",")).as_str()));
    }
    let answers =
        Asked::new(makeset(2), vec![texts(&values)]).by((0..5000).map(|row| row % 7)).answer_in_all_ways();
    assert_eq!(text(&answers[&0]), Some("[]"));
    assert_eq!(text(&answers[&1]).unwrap().len(), "[0000,0001]".len());
}

#[test]
fn a_set_of_long_texts_ends_at_a_mebibyte() {
    let mut numbers = Numbers(7);
    let long = |key: u64| Some(format!("\"{key:04}{}\"", "x".repeat(1000 * (key as usize % 37))));
    let values: Vec<Option<String>> = (0..600).map(|_| long(numbers.below(500))).collect();
    let answers = Asked::new(makeset(1000), vec![texts(&values)]).answer_in_all_ways();
    let length = text(&answers[&0]).unwrap().len();
    assert!((900_000..1_050_000).contains(&length), "{length}");
}

#[test]
fn a_list_has_the_values_in_order() {
    let values: Vec<Option<String>> = (0..500).map(|row| (row % 3 > 0).then(|| format!("{row}"))).collect();
    let all: Vec<Value> = (0..500).filter(|row| row % 3 > 0).map(Value::from).collect();
    for items_max in [0, 5, 1000] {
        let asked = Asked::new(makelist(items_max), vec![texts(&values)]);
        let expected: Vec<Value> = all.iter().take(items_max).cloned().collect();
        for way in [Way::AtOnce, Way::InParts { parts: 1, rows: 13 }, Way::Twice { parts: 1, rows: 100 }] {
            assert_eq!(json(&asked.answer(way)[&0]), Value::Array(expected.clone()), "{way:?}");
        }
        let parts = json(&asked.answer(Way::InParts { parts: 3, rows: 20 })[&0]);
        assert_eq!(parts.as_array().unwrap().len(), expected.len());
    }
    let empty = Asked::new(makelist(5), vec![texts(&[])]);
    assert!(WAYS.iter().all(|way| json(&empty.answer(*way)[&0]) == json!([])));
}

#[test]
fn a_list_of_long_texts_ends_at_a_mebibyte() {
    let values = vec![Some(format!("\"{}\"", "x".repeat(300_000))); 10];
    let asked = Asked::new(makelist(1000), vec![texts(&values)]);
    for way in [Way::AtOnce, Way::InParts { parts: 3, rows: 2 }, Way::Twice { parts: 2, rows: 1 }] {
        assert_eq!(json(&asked.answer(way)[&0]).as_array().unwrap().len(), 3, "{way:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    #[test]
    fn any_cut_gives_the_same(seed: u64, count in 0_usize..1500, different in 1_u64..400, items_max in 0_usize..300) {
        let mut numbers = Numbers(seed);
        let keys: Vec<Option<i64>> =
            (0..count).map(|_| (numbers.below(4) > 0).then(|| numbers.below(20) as i64 - 10)).collect();
        let values: Vec<Option<String>> =
            (0..count).map(|_| (numbers.below(4) > 0).then(|| numbers.below(different).to_string())).collect();
        let groups: Vec<i64> = (0..count).map(|_| numbers.below(3) as i64).collect();
        let keys: ArrayRef = Arc::new(Int64Array::from(keys));
        for function in [argmin(), argmax()] {
            let asked = Asked::new(function, vec![Arc::clone(&keys), texts(&values)]);
            asked.answer_in_all_ways();
            asked.by(groups.clone()).answer_in_all_ways();
        }
        let asked = Asked::new(makeset(items_max), vec![texts(&values)]);
        asked.answer_in_all_ways();
        asked.by(groups).answer_in_all_ways();
    }
}
