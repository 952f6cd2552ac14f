//! Functions that give a short number or a digest of a value.

use super::function::{ANY, Family, Function, Parameter, ResultType, parameter};
use crate::tree::Type;

const VALUE: Parameter = parameter("value", ANY);

const fn row(
    name: &'static str,
    parameters: &'static [Parameter],
    result: Type,
    doc: &'static str,
    example: (&'static str, &'static str),
) -> Function {
    Function::new(Family::Hash, name, parameters, ResultType::Always(result), doc, example)
}

pub(super) const FUNCTIONS: &[Function] = &[
    row(
        "hash",
        &[VALUE, parameter("salt", ANY)],
        Type::Integer,
        "An integer that equal values share; another salt gives other integers.",
        ("hash(\"World\")", "1846988464401551951"),
    )
    .requires(1),
    row(
        "hash_md5",
        &[VALUE],
        Type::String,
        "The MD5 digest of the text of a value, in lower-case hexadecimal digits.",
        ("hash_md5(\"World\")", "\"f5a7924e621e84c9280a9a27e1bcb7f6\""),
    ),
    row(
        "hash_sha1",
        &[VALUE],
        Type::String,
        "The SHA-1 digest of the text of a value, in lower-case hexadecimal digits.",
        ("hash_sha1(\"World\")", "\"70c07ec18ef89c5309bbb0937f3a6342411e1fdd\""),
    ),
    row(
        "hash_sha256",
        &[VALUE],
        Type::String,
        "The SHA-256 digest of the text of a value, in lower-case hexadecimal digits.",
        ("hash_sha256(\"World\")", "\"78ae647dc5544d227130a0682a51e30bc7777fbb6d8a8f17007463a3ecd1d524\""),
    ),
    row(
        "hash_sha512",
        &[VALUE],
        Type::String,
        "The SHA-512 digest of the text of a value, in lower-case hexadecimal digits.",
        (
            "hash_sha512(\"World\")",
            "\"8ea77393a42ab8fa92500fb077a9509cc32bc95e72712efa116edaf2edfae34fbb682efdd6c5dd13c117e08bd4aaef71291d8aace2f890273081d0677c16df0f\"",
        ),
    ),
];
