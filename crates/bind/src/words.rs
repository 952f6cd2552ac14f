//! What is said about a name that nothing has, and about values that cannot be computed with.

use tidegauge_exec::{Error, Value, invalid_with};
use tidegauge_lang::tree::Type;
use tidegauge_lang::{Span, nearest};

/// The error of a field that is not there, among names that could be meant.
pub fn unknown_field<'a>(
    name: &str,
    span: Span,
    fields: &[String],
    known: impl Iterator<Item = &'a str>,
) -> Error {
    const SHOWN: usize = 12;
    // The results of aggregates have such names while they are computed with.
    let is_told = |field: &&String| !field.starts_with('@');
    let told: Vec<String> = fields.iter().filter(is_told).map(|field| format!("`{field}`")).collect();
    let rest = if told.len() > SHOWN { ", …" } else { "" };
    let hint = match (nearest(name, known), told.as_slice()) {
        (Some(near), _) => format!("did you mean `{near}`?"),
        (None, []) if fields.is_empty() => "write a value: there are no fields here".to_owned(),
        (None, []) => "write it behind `by`, or in an aggregate such as `max(…)`".to_owned(),
        (None, [only]) => format!("there is {only} alone"),
        (None, told) => format!("there are {}{rest}", told[..told.len().min(SHOWN)].join(", ")),
    };
    invalid_with(span, format!("invalid field: \"{name}\""), hint)
}

/// What to write where two values cannot be computed with.
pub(super) fn computation(left: &Value, right: &Value) -> &'static str {
    let has = |kind: Type| left.of_type(kind).is_some() || right.of_type(kind).is_some();
    if has(Type::String) {
        return "convert a text that holds a number with `toreal(…)`, or join texts with `strcat(…, …)`";
    }
    if has(Type::Datetime) || has(Type::Timespan) {
        return "add a timespan such as `5m` to a datetime, and multiply a timespan with a number";
    }
    if has(Type::Boolean) {
        return "convert what is true or false with `toint(…)`";
    }
    "compute with numbers, datetimes or timespans"
}
