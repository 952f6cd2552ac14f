//! What is said about a value of a type that does not fit, and what to write instead.

use tidegauge_lang::tree::Type;

use crate::value::Value;

/// For what a value must be and is not.
const CONVERT_NUMBER: &str = "convert it, as with `toreal(…)`";
const CONVERT_TIME: &str = "convert it, as with `todatetime(…)`";
const CONVERT_TIMESPAN: &str = "write a timespan such as `5m`, or convert it with `totimespan(…)`";
const CONVERT_TEXT: &str = "convert it with `tostring(…)`";
const CONVERT_ARRAY: &str =
    "write an array such as `dynamic([1, 2])`, or make one of it with `parse_json(…)`";

/// What to write so that a value becomes what it must be, which is told in the words of the message.
pub fn conversion(wanted: &str, value: &Value) -> String {
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

/// The types of a value in words.
pub fn type_names(value: &Value) -> String {
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
