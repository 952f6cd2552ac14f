//! Functions that cut numbers and times to steps.

use super::function::{Family, Function, NUMBER, Parameter, ResultType, parameter};
use crate::tree::Type;

const NUMBER_OR_TIMESPAN: &[Type] = &[Type::Integer, Type::Float, Type::Timespan];
const STEPPED: &[Type] = &[Type::Integer, Type::Float, Type::Datetime, Type::Timespan];
const X: Parameter = parameter("number", NUMBER);

const fn row(
    name: &'static str,
    parameters: &'static [Parameter],
    result: ResultType,
    doc: &'static str,
    example: (&'static str, &'static str),
) -> Function {
    Function::new(Family::Rounding, name, parameters, result, doc, example)
}

pub(super) const FUNCTIONS: &[Function] = &[
    row(
        "ceiling",
        &[X],
        ResultType::Always(Type::Integer),
        "The least integer that is not below the number.",
        ("ceiling(25.43)", "26"),
    ),
    row(
        "floor",
        &[X],
        ResultType::Always(Type::Integer),
        "The greatest integer that is not above the number.",
        ("floor(25.73)", "25"),
    ),
    row(
        "bin",
        &[parameter("value", STEPPED), parameter("size", NUMBER_OR_TIMESPAN)],
        ResultType::OfArgument(0),
        "The greatest multiple of the size that is not above the value.",
        ("bin(25.73, 4)", "24.0"),
    ),
];
