//! Pairs of a key and a value, as texts such as `host:web01` and as maps of their parts.

use serde_json::Value as Json;
use tidegauge_lang::tree::Type;

use super::call::{Call, Function, function};
use super::elements::{self, write_member};
use crate::error::Result;
use crate::kernels::json;
use crate::value::Value;

pub(super) const FUNCTIONS: &[Function] =
    &[function("pair", 2, 3, pair), function("parse_pair", 1, 2, parse), function("find_pair", 3, 4, find)];

const SEPARATOR: &str = ":";

fn write(text: &mut String, key: &str, value: &str, separator: &str) {
    text.push('{');
    for (name, part) in [("key", key), ("value", value), ("separator", separator)] {
        write_member(text, name, |text| json::write_string(part, text));
    }
    text.push('}');
}

fn pair(call: &Call<'_>) -> Result<Value> {
    let run = call.texts(|row, text| {
        write(text, row.text(0), row.text(1), row.text(2));
        Some(())
    });
    call.result(Type::Map, [call.text(0)?, call.text(1)?, call.text_or(2, SEPARATOR)?], run)
}

/// The parts around the first separator. A text without one is a value that has no key.
fn split<'a>(text: &'a str, separator: &str) -> (&'a str, &'a str) {
    let is_there = !separator.is_empty();
    text.split_once(separator).filter(|_| is_there).unwrap_or(("", text))
}

fn parse(call: &Call<'_>) -> Result<Value> {
    let run = call.texts(|row, text| {
        let (key, value) = split(row.text(0), row.text(1));
        write(text, key, value, row.text(1));
        Some(())
    });
    call.result(Type::Map, [call.text(0)?, call.text_or(1, SEPARATOR)?], run)
}

/// The first pair of an array whose key and value look as they should; null where there is none.
fn find(call: &Call<'_>) -> Result<Value> {
    let run = call.texts(|row, text| {
        let (key_pattern, value_pattern, separator) = (row.text(1), row.text(2), row.text(3));
        let is_sought =
            |key: &str, value: &str| looks_like(key, key_pattern) && looks_like(value, value_pattern);
        for element in elements::elements(row.text(0))? {
            match serde_json::from_str(element.get()).ok()? {
                Json::String(pair) => {
                    let (key, value) = split(&pair, separator);
                    if is_sought(key, value) {
                        write(text, key, value, separator);
                        return Some(());
                    }
                }
                Json::Object(parts) => {
                    let part = |name: &str| parts.get(name).and_then(Json::as_str);
                    let Some((key, value)) = part("key").zip(part("value")) else { continue };
                    if is_sought(key, value) {
                        write(text, key, value, part("separator").unwrap_or(separator));
                        return Some(());
                    }
                }
                _ => {}
            }
        }
        None
    });
    let arguments = [call.json(0)?, call.text(1)?, call.text(2)?, call.text_or(3, SEPARATOR)?];
    call.result(Type::Map, arguments, run)
}

/// Whether a text is what a pattern says, in which a star stands for anything.
fn looks_like(text: &str, pattern: &str) -> bool {
    let Some((begin, rest)) = pattern.split_once('*') else { return text == pattern };
    let Some(mut text) = text.strip_prefix(begin) else { return false };
    let mut parts = rest.split('*');
    let end = parts.next_back().unwrap_or_default();
    for part in parts {
        let Some((_, after)) = text.split_once(part) else { return false };
        text = after;
    }
    text.ends_with(end)
}
