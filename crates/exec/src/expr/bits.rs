//! Which rows have one of some codes, as bits. Codes of one byte are compared many at once where few are wanted, or all
//! but a few.

use arrow_buffer::{BooleanBuffer, Buffer};

use super::Codes;

/// Up to so many codes are compared; where more decide, each row is looked up.
const COMPARED_MAX: usize = 8;

/// How many rows make one word of bits.
const WORD: usize = 64;

/// Multiplied with eight bytes of zero or one, it leaves one bit of each in the highest byte, in their order.
const GATHER: u64 = 0x0102_0408_1020_4080;

/// The rows whose code is set in a table of all codes.
pub(super) fn of_codes(codes: &Codes, table: &[bool]) -> BooleanBuffer {
    match codes {
        Codes::U8(codes) => of_bytes(codes, table),
        Codes::U16(codes) => BooleanBuffer::collect_bool(codes.len(), |row| table[usize::from(codes[row])]),
        Codes::U32(codes) => BooleanBuffer::collect_bool(codes.len(), |row| table[codes[row] as usize]),
    }
}

fn of_bytes(codes: &[u8], table: &[bool]) -> BooleanBuffer {
    let those =
        |is_set: bool| (0..=u8::MAX).zip(table).filter(move |(_, set)| **set == is_set).map(|(code, _)| code);
    let (set, unset): (Vec<u8>, Vec<u8>) = (those(true).collect(), those(false).collect());
    if set.len() <= COMPARED_MAX {
        return words(codes, |chunk| equal_to(chunk, &set));
    }
    if unset.len() <= COMPARED_MAX {
        return words(codes, |chunk| !equal_to(chunk, &unset));
    }
    // A table of all bytes needs no look at its end for each row.
    let mut all = [0_u8; 1 << 8];
    all.iter_mut().zip(table).for_each(|(to, from)| *to = u8::from(*from));
    words(codes, |chunk| gathered(&chunk.map(|code| all[usize::from(code)])))
}

/// One word for each 64 codes. What the last one has too many is not looked at.
fn words(codes: &[u8], word: impl Fn(&[u8; WORD]) -> u64) -> BooleanBuffer {
    let (whole, rest) = codes.as_chunks::<WORD>();
    let mut words: Vec<u64> = Vec::with_capacity(whole.len() + 1);
    words.extend(whole.iter().map(&word));
    if !rest.is_empty() {
        let mut last = [0; WORD];
        last[..rest.len()].copy_from_slice(rest);
        words.push(word(&last));
    }
    BooleanBuffer::new(Buffer::from_vec(words), 0, codes.len())
}

fn equal_to(chunk: &[u8; WORD], wanted: &[u8]) -> u64 {
    let mut marks = [0_u8; WORD];
    for code in wanted {
        marks.iter_mut().zip(chunk).for_each(|(mark, other)| *mark |= u8::from(other == code));
    }
    gathered(&marks)
}

/// Bytes of zero or one as bits.
fn gathered(marks: &[u8; WORD]) -> u64 {
    let (eights, _) = marks.as_chunks::<8>();
    let bits = |eight: &[u8; 8]| u64::from_le_bytes(*eight).wrapping_mul(GATHER) >> 56;
    eights.iter().zip((0..64).step_by(8)).fold(0, |word, (eight, shift)| word | bits(eight) << shift)
}
