//! Functions on numbers. A result that is no number, such as the root of a negative one, is null.

use super::{ANY, Family, Function, INTEGER, NUMBER, Parameter, Repeats, ResultType, parameter};
use crate::tree::Type;

const NUMBER_OR_TIMESPAN: &[Type] = &[Type::Integer, Type::Float, Type::Timespan];
const STEPPED: &[Type] = &[Type::Integer, Type::Float, Type::Datetime, Type::Timespan];
const X: Parameter = parameter("number", NUMBER);

const fn number(
    name: &'static str,
    parameters: &'static [Parameter],
    result: ResultType,
    doc: &'static str,
    example: (&'static str, &'static str),
) -> Function {
    Function::new(Family::Mathematical, name, parameters, result, doc, example)
}

/// Of one number, which gives a float.
const fn float(name: &'static str, doc: &'static str, example: (&'static str, &'static str)) -> Function {
    number(name, &[X], ResultType::Always(Type::Float), doc, example)
}

pub(super) const FUNCTIONS: &[Function] = &[
    number(
        "abs",
        &[parameter("number", NUMBER_OR_TIMESPAN)],
        ResultType::OfArgument(0),
        "The number without its sign.",
        ("abs(-80.5)", "80.5"),
    ),
    number(
        "ceiling",
        &[X],
        ResultType::Always(Type::Integer),
        "The least integer that is not below the number.",
        ("ceiling(25.43)", "26"),
    ),
    number(
        "floor",
        &[X],
        ResultType::Always(Type::Integer),
        "The greatest integer that is not above the number.",
        ("floor(25.73)", "25"),
    ),
    number(
        "bin",
        &[parameter("value", STEPPED), parameter("size", NUMBER_OR_TIMESPAN)],
        ResultType::OfArgument(0),
        "The greatest multiple of the size that is not above the value.",
        ("bin(25.73, 4)", "24.0"),
    ),
    number(
        "round",
        &[X, parameter("digits", INTEGER)],
        ResultType::Always(Type::Float),
        "The number rounded to so many digits after the point, none if not given.",
        ("round(25.563663, 2)", "25.56"),
    )
    .requires(1),
    float("sqrt", "The square root; null below zero.", ("sqrt(25)", "5.0")),
    number(
        "pow",
        &[parameter("base", NUMBER), parameter("exponent", NUMBER)],
        ResultType::Always(Type::Float),
        "The base to the power of the exponent.",
        ("pow(2, 6)", "64.0"),
    ),
    float("exp", "The power of e.", ("exp(1)", "2.718281828459045")),
    float("log", "The natural logarithm; null unless above zero.", ("log(1)", "0.0")),
    float("log2", "The logarithm to base 2; null unless above zero.", ("log2(8)", "3.0")),
    float("log10", "The logarithm to base 10; null unless above zero.", ("log10(1000)", "3.0")),
    number(
        "sign",
        &[X],
        ResultType::Always(Type::Integer),
        "-1 below zero, 1 above it, else 0.",
        ("sign(-25.56)", "-1"),
    ),
    number(
        "min_of",
        &[parameter("value", ANY)],
        ResultType::CommonFrom(0),
        "The least argument; null ones are passed over.",
        ("min_of(3, 1, 2)", "1"),
    )
    .repeats(Repeats::LastParameter),
    number(
        "max_of",
        &[parameter("value", ANY)],
        ResultType::CommonFrom(0),
        "The greatest argument; null ones are passed over.",
        ("max_of(3, 1, 2)", "3"),
    )
    .repeats(Repeats::LastParameter),
];
