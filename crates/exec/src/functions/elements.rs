//! Arrays and maps as JSON text: reading their elements, writing them, and telling equal values by equal texts.

use std::collections::BTreeMap;

use serde_json::value::RawValue;
use serde_json::{Map, Value as Json};

use crate::kernels::{digits, json};

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

/// Deeper values are written as they stand, as they are where they are read too.
const CANONICAL_DEPTH_MAX: usize = 127;

/// JSON in one form for equal values: members sorted, no blanks, equal numbers with equal texts.
pub(super) fn write_canonical(source: &str, text: &mut String) {
    write_value(source, 0, text);
}

fn write_value(source: &str, depth: usize, text: &mut String) {
    let source = source.trim();
    let is_deep = depth > CANONICAL_DEPTH_MAX;
    match source.as_bytes().first() {
        Some(b'"') if source.contains('\\') => json::write_string(&json::plain(source), text),
        Some(b'-' | b'0'..=b'9') => digits::write_key(source, text),
        Some(b'[') if !is_deep => match elements(source) {
            Some(values) => {
                write_array(text, values, |value, text| write_value(value.get(), depth + 1, text))
            }
            None => text.push_str(source),
        },
        Some(b'{') if !is_deep => match sorted_members(source) {
            Some(members) => write_members(members, depth + 1, text),
            None => text.push_str(source),
        },
        _ => text.push_str(source),
    }
}

fn write_members(members: BTreeMap<String, &RawValue>, depth: usize, text: &mut String) {
    text.push('{');
    for (place, (name, value)) in members.into_iter().enumerate() {
        if place > 0 {
            text.push(',');
        }
        json::write_string(&name, text);
        text.push(':');
        write_value(value.get(), depth, text);
    }
    text.push('}');
}

fn sorted_members(map: &str) -> Option<BTreeMap<String, &RawValue>> {
    serde_json::from_str(map).ok()
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
