//! Functions on texts. Where a function takes a pattern it stands before the text.

use super::function::{ANY, Family, Function, INTEGER, Parameter, Repeats, ResultType, STRING, parameter};
use crate::tree::Type;

const TEXT: Parameter = parameter("text", STRING);
const CUTSET: Parameter = parameter("characters", STRING);
const LOOKUP: Parameter = parameter("lookup", STRING);
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
        &[TEXT, parameter("delimiter", STRING), parameter("place", INTEGER)],
        Type::Array,
        "The parts of a text between delimiters, or only the one at a place, counted from 0.",
        ("split(\"a_b_c\", \"_\")", "dynamic([\"a\", \"b\", \"c\"])"),
    )
    .requires(2),
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
    string("reverse", &[TEXT], Type::String, "The characters in reverse.", ("reverse(\"tide\")", "\"edit\"")),
    string(
        "template",
        &[TEXT],
        Type::String,
        "The text with `<*>` for every token that has a digit or is a long hexadecimal word.",
        ("template(\"user 42 left\")", "\"user <*> left\""),
    ),
    string(
        "totitle",
        &[TEXT],
        Type::String,
        "The text with its first character in upper case.",
        ("totitle(\"tide\")", "\"Tide\""),
    ),
    string(
        "translate",
        &[parameter("search", STRING), parameter("replacement", STRING), TEXT],
        Type::String,
        "The text with each character of the first argument replaced by the one at its place in the second.",
        ("translate(\"krasp\", \"otsku\", \"spark\")", "\"kusto\""),
    ),
    string(
        "strrep",
        &[parameter("value", ANY), parameter("times", INTEGER), parameter("delimiter", STRING)],
        Type::String,
        "The text so many times, at most 1024, with a delimiter between them.",
        ("strrep(\"tide\", 3, \"-\")", "\"tide-tide-tide\""),
    )
    .requires(2),
    string(
        "strcmp",
        &[TEXT, parameter("other", STRING)],
        Type::Integer,
        "How two texts are ordered: -1 if the first comes first, 0 if they are equal, else 1.",
        ("strcmp(\"abc\", \"abd\")", "-1"),
    ),
    string(
        "string_size",
        &[TEXT],
        Type::Integer,
        "How many bytes a text takes in UTF-8.",
        ("string_size(\"größe\")", "7"),
    ),
    string(
        "strip_ansi_escapes",
        &[TEXT],
        Type::String,
        "The text without the sequences that colour it in a terminal.",
        ("strip_ansi_escapes(\"\\u001b[31mred\\u001b[0m\")", "\"red\""),
    ),
    string(
        "isascii",
        &[TEXT],
        Type::Boolean,
        "Whether all characters of a text are ASCII.",
        ("isascii(\"tide\")", "true"),
    ),
    string(
        "gettype",
        &[parameter("value", ANY)],
        Type::String,
        "The name of the type that a value has.",
        ("gettype(dynamic([1, 2]))", "\"array\""),
    ),
];
