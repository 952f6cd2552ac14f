//! The body of a query as clients send it: much may be absent, null or empty, and means the same then.

use serde::Deserialize;
use serde_json::Value as Json;
use serde_json::value::RawValue;
use tidegauge_lang::dataset_query::{Aggregation, DatasetQuery, Filter, Projection, Value, VirtualField};
use tidegauge_lang::tree::{Literal, SortKey};
use tidegauge_model::{Rule, Violation};
use tidegauge_web::json::{optional_object, optional_objects, optional_value};
use utoipa::ToSchema;

use crate::resources::query::compact::compact;

/// What `queryOptions.displayNull` says to leave the fields out that an event does not have.
const NULLS_HIDDEN: [&str; 3] = ["false", "0", "hide"];

/// A query over the events of one dataset. Lists may be null, and `limit` 0 is the default.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(example = json!({
    "startTime": "now-1h", "endTime": "now", "resolution": "auto",
    "filter": {"op": ">=", "field": "status", "value": 500},
    "aggregations": [{"op": "count", "field": "*", "alias": "failures"}],
    "groupBy": ["path"], "order": [{"field": "failures", "desc": true}], "limit": 10,
}))]
pub struct QueryRequest {
    /// RFC 3339, or relative to now, such as `now-1h`. Inclusive.
    #[schema(required = true, value_type = String, example = "now-1h")]
    pub start_time: Option<String>,
    /// Like `startTime`. Exclusive.
    #[schema(required = true, value_type = String, example = "now")]
    pub end_time: Option<String>,
    /// How long the buckets of time are: seconds, a duration such as `15s`, or `auto`. Between a hundredth and a
    /// thousandth of the time range.
    #[schema(required = true, value_type = String, example = "auto")]
    pub resolution: Option<String>,
    #[serde(default, deserialize_with = "optional_objects")]
    pub aggregations: Option<Vec<AggregationRequest>>,
    #[serde(default, deserialize_with = "optional_object")]
    pub filter: Option<FilterRequest>,
    /// Fields whose values make the groups; only with aggregations.
    pub group_by: Option<Vec<String>>,
    #[serde(default, deserialize_with = "optional_objects")]
    pub order: Option<Vec<OrderRequest>>,
    /// Most events, or groups, in the answer.
    #[schema(minimum = 0, maximum = 50_000, default = 1_000)]
    pub limit: Option<i64>,
    #[serde(default, deserialize_with = "optional_objects")]
    pub virtual_fields: Option<Vec<VirtualFieldRequest>>,
    /// The fields to show; all of them if there are none here.
    #[serde(default, deserialize_with = "optional_objects")]
    pub project: Option<Vec<ProjectionRequest>>,
    /// A row id: the answer begins after that event.
    pub cursor: Option<String>,
    /// Whether the event of the cursor is part of the answer.
    pub include_cursor: Option<bool>,
    /// `status.continuationToken` of an answer that was cut.
    pub continuation_token: Option<String>,
    #[serde(default, deserialize_with = "optional_object")]
    pub query_options: Option<QueryOptions>,
}

/// Something to compute from the events of a group.
#[derive(Debug, Deserialize, ToSchema)]
pub struct AggregationRequest {
    /// `count`, `distinct`, `sum`, `avg`, `min`, `max`, `topk`, `percentiles`, `histogram`, `stdev`, `variance`,
    /// `argmin`, `argmax`, `makeset`, `makelist` or `rate`.
    #[schema(required = true, value_type = String, example = "count")]
    pub op: Option<String>,
    #[schema(required = true, value_type = String, example = "*")]
    pub field: Option<String>,
    /// The name of the result.
    pub alias: Option<String>,
    /// Of `topk` how many, of `percentiles` which, of `histogram` how many, of `makeset` and `makelist` at most how
    /// many.
    #[serde(default, deserialize_with = "optional_value")]
    #[schema(value_type = Option<Json>)]
    pub argument: Option<Box<RawValue>>,
}

/// Which events to look at.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FilterRequest {
    /// `and`, `or`, `not`, or a test such as `==`, `>`, `contains`, `exists`.
    #[schema(required = true, value_type = String, example = "==")]
    pub op: Option<String>,
    #[schema(required = true, value_type = String, example = "status")]
    pub field: Option<String>,
    #[serde(default, deserialize_with = "optional_value")]
    #[schema(value_type = Option<Json>)]
    pub value: Option<Box<RawValue>>,
    pub case_sensitive: Option<bool>,
    /// What `and`, `or` and `not` are about.
    #[serde(default, deserialize_with = "optional_objects")]
    #[schema(no_recursion)]
    pub children: Option<Vec<FilterRequest>>,
}

/// What to order by.
#[derive(Debug, Deserialize, ToSchema)]
pub struct OrderRequest {
    #[schema(required = true, value_type = String, example = "_time")]
    pub field: Option<String>,
    pub desc: Option<bool>,
}

