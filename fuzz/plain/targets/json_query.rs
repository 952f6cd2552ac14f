//! Queries as JSON: what is refused is named by a field or by a place in an expression, and what is taken keeps the limits
//! and is the same query each time.

#![no_main]

use libfuzzer_sys::fuzz_target;
use serde_json::Value as Json;
use tidegauge_lang::dataset_query::{
    Aggregation, DatasetQuery, Filter, Projection, Refused, Surroundings, Value, VirtualField, translate,
};
use tidegauge_lang::tree::SortKey;

const LIMIT_MAX: u64 = 50_000;

const NOW: i64 = 1_794_700_800_000_000_000;

fn text(json: &Json, member: &str) -> String {
    json[member].as_str().unwrap_or_default().to_owned()
}

fn given(json: &Json, member: &str) -> Option<String> {
    Some(text(json, member)).filter(|text| !text.is_empty())
}

fn all<T>(json: &Json, member: &str, each: impl Fn(&Json) -> T) -> Vec<T> {
    json[member].as_array().map_or(Vec::new(), |elements| elements.iter().map(each).collect())
}

fn value(json: &Json) -> Value {
    match json {
        Json::Null => Value::Null,
        Json::Bool(flag) => Value::Boolean(*flag),
        Json::Number(number) => match number.as_i64() {
            Some(integer) => Value::Integer(integer),
            None if number.is_u64() => Value::LongInteger(number.to_string()),
            None => Value::Float(number.as_f64().unwrap_or_default()),
        },
        Json::String(text) => Value::String(text.clone()),
        Json::Array(elements) => Value::Array(elements.iter().map(value).collect()),
        Json::Object(_) => Value::Object(json.to_string()),
    }
}

fn filter(json: &Json) -> Filter {
    Filter {
        op: text(json, "op"),
        field: text(json, "field"),
        value: value(&json["value"]),
        case_sensitive: json["caseSensitive"].as_bool(),
        children: all(json, "children", filter),
    }
}

fn query(json: &Json) -> DatasetQuery {
    DatasetQuery {
        start_time: given(json, "startTime"),
        end_time: given(json, "endTime"),
        resolution: given(json, "resolution"),
        aggregations: all(json, "aggregations", |call| Aggregation {
            op: text(call, "op"),
            field: text(call, "field"),
            alias: given(call, "alias"),
            argument: value(&call["argument"]),
        }),
        filter: json["filter"].is_object().then(|| filter(&json["filter"])),
        group_by: all(json, "groupBy", |name| name.as_str().unwrap_or_default().to_owned()),
        order: all(json, "order", |key| SortKey {
            field: text(key, "field"),
            is_descending: key["desc"].as_bool().unwrap_or(false),
            ..SortKey::default()
        }),
        limit: json["limit"].as_u64(),
        virtual_fields: all(json, "virtualFields", |field| VirtualField {
            alias: text(field, "alias"),
            expr: text(field, "expr"),
        }),
        project: all(json, "project", |field| Projection {
            field: text(field, "field"),
            alias: given(field, "alias"),
        }),
        cursor: given(json, "cursor"),
        includes_cursor: json["includeCursor"].as_bool().unwrap_or(false),
        continuation_token: given(json, "continuationToken"),
    }
}

fuzz_target!(|data: &[u8]| {
    let Ok(json) = serde_json::from_slice::<Json>(data) else { return };
    let query = query(&json);
    let data = Some((NOW - 1_000_000_000_000, NOW)).filter(|_| query.limit != Some(7));
    let around = Surroundings { now: NOW, data, window_seconds_max: query.group_by.len() as u64 * 1000 };
    let translated = translate("logs", &query, around);
    match &translated {
        Ok(translated) => {
            assert!(translated.range.start <= translated.range.end);
            assert!(translated.limit <= LIMIT_MAX);
        }
        Err(Refused::Violation(violation)) => {
            assert!(!violation.field.is_empty() && !violation.problem.is_empty())
        }
        Err(Refused::Expression { text, diagnostics, .. }) => {
            assert!(!diagnostics.is_empty());
            for diagnostic in diagnostics {
                assert!(
                    text.get(diagnostic.span.range()).is_some(),
                    "{diagnostic:?} is not a part of {text:?}"
                );
                let _ = diagnostic.render(text);
            }
        }
    }
    // Compared as text, because a float may be none that equals itself.
    assert_eq!(format!("{:?}", translate("logs", &query, around)), format!("{translated:?}"));
});
