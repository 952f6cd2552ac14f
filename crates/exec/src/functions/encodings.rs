//! Base64 and the percent signs of addresses.

use tidegauge_lang::tree::Type;

use super::call::{Call, Function, function};
use super::elements;
use crate::error::Result;
use crate::value::Value;

pub(super) const FUNCTIONS: &[Function] = &[
    function("base64_encode_tostring", 1, 1, encode_text),
    function("base64_decode_tostring", 1, 1, decode_text),
    function("base64_encode_fromarray", 1, 1, encode_array),
    function("base64_decode_toarray", 1, 1, decode_array),
    function("url_encode", 1, 1, url_encode),
    function("url_decode", 1, 1, url_decode),
];

const BASE64: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

fn write_base64(bytes: impl Iterator<Item = u8>, text: &mut String) {
    let (mut bits, mut count) = (0_u32, 0);
    let sextet = |bits: u32| char::from(BASE64[(bits & 63) as usize]);
    for byte in bytes {
        bits = bits << 8 | u32::from(byte);
        count += 1;
        if count == 3 {
            text.extend([18, 12, 6, 0].map(|shift| sextet(bits >> shift)));
            (bits, count) = (0, 0);
        }
    }
    match count {
        1 => text.extend([sextet(bits >> 2), sextet(bits << 4), '=', '=']),
        2 => text.extend([sextet(bits >> 10), sextet(bits >> 4), sextet(bits << 2), '=']),
        _ => {}
    }
}

/// The bytes that a text says, with or without its padding, in the usual alphabet or the one for addresses.
fn read_base64(text: &str, bytes: &mut Vec<u8>) -> Option<()> {
    let text = text.trim();
    let digits = text.trim_end_matches('=');
    if text.len() - digits.len() > 2 || digits.len() % 4 == 1 {
        return None;
    }
    let (mut bits, mut count) = (0_u32, 0);
    for digit in digits.bytes() {
        let value = match digit {
            b'A'..=b'Z' => digit - b'A',
            b'a'..=b'z' => digit - b'a' + 26,
            b'0'..=b'9' => digit - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        };
        bits = bits << 6 | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count & 255) as u8);
        }
    }
    Some(())
}

fn encode_text(call: &Call<'_>) -> Result<Value> {
    let run = call.texts(|row, text| {
        write_base64(row.text(0).bytes(), text);
        Some(())
    });
    call.result(Type::String, [call.text(0)?], run)
}

/// The text that was encoded; the empty text where there was none.
fn decode_text(call: &Call<'_>) -> Result<Value> {
    let run = call.texts_with(Vec::new, |bytes, row, text| {
        bytes.clear();
        if read_base64(row.text(0), bytes).is_some() {
            text.push_str(std::str::from_utf8(bytes).unwrap_or_default());
        }
        Some(())
    });
    call.result(Type::String, [call.text(0)?], run)
}

/// Of an array of bytes; the empty text for anything else.
fn encode_array(call: &Call<'_>) -> Result<Value> {
    let run = call.texts_with(Vec::new, |bytes: &mut Vec<u8>, row, text| {
        bytes.clear();
        for element in elements::elements(row.text(0)).unwrap_or_default() {
            match element.get().parse() {
                Ok(byte) => bytes.push(byte),
                Err(_) => return Some(()),
            }
        }
        write_base64(bytes.iter().copied(), text);
        Some(())
    });
    call.result(Type::String, [call.json(0)?], run)
}

/// The bytes as an array, an empty one where the text is not encoded.
fn decode_array(call: &Call<'_>) -> Result<Value> {
    let run = call.texts_with(Vec::new, |bytes, row, text| {
        bytes.clear();
        if read_base64(row.text(0), bytes).is_none() {
            bytes.clear();
        }
        elements::write_array(text, bytes.iter(), |byte, text| text.push_str(&byte.to_string()));
        Some(())
    });
    call.result(Type::Array, [call.text(0)?], run)
}

fn url_encode(call: &Call<'_>) -> Result<Value> {
    let run = call.texts(|row, text| {
        write_escaped(row.text(0), text);
        Some(())
    });
    call.result(Type::String, [call.text(0)?], run)
}

pub(super) fn write_escaped(source: &str, text: &mut String) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    for byte in source.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
            text.push(char::from(byte));
        } else {
            let digit = |value: u8| char::from(DIGITS[usize::from(value)]);
            text.extend(['%', digit(byte >> 4), digit(byte & 15)]);
        }
    }
}

fn url_decode(call: &Call<'_>) -> Result<Value> {
    let run = call.texts_with(Vec::new, |bytes, row, text| {
        bytes.clear();
        write_unescaped(row.text(0), false, bytes);
        text.push_str(&String::from_utf8_lossy(bytes));
        Some(())
    });
    call.result(Type::String, [call.text(0)?], run)
}

/// What escapes stand for. Those that are none stay as they are. In a query a plus is a blank.
pub(super) fn write_unescaped(source: &str, is_query: bool, bytes: &mut Vec<u8>) {
    let digit = |byte: Option<&u8>| byte.and_then(|byte| char::from(*byte).to_digit(16));
    let source = source.as_bytes();
    let mut at = 0;
    while let Some(byte) = source.get(at) {
        let escaped = match byte {
            b'%' => digit(source.get(at + 1)).zip(digit(source.get(at + 2))),
            _ => None,
        };
        match escaped {
            Some((high, low)) => {
                bytes.push((high << 4 | low) as u8);
                at += 3;
            }
            None => {
                bytes.push(if is_query && *byte == b'+' { b' ' } else { *byte });
                at += 1;
            }
        }
    }
}

/// As text, for a part of an address.
pub(super) fn unescaped(source: &str, is_query: bool) -> String {
    let mut bytes = Vec::with_capacity(source.len());
    write_unescaped(source, is_query, &mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}