/// A field that is computed from others.
#[derive(Debug, Deserialize, ToSchema)]
pub struct VirtualFieldRequest {
    #[schema(required = true, value_type = String, example = "failed")]
    pub alias: Option<String>,
    /// A scalar expression.
    #[schema(required = true, value_type = String, example = "toint(status) >= 500")]
    pub expr: Option<String>,
}

/// A field to show.
#[derive(Debug, Deserialize, ToSchema)]
pub struct ProjectionRequest {
    #[schema(required = true, value_type = String, example = "status")]
    pub field: Option<String>,
    /// The name to show it by.
    pub alias: Option<String>,
}

/// Options; all others are ignored.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct QueryOptions {
    /// `false`, `0` or `hide`: events in `matches` leave out the fields that they do not have.
    pub display_null: Option<String>,
}

impl QueryOptions {
    /// Whether events show the fields that they do not have.
    pub fn shows_nulls(&self) -> bool {
        let hides = |text: &str| NULLS_HIDDEN.contains(&text.to_ascii_lowercase().as_str());
        !self.display_null.as_deref().is_some_and(hides)
    }
}

impl QueryRequest {
    pub fn shows_nulls(&self) -> bool {
        self.query_options.as_ref().is_none_or(QueryOptions::shows_nulls)
    }

    pub fn into_query(self) -> Result<DatasetQuery, Violation> {
        let limit = self.limit.map(u64::try_from).transpose();
        let limit = limit
            .map_err(|_| Violation::new("limit", Rule::Minimum, "should be greater than or equal to 0"))?;
        Ok(DatasetQuery {
            start_time: given(self.start_time),
            end_time: given(self.end_time),
            resolution: given(self.resolution),
            aggregations: all(self.aggregations, |call| Aggregation {
                op: call.op.unwrap_or_default(),
                field: call.field.unwrap_or_default(),
                alias: given(call.alias),
                argument: call.argument.map(|argument| value(&argument)).unwrap_or_default(),
            }),
            filter: self.filter.map(filter),
            group_by: self.group_by.unwrap_or_default(),
            order: all(self.order, |key| SortKey {
                field: key.field.unwrap_or_default(),
                is_descending: key.desc.unwrap_or(false),
                ..SortKey::default()
            }),
            limit,
            virtual_fields: all(self.virtual_fields, |field| VirtualField {
                alias: field.alias.unwrap_or_default(),
                expr: field.expr.unwrap_or_default(),
            }),
            project: all(self.project, |projection| Projection {
                field: projection.field.unwrap_or_default(),
                alias: given(projection.alias),
            }),
            cursor: given(self.cursor),
            includes_cursor: self.include_cursor.unwrap_or(false),
            continuation_token: given(self.continuation_token),
        })
    }
}

/// Lets a query that asks for some fields answer with the time of arrival too, which every match shows.
pub fn add_arrival(query: &mut DatasetQuery) {
    const ARRIVAL: &str = "_sysTime";
    let name = |projection: &Projection| projection.alias.as_ref().unwrap_or(&projection.field) == ARRIVAL;
    if !query.project.is_empty() && !query.project.iter().any(name) {
        query.project.push(Projection { field: ARRIVAL.to_owned(), alias: None });
    }
}

fn given(text: Option<String>) -> Option<String> {
    text.filter(|text| !text.is_empty())
}

fn all<From, To>(list: Option<Vec<From>>, each: impl Fn(From) -> To) -> Vec<To> {
    list.unwrap_or_default().into_iter().map(each).collect()
}

fn filter(request: FilterRequest) -> Filter {
    Filter {
        op: request.op.unwrap_or_default(),
        field: request.field.unwrap_or_default(),
        value: request.value.map(|given| value(&given)).unwrap_or_default(),
        case_sensitive: request.case_sensitive,
        children: all(request.children, filter),
    }
}

