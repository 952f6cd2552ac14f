//! Functions on texts that take regular expressions. The expression stands before the text.

use super::function::{ANY, ARRAY, Family, Function, INTEGER, Parameter, ResultType, STRING, parameter};
use crate::tree::Type;

const TEXT: Parameter = parameter("text", STRING);
const REGEX: Parameter = parameter("regex", STRING);
const REWRITE: Parameter = parameter("rewrite", STRING);

const fn pattern(
    name: &'static str,
    parameters: &'static [Parameter],
    result: Type,
    doc: &'static str,
    example: (&'static str, &'static str),
) -> Function {
    Function::new(Family::String, name, parameters, ResultType::Always(result), doc, example)
}

pub(super) const FUNCTIONS: &[Function] = &[
    pattern(
        "replace_regex",
        &[REGEX, REWRITE, TEXT],
        Type::String,
        "The text with each match of the pattern replaced; $1 in the replacement is the first group.",
        ("replace_regex(@\"^(\\d)\\d\\d$\", \"${1}xx\", \"404\")", "\"4xx\""),
    ),
    pattern(
        "replace",
        &[REGEX, REWRITE, TEXT],
        Type::String,
        "The same as replace_regex.",
        ("replace(\"key=[^&]+\", \"key=?\", \"/a?key=5&b=1\")", "\"/a?key=?&b=1\""),
    ),
    pattern(
        "extract",
        &[REGEX, parameter("group", INTEGER), TEXT],
        Type::String,
        "What a group of a pattern matches first, group 0 being the whole match; the empty text if nothing does.",
        ("extract(\"x=([0-9.]+)\", 1, \"y x=65.6|z\")", "\"65.6\""),
    ),
    pattern(
        "extract_all",
        &[REGEX, parameter("groups", ARRAY), TEXT],
        Type::Array,
        "All matches: of one group a flat array, of several an array for each match; the groups may be left out.",
        ("extract_all(\"([0-9]+)\", dynamic([1]), \"/a/11/b/22\")", "dynamic([\"11\", \"22\"])"),
    )
    .requires(2),
    pattern(
        "countof_regex",
        &[REGEX, TEXT],
        Type::Integer,
        "How often a pattern matches in a text.",
        ("countof_regex(\"a[b-d]\", \"abacxad\")", "3"),
    ),
    pattern(
        "indexof_regex",
        &[
            TEXT,
            REGEX,
            parameter("start", INTEGER),
            parameter("occurrence", INTEGER),
            parameter("length", INTEGER),
        ],
        Type::Integer,
        "Where a pattern matches in a text, counted from 0; -1 if it does not.",
        ("indexof_regex(\"/api/user-12345/settings\", \"user-[0-9]+\")", "5"),
    )
    .requires(2),
    pattern(
        "trim_regex",
        &[REGEX, TEXT],
        Type::String,
        "The text without what the pattern matches at its ends.",
        ("trim_regex(\"[^a-z]+\", \"-- a b1\")", "\"a b\""),
    ),
    pattern(
        "trim_start_regex",
        &[REGEX, TEXT],
        Type::String,
        "The text without what the pattern matches at its start.",
        ("trim_start_regex(\"https?://[^/]+\", \"https://example.com/a\")", "\"/a\""),
    ),
    pattern(
        "trim_end_regex",
        &[REGEX, TEXT],
        Type::String,
        "The text without what the pattern matches at its end.",
        ("trim_end_regex(\"[0-9]+\", \"/api/users/123\")", "\"/api/users/\""),
    ),
    pattern(
        "regex_quote",
        &[parameter("text", ANY)],
        Type::String,
        "A pattern that matches the text itself.",
        ("regex_quote(\"a.b\")", "@\"a\\.b\""),
    ),
];
