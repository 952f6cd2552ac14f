//! The filter of a JSON query. True, false, or unknown where an order has no answer.

use std::cmp::Ordering;

use regex::{Regex, RegexBuilder};
use serde_json::Value as Json;

use super::{Row, array, text, value};

pub(super) type Test = Box<dyn Fn(&Row) -> Option<bool>>;

pub(super) fn function(filter: &Json) -> Test {
    let children: Vec<Test> = array(&filter["children"]).iter().map(function).collect();
    let field = text(&filter["field"]).to_owned();
    let wanted = filter["value"].clone();
    match text(&filter["op"]) {
        "" => Box::new(|_| Some(true)),
        "and" => Box::new(move |row| all(&children, row)),
        "or" => Box::new(move |row| any(&children, row)),
        "not" => Box::new(move |row| all(&children, row).map(|passes| !passes)),
        "exists" => Box::new(move |row| Some(!row.field(&field).is_null())),
        "not-exists" => Box::new(move |row| Some(row.field(&field).is_null())),
        op @ ("==" | "!=") => {
            let is_negated = op == "!=";
            let equals = equality(&wanted, filter["caseSensitive"].as_bool().unwrap_or(true));
            Box::new(move |row| Some(equals(&row.field(&field)) != is_negated))
        }
        op @ (">" | ">=" | "<" | "<=") => {
            let holds = match op {
                ">" => Ordering::is_gt,
                ">=" => Ordering::is_ge,
                "<" => Ordering::is_lt,
                _ => Ordering::is_le,
            };
            Box::new(move |row| order(&row.field(&field), &wanted).map(holds))
        }
        op => {
            let is_negated = op.starts_with("not-");
            let op = op.trim_start_matches("not-");
            let passes = text_test(op, &value::text(&wanted), filter["caseSensitive"] == true);
            Box::new(move |row| Some(passes(&row.field(&field)) != is_negated))
        }
    }
}

fn all(children: &[Test], row: &Row) -> Option<bool> {
    let results: Vec<Option<bool>> = children.iter().map(|child| child(row)).collect();
    if results.contains(&Some(false)) {
        return Some(false);
    }
    if results.contains(&None) { None } else { Some(true) }
}

fn any(children: &[Test], row: &Row) -> Option<bool> {
    let results: Vec<Option<bool>> = children.iter().map(|child| child(row)).collect();
    if results.contains(&Some(true)) {
        return Some(true);
    }
    if results.contains(&None) { None } else { Some(false) }
}

pub(crate) type ValueTest = Box<dyn Fn(&Json) -> bool>;

/// Null equals nothing but null; a text equals whatever reads the same; a number equals equal numbers.
fn equality(wanted: &Json, is_case_sensitive: bool) -> ValueTest {
    let wanted = wanted.clone();
    match wanted {
        Json::String(text) => text_test("equals", &text, is_case_sensitive),
        Json::Array(values) => {
            let tests: Vec<ValueTest> =
                values.iter().map(|value| equality(value, is_case_sensitive)).collect();
            Box::new(move |value| tests.iter().any(|test| test(value)))
        }
        Json::Number(_) => Box::new(move |value| value::numbers(value, &wanted) == Some(Ordering::Equal)),
        _ => Box::new(move |value| *value == wanted),
    }
}

/// Numbers with a number, texts with a text. Unknown for null and for what has no place in that order.
fn order(value: &Json, wanted: &Json) -> Option<Ordering> {
    match wanted {
        Json::String(wanted) if !value.is_null() => Some(value::text(value).as_str().cmp(wanted)),
        _ => value::numbers(value, wanted),
    }
}

pub(crate) fn text_test(op: &str, needle: &str, is_case_sensitive: bool) -> ValueTest {
    let regex = if op == "regexp" {
        Regex::new(needle).unwrap()
    } else {
        let escaped = regex::escape(needle);
        let pattern = match op {
            "equals" => format!(r"\A{escaped}\z"),
            "starts-with" => format!(r"\A{escaped}"),
            "ends-with" => format!(r"{escaped}\z"),
            "contains" => escaped,
            // A whole word: a run of letters and digits.
            "has" => format!(r"(?:\A|[^\p{{Alphabetic}}\p{{N}}]){escaped}(?:\z|[^\p{{Alphabetic}}\p{{N}}])"),
            other => panic!("no test is called {other}"),
        };
        RegexBuilder::new(&pattern).case_insensitive(!is_case_sensitive).build().unwrap()
    };
    let whole = RegexBuilder::new(&format!(r"\A{}\z", regex::escape(needle)))
        .case_insensitive(!is_case_sensitive)
        .build()
        .unwrap();
    let is_contains = op == "contains";
    Box::new(move |value| match value {
        Json::Null => false,
        Json::Array(elements) if is_contains => {
            elements.iter().any(|element| whole.is_match(&value::text(element)))
        }
        value => regex.is_match(&value::text(value)),
    })
}
