//! The options of a kept query: those that mean something are checked, all others are the caller's own.

use serde_json::{Map, Value};
use tidegauge_model::Violation;

const FLAGS: &[&str] =
    &["disableCache", "disableStats", "disableTrace", "noAggregation", "noFill", "noInterpolation"];
const NUMBERS: &[&str] = &["maxDataPoints", "maxSeries"];
const PRIORITIES: &[&str] = &["low", "medium", "high"];

/// Checks each known option. Some clients send every value as text, so that is accepted as well.
pub fn check(options: &Map<String, Value>) -> Result<(), Violation> {
    options.iter().filter(|(_, value)| !value.is_null()).try_for_each(|(key, value)| check_one(key, value))
}

fn check_one(key: &str, value: &Value) -> Result<(), Violation> {
    let field = format!("query.queryOptions.{key}");
    let text = value.as_str();
    let is_whole = |text: &str| text.is_empty() || text.parse::<i64>().is_ok();
    if FLAGS.contains(&key) {
        let is_flag = value.is_boolean() || matches!(text, Some("true" | "false" | ""));
        return if is_flag { Ok(()) } else { Err(Violation::wrong_type(field, "true or false")) };
    }
    if NUMBERS.contains(&key) {
        let is_number = value.is_i64() || text.is_some_and(is_whole);
        return if is_number { Ok(()) } else { Err(Violation::wrong_type(field, "a whole number")) };
    }
    match key {
        "priority" if !text.is_some_and(|text| text.is_empty() || PRIORITIES.contains(&text)) => {
            Err(Violation::one_of(field, PRIORITIES))
        }
        "resolution" if text.is_none() => Err(Violation::wrong_type(field, "a string")),
        _ => Ok(()),
    }
}
