//! A handful of expressions, each with what it computes written out.

use serde_json::Value as Json;

use super::{Row, value};
use crate::support::reply::float;

pub(crate) const EXPRESSIONS: [&str; 9] = [
    "toint(m) < 4",
    "n * 2 + 1",
    "tostring(m)",
    "isnull(m)",
    "isnotnull(s) and n > 1",
    "s contains 'a'",
    "s contains_cs 'a' or b",
    "n == m",
    "n != 1",
];

pub(super) type Compute = fn(&Row) -> Json;

pub(super) fn function(expr: &str) -> Compute {
    match expr {
        "toint(m) < 4" => |row| to_integer(&row.field("m")).map_or(Json::Null, |m| Json::Bool(m < 4)),
        "n * 2 + 1" => |row| match row.field("n") {
            Json::Number(n) => match n.as_i64() {
                Some(n) => Json::from(n * 2 + 1),
                None => float(n.as_f64().unwrap() * 2.0 + 1.0),
            },
            _ => Json::Null,
        },
        "tostring(m)" => |row| Json::from(value::text(&row.field("m"))),
        "isnull(m)" => |row| Json::Bool(row.field("m").is_null()),
        "isnotnull(s) and n > 1" => |row| {
            let is_there = !row.field("s").is_null();
            let is_more = value::numbers(&row.field("n"), &Json::from(1)).map(std::cmp::Ordering::is_gt);
            match (is_there, is_more) {
                (false, _) | (_, Some(false)) => Json::Bool(false),
                (true, Some(true)) => Json::Bool(true),
                (true, None) => Json::Null,
            }
        },
        "s contains 'a'" => |row| Json::Bool(value::text(&row.field("s")).to_lowercase().contains('a')),
        "s contains_cs 'a' or b" => |row| {
            let has = value::text(&row.field("s")).contains('a');
            match (has, row.field("b")) {
                (true, _) => Json::Bool(true),
                (false, Json::Bool(b)) => Json::Bool(b),
                (false, _) => Json::Null,
            }
        },
        "n == m" => |row| match (row.field("n"), row.field("m")) {
            (Json::Null, Json::Null) => Json::Null,
            (n, Json::String(m)) => Json::Bool(!n.is_null() && value::text(&n) == m),
            (n, m) => Json::Bool(value::numbers(&n, &m) == Some(std::cmp::Ordering::Equal)),
        },
        "n != 1" => |row| {
            Json::Bool(value::numbers(&row.field("n"), &Json::from(1)) != Some(std::cmp::Ordering::Equal))
        },
        other => panic!("{other} is not written out here"),
    }
}

/// A whole number from whatever it is; fractions lose what is behind the point, and what is too great is null.
fn to_integer(value: &Json) -> Option<i64> {
    let bound = 9_223_372_036_854_775_808.0;
    let truncated = |float: f64| (-bound..bound).contains(&float).then_some(float as i64);
    match value {
        Json::Bool(flag) => Some(i64::from(*flag)),
        Json::Number(number) => number.as_i64().or_else(|| number.as_f64().and_then(truncated)),
        Json::String(text) => text.parse().ok().or_else(|| text.parse::<f64>().ok().and_then(truncated)),
        _ => None,
    }
}
