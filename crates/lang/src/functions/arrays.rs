//! Functions on arrays and maps.

use super::{Family, Function, ResultType, parameter};
use crate::tree::Type;

pub(super) const FUNCTIONS: &[Function] = &[Function::new(
    Family::Array,
    "array_length",
    &[parameter("array", &[Type::Array])],
    ResultType::Always(Type::Integer),
    "How many elements an array has; null for what is no array.",
    ("array_length(dynamic([1, 2, 3]))", "3"),
)];
