//! What asks for names, for the query or for where a row comes from.

use super::function::{ANY, DATETIME, Family, Function, ResultType, STRING, parameter};
use crate::tree::Type;

const fn function(
    family: Family,
    name: &'static str,
    parameters: &'static [super::function::Parameter],
    result: ResultType,
    doc: &'static str,
    example: (&'static str, &'static str),
) -> Function {
    Function::new(family, name, parameters, result, doc, example)
}

pub(super) const FUNCTIONS: &[Function] = &[
    function(
        Family::Metadata,
        "column_ifexists",
        &[parameter("name", STRING), parameter("otherwise", ANY)],
        ResultType::OfArgument(1),
        "The field of this name if rows have it, else the other value.",
        ("column_ifexists(\"nothing\", 5)", "5"),
    ),
    function(
        Family::Metadata,
        "cursor_current",
        &[],
        ResultType::Always(Type::String),
        "The place of an event among all, as a cursor; null where rows are no events.",
        ("isnull(cursor_current())", "true"),
    ),
    function(
        Family::Metadata,
        "ingestion_time",
        &[],
        ResultType::Always(Type::Datetime),
        "When an event arrived; null where rows are no events.",
        ("isnull(ingestion_time())", "true"),
    ),
    function(
        Family::Conversion,
        "ensure_field",
        &[parameter("name", STRING), parameter("type", ANY)],
        ResultType::Always(Type::Dynamic),
        "The field of this name if rows have it, else null of a type.",
        ("isnull(ensure_field(\"nothing\", typeof(string)))", "true"),
    ),
    function(
        Family::Rounding,
        "bin_auto",
        &[parameter("time", DATETIME)],
        ResultType::Always(Type::Datetime),
        "The time cut to a step that fits the range of the query.",
        ("bin_auto(datetime(2026-06-01T12:34:56Z)) <= datetime(2026-06-01T12:34:56Z)", "true"),
    ),
];
