//! The column of fields that have none of their own: reading all fields and reading one by one come to the same.

#![no_main]

use libfuzzer_sys::fuzz_target;
use serde_json::{Map, Value};
use tidegauge_model::{Column, FieldKind};
use tidegauge_store::testing::{decode_overflow, decode_overflow_field};

fuzz_target!(|text: &str| {
    // Any texts first: an error at most.
    let texts: Vec<Option<&str>> =
        text.lines().map(|line| Some(line).filter(|line| !line.is_empty())).collect();
    let _ = decode_overflow(&texts);
    let _ = decode_overflow_field(&texts, "a", FieldKind::Integer);
    // Then the objects among them in the form that is written.
    let objects = text.lines().filter_map(|line| serde_json::from_str::<Map<String, Value>>(line).ok());
    let has_value =
        |object: &Map<String, Value>| !object.is_empty() && object.values().all(|value| !value.is_null());
    let written: Vec<String> =
        objects.filter(has_value).map(|object| Value::Object(object).to_string()).collect();
    let texts: Vec<Option<&str>> = written.iter().flat_map(|text| [Some(text.as_str()), None]).collect();
    let Ok(columns) = decode_overflow(&texts) else { return };
    for column in &columns {
        let alone =
            decode_overflow_field(&texts, &column.field, column.values.kind()).expect("all of them were read");
        assert_eq!(alone, *column);
    }
    for kind in FieldKind::ALL {
        let is_there = |column: &&Column| &*column.field == "a" && column.values.kind() == kind;
        let alone = decode_overflow_field(&texts, "a", kind).expect("all of them were read");
        assert_eq!(alone.rows.len(), columns.iter().find(is_there).map_or(0, |column| column.rows.len()));
    }
});
