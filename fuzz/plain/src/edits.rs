//! Changes of bytes that a target's input describes, for forms that chance would not write: a whole file is made by the
//! code itself, and then damaged.

/// A list of changes, four bytes each: a place of two bytes, which change, and its value.
#[derive(Clone, Copy, Debug)]
pub struct Edits<'a>(pub &'a [u8]);

impl Edits<'_> {
    /// Makes the changes, at most eight, and tells which bytes may differ. Places count from the start, or from the end
    /// with the highest bit.
    pub fn apply(self, bytes: &mut Vec<u8>) -> Vec<usize> {
        let mut touched = Vec::new();
        for edit in self.0.chunks_exact(4).take(8) {
            let place = usize::from(u16::from_le_bytes([edit[0], edit[1]]) & 0x7fff);
            let place = if edit[1] & 0x80 == 0 { place } else { bytes.len().wrapping_sub(place + 1) };
            if place >= bytes.len() {
                continue;
            }
            match edit[2] % 4 {
                0 => bytes[place] ^= 1 << (edit[3] % 8),
                1 => bytes[place] = edit[3],
                2 => {
                    let end = (place + usize::from(edit[3])).min(bytes.len());
                    bytes[place..end].fill(0);
                    touched.extend(place..end);
                }
                _ => {
                    touched.extend(place..bytes.len());
                    bytes.truncate(place);
                }
            }
            touched.push(place);
        }
        touched
    }
}
