//! JSON text of single values: how numbers, strings and dynamic values are written and read.

mod scan;

use std::borrow::Cow;
use std::fmt::Write;

pub use scan::{element, elements, member};

/// A float in the shortest form that reads back as the same.
pub fn write_float(value: f64, text: &mut String) {
    let _ = write!(text, "{value}");
}

/// A float such that it reads back as one; what is no number is null.
pub fn write_float_json(value: f64, text: &mut String) {
    if value.is_finite() {
        let _ = write!(text, "{value:?}");
    } else {
        text.push_str("null");
    }
}

/// A float such that equal numbers have equal texts, whether they came as integers or as floats.
pub fn write_number_key(value: f64, text: &mut String) {
    if !value.is_finite() {
        text.push_str("null");
    } else if let Some(whole) = whole(value) {
        let _ = write!(text, "{whole}");
    } else {
        let _ = write!(text, "{value:?}");
    }
}

/// The integer that a float is.
fn whole(value: f64) -> Option<i64> {
    // The bounds are exact as floats; beyond them there is no integer of 64 bits.
    let is_inside = (-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(&value);
    (is_inside && value == value.trunc()).then_some(value as i64)
}

pub fn write_string(value: &str, text: &mut String) {
    text.push('"');
    let mut copied = 0;
    for (at, byte) in value.bytes().enumerate() {
        if byte >= 0x20 && byte != b'"' && byte != b'\\' {
            continue;
        }
        text.push_str(&value[copied..at]);
        copied = at + 1;
        match byte {
            b'"' => text.push_str("\\\""),
            b'\\' => text.push_str("\\\\"),
            b'\n' => text.push_str("\\n"),
            b'\r' => text.push_str("\\r"),
            b'\t' => text.push_str("\\t"),
            _ => {
                let _ = write!(text, "\\u{byte:04x}");
            }
        }
    }
    text.push_str(&value[copied..]);
    text.push('"');
}

/// What JSON text says: a string without its quotes, nothing for null, anything else as it stands.
pub fn plain(json: &str) -> Cow<'_, str> {
    let trimmed = json.trim();
    if !trimmed.starts_with('"') {
        return Cow::Borrowed(if trimmed == "null" { "" } else { trimmed });
    }
    match serde_json::from_str::<&str>(trimmed) {
        Ok(plain) => Cow::Borrowed(plain),
        // It has escapes, or is no JSON after all.
        Err(_) => serde_json::from_str::<String>(trimmed).map_or(Cow::Borrowed(trimmed), Cow::Owned),
    }
}

pub fn write_plain(json: &str, text: &mut String) {
    text.push_str(&plain(json));
}

/// The number that JSON text is.
pub fn number(json: &str) -> Option<f64> {
    let text = json.trim();
    let is_number = text.starts_with(|first: char| first.is_ascii_digit() || first == '-');
    if is_number { text.parse().ok() } else { None }
}
