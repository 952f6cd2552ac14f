//! Functions on statements of SQL.

use super::function::{Family, Function, Parameter, ResultType, STRING, parameter};
use crate::tree::Type;

const fn row(
    name: &'static str,
    parameters: &'static [Parameter],
    result: Type,
    doc: &'static str,
    example: (&'static str, &'static str),
) -> Function {
    Function::new(Family::Sql, name, parameters, ResultType::Always(result), doc, example)
}

pub(super) const FUNCTIONS: &[Function] = &[
    row(
        "parse_sql",
        &[parameter("statement", STRING)],
        Type::Map,
        "A select, insert, update or delete statement as a map of its parts; null for what \
            cannot be read.",
        (
            "parse_sql(\"SELECT id FROM requests\")",
            "dynamic({\"statement\": \"select\", \"columns\": [{\"colname\": \"id\"}], \
            \"from\": [{\"table\": \"requests\"}]})",
        ),
    ),
    row(
        "format_sql",
        &[parameter("model", &[Type::Map])],
        Type::String,
        "The statement that a map of its parts stands for; null for what is none.",
        (
            "format_sql(parse_sql(\"SELECT id FROM requests WHERE status = 500\"))",
            "\"select id from requests where status = 500\"",
        ),
    ),
];
