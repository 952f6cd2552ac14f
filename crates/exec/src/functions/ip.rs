//! Addresses of the internet protocol: as numbers, in networks, and in texts. Of two lengths the shorter counts.
//! What is no address gives null.

mod mentions;
mod network;
mod places;

use std::fmt::Write;

use tidegauge_lang::tree::Type;

use self::mentions::{Beginning, has_address, has_beginning};
use self::network::Network;
use super::call::{Call, Function, MANY, function, text_of_literal};
use super::elements;
use super::rows::{self, Row};
use crate::error::Result;
use crate::expr::Typed;
use crate::kernels::json;
use crate::value::Value;

pub(super) const FUNCTIONS: &[Function] = &[
    function("parse_ipv4", 1, 1, parse),
    function("parse_ipv4_mask", 2, 2, parse),
    function("format_ipv4", 1, 2, |call| format(call, false)),
    function("format_ipv4_mask", 1, 2, |call| format(call, true)),
    function("ipv4_netmask_suffix", 1, 1, length),
    function("ipv4_compare", 2, 3, |call| compare(call, V4)),
    function("ipv6_compare", 2, 3, |call| compare(call, ANY)),
    function("ipv4_is_match", 2, 3, |call| is_match(call, V4)),
    function("ipv6_is_match", 2, 3, |call| is_match(call, ANY)),
    function("ipv4_is_in_range", 2, 2, |call| is_in_range(call, V4)),
    function("ipv6_is_in_range", 2, 2, |call| is_in_range(call, ANY)),
    function("ipv4_is_in_any_range", 2, MANY, |call| {
        of_list(call, Network::of_v4, |text, ranges| is_in_any(Network::of_v4(text)?, ranges))
    }),
    function("ipv6_is_in_any_range", 2, MANY, |call| {
        of_list(call, Network::of_any, |text, ranges| is_in_any(Network::of_any(text)?, ranges))
    }),
    function("ipv4_is_private", 1, 1, is_private),
    function("has_ipv4", 2, 2, |call| of_list(call, alone, |text, list| Some(has_address(text, list)))),
    function("has_any_ipv4", 2, MANY, |call| {
        of_list(call, Network::of_v4, |text, list| Some(has_address(text, list)))
    }),
    function("has_ipv4_prefix", 2, 2, has_prefix),
    function("has_any_ipv4_prefix", 2, MANY, has_prefix),
    function("geo_info_from_ip_address", 1, 1, places::geo_info),
];

/// How the addresses of one version are read, and the length of theirs.
#[derive(Clone, Copy)]
struct Version {
    read: fn(&str) -> Option<Network>,
    cut: fn(Network, i64) -> Option<Network>,
    longest: i64,
}

const V4: Version = Version { read: Network::of_v4, cut: Network::cut_v4, longest: 32 };
const ANY: Version = Version { read: Network::of_any, cut: Network::cut_v6, longest: 128 };

/// An address without a length.
fn alone(text: &str) -> Option<Network> {
    text.trim().parse().ok().map(Network::of_address)
}

/// An address as a number, with the length that is given beside it.
fn parse(call: &Call<'_>) -> Result<Value> {
    let run = rows::integers(|row| {
        let network = Network::of_v4(row.text(0))?.cut_v4(row.integer(1))?;
        Some(i64::from(network.base_v4().to_bits()))
    });
    call.result(Type::Integer, [call.text(0)?, call.integer_or(1, 32)?], run)
}

/// An address, which may be a number, as a text. What is no address gives an empty text.
fn format(call: &Call<'_>, has_length: bool) -> Result<Value> {
    let run = call.texts(move |row, text| {
        let address = Network::of_number(row.text(0)).or_else(|| Network::of_v4(row.text(0)));
        let Some(network) = address.and_then(|address| address.cut_v4(row.integer(1))) else {
            return Some(());
        };
        let _ = write!(text, "{}", network.base_v4());
        if has_length {
            let _ = write!(text, "/{}", network.length_v4());
        }
        Some(())
    });
    call.result(Type::String, [call.text(0)?, call.integer_or(1, 32)?], run)
}

