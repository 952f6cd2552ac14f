//! Functions on addresses of the internet protocol. An address may have a length behind a slash, and of two lengths the
//! shorter counts.

use super::function::{Family, Function, INTEGER, Parameter, Repeats, ResultType, STRING, parameter};
use crate::tree::Type;

const ADDRESS: Parameter = parameter("address", STRING);
const OTHER: Parameter = parameter("other", STRING);
const RANGE: Parameter = parameter("range", STRING);
const RANGES: Parameter = parameter("ranges", STRING_OR_ARRAY);
const ADDRESSES: Parameter = parameter("addresses", STRING_OR_ARRAY);
const PREFIXES: Parameter = parameter("prefixes", STRING_OR_ARRAY);
const LENGTH: Parameter = parameter("length", INTEGER);
const TEXT: Parameter = parameter("text", STRING);
const NUMBER_OR_STRING: &[Type] = &[Type::Integer, Type::String];
const STRING_OR_ARRAY: &[Type] = &[Type::String, Type::Array];

const fn row(
    name: &'static str,
    parameters: &'static [Parameter],
    result: Type,
    doc: &'static str,
    example: (&'static str, &'static str),
) -> Function {
    Function::new(Family::Ip, name, parameters, ResultType::Always(result), doc, example)
}

pub(super) const FUNCTIONS: &[Function] = &[
    row(
        "parse_ipv4",
        &[ADDRESS],
        Type::Integer,
        "An IPv4 address as a number; null for what is none.",
        ("parse_ipv4(\"192.168.2.0\")", "3232236032"),
    ),
    row(
        "parse_ipv4_mask",
        &[ADDRESS, LENGTH],
        Type::Integer,
        "An IPv4 address as a number, of which so many first bits count; null for what is none.",
        ("parse_ipv4_mask(\"192.5.1.4\", 24)", "3221553408"),
    ),
    row(
        "format_ipv4",
        &[parameter("address", NUMBER_OR_STRING), LENGTH],
        Type::String,
        "An IPv4 address, or its number, as a text with so many first bits; empty for what \
            is none.",
        ("format_ipv4(3232235776)", "\"192.168.1.0\""),
    )
    .requires(1),
    row(
        "format_ipv4_mask",
        &[parameter("address", NUMBER_OR_STRING), LENGTH],
        Type::String,
        "An IPv4 address, or its number, as a text with its length; empty for what is none.",
        ("format_ipv4_mask(\"192.168.1.54\", 24)", "\"192.168.1.0/24\""),
    )
    .requires(1),
    row(
        "ipv4_netmask_suffix",
        &[ADDRESS],
        Type::Integer,
        "The length behind the slash of an IPv4 address, 32 without one; null for what is \
            no address.",
        ("ipv4_netmask_suffix(\"192.164.2.2/24\")", "24"),
    ),
    row(
        "ipv4_compare",
        &[ADDRESS, OTHER, LENGTH],
        Type::Integer,
        "-1, 0 or 1 as an IPv4 address is before, equal to or after another; null if one is \
            none.",
        ("ipv4_compare(\"192.168.1.1\", \"192.168.1.10\")", "-1"),
    )
    .requires(2),
    row(
        "ipv6_compare",
        &[ADDRESS, OTHER, LENGTH],
        Type::Integer,
        "-1, 0 or 1 as an address of either version is before, equal to or after another; \
            null if one is none.",
        ("ipv6_compare(\"2001:db8::1\", \"2001:db8::abcd\")", "-1"),
    )
    .requires(2),
    row(
        "ipv4_is_match",
        &[ADDRESS, OTHER, LENGTH],
        Type::Boolean,
        "Whether two IPv4 addresses are equal; null if one is none.",
        ("ipv4_is_match(\"192.168.1.1/24\", \"192.168.1.255\")", "true"),
    )
    .requires(2),
    row(
        "ipv6_is_match",
        &[ADDRESS, OTHER, LENGTH],
        Type::Boolean,
        "Whether two addresses of either version are equal; null if one is none.",
        ("ipv6_is_match(\"2001:db8:abcd::1\", \"2001:db8::/32\")", "true"),
    )
    .requires(2),
    row(
        "ipv4_is_in_range",
        &[ADDRESS, RANGE],
        Type::Boolean,
        "Whether an IPv4 address lies in a range; null if one is none.",
        ("ipv4_is_in_range(\"192.168.1.6\", \"192.168.1.1/24\")", "true"),
    ),
    row(
        "ipv6_is_in_range",
        &[ADDRESS, RANGE],
        Type::Boolean,
        "Whether an address of either version lies in a range; null if one is none.",
        ("ipv6_is_in_range(\"fd00::a1b2\", \"fd00::/8\")", "true"),
    ),
    row(
        "ipv4_is_in_any_range",
        &[ADDRESS, RANGES],
        Type::Boolean,
        "Whether an IPv4 address lies in one of several ranges, each a text or an array of \
            texts.",
        ("ipv4_is_in_any_range(\"10.1.2.3\", dynamic([\"192.168.0.0/24\", \"10.0.0.0/8\"]))", "true"),
    )
    .repeats(Repeats::LastParameter),
    row(
        "ipv6_is_in_any_range",
        &[ADDRESS, RANGES],
        Type::Boolean,
        "Whether an address of either version lies in one of several ranges, each a text or \
            an array of texts.",
        ("ipv6_is_in_any_range(\"fd00::1\", dynamic([\"2001:db8::/32\", \"fd00::/8\"]))", "true"),
    )
    .repeats(Repeats::LastParameter),
    row(
        "ipv4_is_private",
        &[ADDRESS],
        Type::Boolean,
        "Whether an IPv4 address is of a private network (RFC 1918); null for what is no \
            address.",
        ("ipv4_is_private(\"192.168.2.1\")", "true"),
    ),
    row(
        "has_ipv4",
        &[TEXT, ADDRESS],
        Type::Boolean,
        "Whether a text mentions an IPv4 address.",
        ("has_ipv4(\"from 192.168.1.1, 10.1.1.115.\", \"192.168.1.1\")", "true"),
    ),
    row(
        "has_any_ipv4",
        &[TEXT, ADDRESSES],
        Type::Boolean,
        "Whether a text mentions one of several IPv4 addresses or one of their ranges, each \
            a text or an array of texts.",
        ("has_any_ipv4(\"GET from 127.0.0.1\", dynamic([\"127.0.0.1\", \"192.168.0.0/16\"]))", "true"),
    )
    .repeats(Repeats::LastParameter),
    row(
        "has_ipv4_prefix",
        &[TEXT, parameter("prefix", STRING)],
        Type::Boolean,
        "Whether a text mentions an IPv4 address that begins so; the prefix ends with a dot.",
        ("has_ipv4_prefix(\"GET from 127.0.0.1\", \"127.0.\")", "true"),
    ),
    row(
        "has_any_ipv4_prefix",
        &[TEXT, PREFIXES],
        Type::Boolean,
        "Whether a text mentions an IPv4 address with one of several beginnings, each a \
            text or an array of texts.",
        ("has_any_ipv4_prefix(\"192.168.0.1\", dynamic([\"172.16.\", \"192.168.\"]))", "true"),
    )
    .repeats(Repeats::LastParameter),
    row(
        "geo_info_from_ip_address",
        &[ADDRESS],
        Type::Map,
        "Where an address is, of the geo database that is configured; without one the \
            members are empty.",
        ("tostring(geo_info_from_ip_address(\"172.217.22.14\").country)", "\"\""),
    ),
];
