//! Functions on arrays. What is no array gives null unless a function says otherwise.

use super::function::{
    ANY, ARRAY, Family, Function, INTEGER, Parameter, Repeats, ResultType, STRING, parameter,
};
use crate::tree::Type;

const LIST: Parameter = parameter("array", ARRAY);
const PLACES: Parameter = parameter("places", INTEGER);
const VALUE: Parameter = parameter("value", ANY);
const FILLING: Parameter = parameter("filling", ANY);
/// Arrays that follow the order of the first, and whether nulls are last.
const FOLLOWERS: Parameter = parameter("followers", &[Type::Array, Type::Boolean]);

const fn array(
    name: &'static str,
    parameters: &'static [Parameter],
    result: Type,
    doc: &'static str,
    example: (&'static str, &'static str),
) -> Function {
    Function::new(Family::Array, name, parameters, ResultType::Always(result), doc, example)
}

pub(super) const FUNCTIONS: &[Function] = &[
    array(
        "array_length",
        &[LIST],
        Type::Integer,
        "How many elements an array has; null for what is no array.",
        ("array_length(dynamic([1, 2, 3]))", "3"),
    ),
    array(
        "array_concat",
        &[LIST],
        Type::Array,
        "The elements of all arrays in one; what is no array counts as one element.",
        ("array_concat(dynamic([1, 2]), dynamic([3]))", "dynamic([1, 2, 3])"),
    )
    .repeats(Repeats::LastParameter),
    array(
        "array_slice",
        &[LIST, parameter("start", INTEGER), parameter("end", INTEGER)],
        Type::Array,
        "The elements from a place up to and without another, both counted from the end where they are negative.",
        ("array_slice(dynamic([1, 2, 3]), 1, 2)", "dynamic([2])"),
    ),
    array(
        "array_split",
        &[LIST, parameter("places", &[Type::Integer, Type::Array])],
        Type::Array,
        "The parts of an array, cut before a place or before each of several.",
        ("array_split(dynamic([1, 2, 3, 4, 5]), 4)", "dynamic([[1, 2, 3, 4], [5]])"),
    ),
    array(
        "array_reverse",
        &[LIST],
        Type::Array,
        "The elements from the last to the first.",
        ("array_reverse(dynamic([1, 2, 3]))", "dynamic([3, 2, 1])"),
    ),
    array(
        "array_rotate_left",
        &[LIST, PLACES],
        Type::Array,
        "The array with so many elements moved from its start to its end.",
        ("array_rotate_left(dynamic([1, 2, 3, 4, 5]), 1)", "dynamic([2, 3, 4, 5, 1])"),
    ),
    array(
        "array_rotate_right",
        &[LIST, PLACES],
        Type::Array,
        "The array with so many elements moved from its end to its start.",
        ("array_rotate_right(dynamic([1, 2, 3, 4, 5]), 1)", "dynamic([5, 1, 2, 3, 4])"),
    ),
    array(
        "array_shift_left",
        &[LIST, PLACES, FILLING],
        Type::Array,
        "The array moved to the left by so many places, 1 if not told; freed places are null or the filling.",
        ("array_shift_left(dynamic([1, 2, 3]), 1)", "dynamic([2, 3, null])"),
    )
    .requires(1),
    array(
        "array_shift_right",
        &[LIST, PLACES, FILLING],
        Type::Array,
        "The array moved to the right by so many places, 1 if not told; freed places are null or the filling.",
        ("array_shift_right(dynamic([1, 2, 3]), 1)", "dynamic([null, 1, 2])"),
    )
    .requires(1),
    array(
        "array_sort_asc",
        &[LIST, FOLLOWERS],
        Type::Array,
        "The elements in ascending order, numbers before texts, nulls last unless told `false`; several arrays in one.",
        ("array_sort_asc(dynamic([3, null, 1, 2]))", "dynamic([1, 2, 3, null])"),
    )
    .requires(1)
    .repeats(Repeats::LastParameter),
    array(
        "array_sort_desc",
        &[LIST, FOLLOWERS],
        Type::Array,
        "The elements in descending order, numbers before texts, nulls last unless told `false`; several arrays in one.",
        ("array_sort_desc(dynamic([3, null, 1, 2]))", "dynamic([3, 2, 1, null])"),
    )
    .requires(1)
    .repeats(Repeats::LastParameter),
    array(
        "array_sum",
        &[LIST],
        Type::Float,
        "The sum of the numbers of an array; null without any.",
        ("array_sum(dynamic([1, 2, 3, 4]))", "10.0"),
    ),
    array(
        "array_index_of",
        &[
            LIST,
            VALUE,
            parameter("start", INTEGER),
            parameter("length", INTEGER),
            parameter("occurrence", INTEGER),
        ],
        Type::Integer,
        "The place of the first element that equals a value, from 0; -1 if none does.",
        ("array_index_of(dynamic([\"this\", \"is\", \"an\"]), \"an\")", "2"),
    )
    .requires(2),
    array(
        "array_iff",
        &[parameter("conditions", ARRAY), parameter("then", ANY), parameter("otherwise", ANY)],
        Type::Array,
        "For each condition the element of the second array if it is true, else of the third; both may be one value.",
        (
            "array_iff(dynamic([true, false, true]), dynamic([4, 2, 1]), dynamic([7, 8, 4]))",
            "dynamic([4, 8, 1])",
        ),
    ),
    array(
        "array_extract",
        &[LIST, parameter("path", STRING)],
        Type::Array,
        "What a path such as `$[*].name` leads to in an array; numbers and booleans come as texts.",
        (
            "array_extract(dynamic([{\"value\": true}, {\"value\": false}]), \"$[*].value\")",
            "dynamic([\"true\", \"false\"])",
        ),
    ),
    array(
        "array_select_dict",
        &[LIST, parameter("key", STRING), VALUE],
        Type::Map,
        "The first map of an array in which a key has a value; null if there is none.",
        (
            "array_select_dict(dynamic([{\"key\": 5, \"a\": 1}, {\"key\": 6}]), \"key\", 5)",
            "dynamic({\"key\": 5, \"a\": 1})",
        ),
    ),
    array(
        "isarray",
        &[VALUE],
        Type::Boolean,
        "Whether the value is an array.",
        ("isarray(dynamic([1, 2]))", "true"),
    ),
    array(
        "len",
        &[parameter("value", &[Type::String, Type::Array])],
        Type::Integer,
        "How many characters a text has, or how many elements an array.",
        ("len(dynamic([1, 2, 3]))", "3"),
    ),
    array(
        "pack_array",
        &[VALUE],
        Type::Array,
        "An array of the arguments; `*` stands for all fields.",
        ("pack_array(1, \"a\", true)", "dynamic([1, \"a\", true])"),
    )
    .requires(0)
    .repeats(Repeats::LastParameter),
    array(
        "strcat_array",
        &[LIST, parameter("delimiter", STRING)],
        Type::String,
        "The elements as one text, with a delimiter between them.",
        ("strcat_array(dynamic([1, 2, 3]), \"->\")", "\"1->2->3\""),
    )
    .requires(1),
];
