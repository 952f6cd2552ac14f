//! Functions on series, which are arrays of numbers: those that give a series again.

use super::function::{
    ANY, ARRAY, ARRAY_OR_NUMBER, BOOLEAN, Family, Function, Parameter, ResultType, parameter,
};
use crate::tree::Type;

const SERIES: Parameter = parameter("series", ARRAY);
const ONE: Parameter = parameter("one", ARRAY_OR_NUMBER);
const OTHER: Parameter = parameter("other", ARRAY_OR_NUMBER);
const PLACEHOLDER: Parameter = parameter("placeholder", ANY);

const fn series(
    name: &'static str,
    parameters: &'static [Parameter],
    doc: &'static str,
    example: (&'static str, &'static str),
) -> Function {
    Function::new(Family::Series, name, parameters, ResultType::Always(Type::Array), doc, example)
}

const fn of_one(name: &'static str, doc: &'static str, example: (&'static str, &'static str)) -> Function {
    series(name, &[SERIES], doc, example)
}

const fn of_two(name: &'static str, doc: &'static str, example: (&'static str, &'static str)) -> Function {
    series(name, &[ONE, OTHER], doc, example)
}

pub(super) const FUNCTIONS: &[Function] = &[
    of_one(
        "series_abs",
        "Each element without its sign.",
        ("series_abs(dynamic([-50, 30, -10]))", "dynamic([50, 30, 10])"),
    ),
    of_one(
        "series_sign",
        "The sign of each element: -1, 0 or 1.",
        ("series_sign(dynamic([-6, 0, 8]))", "dynamic([-1, 0, 1])"),
    ),
    of_one(
        "series_ceiling",
        "The least whole number that is not below each element.",
        ("series_ceiling(dynamic([0.12, 0.87, 1.23]))", "dynamic([1, 1, 2])"),
    ),
    of_one(
        "series_floor",
        "The greatest whole number that is not above each element.",
        ("series_floor(dynamic([-1.5, 1, 2.5]))", "dynamic([-2, 1, 2])"),
    ),
    of_one(
        "series_exp",
        "Euler's number to the power of each element.",
        ("series_exp(dynamic([0, 1]))", "dynamic([1, 2.718281828459045])"),
    ),
    of_one(
        "series_log",
        "The natural logarithm of each element; null for zero and what is below it.",
        ("series_log(dynamic([1, 2, 0]))", "dynamic([0, 0.6931471805599453, null])"),
    ),
    of_one(
        "series_sin",
        "The sine of each element, which is in radians.",
        ("series_sin(dynamic([0, 1]))", "dynamic([0, 0.8414709848078965])"),
    ),
    of_one(
        "series_cos",
        "The cosine of each element, which is in radians.",
        ("series_cos(dynamic([0, 1]))", "dynamic([1, 0.5403023058681398])"),
    ),
    of_one(
        "series_tan",
        "The tangent of each element, which is in radians.",
        ("series_tan(dynamic([0, 1]))", "dynamic([0, 1.5574077246549023])"),
    ),
    of_one(
        "series_asin",
        "The angle in radians whose sine each element is; null outside of -1 to 1.",
        ("series_asin(dynamic([0, 1, 2]))", "dynamic([0, 1.5707963267948966, null])"),
    ),
    of_one(
        "series_acos",
        "The angle in radians whose cosine each element is; null outside of -1 to 1.",
        ("series_acos(dynamic([1, 0, 2]))", "dynamic([0, 1.5707963267948966, null])"),
    ),
    of_one(
        "series_atan",
        "The angle in radians whose tangent each element is.",
        ("series_atan(dynamic([0, 1]))", "dynamic([0, 0.7853981633974483])"),
    ),
    of_two(
        "series_add",
        "The sums of the elements at the same place, up to the end of the shorter series.",
        ("series_add(dynamic([100, 200, 150]), dynamic([30, 60, 45]))", "dynamic([130, 260, 195])"),
    ),
    of_two(
        "series_subtract",
        "The elements of the first series less those at the same place of the second.",
        ("series_subtract(dynamic([100, 200]), dynamic([30, 60]))", "dynamic([70, 140])"),
    ),
    of_two(
        "series_multiply",
        "The products of the elements at the same place.",
        ("series_multiply(dynamic([50, 60]), dynamic([2, 0.5]))", "dynamic([100, 30])"),
    ),
    of_two(
        "series_divide",
        "The elements of the first series by those of the second, up to the end of the shorter; null by zero.",
        ("series_divide(dynamic([1, 2, 4]), dynamic([4, 2, 1]))", "dynamic([0.25, 1, 4])"),
    ),
    of_two(
        "series_pow",
        "Each element to a power.",
        ("series_pow(dynamic([50, 100, 75]), 2)", "dynamic([2500, 10000, 5625])"),
    ),
    of_two(
        "series_max",
        "The greater of the elements at the same place.",
        ("series_max(dynamic([120, 150, 100]), dynamic([180, 130, 190]))", "dynamic([180, 150, 190])"),
    ),
    of_two(
        "series_min",
        "The less of the elements at the same place.",
        ("series_min(dynamic([120, 150, 100]), dynamic([180, 130, 190]))", "dynamic([120, 130, 100])"),
    ),
    of_two(
        "series_equals",
        "Whether the elements at the same place are equal.",
        ("series_equals(dynamic([150, 200, 250]), 200)", "dynamic([false, true, false])"),
    ),
    of_two(
        "series_not_equals",
        "Whether the elements at the same place are different.",
        ("series_not_equals(dynamic([1, 2, 4]), dynamic([4, 2, 1]))", "dynamic([true, false, true])"),
    ),
    of_two(
        "series_greater",
        "Whether the elements of the first series are above those of the second.",
        ("series_greater(dynamic([1, 2, 4]), dynamic([4, 2, 1]))", "dynamic([false, false, true])"),
    ),
    of_two(
        "series_greater_equals",
        "Whether the elements of the first series are not below those of the second.",
        ("series_greater_equals(dynamic([1, 2, 4]), dynamic([4, 2, 1]))", "dynamic([false, true, true])"),
    ),
    of_two(
        "series_less",
        "Whether the elements of the first series are below those of the second.",
        ("series_less(dynamic([1, 2, 4]), dynamic([4, 2, 1]))", "dynamic([true, false, false])"),
    ),
    of_two(
        "series_less_equals",
        "Whether the elements of the first series are not above those of the second.",
        ("series_less_equals(dynamic([1, 2, 4]), dynamic([4, 2, 1]))", "dynamic([true, true, false])"),
    ),
    series(
        "series_fill_const",
        &[SERIES, parameter("constant", ANY), PLACEHOLDER],
        "The series with a constant where an element is null, or is the placeholder if there is one.",
        ("series_fill_const(dynamic([null, 150, null, 200]), 0)", "dynamic([0, 150, 0, 200])"),
    )
    .requires(2),
    series(
        "series_fill_forward",
        &[SERIES, PLACEHOLDER],
        "The series with the last value before it in place of each missing element.",
        ("series_fill_forward(dynamic([null, 150, null, 200]))", "dynamic([null, 150, 150, 200])"),
    )
    .requires(1),
    series(
        "series_fill_backward",
        &[SERIES, PLACEHOLDER],
        "The series with the next value behind it in place of each missing element.",
        ("series_fill_backward(dynamic([100, null, 300, null]))", "dynamic([100, 300, 300, null])"),
    )
    .requires(1),
    series(
        "series_fill_linear",
        &[SERIES, PLACEHOLDER, parameter("fill_edges", BOOLEAN), parameter("constant", ANY)],
        "The series with missing elements on a straight line between their neighbours, at the edges as the nearest.",
        ("series_fill_linear(dynamic([null, 100, null, 200]))", "dynamic([100, 100, 150, 200])"),
    )
    .requires(1),
    series(
        "series_fir",
        &[SERIES, parameter("weights", ARRAY), parameter("normalize", BOOLEAN), parameter("center", BOOLEAN)],
        "Weighted sums of the elements up to each place; weights sum up to one unless some of them are negative.",
        ("series_fir(dynamic([0, 10, 20, 30]), dynamic([1, 1]))", "dynamic([0, 5, 15, 25])"),
    )
    .requires(2),
    series(
        "series_iir",
        &[SERIES, parameter("numerators", ARRAY), parameter("denominators", ARRAY)],
        "Weighted sums of the elements up to each place less weighted sums of the results before it.",
        ("series_iir(dynamic([1, 2, 3, 4]), dynamic([1]), dynamic([1, -1]))", "dynamic([1, 3, 6, 10])"),
    ),
    series(
        "series_fft",
        &[parameter("real", ARRAY), parameter("imaginary", ARRAY)],
        "Fourier's transform of a series: an array of the real and one of the imaginary parts.",
        ("series_fft(dynamic([1, 2, 3, 4]))", "dynamic([[10, -2, -2, -2], [0, 2, 0, -2]])"),
    )
    .requires(1),
    series(
        "series_ifft",
        &[parameter("real", ARRAY), parameter("imaginary", ARRAY)],
        "The series that has this transform: an array of the real and one of the imaginary parts.",
        ("series_ifft(dynamic([10, -2, -2, -2]), dynamic([0, 2, 0, -2]))[0]", "dynamic([1, 2, 3, 4])"),
    )
    .requires(1),
];
