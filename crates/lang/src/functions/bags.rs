//! Functions on maps, which are also called bags. What is no map gives null.

use super::function::{ANY, ARRAY, Family, Function, Parameter, Repeats, ResultType, STRING, parameter};
use crate::tree::Type;

const MAP: Parameter = parameter("map", &[Type::Map]);
const KEY: Parameter = parameter("key", STRING);
const VALUE: Parameter = parameter("value", ANY);

const fn bag(
    name: &'static str,
    parameters: &'static [Parameter],
    result: Type,
    doc: &'static str,
    example: (&'static str, &'static str),
) -> Function {
    Function::new(Family::Array, name, parameters, ResultType::Always(result), doc, example)
}

pub(super) const FUNCTIONS: &[Function] = &[
    bag(
        "bag_has_key",
        &[MAP, KEY],
        Type::Boolean,
        "Whether a map has a key, or something at a path into it, which begins with `$`.",
        ("bag_has_key(dynamic({\"env\": \"prod\"}), \"env\")", "true"),
    ),
    bag(
        "bag_keys",
        &[MAP],
        Type::Array,
        "The keys of a map in their order.",
        ("bag_keys(dynamic({\"os\": \"linux\", \"cores\": 2}))", "dynamic([\"os\", \"cores\"])"),
    ),
    bag(
        "bag_pack",
        &[KEY, VALUE],
        Type::Map,
        "A map of keys and values in turn; `*` stands for all fields.",
        ("bag_pack(\"path\", \"/\", \"status\", 404)", "dynamic({\"path\": \"/\", \"status\": 404})"),
    )
    .requires(1)
    .repeats(Repeats::LastParameter),
    bag(
        "pack_dictionary",
        &[KEY, VALUE],
        Type::Map,
        "A map of keys and values in turn.",
        ("pack_dictionary(\"status\", 404)", "dynamic({\"status\": 404})"),
    )
    .repeats(Repeats::LastParameter),
    bag(
        "bag_zip",
        &[parameter("keys", ARRAY), parameter("values", ARRAY)],
        Type::Map,
        "A map of an array of keys and one of values, as long as the shorter of them.",
        ("bag_zip(dynamic([\"a\", \"b\"]), dynamic([1, 2, 3]))", "dynamic({\"a\": 1, \"b\": 2})"),
    ),
];
