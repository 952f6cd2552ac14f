//! Bytes as hexadecimal text.

/// Two lower-case digits for each byte.
pub fn encode(bytes: &[u8]) -> String {
    let digit = |nibble: u8| char::from(b"0123456789abcdef"[usize::from(nibble)]);
    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        text.push(digit(byte >> 4));
        text.push(digit(byte & 15));
    }
    text
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_byte_has_two_digits() {
        assert_eq!(super::encode(&[0, 9, 255]), "0009ff");
    }
}