/// Whole numbers keep their digits, however many they are, as they do in events.
fn value(json: &RawValue) -> Value {
    let text = json.get().trim();
    match text.as_bytes().first() {
        Some(b'[') => {
            let elements: Vec<&RawValue> = serde_json::from_str(text).unwrap_or_default();
            return Value::Array(elements.into_iter().map(value).collect());
        }
        Some(b'-' | b'0'..=b'9') => {
            return match Literal::number(text) {
                Some(Literal::Integer(integer)) => Value::Integer(integer),
                Some(Literal::Float(float)) => Value::Float(float),
                Some(Literal::LongInteger(digits)) => Value::LongInteger(digits),
                _ => Value::Null,
            };
        }
        _ => {}
    }
    match serde_json::from_str(text).unwrap_or_default() {
        Json::Bool(flag) => Value::Boolean(flag),
        Json::String(text) => Value::String(text),
        Json::Object(_) => Value::Object(compact(text)),
        Json::Null | Json::Number(_) | Json::Array(_) => Value::Null,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tidegauge_web::json::read;

    fn query(text: &str) -> DatasetQuery {
        read::<QueryRequest>(text.as_bytes()).unwrap().into_query().unwrap()
    }

    #[test]
    fn what_is_absent_null_or_empty_means_the_same() {
        let absent = query(r#"{"startTime": "a", "endTime": "b", "resolution": "auto"}"#);
        let null = query(
            r#"{"startTime": "a", "endTime": "b", "resolution": "auto", "aggregations": null, "groupBy": null,
                "filter": null, "order": null, "virtualFields": null, "project": null, "cursor": "",
                "includeCursor": false, "continuationToken": null, "queryOptions": null, "limit": null, "own": 1}"#,
        );
        assert_eq!(absent, null);
        assert_eq!(query("{}"), DatasetQuery::default());
        let zero = query(
            r#"{"filter": {"op": "", "field": "", "value": null, "caseSensitive": false, "children": null}}"#,
        );
        let filter = Filter { case_sensitive: Some(false), ..Filter::default() };
        assert_eq!(zero, DatasetQuery { filter: Some(filter), ..DatasetQuery::default() });
    }

    #[test]
    fn values_keep_their_kind_and_their_digits() {
        let of = |text: &str| query(&format!(r#"{{"filter": {{"value": {text}}}}}"#)).filter.unwrap().value;
        assert_eq!(of("9223372036854775807"), Value::Integer(i64::MAX));
        assert_eq!(of("-9223372036854775808"), Value::Integer(i64::MIN));
        for digits in ["9223372036854775808", "-9223372036854775809", "123456789012345678901234567890"] {
            assert_eq!(of(digits), Value::LongInteger(digits.to_owned()));
            assert_eq!(of(&format!("[{digits}]")), Value::Array(vec![Value::LongInteger(digits.to_owned())]));
        }
        assert_eq!(of("1.0"), Value::Float(1.0));
        assert_eq!(of("true"), Value::Boolean(true));
        assert_eq!(of(r#""1""#), Value::String("1".to_owned()));
        assert_eq!(of(r#"[1, "a", null]"#), {
            Value::Array(vec![Value::Integer(1), Value::String("a".to_owned()), Value::Null])
        });
        assert_eq!(of(r#"{"b": 1, "a": {}}"#), Value::Object(r#"{"b":1,"a":{}}"#.to_owned()));
        let long = r#"{"b":123456789012345678901234567890}"#;
        assert_eq!(of(long), Value::Object(long.to_owned()));
    }

    #[test]
    fn a_wrong_type_is_named_by_its_path() {
        let cases = [
            (r#"{"startTime": 1}"#, "startTime in body must be a string"),
            (r#"{"limit": "10"}"#, "limit in body must be a whole number"),
            (r#"{"groupBy": "a"}"#, "groupBy in body must be a list"),
            (r#"{"groupBy": ["a", 1]}"#, "groupBy.1 in body must be a string"),
            (r#"{"aggregations": [{"op": "count"}, 1]}"#, "aggregations.1 in body must be an object"),
            (r#"{"order": [{"field": "a", "desc": "yes"}]}"#, "order.0.desc in body must be true or false"),
            (
                r#"{"filter": {"op": "and", "children": [{"op": 1}]}}"#,
                "filter.children.0.op in body must be a string",
            ),
            (r#"{"filter": []}"#, "filter in body must be an object"),
            (r#"{"queryOptions": {"displayNull": 1}}"#, "queryOptions.displayNull in body must be a string"),
        ];
        for (text, expected) in cases {
            let error = read::<QueryRequest>(text.as_bytes()).unwrap_err();
            assert_eq!(error.body.message, expected, "{text}");
            assert_eq!(error.status, 422);
        }
        let negative = read::<QueryRequest>(br#"{"limit": -1}"#).unwrap().into_query().unwrap_err();
        assert_eq!(negative.to_string(), "limit in body should be greater than or equal to 0");
    }

    #[test]
    fn the_time_of_arrival_is_asked_for_once() {
        let fields = |text: &str| {
            let mut query = query(text);
            add_arrival(&mut query);
            query.project.into_iter().map(|projection| projection.field).collect::<Vec<_>>()
        };
        assert!(fields("{}").is_empty());
        assert_eq!(fields(r#"{"project": [{"field": "a"}]}"#), ["a", "_sysTime"]);
        assert_eq!(fields(r#"{"project": [{"field": "_sysTime"}]}"#), ["_sysTime"]);
        assert_eq!(fields(r#"{"project": [{"field": "a", "alias": "_sysTime"}]}"#), ["a"]);
        assert_eq!(fields(r#"{"project": [{"field": "_sysTime", "alias": "b"}]}"#), ["_sysTime", "_sysTime"]);
    }

    #[test]
    fn nulls_are_hidden_on_demand() {
        let shows = |text: &str| read::<QueryRequest>(text.as_bytes()).unwrap().shows_nulls();
        for text in
            ["{}", r#"{"queryOptions": {}}"#, r#"{"queryOptions": {"displayNull": "auto", "own": 1}}"#]
        {
            assert!(shows(text), "{text}");
        }
        for word in ["false", "False", "0", "hide"] {
            assert!(!shows(&format!(r#"{{"queryOptions": {{"displayNull": "{word}"}}}}"#)), "{word}");
        }
    }
}
