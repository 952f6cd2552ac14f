//! A bloom filter over pieces of the longer variables. Of every eight letters in a row, the piece of six that comes
//! first by its hash is kept: whoever looks for a text of eight or more letters computes the same pieces, wherever in
//! a variable it stands. That is a third of all pieces, and finds parts of ids as well as whole ones.

/// Texts from this length on can be looked for.
pub const FRAGMENT_BYTES_LEAST: usize = PIECE_BYTES + PIECES - 1;

const PIECE_BYTES: usize = 6;

/// Of so many pieces in a row, one is kept.
const PIECES: usize = 3;

/// Of the filter, for each piece: about one in forty that are not there is taken for one that is.
const BITS_FOR_EACH: usize = 8;

/// A block of eight words, in each of which a piece has one bit.
type Block = [u32; 8];

const SALTS: Block =
    [0x47b6_137b, 0x4497_4d91, 0x8824_ad5b, 0xa2b7_289d, 0x7054_95c7, 0x2df1_424b, 0x9efc_4947, 0x5c6b_fb31];

/// The filter. Without a block it knows nothing, and nothing is left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Filter {
    blocks: Vec<Block>,
}

impl Filter {
    /// A filter of these pieces, which may repeat.
    pub(super) fn of(mut pieces: Vec<u64>) -> Self {
        pieces.sort_unstable();
        pieces.dedup();
        let bits = pieces.len() * BITS_FOR_EACH;
        let mut filter = Self { blocks: vec![Block::default(); bits.div_ceil(Block::BITS_IN_ALL).max(1)] };
        for piece in pieces {
            let place = filter.place(piece);
            for (word, bit) in filter.blocks[place].iter_mut().zip(bits_of(piece)) {
                *word |= bit;
            }
        }
        filter
    }

    pub(super) fn may_hold(&self, fragment: &[u8]) -> bool {
        if self.blocks.is_empty() {
            return true;
        }
        let mut may = true;
        each_piece(fragment, |piece| {
            let block = &self.blocks[self.place(piece)];
            may &= block.iter().zip(bits_of(piece)).all(|(word, bit)| word & bit != 0);
        });
        may
    }

    pub(super) fn bytes(&self) -> usize {
        self.blocks.len() * size_of::<Block>()
    }

    pub(super) fn write(&self, out: &mut Vec<u8>) {
        for word in self.blocks.iter().flatten() {
            out.extend_from_slice(&word.to_le_bytes());
        }
    }

    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        let (blocks, rest) = bytes.as_chunks::<{ size_of::<Block>() }>();
        let block = |bytes: &[u8; size_of::<Block>()]| {
            let mut block = Block::default();
            for (word, bytes) in block.iter_mut().zip(bytes.as_chunks::<4>().0) {
                *word = u32::from_le_bytes(*bytes);
            }
            block
        };
        rest.is_empty().then(|| Self { blocks: blocks.iter().map(block).collect() })
    }

    fn place(&self, piece: u64) -> usize {
        // The high half, so that it has nothing to do with the bits inside the block.
        (((piece >> 32) * self.blocks.len() as u64) >> 32) as usize
    }
}

trait Bits {
    const BITS_IN_ALL: usize;
}

impl Bits for Block {
    const BITS_IN_ALL: usize = size_of::<Block>() * 8;
}

fn bits_of(piece: u64) -> Block {
    SALTS.map(|salt| 1 << ((piece as u32).wrapping_mul(salt) >> 27))
}

/// The pieces of a text that are kept; none of one that is too short.
pub(super) fn each_piece(text: &[u8], mut keep: impl FnMut(u64)) {
    if text.len() < FRAGMENT_BYTES_LEAST {
        return;
    }
    let mut last = [u64::MAX; PIECES];
    let mut kept = None;
    for (number, piece) in text.windows(PIECE_BYTES).enumerate() {
        last[number % PIECES] = hash(piece);
        if number + 1 < PIECES {
            continue;
        }
        let least = last.iter().copied().min().unwrap_or_default();
        // Neighbours mostly have the same.
        if kept != Some(least) {
            keep(spread(least));
            kept = Some(least);
        }
    }
}

/// Evens a number out again: the least of several is mostly small.
fn spread(least: u64) -> u64 {
    let mixed = (least ^ least >> 31).wrapping_mul(0xa076_1d64_78bd_642f);
    mixed ^ mixed >> 32
}

fn hash(piece: &[u8]) -> u64 {
    let number = piece.iter().fold(0_u64, |number, byte| number << 8 | u64::from(byte.to_ascii_lowercase()));
    // Two rounds of a multiplication and a fold spread every bit of the six bytes over all of the number.
    let mixed = (number ^ number >> 23).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed ^ mixed >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93) ^ mixed >> 29
}
