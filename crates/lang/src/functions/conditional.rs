//! Functions that choose between values, and those that ask whether there is one.

use super::function::{ANY, BOOLEAN, Family, Function, Parameter, Repeats, ResultType, parameter};
use crate::tree::Type;

const CONDITION: Parameter = parameter("condition", BOOLEAN);
const THEN: Parameter = parameter("then", ANY);
const OTHERWISE: Parameter = parameter("otherwise", ANY);
const VALUE: Parameter = parameter("value", ANY);

const fn choice(
    name: &'static str,
    parameters: &'static [Parameter],
    result: ResultType,
    doc: &'static str,
    example: (&'static str, &'static str),
) -> Function {
    Function::new(Family::Conditional, name, parameters, result, doc, example)
}

const fn is(name: &'static str, doc: &'static str, example: (&'static str, &'static str)) -> Function {
    choice(name, &[VALUE], ResultType::Always(Type::Boolean), doc, example)
}

pub(super) const FUNCTIONS: &[Function] = &[
    choice(
        "iff",
        &[CONDITION, THEN, OTHERWISE],
        ResultType::CommonFrom(1),
        "The second argument where the condition is true, else the third, also where the condition is null.",
        ("iff(404 >= 400, \"error\", \"ok\")", "\"error\""),
    ),
    choice(
        "case",
        &[CONDITION, THEN, OTHERWISE],
        ResultType::CommonFrom(1),
        "The value after the first condition that is true, or the last argument.",
        ("case(404 < 300, \"ok\", 404 < 400, \"moved\", \"error\")", "\"error\""),
    )
    .repeats(Repeats::FirstPair),
    choice(
        "coalesce",
        &[VALUE],
        ResultType::CommonFrom(0),
        "The first argument that is neither null nor the empty text.",
        ("coalesce(\"\", \"Berlin\", \"unknown\")", "\"Berlin\""),
    )
    .repeats(Repeats::LastParameter),
    is("isnull", "Whether the value is null; the empty text is not.", ("isnull(\"\")", "false")),
    is(
        "isnotnull",
        "Whether the value is not null; the empty text is not null.",
        ("isnotnull(\"\")", "true"),
    ),
    is("isempty", "Whether the value is null or the empty text.", ("isempty(\"\")", "true")),
    is("isnotempty", "Whether the value is neither null nor the empty text.", ("isnotempty(\"\")", "false")),
];
