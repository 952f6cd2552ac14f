//! What the language says of its functions, and expressions as they are written, over columns.

use std::sync::Arc;

use arrow_array::{BooleanArray, Float64Array, Int64Array, StringViewArray};
use tidegauge_engine::testing::{Column, function_takes, is_known_function};
use tidegauge_lang::tree::{Expr, Literal, Type};
use tidegauge_lang::{functions, parse_expression};

use super::{is_equal, results};

fn parsed(text: &str) -> Expr {
    let (expr, diagnostics) = parse_expression(text);
    assert!(diagnostics.is_empty(), "{text}: {diagnostics:?}");
    expr
}

#[test]
fn every_function_of_the_language_is_there() {
    let missing: Vec<&str> = functions::names().filter(|name| !is_known_function(name)).collect();
    assert_eq!(missing, Vec::<&str>::new());
    for function in functions::all() {
        let takes = |count: &usize| function.takes(*count);
        let refused = (0..=functions::ARGUMENTS_MAX + 1)
            .filter(takes)
            .find(|count| !function_takes(function.name, *count));
        assert_eq!(refused, None, "{}", function.name);
        // `case` has its own words for an even number of arguments.
        let is_odd = function.name == "case";
        let accepted =
            |count: &usize| !function.takes(*count) && !is_odd && function_takes(function.name, *count);
        assert_eq!((0..=functions::ARGUMENTS_MAX + 1).find(accepted), None, "{}", function.name);
    }
}

#[test]
fn every_example_gives_its_result() {
    for function in functions::all() {
        let value = |text: &str| results(&parsed(text), &[], 1).unwrap().remove(0);
        let (found, expected) = (value(function.example.text), value(function.example.result));
        let is_same = match (&found, &expected) {
            (Literal::Dynamic(one), Literal::Dynamic(other)) => without_blanks(one) == without_blanks(other),
            // The text of a member that is dynamic is compared with a literal of its own type.
            (Literal::Dynamic(one), Literal::Integer(other)) => *one == other.to_string(),
            _ => is_equal(&found, &expected),
        };
        assert!(is_same, "{}: {found:?}, not {expected:?}", function.example.text);
    }
}

fn without_blanks(text: &str) -> String {
    text.split_whitespace().collect()
}

fn columns() -> Vec<Column> {
    let column = |name: &str, kind, values| Column { name: name.to_owned(), kind, values };
    vec![
        column("ok", Type::Boolean, Arc::new(BooleanArray::from(vec![Some(true), Some(false), None]))),
        column("count", Type::Integer, Arc::new(Int64Array::from(vec![Some(3), None, Some(-3)]))),
        column("part", Type::Float, Arc::new(Float64Array::from(vec![Some(0.5), Some(2.0), None]))),
        column("path", Type::String, Arc::new(StringViewArray::from(vec![Some("/a/b"), Some(""), None]))),
        column(
            "tags",
            Type::Array,
            Arc::new(StringViewArray::from(vec![Some("[1,\"x\"]"), Some("[]"), None])),
        ),
    ]
}

#[test]
fn expressions_over_columns() {
    for (text, expected) in [
        ("strcat(path, \":\", count)", ["\"/a/b:3\"", "\":\"", "\":-3\""]),
        ("tostring(iff(ok, count, path))", ["\"3\"", "\"\"", "\"\""]),
        ("iff(ok, count, path)", ["3", "\"\"", "long(null)"]),
        ("coalesce(path, tostring(count))", ["\"/a/b\"", "\"\"", "\"-3\""]),
        ("coalesce(count, part)", ["3.0", "2.0", "-3.0"]),
        ("max_of(count, part)", ["3.0", "2.0", "-3.0"]),
        ("case(ok, \"good\", isnull(ok), \"none\", \"bad\")", ["\"good\"", "\"bad\"", "\"none\""]),
        ("isempty(iff(ok, path, count))", ["false", "true", "false"]),
        ("bin(count, 2) + floor(part)", ["2", "long(null)", "long(null)"]),
        ("array_length(tags)", ["2", "0", "long(null)"]),
        ("array_length(split(path, \"/\"))", ["3", "1", "long(null)"]),
        ("strlen(tostring(tags))", ["7", "2", "0"]),
        ("substring(path, 1, count)", ["\"a/b\"", "long(null)", "long(null)"]),
        ("extract(strcat(\"(\", substring(path, 1, 1), \")\"), 1, \"xay\")", ["\"a\"", "\"\"", "\"\""]),
        ("tobool(path)", ["false", "false", "bool(null)"]),
        ("todynamic(iff(ok, \"[1]\", \"no\"))[0]", ["dynamic(1)", "long(null)", "long(null)"]),
    ] {
        let found = results(&parsed(text), &columns(), 3).unwrap();
        let expected = expected.map(|text| results(&parsed(text), &[], 1).unwrap().remove(0));
        for (found, expected) in found.iter().zip(&expected) {
            assert!(is_equal(found, expected), "{text}: {found:?}, not {expected:?}");
        }
    }
}

#[test]
fn texts_and_nulls() {
    for (text, expected) in [
        ("string(null) contains \"a\"", "false"),
        ("string(null) !contains \"a\"", "true"),
        ("string(null) has \"a\"", "false"),
        ("string(null) !has \"a\"", "true"),
        ("string(null) startswith \"a\"", "false"),
        ("string(null) !endswith \"a\"", "true"),
        ("string(null) =~ \"a\"", "false"),
        ("string(null) !~ \"a\"", "true"),
        ("string(null) matches regex \"a\"", "false"),
        ("string(null) in (\"a\")", "false"),
        ("string(null) !in (\"a\")", "true"),
        ("isnull(int(null) == int(null))", "true"),
        ("int(null) == 5", "false"),
        ("int(null) != 5", "true"),
        ("isnull(int(null) < 5)", "true"),
        ("isnull(1 / 0)", "true"),
        ("isnull(1 % 0)", "true"),
        ("isinf(1.0 / 0)", "true"),
        ("isnan(log(-1)) and isnan(log2(-1)) and isnan(log10(-1))", "true"),
        ("-1 % 4", "-1"),
        ("10. / 5", "2.0"),
        ("dynamic({\"a\": 1.5}).a > 1", "true"),
        ("dynamic([1, \"x\"])[1] == \"x\"", "true"),
        ("dynamic(null) == 1", "false"),
        ("iif(1 > 2, 1, 2)", "2"),
    ] {
        let value = |text: &str| results(&parsed(text), &[], 1).unwrap().remove(0);
        let (found, expected) = (value(text), value(expected));
        assert!(is_equal(&found, &expected), "{text}: {found:?}, not {expected:?}");
    }
}

#[test]
fn what_does_not_fit_is_told_with_its_place() {
    let text = "count + sqrt(path)";
    let error = tidegauge_engine::testing::evaluate(&parsed(text), &columns(), 3, 0).unwrap_err();
    let tidegauge_engine::Error::Invalid(diagnostics) = error else { panic!("{error}") };
    let span = diagnostics[0].span;
    assert_eq!(&text[span.start as usize..span.end as usize], "sqrt(path)");
    assert_eq!(diagnostics[0].message, "argument 1 of `sqrt` must be a number, and it is a string");
}
