//! Functions on pairs of a key and a value. Without a separator it is a colon.

use super::function::{ANY, Family, Function, Parameter, ResultType, STRING, parameter};
use crate::tree::Type;

const SEPARATOR: Parameter = parameter("separator", STRING);

const fn row(
    name: &'static str,
    parameters: &'static [Parameter],
    result: Type,
    doc: &'static str,
    example: (&'static str, &'static str),
) -> Function {
    Function::new(Family::Pair, name, parameters, ResultType::Always(result), doc, example)
}

pub(super) const FUNCTIONS: &[Function] = &[
    row(
        "pair",
        &[parameter("key", ANY), parameter("value", ANY), SEPARATOR],
        Type::Map,
        "A map of a key, a value and their separator.",
        (
            "pair(\"host\", \"web01\")",
            "dynamic({\"key\": \"host\", \"value\": \"web01\", \"separator\": \":\"})",
        ),
    )
    .requires(2),
    row(
        "parse_pair",
        &[parameter("text", STRING), SEPARATOR],
        Type::Map,
        "The key and the value around the first separator of a text; without one the text \
            is a value that has no key.",
        (
            "parse_pair(\"env=production\", \"=\")",
            "dynamic({\"key\": \"env\", \"value\": \"production\", \"separator\": \"=\"})",
        ),
    )
    .requires(1),
    row(
        "find_pair",
        &[
            parameter("array", &[Type::Array]),
            parameter("key", STRING),
            parameter("value", STRING),
            SEPARATOR,
        ],
        Type::Map,
        "The first pair of an array whose key and value fit, where a star stands for \
            anything; null if none does.",
        (
            "find_pair(dynamic([\"server:web01\", \"env:production\"]), \"env\", \"prod*\")",
            "dynamic({\"key\": \"env\", \"value\": \"production\", \"separator\": \":\"})",
        ),
    )
    .requires(3),
];
