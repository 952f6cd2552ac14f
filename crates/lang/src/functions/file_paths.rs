//! The function on paths of files.

use super::function::{Family, Function, Parameter, ResultType, STRING, parameter};
use crate::tree::Type;

const fn row(
    name: &'static str,
    parameters: &'static [Parameter],
    result: Type,
    doc: &'static str,
    example: (&'static str, &'static str),
) -> Function {
    Function::new(Family::String, name, parameters, ResultType::Always(result), doc, example)
}

pub(super) const FUNCTIONS: &[Function] = &[row(
    "parse_path",
    &[parameter("path", STRING)],
    Type::Map,
    "The parts of a path of a file: scheme, root, directories, name, extension and stream.",
    ("tostring(parse_path(\"/usr/lib/temp/file.txt\").DirectoryName)", "\"temp\""),
)];
