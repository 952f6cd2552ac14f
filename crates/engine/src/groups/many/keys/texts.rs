//! A key as a number, and the bytes of those that are longer texts.

/// A key as a number. Its lowest byte tells of a text what the rest is.
pub(in crate::groups::many) type Key = u128;

/// How many bytes a text has that lies in its key.
pub(super) const TEXT_BYTES: usize = size_of::<Key>();

/// The rest is what sixteen hexadecimal digits say.
pub(super) const DIGITS: u8 = 0x40;

/// The rest is a hash of 32 bits, a length of 24, and where the bytes begin.
pub(super) const LONG: u8 = 0x80;
/// The bytes of longer texts, of which the first has this place.
#[derive(Clone, Copy, Debug)]
pub(in crate::groups::many) struct Texts<'a> {
    pub(in crate::groups::many) bytes: &'a [u8],
    pub(in crate::groups::many) first: usize,
}

/// The key of a longer text that lies elsewhere.
pub(in crate::groups::many) fn placed(key: Key, place: usize) -> Key {
    key & Key::from(u64::MAX) | (place as Key) << u64::BITS
}

/// Where a longer text lies.
pub(in crate::groups::many) fn place_of(key: Key) -> usize {
    (key >> u64::BITS) as usize
}

impl<'a> Texts<'a> {
    /// The bytes of a longer text.
    pub(in crate::groups::many) fn long(self, key: Key) -> &'a [u8] {
        let start = place_of(key) - self.first;
        &self.bytes[start..start + (key as u64 >> 40) as usize]
    }

    /// The bytes of a text, in the space that is given where they lie nowhere else.
    pub(super) fn text(self, key: Key, space: &'a mut [u8; TEXT_BYTES]) -> &'a [u8] {
        match key as u8 {
            LONG => self.long(key),
            DIGITS => {
                let number = (key >> 8) as u64;
                for (place, byte) in space.iter_mut().enumerate() {
                    *byte = b"0123456789abcdef"[(number >> (60 - 4 * place)) as usize & 15];
                }
                space
            }
            length => {
                *space = key.to_le_bytes();
                &space[1..=usize::from(length)]
            }
        }
    }
}
