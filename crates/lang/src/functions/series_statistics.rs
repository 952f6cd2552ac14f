//! Functions on series, which are arrays of numbers: those that tell something of a whole series.

use super::function::{ARRAY, BOOLEAN, Family, Function, Parameter, ResultType, parameter};
use crate::tree::Type;

const SERIES: Parameter = parameter("series", ARRAY);
const ONE: Parameter = parameter("one", ARRAY);
const OTHER: Parameter = parameter("other", ARRAY);
const SKIP: Parameter = parameter("skip_nulls", BOOLEAN);

const fn told(
    name: &'static str,
    parameters: &'static [Parameter],
    result: Type,
    doc: &'static str,
    example: (&'static str, &'static str),
) -> Function {
    Function::new(Family::Series, name, parameters, ResultType::Always(result), doc, example)
}

pub(super) const FUNCTIONS: &[Function] = &[
    told(
        "series_sum",
        &[SERIES],
        Type::Float,
        "The sum of the numbers of a series; 0 without any.",
        ("series_sum(dynamic([120, 300, 50]))", "470.0"),
    ),
    told(
        "series_magnitude",
        &[SERIES],
        Type::Float,
        "The length of a series as a vector: the root of the sum of the squares.",
        ("series_magnitude(dynamic([3, 4]))", "5.0"),
    ),
    told(
        "series_dot_product",
        &[ONE, OTHER],
        Type::Float,
        "The sum of the products of the elements at the same place, up to the end of the shorter series.",
        ("series_dot_product(dynamic([1, 1, 1]), dynamic([1.2, 3.4, 0.8]))", "5.4"),
    ),
    told(
        "series_cosine_similarity",
        &[ONE, OTHER],
        Type::Float,
        "The cosine of the angle between two series as vectors; null if one of them is empty or all zero.",
        ("series_cosine_similarity(dynamic([1, 2]), dynamic([2, 4]))", "1.0"),
    ),
    told(
        "series_pearson_correlation",
        &[ONE, OTHER],
        Type::Float,
        "Pearson's coefficient of correlation of two series of equal length, from -1 to 1.",
        ("series_pearson_correlation(dynamic([1, 2, 3]), dynamic([6, 4, 2]))", "-1.0"),
    ),
    told(
        "series_stats",
        &[SERIES, SKIP],
        Type::Array,
        "The least element and its place, the greatest and its place, average, variance and standard deviation.",
        ("series_stats(dynamic([2, 8, 5]))", "dynamic([2, 0, 8, 1, 5, 9, 3])"),
    )
    .requires(1),
    told(
        "series_stats_dynamic",
        &[SERIES, SKIP],
        Type::Map,
        "What series_stats tells, the sum and the length, by name: min, min_idx, max, max_idx, avg and so on.",
        ("series_stats_dynamic(dynamic([2, 8, 5])).stdev", "3"),
    )
    .requires(1),
];
