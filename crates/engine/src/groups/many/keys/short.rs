//! Texts that are a number of 128 bits as they are: those of up to fifteen bytes, and sixteen hexadecimal digits.

use super::texts::{DIGITS, Key};

/// Texts up to this length are the rest of their key, and the lowest byte is their length.
const SHORT_MAX: usize = 15;

pub(super) fn short(text: &[u8]) -> Option<Key> {
    let mut bytes = [0; size_of::<Key>()];
    bytes.get_mut(1..=text.len()).filter(|_| text.len() <= SHORT_MAX)?.copy_from_slice(text);
    bytes[0] = text.len() as u8;
    Some(Key::from_le_bytes(bytes))
}

pub(super) fn digits(text: &[u8]) -> Option<Key> {
    let (high, low) = text.split_first_chunk::<8>()?;
    let low: &[u8; 8] = low.try_into().ok()?;
    let number = u64::from(eight_digits(*high)?) << 32 | u64::from(eight_digits(*low)?);
    Some(Key::from(number) << 8 | Key::from(DIGITS))
}

/// What eight hexadecimal digits say, all at once. Only small letters: others would not be written as they were.
fn eight_digits(text: [u8; 8]) -> Option<u32> {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let text = u64::from_be_bytes(text);
    // Of digits and small letters, only letters have this bit.
    let letters = text >> 6 & ONES;
    let mut values = (text & (ONES * 0x0f)) + letters * 9;
    let are_ten_or_more = (values + ONES * 6) >> 4 & ONES;
    let written = values + ONES * u64::from(b'0') + letters * u64::from(b'a' - 10 - b'0');
    if are_ten_or_more != letters || values & (ONES * 0xf0) != 0 || written != text {
        return None;
    }
    values = (values | values >> 4) & 0x00ff_00ff_00ff_00ff;
    values = (values | values >> 8) & 0x0000_ffff_0000_ffff;
    Some((values | values >> 16) as u32)
}
