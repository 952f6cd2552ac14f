//! Functions that tell of what type or kind a value is.

use super::function::{ANY, Family, Function, Parameter, ResultType, parameter};
use crate::tree::Type;

const VALUE: Parameter = parameter("value", ANY);

const fn row(
    name: &'static str,
    parameters: &'static [Parameter],
    result: Type,
    doc: &'static str,
    example: (&'static str, &'static str),
) -> Function {
    Function::new(Family::Type, name, parameters, ResultType::Always(result), doc, example)
}

pub(super) const FUNCTIONS: &[Function] = &[
    row(
        "ismap",
        &[VALUE],
        Type::Boolean,
        "Whether the value is a map.",
        ("ismap(dynamic({\"a\": 1}))", "true"),
    ),
    row("isreal", &[VALUE], Type::Boolean, "Whether the value is a float.", ("isreal(123.11)", "true")),
    row("isstring", &[VALUE], Type::Boolean, "Whether the value is a string.", ("isstring(\"a\")", "true")),
    row(
        "isutf8",
        &[VALUE],
        Type::Boolean,
        "Whether the value is a string of valid UTF-8, which every stored one is.",
        ("isutf8(\"café\")", "true"),
    ),
    row(
        "iscc",
        &[VALUE],
        Type::Boolean,
        "Whether the text is a number of a payment card: 12 to 19 digits, of which the last \
            proves the others.",
        ("iscc(\"4111111111111111\")", "true"),
    ),
    row(
        "isimei",
        &[VALUE],
        Type::Boolean,
        "Whether the text is a number of a mobile device: 15 digits, of which the last \
            proves the others.",
        ("isimei(\"356938035643809\")", "true"),
    ),
];