fn length(call: &Call<'_>) -> Result<Value> {
    let run = rows::integers(|row| Network::of_v4(row.text(0)).map(|network| network.length_v4().into()));
    call.result(Type::Integer, [call.text(0)?], run)
}

/// How two addresses lie by the bits that count in both.
fn ordering(row: Row<'_, '_>, version: Version) -> Option<std::cmp::Ordering> {
    let one = (version.cut)((version.read)(row.text(0))?, row.integer(2))?;
    Some(one.compare((version.read)(row.text(1))?))
}

fn compare(call: &Call<'_>, version: Version) -> Result<Value> {
    let run = rows::integers(move |row| ordering(row, version).map(|ordering| ordering as i64));
    call.result(Type::Integer, [call.text(0)?, call.text(1)?, call.integer_or(2, version.longest)?], run)
}

fn is_match(call: &Call<'_>, version: Version) -> Result<Value> {
    let run = rows::booleans(move |row| ordering(row, version).map(std::cmp::Ordering::is_eq));
    call.result(Type::Boolean, [call.text(0)?, call.text(1)?, call.integer_or(2, version.longest)?], run)
}

fn is_in_range(call: &Call<'_>, version: Version) -> Result<Value> {
    let run = rows::booleans(move |row| {
        let (address, range) = ((version.read)(row.text(0))?, (version.read)(row.text(1))?);
        Some(range.contains(address))
    });
    call.result(Type::Boolean, [call.text(0)?, call.text(1)?], run)
}

/// Null where none of the ranges could be read.
fn is_in_any(address: Network, ranges: &[Option<Network>]) -> Option<bool> {
    let is_unknown = !ranges.is_empty() && ranges.iter().all(Option::is_none);
    (!is_unknown).then(|| ranges.iter().flatten().any(|range| range.contains(address)))
}

/// Whether it is of a network that anybody may use at home: those of RFC 1918.
fn is_private(call: &Call<'_>) -> Result<Value> {
    let run = rows::booleans(|row| Some(Network::of_v4(row.text(0))?.base_v4().is_private()));
    call.result(Type::Boolean, [call.text(0)?], run)
}

fn has_prefix(call: &Call<'_>) -> Result<Value> {
    of_list(call, Beginning::of, |text, list| Some(has_beginning(text, list)))
}

/// A test of a text with a list: each of the arguments behind it is a text, or an array of them. A list that no row
/// changes is read once.
fn of_list<T: Send + Sync + 'static>(
    call: &Call<'_>,
    read: fn(&str) -> Option<T>,
    test: fn(&str, &[Option<T>]) -> Option<bool>,
) -> Result<Value> {
    let lists = (1..call.count()).map(|place| call.json(place)).collect::<Result<Option<Vec<Typed>>>>()?;
    let (Some(text), Some(lists)) = (call.text(0)?, lists) else { return Ok(Value::NULL) };
    let literals: Option<Vec<&str>> = lists.iter().map(|list| text_of_literal(Some(list))).collect();
    if let Some(literals) = literals {
        let list: Vec<Option<T>> = literals.into_iter().flat_map(|list| members(list, read)).collect();
        return call.result(Type::Boolean, [Some(text)], rows::booleans(move |row| test(row.text(0), &list)));
    }
    let run = rows::booleans(move |row| {
        let list: Vec<Option<T>> =
            (1..row.count()).flat_map(|place| members(row.text(place), read)).collect();
        test(row.text(0), &list)
    });
    let arguments = std::iter::once(text).chain(lists).collect();
    Typed::call(call.name, Type::Boolean, arguments, run).map(Value::from)
}

/// What the texts of an array say, or one text.
fn members<T>(source: &str, read: fn(&str) -> Option<T>) -> Vec<Option<T>> {
    let plain = |source: &str| {
        let mut text = String::new();
        json::write_plain(source, &mut text);
        read(&text)
    };
    match elements::elements(source) {
        Some(elements) => elements.into_iter().map(|element| plain(element.get())).collect(),
        None => vec![plain(source)],
    }
}
