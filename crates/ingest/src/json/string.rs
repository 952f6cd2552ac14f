//! Strings: where they end, and what their escapes stand for. Whether their bytes are valid UTF-8 is left to the
//! caller, who knows it for the whole chunk.

use super::cursor::{Cursor, Stop};
use super::scan::plain_end;

const REPLACEMENT: char = '\u{fffd}';

/// Reads the string at the cursor, which stands at its quote. Gives its bytes as they stand in the input, or nothing
/// if it has escapes; then `unescaped` holds them.
#[inline]
pub(super) fn string<'a>(cursor: &mut Cursor<'a>, unescaped: &mut Vec<u8>) -> Result<Option<&'a [u8]>, Stop> {
    let start = cursor.position + 1;
    let end = plain_end(cursor.input, start);
    match cursor.input.get(end) {
        Some(b'"') => {
            cursor.position = end + 1;
            Ok(Some(&cursor.input[start..end]))
        }
        Some(_) => escaped(cursor, start, end, unescaped).map(|()| None),
        None => Err(Stop::More),
    }
}

fn escaped(cursor: &mut Cursor<'_>, start: usize, end: usize, unescaped: &mut Vec<u8>) -> Result<(), Stop> {
    unescaped.clear();
    let (mut start, mut end) = (start, end);
    loop {
        unescaped.extend_from_slice(&cursor.input[start..end]);
        cursor.position = end;
        match cursor.input.get(end) {
            Some(b'"') => {
                cursor.position = end + 1;
                return Ok(());
            }
            Some(b'\\') => escape(cursor, unescaped)?,
            Some(_) => {
                return Err(Stop::Malformed("a control character in a string must be escaped, like \\n"));
            }
            None => return Err(Stop::More),
        }
        start = cursor.position;
        end = plain_end(cursor.input, start);
    }
}

/// Reads the escape at the cursor, which stands at its backslash.
fn escape(cursor: &mut Cursor<'_>, unescaped: &mut Vec<u8>) -> Result<(), Stop> {
    let byte = match *cursor.input.get(cursor.position + 1).ok_or(Stop::More)? {
        byte @ (b'"' | b'\\' | b'/') => byte,
        b'n' => b'\n',
        b't' => b'\t',
        b'r' => b'\r',
        b'b' => 0x08,
        b'f' => 0x0c,
        b'u' => return unicode(cursor, unescaped),
        _ => {
            return Err(Stop::Malformed(
                "an unknown escape; use one of \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX",
            ));
        }
    };
    unescaped.push(byte);
    cursor.position += 2;
    Ok(())
}

/// A character in hexadecimal, or two that are the halves of one. A half alone is no character and is replaced.
fn unicode(cursor: &mut Cursor<'_>, unescaped: &mut Vec<u8>) -> Result<(), Stop> {
    let unit = hexadecimal(cursor.input, cursor.position + 2)?;
    cursor.position += 6;
    let mut character = char::from_u32(unit);
    let is_first_half = (0xd800..0xdc00).contains(&unit);
    if is_first_half && cursor.input[cursor.position..].starts_with(b"\\u") {
        let low = hexadecimal(cursor.input, cursor.position + 2)?;
        if (0xdc00..0xe000).contains(&low) {
            cursor.position += 6;
            character = char::from_u32(0x1_0000 + ((unit - 0xd800) << 10) + (low - 0xdc00));
        }
    }
    let mut bytes = [0; 4];
    unescaped.extend_from_slice(character.unwrap_or(REPLACEMENT).encode_utf8(&mut bytes).as_bytes());
    Ok(())
}

fn hexadecimal(input: &[u8], from: usize) -> Result<u32, Stop> {
    let mut value = 0;
    for place in from..from + 4 {
        let byte = *input.get(place).ok_or(Stop::More)?;
        let digit = char::from(byte).to_digit(16);
        value =
            value * 16 + digit.ok_or(Stop::Malformed("\\u must be followed by four hexadecimal digits"))?;
    }
    Ok(value)
}

/// Writes a string with the escapes that JSON asks for.
pub fn write_escaped(text: &[u8], out: &mut Vec<u8>) {
    out.push(b'"');
    let mut start = 0;
    loop {
        let end = plain_end(text, start);
        out.extend_from_slice(&text[start..end]);
        let Some(byte) = text.get(end) else {
            break;
        };
        let short = match byte {
            b'"' | b'\\' => *byte,
            b'\n' => b'n',
            b'\t' => b't',
            b'\r' => b'r',
            0x08 => b'b',
            0x0c => b'f',
            _ => {
                let hexadecimal = |nibble: u8| b"0123456789abcdef"[usize::from(nibble)];
                out.extend_from_slice(&[
                    b'\\',
                    b'u',
                    b'0',
                    b'0',
                    hexadecimal(byte >> 4),
                    hexadecimal(byte & 15),
                ]);
                start = end + 1;
                continue;
            }
        };
        out.extend_from_slice(&[b'\\', short]);
        start = end + 1;
    }
    out.push(b'"');
}
