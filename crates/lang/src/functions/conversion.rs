//! Functions that make one type of another.

use super::function::{ANY, Family, Function, INTEGER, Parameter, ResultType, parameter};
use crate::tree::Type;

const VALUE: Parameter = parameter("value", ANY);

const fn to(
    name: &'static str,
    result: Type,
    doc: &'static str,
    example: (&'static str, &'static str),
) -> Function {
    Function::new(Family::Conversion, name, &[VALUE], ResultType::Always(result), doc, example)
}

pub(super) const FUNCTIONS: &[Function] = &[
    to(
        "toint",
        Type::Integer,
        "The value as an integer, its fraction cut; null if it is none.",
        ("toint(\"456\")", "456"),
    ),
    to(
        "tolong",
        Type::Integer,
        "The value as an integer, its fraction cut; null if it is none. The same as toint.",
        ("tolong(2.7)", "2"),
    ),
    to(
        "todouble",
        Type::Float,
        "The value as a float; null if it is no number. The same as toreal.",
        ("todouble(\"15.5\")", "15.5"),
    ),
    to(
        "toreal",
        Type::Float,
        "The value as a float; null if it is no number.",
        ("toreal(\"1567\")", "1567.0"),
    ),
    to(
        "tostring",
        Type::String,
        "The value as text; the empty text for null, JSON for arrays and maps.",
        ("tostring(404)", "\"404\""),
    ),
    to(
        "tobool",
        Type::Boolean,
        "The value as a boolean: numbers other than 0, \"true\" and \"1\" are true, what cannot be read is false.",
        ("tobool(\"true\")", "true"),
    ),
    to(
        "todatetime",
        Type::Datetime,
        "The value as a time, read from ISO forms in UTC; null if it is none.",
        ("todatetime(\"2022-11-13\")", "datetime(2022-11-13T00:00:00Z)"),
    ),
    to(
        "totimespan",
        Type::Timespan,
        "The value as a timespan, numbers as nanoseconds; null if it is none.",
        ("totimespan(\"1h\")", "1h"),
    ),
    to(
        "todynamic",
        Type::Dynamic,
        "The value of a JSON text; null if it is not JSON.",
        ("todynamic(\"[1, 2]\")", "dynamic([1, 2])"),
    ),
    to(
        "parse_json",
        Type::Dynamic,
        "The value of a JSON text, or the text itself if it is not JSON.",
        ("parse_json('{\"a\": 1}').a", "1"),
    ),
    to(
        "toarray",
        Type::Array,
        "An array as it is, the values of a map, and anything else as the only element.",
        ("toarray(dynamic({\"a\": 1, \"b\": 2}))", "dynamic([1, 2])"),
    ),
    to(
        "dynamic_to_json",
        Type::String,
        "The value as JSON with sorted keys and without blanks; texts as they are.",
        ("dynamic_to_json(dynamic({\"b\": 1, \"a\": [2]}))", "'{\"a\":[2],\"b\":1}'"),
    ),
    Function::new(
        Family::Conversion,
        "tohex",
        &[parameter("number", INTEGER), parameter("digits", INTEGER)],
        ResultType::Always(Type::String),
        "The integer in hexadecimal digits, at least so many; a negative one as its complement.",
        ("tohex(12345, 8)", "\"00003039\""),
    )
    .requires(1),
    to("isbool", Type::Boolean, "Whether the value is a boolean.", ("isbool(true)", "true")),
];
