//! Functions on numbers. A result that is no number, such as the root of a negative one, is null.

use super::function::{
    ANY, BOOLEAN, Family, Function, INTEGER, NUMBER, Parameter, Repeats, ResultType, parameter,
};
use crate::tree::Type;

const NUMBER_OR_TIMESPAN: &[Type] = &[Type::Integer, Type::Float, Type::Timespan];
const STEPPED: &[Type] = &[Type::Integer, Type::Float, Type::Datetime, Type::Timespan];
const ARRAY: Parameter = parameter("array", &[Type::Array]);
const OTHERS: Parameter = parameter("other", &[Type::Array]);
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
    float("exp2", "The power of 2.", ("exp2(10)", "1024.0")),
    float("exp10", "The power of 10.", ("exp10(2)", "100.0")),
    float("gamma", "The gamma function; null at 0 and negative integers.", ("gamma(4)", "6.0")),
    float(
        "loggamma",
        "The natural logarithm of the absolute value of the gamma function.",
        ("loggamma(16)", "27.89927138384089"),
    ),
    float("sin", "The sine of an angle in radians.", ("sin(0)", "0.0")),
    float("cos", "The cosine of an angle in radians.", ("cos(0)", "1.0")),
    float("tan", "The tangent of an angle in radians.", ("tan(0)", "0.0")),
    float("cot", "The cotangent of an angle in radians.", ("cot(-1)", "-0.6420926159343308")),
    float(
        "asin",
        "The angle in radians of which the number is the sine; null outside -1 to 1.",
        ("asin(1)", "1.5707963267948966"),
    ),
    float(
        "acos",
        "The angle in radians of which the number is the cosine; null outside -1 to 1.",
        ("acos(-1)", "3.141592653589793"),
    ),
    float(
        "atan",
        "The angle in radians of which the number is the tangent.",
        ("atan(-1)", "-0.7853981633974483"),
    ),
    number(
        "atan2",
        &[parameter("y", NUMBER), parameter("x", NUMBER)],
        ResultType::Always(Type::Float),
        "The angle in radians between the axis of x and the point.",
        ("atan2(-1, 1)", "-0.7853981633974483"),
    ),
    float("degrees", "An angle in radians as degrees.", ("degrees(pi() / 3)", "60.0")),
    float("radians", "An angle in degrees as radians.", ("radians(60)", "1.0471975511965976")),
    number("pi", &[], ResultType::Always(Type::Float), "The number π.", ("pi()", "3.141592653589793")),
    number(
        "isfinite",
        &[X],
        ResultType::Always(Type::Boolean),
        "Whether a number is neither infinite nor undefined.",
        ("isfinite(1.5)", "true"),
    ),
    number(
        "isinf",
        &[X],
        ResultType::Always(Type::Boolean),
        "Whether a number is infinite.",
        ("isinf(1.0 / 0.0)", "true"),
    ),
    number(
        "isnan",
        &[X],
        ResultType::Always(Type::Boolean),
        "Whether a number is undefined.",
        ("isnan(1.5)", "false"),
    ),
    number(
        "isint",
        &[parameter("value", ANY)],
        ResultType::Always(Type::Boolean),
        "Whether the value is an integer.",
        ("isint(42)", "true"),
    ),
    number(
        "not",
        &[parameter("condition", BOOLEAN)],
        ResultType::Always(Type::Boolean),
        "True for false, and false for true.",
        ("not(false)", "true"),
    ),
    number(
        "rand",
        &[parameter("limit", INTEGER)],
        ResultType::Always(Type::Float),
        "A random number for each row: a float from 0 to below 1, or an integer from 0 to \
            below the limit.",
        ("rand(1)", "0"),
    )
    .requires(0),
    number(
        "range",
        &[parameter("start", STEPPED), parameter("stop", STEPPED), parameter("step", NUMBER_OR_TIMESPAN)],
        ResultType::Always(Type::Array),
        "An array of the values from start to stop, with a step of 1 or of an hour if not \
            given.",
        ("range(100, 500, 100)", "dynamic([100, 200, 300, 400, 500])"),
    )
    .requires(2),
    number(
        "set_difference",
        &[ARRAY, OTHERS],
        ResultType::Always(Type::Array),
        "The elements of an array that none of the others has, each once.",
        ("set_difference(dynamic([1, 2, 3]), dynamic([2]))", "dynamic([1, 3])"),
    )
    .repeats(Repeats::LastParameter),
    number(
        "set_has_element",
        &[ARRAY, parameter("value", ANY)],
        ResultType::Always(Type::Boolean),
        "Whether an array has the value.",
        ("set_has_element(dynamic([1, 2, 3]), 2)", "true"),
    ),
    number(
        "set_intersect",
        &[ARRAY, OTHERS],
        ResultType::Always(Type::Array),
        "The elements of an array that all others have, each once.",
        ("set_intersect(dynamic([1, 2, 3]), dynamic([2, 3, 4, 5]))", "dynamic([2, 3])"),
    )
    .repeats(Repeats::LastParameter),
    number(
        "set_union",
        &[ARRAY, OTHERS],
        ResultType::Always(Type::Array),
        "The elements of all arrays, each once.",
        ("set_union(dynamic([1, 2, 3]), dynamic([2, 3, 4, 5]))", "dynamic([1, 2, 3, 4, 5])"),
    )
    .repeats(Repeats::LastParameter),
];
