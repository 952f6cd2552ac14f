//! Arrays and maps as JSON text: reading their elements, writing them, and telling equal values by equal texts.

use serde_json::value::RawValue;
use serde_json::{Map, Value as Json};

use crate::functions::json;

/// The elements of an array as they stand in its text. None for what is no array.
pub(super) fn elements(array: &str) -> Option<Vec<&RawValue>> {
    if !array.trim_start().starts_with('[') {
        return None;
    }
    serde_json::from_str(array).ok()
}

/// The members of a map, in their order. None for what is no map.
pub(super) fn members(map: &str) -> Option<Map<String, Json>> {
    if !map.trim_start().starts_with('{') {
        return None;
    }
    serde_json::from_str(map).ok()
}

pub(super) fn is_json(text: &str) -> bool {
    // Most texts that are no JSON say so with their first character.
    let can_be = |first: u8| matches!(first, b'{' | b'[' | b'"' | b'-' | b't' | b'f' | b'n' | b'0'..=b'9');
    text.bytes().next().is_some_and(can_be) && serde_json::from_str::<&RawValue>(text).is_ok()
}

pub(super) fn write_array<T>(
    text: &mut String,
    elements: impl IntoIterator<Item = T>,
    write: impl Fn(T, &mut String),
) {
    text.push('[');
    for (place, element) in elements.into_iter().enumerate() {
        if place > 0 {
            text.push(',');
        }
        write(element, text);
    }
    text.push(']');
}

/// An array of elements as they stand.
pub(super) fn write_raw<'a>(text: &mut String, elements: impl IntoIterator<Item = &'a RawValue>) {
    write_array(text, elements, |element, text| text.push_str(element.get()));
}

/// JSON without the blanks between its parts.
pub(super) fn write_compact(source: &str, text: &mut String) {
    let (mut copied, mut is_quoted, mut is_escaped) = (0, false, false);
    for (at, byte) in source.bytes().enumerate() {
        if is_quoted {
            is_quoted = byte != b'"' || is_escaped;
            is_escaped = byte == b'\\' && !is_escaped;
        } else if byte == b'"' {
            is_quoted = true;
        } else if byte.is_ascii_whitespace() {
            text.push_str(&source[copied..at]);
            copied = at + 1;
        }
    }
    text.push_str(&source[copied..]);
}

/// JSON in one form for equal values: members sorted, no blanks, equal numbers with equal texts.
pub(super) fn write_canonical(source: &str, text: &mut String) {
    let source = source.trim();
    let is_plain_text = source.starts_with('"') && !source.contains('\\');
    let is_word = matches!(source, "true" | "false" | "null");
    let is_integer = source.len() < 16 && source.bytes().all(|byte| byte.is_ascii_digit());
    if is_plain_text || is_word || is_integer {
        text.push_str(source);
        return;
    }
    match serde_json::from_str::<Json>(source) {
        Ok(value) => write_value(&value, text),
        Err(_) => text.push_str(source),
    }
}

fn write_value(value: &Json, text: &mut String) {
    match value {
        Json::Null => text.push_str("null"),
        Json::Bool(value) => text.push_str(if *value { "true" } else { "false" }),
        Json::Number(number) if number.is_f64() => {
            json::write_number_key(number.as_f64().unwrap_or(f64::NAN), text);
        }
        Json::Number(number) => text.push_str(&number.to_string()),
        Json::String(value) => json::write_string(value, text),
        Json::Array(values) => write_array(text, values, write_value),
        Json::Object(members) => {
            let mut members: Vec<(&String, &Json)> = members.iter().collect();
            members.sort_unstable_by_key(|(name, _)| *name);
            text.push('{');
            for (place, (name, value)) in members.into_iter().enumerate() {
                if place > 0 {
                    text.push(',');
                }
                json::write_string(name, text);
                text.push(':');
                write_value(value, text);
            }
            text.push('}');
        }
    }
}

/// A text that equal values share.
pub(super) fn key(source: &str) -> String {
    let mut key = String::with_capacity(source.len());
    write_canonical(source, &mut key);
    key
}

/// Writes one member of a map that is being written.
pub(super) fn write_member(text: &mut String, name: &str, write: impl FnOnce(&mut String)) {
    if !text.ends_with('{') {
        text.push(',');
    }
    json::write_string(name, text);
    text.push(':');
    write(text);
}
