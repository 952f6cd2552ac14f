//! What is said about a value of a type that does not fit, and what to write instead.

use tidegauge_lang::tree::Type;
use tidegauge_lang::{Diagnostic, Span, nearest};

use crate::Error;
use crate::value::Value;

/// For what a value must be and is not.
const CONVERT_NUMBER: &str = "convert it, as with `toreal(…)`";
const CONVERT_TIME: &str = "convert it, as with `todatetime(…)`";
const CONVERT_TIMESPAN: &str = "write a timespan such as `5m`, or convert it with `totimespan(…)`";
const CONVERT_TEXT: &str = "convert it with `tostring(…)`";
const CONVERT_ARRAY: &str =
    "write an array such as `dynamic([1, 2])`, or make one of it with `parse_json(…)`";

/// The error of a query that asks for what cannot be.
pub(crate) fn invalid(span: Span, message: impl Into<String>) -> Error {
    Error::Invalid(vec![Diagnostic { message: message.into(), span, hint: None }])
}

/// As [`invalid`], with what to write instead.
pub(crate) fn invalid_with(span: Span, message: impl Into<String>, hint: impl Into<String>) -> Error {
    Error::Invalid(vec![Diagnostic::new(message, span).with_hint(hint)])
}

/// The error of a regular expression that cannot be read, of which only the last line is told: the others draw it. One
/// that is read and too large has nothing wrong with its marks.
pub(crate) fn invalid_regex(span: Span, whose: &str, error: &regex::Error) -> Error {
    if let regex::Error::CompiledTooBig(bytes) = error {
        let message =
            format!("the regular expression{whose} is too large: it takes more than {} MiB", bytes >> 20);
        let hint =
            "repeat less often, as with `{50}` for `{1000}`, or look for a text with `contains` or `has`";
        return invalid_with(span, message, hint);
    }
    let text = error.to_string();
    let reason = text.lines().last().unwrap_or_default().trim_start_matches("error: ");
    let hint = match reason.starts_with("look-around") {
        true => "write it without looking ahead or behind",
        false => "write a backslash before a mark that stands for itself, and close every bracket",
    };
    invalid_with(span, format!("the regular expression{whose} cannot be read: {reason}"), hint)
}

/// The error of a field that is not there, among names that could be meant.
pub(crate) fn unknown_field<'a>(
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

/// What to write so that a value becomes what it must be, which is told in the words of the message.
pub(crate) fn conversion(wanted: &str, value: &Value) -> String {
    let is = |kind: Type| value.of_type(kind).is_some();
    match wanted {
        "true or false" if is(Type::String) => "compare it, as in `… == \"a\"`",
        "true or false" if is(Type::Datetime) => "compare it, as in `… > ago(1h)`",
        "true or false" if is(Type::Timespan) => "compare it, as in `… > 5m`",
        "true or false" => "compare it, as in `… > 0`",
        wanted if wanted.starts_with("a number") => CONVERT_NUMBER,
        wanted if wanted.starts_with("a datetime") => CONVERT_TIME,
        wanted if wanted.starts_with("a timespan") => CONVERT_TIMESPAN,
        wanted if wanted.starts_with("a string") => CONVERT_TEXT,
        _ => CONVERT_ARRAY,
    }
    .to_owned()
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

/// The types of a value in words.
pub(crate) fn type_names(value: &Value) -> String {
    let name = |kind: &Type| match kind {
        Type::Boolean => "a boolean",
        Type::Integer | Type::LongInteger => "an integer",
        Type::Float => "a float",
        Type::String => "a string",
        Type::Datetime => "a datetime",
        Type::Timespan => "a timespan",
        Type::Array => "an array",
        Type::Map => "a map",
        Type::Dynamic => "a dynamic value",
    };
    let mut names: Vec<&str> = Vec::new();
    // Integers have one name, however long they are.
    for name in value.types().iter().map(name) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names.join(" or ")
}
