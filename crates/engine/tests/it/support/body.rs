//! The JSON of a query as the service reads it.

use serde_json::Value as Json;
use tidegauge_lang::dataset_query::{Aggregation, DatasetQuery, Filter, Projection, Value, VirtualField};
use tidegauge_lang::tree::SortKey;

pub(crate) fn read(body: &Json) -> DatasetQuery {
    DatasetQuery {
        start_time: text(&body["startTime"]),
        end_time: text(&body["endTime"]),
        resolution: text(&body["resolution"]),
        aggregations: list(&body["aggregations"], |call| Aggregation {
            op: text(&call["op"]).unwrap_or_default(),
            field: text(&call["field"]).unwrap_or_default(),
            alias: text(&call["alias"]),
            argument: value(&call["argument"]),
        }),
        filter: body["filter"].is_object().then(|| filter(&body["filter"])),
        group_by: list(&body["groupBy"], |field| text(field).unwrap_or_default()),
        order: list(&body["order"], |key| SortKey {
            field: text(&key["field"]).unwrap_or_default(),
            is_descending: key["desc"].as_bool().unwrap_or(false),
            ..SortKey::default()
        }),
        limit: body["limit"].as_u64(),
        virtual_fields: list(&body["virtualFields"], |field| VirtualField {
            alias: text(&field["alias"]).unwrap_or_default(),
            expr: text(&field["expr"]).unwrap_or_default(),
        }),
        project: list(&body["project"], |projection| Projection {
            field: text(&projection["field"]).unwrap_or_default(),
            alias: text(&projection["alias"]),
        }),
        cursor: text(&body["cursor"]),
        includes_cursor: body["includeCursor"].as_bool().unwrap_or(false),
        continuation_token: text(&body["continuationToken"]),
    }
}

fn text(json: &Json) -> Option<String> {
    json.as_str().filter(|text| !text.is_empty()).map(str::to_owned)
}

fn list<T>(json: &Json, each: impl Fn(&Json) -> T) -> Vec<T> {
    json.as_array().map(|elements| elements.iter().map(each).collect()).unwrap_or_default()
}

fn filter(json: &Json) -> Filter {
    Filter {
        op: text(&json["op"]).unwrap_or_default(),
        field: text(&json["field"]).unwrap_or_default(),
        value: value(&json["value"]),
        case_sensitive: json["caseSensitive"].as_bool(),
        children: list(&json["children"], filter),
    }
}

fn value(json: &Json) -> Value {
    match json {
        Json::Null => Value::Null,
        Json::Bool(flag) => Value::Boolean(*flag),
        Json::Number(number) => match (number.as_i64(), number.as_u64()) {
            (Some(integer), _) => Value::Integer(integer),
            (None, Some(long)) => Value::LongInteger(long.to_string()),
            (None, None) => number.as_f64().map_or(Value::Null, Value::Float),
        },
        Json::String(text) => Value::String(text.clone()),
        Json::Array(elements) => Value::Array(elements.iter().map(value).collect()),
        Json::Object(_) => Value::Object(json.to_string()),
    }
}
