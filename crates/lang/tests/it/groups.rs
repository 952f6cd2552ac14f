//! Dataset queries with aggregations.

use tidegauge_lang::dataset_query::{Aggregation, DatasetQuery, Value};
use tidegauge_lang::tree::{AggregateFunction, Expr, ExprKind, SortKey, Stage, Summarize};
use tidegauge_model::Rule;

use crate::support::{hour, refusal, shape, translated, violation};

pub(crate) fn aggregation(op: &str, field: &str, argument: Value) -> Aggregation {
    Aggregation { op: op.to_owned(), field: field.to_owned(), alias: None, argument }
}

pub(crate) fn count_of_all() -> Aggregation {
    aggregation("count", "*", Value::Null)
}

fn key(field: &str, is_descending: bool) -> SortKey {
    SortKey { field: field.to_owned(), is_descending, ..SortKey::default() }
}

fn with(aggregations: Vec<Aggregation>) -> DatasetQuery {
    DatasetQuery { aggregations, ..hour() }
}

fn summarize(query: &DatasetQuery) -> Summarize {
    let stages = translated(query).query.stages;
    let found = stages.into_iter().find_map(|stage| match stage {
        Stage::Summarize(summarize) => Some(summarize),
        _ => None,
    });
    found.unwrap()
}

fn sort(query: &DatasetQuery) -> Vec<SortKey> {
    let stages = translated(query).query.stages;
    let found = stages.into_iter().find_map(|stage| match stage {
        Stage::Sort(keys) => Some(keys),
        _ => None,
    });
    found.unwrap()
}

fn function(op: &str, argument: Value) -> AggregateFunction {
    summarize(&with(vec![aggregation(op, "f", argument)])).aggregates.remove(0).call.function
}

fn field(name: &str) -> Expr {
    Expr::new(ExprKind::Field(name.to_owned()), tidegauge_lang::Span::default())
}

#[test]
fn every_operation_has_its_function_and_defaults() {
    use AggregateFunction as Function;
    for (op, expected) in [
        ("count", Function::Count),
        ("distinct", Function::Distinct),
        ("sum", Function::Sum),
        ("avg", Function::Avg),
        ("min", Function::Min),
        ("max", Function::Max),
        ("topk", Function::TopK(10)),
        ("percentiles", Function::Percentiles(vec![50.0, 95.0, 99.0])),
        ("histogram", Function::Histogram(10)),
        ("stdev", Function::Stdev),
        ("variance", Function::Variance),
        ("argmin", Function::ArgMin(None)),
        ("argmax", Function::ArgMax(None)),
        ("makeset", Function::MakeSet(None)),
        ("makelist", Function::MakeList(1_048_576)),
        ("rate", Function::Rate),
    ] {
        assert_eq!(function(op, Value::Null), expected);
        assert_eq!(function(&op.to_uppercase(), Value::Null), expected);
    }
}

#[test]
fn arguments_are_followed() {
    use AggregateFunction as Function;
    let numbers =
        |numbers: &[f64]| Value::Array(numbers.iter().map(|number| Value::Float(*number)).collect());
    for (op, argument, expected) in [
        ("topk", Value::Integer(3), Function::TopK(3)),
        ("topk", Value::Float(1_000.0), Function::TopK(1_000)),
        ("histogram", Value::Integer(100), Function::Histogram(100)),
        ("percentiles", Value::Integer(95), Function::Percentiles(vec![95.0])),
        ("percentiles", numbers(&[99.9, 0.0, 100.0]), Function::Percentiles(vec![99.9, 0.0, 100.0])),
        ("makeset", Value::Integer(5), Function::MakeSet(Some(5))),
        ("makeset", Value::Integer(99_999_999_999), Function::MakeSet(Some(1_048_576))),
        ("makelist", Value::Integer(2_000_000), Function::MakeList(1_048_576)),
        ("argmin", Value::String("uri".to_owned()), Function::ArgMin(Some(field("uri")))),
        ("argmax", Value::String(String::new()), Function::ArgMax(None)),
        ("sum", Value::String("ignored".to_owned()), Function::Sum),
    ] {
        assert_eq!(function(op, argument.clone()), expected, "{op} {argument:?}");
    }
}

#[test]
fn wrong_aggregations_are_refused() {
    let text = || Value::String("x".to_owned());
    for (op, name, argument, message) in [
        (
            "median",
            "f",
            Value::Null,
            "op in body must be one of [count distinct sum avg min max topk percentiles histogram stdev variance \
             argmin argmax makeset rate makelist]",
        ),
        ("sum", "*", Value::Null, "field in body must name a field: only count looks at whole events"),
        ("topk", "", Value::Null, "field in body must name a field: only count looks at whole events"),
        ("topk", "f", Value::Integer(0), "argument in body must be at least 1"),
        ("topk", "f", Value::Integer(1_001), "argument in body must be at most 1000"),
        ("topk", "f", text(), "argument in body must be a whole number"),
        ("histogram", "f", Value::Float(1.5), "argument in body must be a whole number"),
        ("histogram", "f", Value::Integer(1_001), "argument in body must be at most 1000"),
        ("makeset", "f", Value::Integer(-1), "argument in body must be at least 1"),
        (
            "percentiles",
            "f",
            Value::Integer(101),
            "argument in body must be a number from 0 to 100, or an array of such numbers",
        ),
        ("percentiles", "f", Value::Array(vec![]), "argument in body must have 1 to 100 percentiles"),
        (
            "percentiles",
            "f",
            Value::Array(vec![Value::Integer(5), text()]),
            "argument in body must be a number from 0 to 100, or an array of such numbers",
        ),
        ("argmin", "f", Value::Integer(1), "argument in body must be the name of a field"),
    ] {
        let query = with(vec![count_of_all(), aggregation(op, name, argument)]);
        assert_eq!(refusal(&query), format!("aggregations.1.{message}"));
    }
}

