//! Lists and objects of a request in the form that JSON is written in here: no blanks, strings and numbers in one way.
//! Integers beyond 64 bits keep their digits, which a tree of JSON values would not.

use serde_json::Value as Json;

/// JSON text in its usual form. The text must be JSON.
pub fn compact(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut written = String::with_capacity(text.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let length = match byte {
            b'"' => string_length(&bytes[at..]),
            b'-' | b'0'..=b'9' => bytes[at..].iter().take_while(|byte| is_of_number(**byte)).count(),
            _ => 1,
        };
        // Strings end at quotes and numbers are ASCII, so that no character is cut.
        let end = bytes.len().min(at + length);
        match (byte, text.get(at..end)) {
            (b'"' | b'-' | b'0'..=b'9', Some(part)) => push_scalar(part, &mut written),
            (byte, _) if byte.is_ascii_whitespace() => {}
            (_, part) => written.push_str(part.unwrap_or_default()),
        }
        at = end;
    }
    written
}

/// With both quotes.
fn string_length(bytes: &[u8]) -> usize {
    let mut at = 1;
    loop {
        match bytes.get(at) {
            None => return bytes.len(),
            Some(b'"') => return at + 1,
            Some(b'\\') => at += 2,
            Some(_) => at += 1,
        }
    }
}

fn is_of_number(byte: u8) -> bool {
    byte.is_ascii_digit() || matches!(byte, b'-' | b'+' | b'.' | b'e' | b'E')
}

fn push_scalar(part: &str, written: &mut String) {
    let is_whole = part.trim_start_matches('-').bytes().all(|byte| byte.is_ascii_digit());
    match serde_json::from_str::<Json>(part) {
        Ok(value) if !is_whole => written.push_str(&value.to_string()),
        _ => written.push_str(part),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_what_a_tree_of_values_is_written_as() {
        for text in [
            "[]",
            "{ }",
            r#" [ 1 , "y" , -2.50e1, 1e5, 0.1, true, null, "ü ß", [ ], { "a" : [ { } ] } ] "#,
            r#"{"b" : "a \"quoted\\\" \u0041\n\/ text, with: [blanks]", "a":{"k ":"\ud83d\ude00"}}"#,
            "[-0.0, 9223372036854775807, -9223372036854775808, 18446744073709551615]",
        ] {
            let tree: Json = serde_json::from_str(text).unwrap();
            assert_eq!(compact(text), tree.to_string(), "{text}");
        }
    }

    #[test]
    fn long_integers_keep_their_digits() {
        let text = r#"[ 123456789012345678901234567890 , {"k": -18446744073709551617} ]"#;
        assert_eq!(compact(text), r#"[123456789012345678901234567890,{"k":-18446744073709551617}]"#);
    }

    #[test]
    fn what_is_no_json_is_no_panic() {
        for text in ["\"", "\"\\", "[\"ü", "-", "1e", "é", "\"\\ü\""] {
            compact(text);
        }
    }
}
