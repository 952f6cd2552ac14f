//! Filters of dataset queries as expressions.

use tidegauge_lang::dataset_query::{DatasetQuery, Filter, Value};
use tidegauge_lang::tree::Stage;
use tidegauge_model::Rule;

use crate::support::{hour, refusal, shape, translated, violation};

fn filter(op: &str, field: &str, value: Value) -> Filter {
    Filter { op: op.to_owned(), field: field.to_owned(), value, ..Filter::default() }
}

fn text(value: &str) -> Value {
    Value::String(value.to_owned())
}

fn over(op: &str, children: Vec<Filter>) -> Filter {
    Filter { op: op.to_owned(), children, ..Filter::default() }
}

fn with(filter: Filter) -> DatasetQuery {
    DatasetQuery { filter: Some(filter), ..hour() }
}

/// The shape of a filter's expression, or nothing if every row is kept.
fn read(filter: Filter) -> String {
    let stages = translated(&with(filter)).query.stages;
    let found = stages.iter().find_map(|stage| match stage {
        Stage::Filter(expr) => Some(shape(expr)),
        _ => None,
    });
    found.unwrap_or_default()
}

#[test]
fn every_operator_has_its_expression() {
    for (op, value, expected) in [
        ("==", text("x"), "(Equals+case f \"x\")"),
        ("eq", text("x"), "(Equals+case f \"x\")"),
        ("!=", text("x"), "(!Equals+case f \"x\")"),
        ("ne", text("x"), "(!Equals+case f \"x\")"),
        ("==", Value::Integer(5), "(Equal f 5)"),
        ("==", Value::Float(0.5), "(Equal f 0.5)"),
        ("!=", Value::Boolean(true), "(NotEqual f true)"),
        ("==", Value::Null, "(Not (Exists f))"),
        ("!=", Value::Null, "(Exists f)"),
        ("exists", Value::Null, "(Exists f)"),
        ("not-exists", text("ignored"), "(Not (Exists f))"),
        (">", Value::Integer(5), "(Greater f 5)"),
        ("gt", Value::Float(5.5), "(Greater f 5.5)"),
        (">=", Value::Integer(5), "(GreaterOrEqual f 5)"),
        ("gte", Value::Integer(5), "(GreaterOrEqual f 5)"),
        ("<", Value::Integer(5), "(Less f 5)"),
        ("lt", text("b"), "(Less f \"b\")"),
        ("<=", Value::Integer(5), "(LessOrEqual f 5)"),
        ("lte", Value::Integer(5), "(LessOrEqual f 5)"),
        ("starts-with", text("x"), "(StartsWith f \"x\")"),
        ("not-starts-with", text("x"), "(!StartsWith f \"x\")"),
        ("ends-with", text("x"), "(EndsWith f \"x\")"),
        ("not-ends-with", text("x"), "(!EndsWith f \"x\")"),
        ("contains", text("x"), "(Contains f \"x\")"),
        ("not-contains", text("x"), "(!Contains f \"x\")"),
        ("contains", Value::Integer(404), "(Contains f \"404\")"),
        ("has", text("x"), "(Has f \"x\")"),
        ("not-has", text("x"), "(!Has f \"x\")"),
        ("regexp", text("^x"), "(Matches+case f \"^x\")"),
        ("not-regexp", text("^x"), "(!Matches+case f \"^x\")"),
        ("Starts-With", text("x"), "(StartsWith f \"x\")"),
        ("EQ", Value::Integer(5), "(Equal f 5)"),
    ] {
        assert_eq!(read(filter(op, "f", value)), expected, "{op}");
    }
}

#[test]
fn an_explicit_case_rule_is_followed_where_it_means_something() {
    for (op, case_sensitive, expected) in [
        ("==", true, "(Equals+case f \"x\")"),
        ("==", false, "(Equals f \"x\")"),
        ("!=", false, "(!Equals f \"x\")"),
        ("contains", true, "(Contains+case f \"x\")"),
        ("contains", false, "(Contains f \"x\")"),
        ("not-starts-with", true, "(!StartsWith+case f \"x\")"),
        ("has", true, "(Has+case f \"x\")"),
        ("regexp", false, "(Matches+case f \"x\")"),
    ] {
        let filter = Filter { case_sensitive: Some(case_sensitive), ..filter(op, "f", text("x")) };
        assert_eq!(read(filter), expected, "{op} {case_sensitive}");
    }
}

#[test]
fn times_are_compared_as_times() {
    for field in ["_time", "_sysTime"] {
        assert_eq!(
            read(filter(">=", field, text("2026-07-01T10:00:00Z"))),
            format!("(GreaterOrEqual {field} datetime:1782900000000000000)")
        );
        assert_eq!(
            read(filter("!=", field, text("now-1s"))),
            format!("(NotEqual {field} datetime:1782899999000000000)")
        );
        assert_eq!(read(filter("==", field, Value::Null)), format!("(Not (Exists {field}))"));
        for value in [text("soon"), Value::Integer(5)] {
            assert_eq!(
                refusal(&with(filter("<", field, value))),
                "filter.value in body must be a timestamp such as 2030-01-31T12:00:00Z"
            );
        }
    }
    assert_eq!(
        read(filter(">", "created", text("2026-07-01T10:00:00Z"))),
        "(Greater created \"2026-07-01T10:00:00Z\")",
        "other fields hold what came in"
    );
}

