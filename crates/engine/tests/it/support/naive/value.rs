//! Values: their types, their text, and how they compare.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use serde_json::{Number, Value as Json};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    Boolean,
    Integer,
    Float,
    String,
    Array,
    Map,
    /// Beyond 64 bits with a sign, which JSON can hold here up to those without.
    LongInteger,
}

impl Kind {
    pub(crate) fn of(value: &Json) -> Option<Self> {
        Some(match value {
            Json::Null => return None,
            Json::Bool(_) => Self::Boolean,
            Json::Number(number) if number.is_f64() => Self::Float,
            Json::Number(number) if number.is_i64() => Self::Integer,
            Json::Number(_) => Self::LongInteger,
            Json::String(_) => Self::String,
            Json::Array(_) => Self::Array,
            Json::Object(_) => Self::Map,
        })
    }
}

/// The text of a value, which is what tests of text look at.
pub(super) fn text(value: &Json) -> String {
    match value {
        Json::Null => String::new(),
        Json::String(text) => text.clone(),
        Json::Number(number) if number.is_f64() => number.as_f64().unwrap().to_string(),
        other => other.to_string(),
    }
}

/// The order of two numbers, exactly; none if one is no number.
pub(super) fn numbers(a: &Json, b: &Json) -> Option<Ordering> {
    let (Json::Number(a), Json::Number(b)) = (a, b) else { return None };
    Some(match (whole(a), whole(b)) {
        (Some(a), Some(b)) => a.cmp(&b),
        (Some(a), None) => whole_with_float(a, b.as_f64().unwrap()),
        (None, Some(b)) => whole_with_float(b, a.as_f64().unwrap()).reverse(),
        (None, None) => a.as_f64().unwrap().partial_cmp(&b.as_f64().unwrap()).unwrap(),
    })
}

/// The integer that a number was written as.
fn whole(number: &Number) -> Option<i128> {
    number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from))
}

/// Compares in 128 bits, where every whole float between the bounds of integers has its place.
fn whole_with_float(integer: i128, float: f64) -> Ordering {
    if float.abs() > 1e20 {
        return if float > 0.0 { Ordering::Less } else { Ordering::Greater };
    }
    let floor = float.floor() as i128;
    integer.cmp(&floor).then(if float > float.floor() { Ordering::Less } else { Ordering::Equal })
}

/// What tells values apart in groups: equal numbers are one, whatever their type.
pub(super) fn key(value: &Json) -> String {
    match value {
        Json::Number(number) => {
            let float = number.as_f64().unwrap();
            match whole(number) {
                Some(integer) => format!("number {integer}"),
                None if float.fract() == 0.0 && float.abs() < 1e20 => format!("number {}", float as i128),
                None => format!("number {float:?}"),
            }
        }
        Json::String(text) => format!("string {text}"),
        other => format!("json {other}"),
    }
}

/// The order of values of a field of these types: null, then texts of what is no number, then numbers.
pub(super) fn order(a: &Json, b: &Json, kinds: &BTreeSet<Kind>) -> Ordering {
    if kinds.len() == 1
        && let (Json::Bool(a), Json::Bool(b)) = (a, b)
    {
        return a.cmp(b);
    }
    let rank = |value: &Json| match value {
        Json::Null => 0,
        Json::Number(_) => 2,
        _ => 1,
    };
    rank(a).cmp(&rank(b)).then_with(|| match numbers(a, b) {
        Some(order) => order,
        None => text(a).cmp(&text(b)),
    })
}
