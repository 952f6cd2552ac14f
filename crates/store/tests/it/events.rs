//! Events as the tests think of them, and how they are handed to the store and expected back.

use std::collections::BTreeMap;
use std::sync::Arc;

use proptest::prelude::*;
use tidegauge_model::{Column, Columns, FieldKind, Values};
use tidegauge_store::{StoredRow, StoredValue};

use crate::house::START;

pub(crate) const SECOND: i64 = 1_000_000_000;
pub(crate) const HOUR: i64 = 3600 * SECOND;

#[derive(Clone, Debug)]
pub(crate) struct Event {
    pub(crate) time: i64,
    pub(crate) fields: BTreeMap<String, StoredValue>,
}

impl Event {
    pub(crate) fn new(time: i64, fields: impl IntoIterator<Item = (String, StoredValue)>) -> Self {
        Self { time, fields: fields.into_iter().collect() }
    }
}

fn kind_of(value: &StoredValue) -> FieldKind {
    match value {
        StoredValue::Boolean(_) => FieldKind::Boolean,
        StoredValue::Integer(_) => FieldKind::Integer,
        StoredValue::Float(_) => FieldKind::Float,
        StoredValue::String(_) => FieldKind::String,
        StoredValue::Array(_) => FieldKind::Array,
        StoredValue::Map(_) => FieldKind::Map,
        StoredValue::LongInteger(_) => FieldKind::LongInteger,
    }
}

/// The columns that a request with these events has.
pub(crate) fn columns_of(events: &[Event]) -> Columns {
    let mut columns: BTreeMap<(&str, FieldKind), Column> = BTreeMap::new();
    for (row, event) in (0_u32..).zip(events) {
        for (field, value) in &event.fields {
            let kind = kind_of(value);
            let column =
                columns.entry((field, kind)).or_insert_with(|| Column::new(Arc::from(field.as_str()), kind));
            column.rows.push(row);
            match (&mut column.values, value) {
                (Values::Boolean(values), StoredValue::Boolean(value)) => values.push(*value),
                (Values::Integer(values), StoredValue::Integer(value)) => values.push(*value),
                (Values::Float(values), StoredValue::Float(value)) => values.push(*value),
                (
                    Values::String(texts)
                    | Values::Array(texts)
                    | Values::Map(texts)
                    | Values::LongInteger(texts),
                    StoredValue::String(text)
                    | StoredValue::Array(text)
                    | StoredValue::Map(text)
                    | StoredValue::LongInteger(text),
                ) => texts.push(text.as_bytes()),
                _ => unreachable!("the column was made for this kind"),
            }
        }
    }
    Columns {
        times: events.iter().map(|event| event.time).collect(),
        columns: columns.into_values().collect(),
    }
}

/// What the store should give back for the events of a request.
pub(crate) fn stored(events: &[Event], sequence: u64, arrival: i64) -> Vec<StoredRow> {
    let row = |(index, event): (u32, &Event)| StoredRow {
        time: event.time,
        arrival,
        sequence,
        index,
        fields: event
            .fields
            .iter()
            .map(|(field, value)| (Arc::from(field.as_str()), value.clone()))
            .collect(),
    };
    (0..).zip(events).map(row).collect()
}

/// Fails with the first row that is not as expected. Floats are compared with their sign.
pub(crate) fn assert_same(found: &[StoredRow], expected: &[StoredRow], when: &str) {
    let mut expected: Vec<&StoredRow> = expected.iter().collect();
    expected.sort_by_key(|row| (row.time, row.sequence, row.index));
    for (found, expected) in found.iter().zip(&expected) {
        assert!(
            found == *expected && signs(found) == signs(expected),
            "{when}: {found:?} is not {expected:?}"
        );
    }
    assert_eq!(found.len(), expected.len(), "{when}");
}

/// Zeros are equal whatever their sign, and yet must keep it.
fn signs(row: &StoredRow) -> Vec<bool> {
    let sign = |value: &StoredValue| match value {
        StoredValue::Float(value) => Some(value.is_sign_negative()),
        _ => None,
    };
    row.fields.iter().filter_map(|(_, value)| sign(value)).collect()
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => "[a-c]{0,3}",
        2 => any::<String>(),
        1 => Just(String::new()),
        1 => "\u{10ffff}{1,40}",
        1 => "[y-z\u{7ff}\u{d7ff}]{60,90}",
        1 => "a{63}[\u{7f}\u{80}\u{ffff}]b{0,9}",
    ]
}

pub(crate) fn any_value() -> impl Strategy<Value = StoredValue> {
    let integer = prop_oneof![any::<i64>(), -3..3_i64, Just(i64::MIN), Just(i64::MAX)];
    let float = prop_oneof![
        any::<f64>().prop_filter("JSON has no such number", |value| value.is_finite()),
        Just(0.0),
        Just(-0.0),
        Just(1.0),
        Just(f64::MAX),
        Just(f64::MIN),
        Just(f64::MIN_POSITIVE),
        Just(0.1 + 0.2),
        Just(1e300),
    ];
    let array = prop::sample::select(vec!["[]", "[1,\"a\",null]", "[[[]],{\"a\":1.0}]", "[\"\\ud800\"]"]);
    let map = prop::sample::select(vec!["{}", "{\"a\":{\"b\":[1]}}", "{\"\":\"\u{fc}\"}"]);
    let long = prop_oneof![
        Just("9223372036854775808".to_owned()),
        Just("-9223372036854775809".to_owned()),
        "-?[1-9][0-9]{19,40}",
    ];
    prop_oneof![
        any::<bool>().prop_map(StoredValue::Boolean),
        integer.prop_map(StoredValue::Integer),
        float.prop_map(StoredValue::Float),
        text().prop_map(StoredValue::String),
        array.prop_map(|text| StoredValue::Array(text.to_owned())),
        map.prop_map(|text| StoredValue::Map(text.to_owned())),
        long.prop_map(StoredValue::LongInteger),
    ]
}

fn field() -> impl Strategy<Value = String> {
    prop_oneof![
        8 => prop::sample::select(vec!["a", "A", "a.b", "b", "größe", "🎉", "", "_rest", "_Time", "a:string"])
            .prop_map(str::to_owned),
        1 => "\\PC{1,12}",
        1 => Just("zero\0inside".to_owned()),
    ]
}

/// Times of one day mostly, and some of long ago or far ahead.
fn time() -> impl Strategy<Value = i64> {
    prop_oneof![
        8 => (0..20 * HOUR).prop_map(|after| START * 1000 - 30 * HOUR + after),
        2 => (0..3_i64).prop_map(|after| START * 1000 - 30 * HOUR + after),
        1 => any::<i64>(),
    ]
}

pub(crate) fn any_event() -> impl Strategy<Value = Event> {
    (time(), prop::collection::btree_map(field(), any_value(), 0..6))
        .prop_map(|(time, fields)| Event { time, fields })
}
