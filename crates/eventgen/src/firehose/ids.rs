//! Ids as social networks make them: of accounts, of records by the time when they were made, and of contents. They are
//! written in base 32; the first letters are the highest bits.

use super::super::draws::mix_two;

/// Whose letters are in the order of their values.
const SORTABLE: &[u8; 32] = b"234567abcdefghijklmnopqrstuvwxyz";
const PLAIN: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";

const ACCOUNTS: u64 = 0x6163_636f;

/// The lowest bits, five for each letter.
fn base32<const WIDTH: usize>(out: &mut Vec<u8>, alphabet: &[u8; 32], bits: u64) {
    let mut letters = [alphabet[0]; WIDTH];
    let mut rest = bits;
    for letter in letters.iter_mut().rev() {
        *letter = alphabet[(rest & 31) as usize];
        rest >>= 5;
    }
    out.extend_from_slice(&letters);
}

/// An account has 24 letters, which do not tell how frequent it is.
pub fn account(out: &mut Vec<u8>, person: u64) {
    out.extend_from_slice(b"did:plc:");
    base32::<12>(out, PLAIN, mix_two(ACCOUNTS, person));
    base32::<12>(out, PLAIN, mix_two(person, ACCOUNTS));
}

/// A record has 13 letters, which are in the order of time.
pub fn record(out: &mut Vec<u8>, micros: i64, clock: u64) {
    let micros = micros.max(0) as u64;
    base32::<13>(out, SORTABLE, (micros << 10) | (clock & 1_023));
}

/// A content has 59 letters, of which 52 differ.
pub fn content(out: &mut Vec<u8>, bits: u64) {
    out.extend_from_slice(b"bafyrei");
    for part in 0..4 {
        base32::<13>(out, PLAIN, mix_two(bits, part));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(write: impl Fn(&mut Vec<u8>)) -> String {
        let mut out = Vec::new();
        write(&mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn ids_have_their_length_and_records_the_order_of_time() {
        assert_eq!(text(|out| account(out, 7)).len(), "did:plc:".len() + 24);
        assert_eq!(text(|out| content(out, 7)).len(), 59);
        assert_ne!(text(|out| account(out, 7)), text(|out| account(out, 8)));
        assert_ne!(text(|out| content(out, 7)), text(|out| content(out, 8)));
        let first = text(|out| record(out, 1_767_225_600_000_000, 1_023));
        let next = text(|out| record(out, 1_767_225_600_000_001, 0));
        assert_eq!(first.len(), 13);
        assert!(first < next, "{first} {next}");
        assert_eq!(text(|out| record(out, 0, 33)), "2222222222233");
    }
}
