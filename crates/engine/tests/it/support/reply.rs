//! An answer in plain values, whichever arrays it came in.

use std::collections::BTreeMap;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{Array, ArrayRef};
use serde_json::Value as Json;
use tidegauge_engine::{Answer, Field, Table};
use tidegauge_lang::tree::Type;
use tidegauge_model::RowId;

use crate::golden_file::exact;
pub(crate) use crate::golden_file::float;

/// What was answered: events, or groups by time and over all time.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Reply {
    pub(crate) events: Vec<Event>,
    pub(crate) series: Vec<Group>,
    pub(crate) totals: Vec<Group>,
    pub(crate) matched: u64,
    pub(crate) examined: u64,
    pub(crate) groups: u64,
    /// The names of the fields, in their order.
    pub(crate) names: Vec<String>,
}

/// An event with the values that it has.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Event {
    pub(crate) id: RowId,
    /// Without its times.
    pub(crate) data: BTreeMap<String, Json>,
}

/// A group with the results of the aggregations.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Group {
    /// The start of its bucket, in nanoseconds since 1970.
    pub(crate) start: Option<i64>,
    pub(crate) keys: Vec<(String, Json)>,
    pub(crate) results: Vec<(String, Json)>,
}

impl Reply {
    pub(crate) fn new(answer: &Answer, is_of_events: &bool) -> Self {
        let table = |name: &str| answer.tables.iter().find(|table| table.name == name);
        let main = table("0").unwrap();
        let names = main.fields.iter().map(|field| field.name.clone()).collect();
        let mut reply = Self {
            matched: answer.figures.rows_matched,
            examined: answer.figures.rows_examined,
            groups: answer.figures.groups,
            names,
            ..Self::default()
        };
        check_lengths(answer);
        if *is_of_events {
            reply.events = (0..main.rows).map(|row| event(main, row)).collect();
        } else {
            reply.series = (0..main.rows).map(|row| group(main, row)).collect();
            let totals = table("_totals").unwrap();
            reply.totals = (0..totals.rows).map(|row| group(totals, row)).collect();
        }
        reply
    }
}

/// Every array is as long as its table, and no row has two values of one field.
fn check_lengths(answer: &Answer) {
    for table in &answer.tables {
        for field in &table.fields {
            for (kind, array) in &field.values {
                assert_eq!(array.len(), table.rows, "{} {kind:?}", field.name);
            }
            for row in 0..table.rows {
                let set = field.values.iter().filter(|(_, array)| array.is_valid(row)).count();
                assert!(set < 2, "{} has {set} values in row {row}", field.name);
            }
        }
    }
}

fn event(table: &Table, row: usize) -> Event {
    let id = table.row_ids[row];
    let values = table.fields.iter().map(|field| (field.name.clone(), value(field, row)));
    let mut data: BTreeMap<String, Json> = values.filter(|(_, value)| !value.is_null()).collect();
    data.remove("_sysTime");
    if let Some(time) = data.remove("_time") {
        assert_eq!(time, time_text(id.time));
    }
    Event { id, data }
}

fn group(table: &Table, row: usize) -> Group {
    let mut group = Group { start: None, keys: Vec::new(), results: Vec::new() };
    for (place, field) in table.fields.iter().enumerate() {
        let value = value(field, row);
        if place == 0 && table.bucket.is_some() {
            group.start = value.as_str().and_then(nanoseconds);
        } else if field.aggregate.is_some() {
            group.results.push((field.name.clone(), value));
        } else {
            group.keys.push((field.name.clone(), value));
        }
    }
    group
}

/// One value of a field as JSON.
pub(crate) fn value(field: &Field, row: usize) -> Json {
    let set = field.values.iter().find(|(_, array)| array.is_valid(row));
    set.map_or(Json::Null, |(kind, array)| of_array(*kind, array, row))
}

fn of_array(kind: Type, array: &ArrayRef, row: usize) -> Json {
    match kind {
        Type::Boolean => Json::Bool(array.as_boolean().value(row)),
        Type::Integer => Json::from(array.as_primitive::<Int64Type>().value(row)),
        Type::Float => float(array.as_primitive::<Float64Type>().value(row)),
        Type::String => Json::from(array.as_string_view().value(row)),
        Type::Datetime => Json::from(time_text(array.as_primitive::<Int64Type>().value(row))),
        Type::Timespan => {
            Json::from(tidegauge_model::duration::to_text(array.as_primitive::<Int64Type>().value(row)))
        }
        Type::Array | Type::Map | Type::Dynamic | Type::LongInteger => {
            exact(array.as_string_view().value(row))
        }
    }
}

pub(crate) fn time_text(nanoseconds: i64) -> String {
    jiff::Timestamp::from_nanosecond(i128::from(nanoseconds)).unwrap().to_string()
}

pub(crate) fn nanoseconds(text: &str) -> Option<i64> {
    i64::try_from(text.parse::<jiff::Timestamp>().ok()?.as_nanosecond()).ok()
}