#[test]
fn counts_are_of_rows_or_of_a_field() {
    let of = |name: &str| {
        summarize(&with(vec![aggregation("count", name, Value::Null)])).aggregates.remove(0).call.of
    };
    assert_eq!((of("*"), of("")), (None, None));
    assert_eq!(of("geo.city"), Some(field("geo.city")));
}

#[test]
fn results_have_names_of_their_own() {
    let named = |op: &str, alias: &str| Aggregation {
        alias: Some(alias.to_owned()),
        ..aggregation(op, "f", Value::Null)
    };
    let query = DatasetQuery {
        group_by: vec!["city".to_owned(), "geo.ip".to_owned(), "city".to_owned()],
        ..with(vec![
            count_of_all(),
            aggregation("Count", "f", Value::Null),
            named("sum", "total"),
            named("avg", "total"),
            named("max", "city"),
            named("min", ""),
            named("count", "COUNT_2"),
        ])
    };
    let summarize = summarize(&query);
    let names: Vec<&str> = summarize.aggregates.iter().map(|aggregate| aggregate.name.as_str()).collect();
    assert_eq!(names, ["COUNT", "COUNT_2", "total", "total_2", "city_2", "MIN", "COUNT_2_2"]);
    let keys: Vec<(&str, String)> =
        summarize.keys.iter().map(|key| (key.name.as_str(), shape(&key.expr))).collect();
    assert_eq!(keys, [("city", "city".to_owned()), ("geo.ip", "geo.ip".to_owned())]);
}

#[test]
fn groups_are_in_the_order_of_what_is_named() {
    let query = |order: Vec<SortKey>| DatasetQuery {
        group_by: vec!["method".to_owned()],
        order,
        ..with(vec![
            count_of_all(),
            Aggregation { alias: Some("slowest".to_owned()), ..aggregation("max", "duration", Value::Null) },
            aggregation("sum", "bytes", Value::Null),
        ])
    };
    assert_eq!(sort(&query(vec![])), [key("COUNT", true)]);
    for (wanted, expected) in [
        ("method", "method"),
        ("slowest", "slowest"),
        ("duration", "slowest"),
        ("max", "slowest"),
        ("COUNT", "COUNT"),
        ("count", "COUNT"),
        ("*", "COUNT"),
        ("bytes", "SUM"),
    ] {
        assert_eq!(sort(&query(vec![key(wanted, false)])), [key(expected, false)], "{wanted}");
    }
    assert_eq!(
        sort(&query(vec![key("bytes", true), key("method", false)])),
        [key("SUM", true), key("method", false)]
    );
    assert_eq!(
        refusal(&query(vec![key("method", true), key("_time", true)])),
        "order.1.field in body must be a field of groupBy, or the alias or field of an aggregation: one of [method \
         COUNT slowest SUM duration bytes]"
    );
}

#[test]
fn the_stages_stand_in_their_order() {
    let query = DatasetQuery {
        group_by: vec!["ok".to_owned()],
        virtual_fields: vec![crate::events::virtual_field("ok", "status < 400")],
        filter: Some(crate::events::exists("status")),
        project: vec![crate::events::projection("status", Some("s"))],
        limit: Some(7),
        ..with(vec![count_of_all()])
    };
    let stages = translated(&query).query.stages;
    assert!(matches!(
        stages.as_slice(),
        [Stage::Extend(_), Stage::Filter(_), Stage::Summarize(_), Stage::Sort(_), Stage::Limit(7)]
    ));
}

#[test]
fn grouping_needs_an_aggregation() {
    let query = DatasetQuery { group_by: vec!["a".to_owned()], ..hour() };
    assert_eq!(
        refusal(&query),
        "groupBy in body needs at least one aggregation: add one, such as count of *"
    );
    let empty = DatasetQuery { group_by: vec!["a".to_owned(), String::new()], ..with(vec![count_of_all()]) };
    assert_eq!(refusal(&empty), "groupBy.1 in body is required");
}

#[test]
fn groups_have_no_pages() {
    let row = "0d8q6stroluyo-07c3957e7400015c-0000c875";
    let cursor = DatasetQuery { cursor: Some(row.to_owned()), ..with(vec![count_of_all()]) };
    let token =
        DatasetQuery { continuation_token: Some(format!("after-{row}")), ..with(vec![count_of_all()]) };
    assert_eq!(
        [refusal(&cursor), refusal(&token)],
        [
            "cursor in body must be left out with aggregations: only events have pages",
            "continuationToken in body must be left out with aggregations: only events have pages"
        ]
    );
    let unset = DatasetQuery {
        cursor: Some(String::new()),
        continuation_token: Some(String::new()),
        ..with(vec![count_of_all()])
    };
    translated(&unset);
}

#[test]
fn there_are_not_too_many() {
    let query = with(vec![count_of_all(); 501]);
    assert_eq!(violation(&query).rule, Rule::TooManyItems);
    assert_eq!(summarize(&with(vec![count_of_all(); 500])).aggregates.len(), 500);
}
