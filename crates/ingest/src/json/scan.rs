//! Finds the end of the plain part of a string, many bytes at a time.

/// How many bytes are judged together.
const STEP: usize = size_of::<u64>();

/// The place of the first quote, backslash or control character, or the length of the input.
#[inline]
pub(super) fn plain_end(input: &[u8], from: usize) -> usize {
    let mut position = from;
    while let Some(bytes) = input.get(position..).and_then(|rest| rest.first_chunk::<STEP>()) {
        let special = special_bytes(u64::from_le_bytes(*bytes));
        if special != 0 {
            return position + (special.trailing_zeros() / 8) as usize;
        }
        position += STEP;
    }
    let rest = input.get(position..).unwrap_or_default();
    position + rest.iter().position(|byte| is_special(*byte)).unwrap_or(rest.len())
}

/// Marks bytes that end a plain part. Above a marked byte others may be marked wrongly, so only the lowest counts.
/// All three tests look for a borrow out of a byte whose highest bit was clear, and share that last condition.
#[inline]
fn special_bytes(word: u64) -> u64 {
    const EACH: u64 = 0x0101_0101_0101_0101;
    let quote = (word ^ (EACH * b'"' as u64)).wrapping_sub(EACH);
    let backslash = (word ^ (EACH * b'\\' as u64)).wrapping_sub(EACH);
    let control = word.wrapping_sub(EACH * 0x20);
    (quote | backslash | control) & !word & (EACH << 7)
}

#[inline]
fn is_special(byte: u8) -> bool {
    byte == b'"' || byte == b'\\' || byte < 0x20
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_is_judged_alike_at_every_place() {
        for byte in 0..=255_u8 {
            for place in 0..40 {
                let mut input = [b'a'; 40];
                input[place] = byte;
                let expected = if is_special(byte) { place } else { 40 };
                assert_eq!(plain_end(&input, 0), expected, "byte {byte} at {place}");
                assert_eq!(plain_end(&input, place), expected);
            }
        }
        assert_eq!(plain_end(b"ab\"", 3), 3);
    }
}