#[test]
fn an_array_is_any_of_its_values() {
    let values = |values: Vec<Value>| Value::Array(values);
    assert_eq!(
        read(filter("==", "f", values(vec![text("a"), Value::Integer(1), Value::Null]))),
        "(Or (Or (Equals+case f \"a\") (Equal f 1)) (Not (Exists f)))"
    );
    assert_eq!(
        read(filter("ne", "f", values(vec![Value::Integer(1), Value::Integer(2)]))),
        "(And (NotEqual f 1) (NotEqual f 2))"
    );
    assert_eq!(read(filter("==", "f", values(vec![]))), "false");
    assert_eq!(read(filter("!=", "f", values(vec![]))), "true");
    let nested = values(vec![Value::Integer(1), values(vec![])]);
    assert_eq!(
        refusal(&with(filter("==", "f", nested))),
        "filter.value.1 in body must be a string, a number, a boolean or null"
    );
}

#[test]
fn filters_are_joined() {
    let (a, b, c) = (
        filter("==", "a", Value::Integer(1)),
        filter("==", "b", Value::Integer(2)),
        filter("==", "c", Value::Integer(3)),
    );
    let three = || vec![a.clone(), b.clone(), c.clone()];
    for (filter, expected) in [
        (over("and", three()), "(And (And (Equal a 1) (Equal b 2)) (Equal c 3))"),
        (over("OR", three()), "(Or (Or (Equal a 1) (Equal b 2)) (Equal c 3))"),
        (over("not", vec![a.clone()]), "(Not (Equal a 1))"),
        (over("not", vec![a.clone(), b.clone()]), "(Not (And (Equal a 1) (Equal b 2)))"),
        (over("and", vec![a.clone()]), "(Equal a 1)"),
        (
            over("or", vec![over("and", vec![a.clone(), b.clone()]), c.clone()]),
            "(Or (And (Equal a 1) (Equal b 2)) (Equal c 3))",
        ),
        (over("and", vec![]), ""),
        (over("and", vec![Filter::default(), b.clone()]), "(Equal b 2)"),
        (over("or", vec![Filter::default(), b.clone()]), ""),
        (over("not", vec![Filter::default()]), "false"),
        (Filter::default(), ""),
        (Filter { case_sensitive: Some(false), ..Filter::default() }, ""),
        (Filter { children: three(), ..filter("exists", "f", Value::Null) }, "(Exists f)"),
    ] {
        assert_eq!(read(filter.clone()), expected, "{filter:?}");
    }
}

#[test]
fn wrong_filters_are_refused() {
    let all = "must be one of [and or not == eq != ne exists not-exists > gt >= gte < lt <= lte starts-with \
        not-starts-with ends-with not-ends-with contains not-contains has not-has regexp not-regexp]";
    for (filter, message) in [
        (filter("like", "f", text("x")), format!("filter.op in body {all}")),
        (filter("", "f", text("x")), format!("filter.op in body {all}")),
        (over("", vec![filter("==", "f", Value::Null)]), format!("filter.op in body {all}")),
        (
            over("and", vec![filter("==", "f", Value::Null), filter("~", "f", Value::Null)]),
            format!("filter.children.1.op in body {all}"),
        ),
        (filter("==", "", text("x")), "filter.field in body is required".to_owned()),
        (filter("exists", "", Value::Null), "filter.field in body is required".to_owned()),
        (filter(">", "f", Value::Null), "filter.value in body is required".to_owned()),
        (
            filter(">", "f", Value::Boolean(true)),
            "filter.value in body must be a number or a string".to_owned(),
        ),
        (filter("contains", "f", Value::Null), "filter.value in body is required".to_owned()),
        (filter("contains", "f", Value::Array(vec![])), "filter.value in body must be a string".to_owned()),
        (
            filter("==", "f", Value::Object("{}".to_owned())),
            "filter.value in body must be a string, a number, a boolean or null".to_owned(),
        ),
        (over("or", vec![]), "filter.children in body must have at least one filter".to_owned()),
        (over("not", vec![]), "filter.children in body must have at least one filter".to_owned()),
    ] {
        assert_eq!(refusal(&with(filter)), message);
    }
}

#[test]
fn deep_and_large_filters_are_refused() {
    let nested = |levels: usize| {
        let mut filter = filter("==", "f", Value::Integer(1));
        for _ in 1..levels {
            filter = over("not", vec![filter]);
        }
        filter
    };
    assert!(read(nested(100)).starts_with("(Not (Not"));
    let deep = violation(&with(nested(101)));
    assert_eq!((deep.rule, deep.problem.as_str()), (Rule::Maximum, "must not be nested more than 100 deep"));

    let wide = |count: usize| over("or", vec![filter("==", "f", Value::Integer(1)); count]);
    assert!(read(wide(9_999)).starts_with("(Or (Or"));
    assert_eq!(violation(&with(wide(10_000))).rule, Rule::TooManyItems);
    let values = Value::Array(vec![Value::Integer(1); 10_000]);
    assert_eq!(violation(&with(filter("==", "f", values))).rule, Rule::TooManyItems);

    let mut both = filter("==", "f", Value::Integer(1));
    for _ in 0..90 {
        both = over("and", [vec![both], vec![filter("==", "g", Value::Integer(1)); 63]].concat());
    }
    assert_eq!(violation(&with(both)).rule, Rule::Maximum, "deep in the tree, not in the filter");
}
