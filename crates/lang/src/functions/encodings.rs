//! Functions between texts and what they encode: base64, addresses, records, sizes and code points.

use super::function::{
    ANY, ARRAY, ARRAY_OR_NUMBER, Family, Function, INTEGER, NUMBER, Parameter, Repeats, ResultType, STRING,
    parameter,
};
use crate::tree::Type;

const TEXT: Parameter = parameter("text", STRING);
const BASE: Parameter = parameter("base", INTEGER);

const fn encoding(
    name: &'static str,
    parameters: &'static [Parameter],
    result: Type,
    doc: &'static str,
    example: (&'static str, &'static str),
) -> Function {
    Function::new(Family::String, name, parameters, ResultType::Always(result), doc, example)
}

pub(super) const FUNCTIONS: &[Function] = &[
    encoding(
        "base64_encode_tostring",
        &[TEXT],
        Type::String,
        "The text in base64.",
        ("base64_encode_tostring(\"text/html\")", "\"dGV4dC9odG1s\""),
    ),
    encoding(
        "base64_encode_fromarray",
        &[parameter("bytes", ARRAY)],
        Type::String,
        "An array of bytes in base64; the empty text for what is none.",
        ("base64_encode_fromarray(dynamic([192, 168, 0, 1]))", "\"wKgAAQ==\""),
    ),
    encoding(
        "base64_decode_tostring",
        &[TEXT],
        Type::String,
        "The text that a base64 text encodes; the empty text if it encodes none.",
        ("base64_decode_tostring(\"Y2hlY2tvdXQ=\")", "\"checkout\""),
    ),
    encoding(
        "base64_decode_toarray",
        &[TEXT],
        Type::Array,
        "The bytes that a base64 text encodes; an empty array if it encodes none.",
        ("base64_decode_toarray(\"aGk=\")", "dynamic([104, 105])"),
    ),
    encoding(
        "url_encode",
        &[TEXT],
        Type::String,
        "The text with percent signs for characters that mean something in an address.",
        ("url_encode(\"hello world\")", "\"hello%20world\""),
    ),
    encoding(
        "url_decode",
        &[TEXT],
        Type::String,
        "The text with the characters that its percent signs stand for.",
        ("url_decode(\"hello%20world\")", "\"hello world\""),
    ),
    encoding(
        "parse_url",
        &[TEXT],
        Type::Map,
        "The parts of an address: scheme, host, port, path, username, password, query and fragment.",
        ("tostring(parse_url(\"https://example.com/a?b=1\").host)", "\"example.com\""),
    ),
    encoding(
        "parse_urlquery",
        &[TEXT],
        Type::Map,
        "The parameters of the query of an address.",
        ("parse_urlquery(\"a1=b1&a2=b2\")", "dynamic({\"a1\": \"b1\", \"a2\": \"b2\"})"),
    ),
    encoding(
        "format_url",
        &[parameter("parts", &[Type::Map])],
        Type::String,
        "The address that has these parts: scheme, host, port, path, fragment, user, password and query.",
        (
            "format_url(dynamic({\"scheme\": \"http\", \"host\": \"localhost\", \"port\": 8080, \"path\": \"/a\"}))",
            "\"http://localhost:8080/a\"",
        ),
    ),
    encoding(
        "parse_csv",
        &[TEXT],
        Type::Array,
        "The values of the first record of a text with commas.",
        ("parse_csv('a,\"b,c\",d')", "dynamic([\"a\", \"b,c\", \"d\"])"),
    ),
    encoding(
        "format_bytes",
        &[parameter("bytes", NUMBER), parameter("precision", INTEGER), parameter("unit", STRING), BASE],
        Type::String,
        "A number of bytes in a unit that people read; the base is 2 for steps of 1024, or 10 for steps of 1000.",
        ("format_bytes(8765432, 2)", "\"8.36 MB\""),
    )
    .requires(1),
    encoding(
        "parse_bytes",
        &[TEXT, BASE],
        Type::Integer,
        "The number of bytes that a text such as \"512 KB\" says; 0 if it says none.",
        ("parse_bytes(\"1 KB\")", "1024"),
    )
    .requires(1),
    encoding(
        "unicode_codepoints_from_string",
        &[TEXT],
        Type::Array,
        "The numbers of the characters of a text.",
        ("unicode_codepoints_from_string(\"HTTP\")", "dynamic([72, 84, 84, 80])"),
    ),
    encoding(
        "unicode_codepoints_to_string",
        &[parameter("numbers", ARRAY_OR_NUMBER)],
        Type::String,
        "The text of characters that have these numbers, each alone or in arrays.",
        ("unicode_codepoints_to_string(dynamic([72, 84, 84, 80]))", "\"HTTP\""),
    )
    .repeats(Repeats::LastParameter),
    encoding(
        "quote",
        &[parameter("value", ANY)],
        Type::String,
        "The text in quotation marks, as JSON has it.",
        ("quote(\"/api/login\")", "'\"/api/login\"'"),
    ),
];
