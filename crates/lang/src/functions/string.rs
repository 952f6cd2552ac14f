//! Functions on texts. Where a function takes a pattern it stands before the text.

use super::{ANY, Family, Function, INTEGER, Parameter, Repeats, ResultType, STRING, parameter};
use crate::tree::Type;

const TEXT: Parameter = parameter("text", STRING);
const CUTSET: Parameter = parameter("characters", STRING);
const LOOKUP: Parameter = parameter("lookup", STRING);
const REGEX: Parameter = parameter("regex", STRING);
const REWRITE: Parameter = parameter("rewrite", STRING);
const START: Parameter = parameter("start", INTEGER);
const LENGTH: Parameter = parameter("length", INTEGER);

const fn string(
    name: &'static str,
    parameters: &'static [Parameter],
    result: Type,
    doc: &'static str,
    example: (&'static str, &'static str),
) -> Function {
    Function::new(Family::String, name, parameters, ResultType::Always(result), doc, example)
}

pub(super) const FUNCTIONS: &[Function] = &[
    string("strlen", &[TEXT], Type::Integer, "How many characters a text has.", ("strlen(\"tide\")", "4")),
    string("toupper", &[TEXT], Type::String, "The text in upper case.", ("toupper(\"Get\")", "\"GET\"")),
    string("tolower", &[TEXT], Type::String, "The text in lower case.", ("tolower(\"GET\")", "\"get\"")),
    string(
        "strcat",
        &[parameter("value", ANY)],
        Type::String,
        "All arguments as one text.",
        ("strcat(\"status \", 404)", "\"status 404\""),
    )
    .repeats(Repeats::LastParameter),
    string(
        "strcat_delim",
        &[parameter("delimiter", STRING), parameter("value", ANY)],
        Type::String,
        "All arguments after the first as one text, with the first between them.",
        ("strcat_delim(\":\", \"web\", 8080)", "\"web:8080\""),
    )
    .repeats(Repeats::LastParameter),
    string(
        "substring",
        &[TEXT, START, LENGTH],
        Type::String,
        "A part of a text from a character on, counted from 0, up to its end or of a given length.",
        ("substring(\"../../etc/passwd\", 0, 10)", "\"../../etc/\""),
    )
    .requires(2),
    string(
        "split",
        &[TEXT, parameter("delimiter", STRING)],
        Type::Array,
        "The parts of a text between delimiters.",
        ("split(\"a_b_c\", \"_\")", "dynamic([\"a\", \"b\", \"c\"])"),
    ),
    string(
        "trim",
        &[CUTSET, TEXT],
        Type::String,
        "The text without any of the characters at its ends.",
        ("trim(\"/\", \"/api/login/\")", "\"api/login\""),
    ),
    string(
        "trim_start",
        &[CUTSET, TEXT],
        Type::String,
        "The text without any of the characters at its start.",
        ("trim_start(\"/\", \"/api/\")", "\"api/\""),
    ),
    string(
        "trim_end",
        &[CUTSET, TEXT],
        Type::String,
        "The text without any of the characters at its end.",
        ("trim_end(\"/\", \"/api/\")", "\"/api\""),
    ),
    string(
        "trim_space",
        &[TEXT],
        Type::String,
        "The text without blanks at its ends.",
        ("trim_space(\"  a b \")", "\"a b\""),
    ),
    string(
        "indexof",
        &[TEXT, LOOKUP, START, LENGTH, parameter("occurrence", INTEGER)],
        Type::Integer,
        "Where a text stands in another, counted from 0; -1 if it does not.",
        ("indexof(\"/api/v2/users\", \"/v\")", "4"),
    )
    .requires(2),
    string(
        "countof",
        &[LOOKUP, TEXT],
        Type::Integer,
        "How often the first text stands in the second, overlapping ones too.",
        ("countof(\"an\", \"banana\")", "2"),
    ),
    string(
        "replace_string",
        &[LOOKUP, REWRITE, TEXT],
        Type::String,
        "The last text with each occurrence of the first replaced by the second.",
        ("replace_string(\"GET\", \"read\", \"GET /\")", "\"read /\""),
    ),
    string(
        "replace_regex",
        &[REGEX, REWRITE, TEXT],
        Type::String,
        "The text with each match of the pattern replaced; $1 in the replacement is the first group.",
        ("replace_regex(@\"^(\\d)\\d\\d$\", \"${1}xx\", \"404\")", "\"4xx\""),
    ),
    string(
        "extract",
        &[REGEX, parameter("group", INTEGER), TEXT],
        Type::String,
        "What a group of a pattern matches first, group 0 being the whole match; null if nothing does.",
        ("extract(\"x=([0-9.]+)\", 1, \"y x=65.6|z\")", "\"65.6\""),
    ),
    string("reverse", &[TEXT], Type::String, "The characters in reverse.", ("reverse(\"tide\")", "\"edit\"")),
];
