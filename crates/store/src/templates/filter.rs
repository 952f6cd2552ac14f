//! A bloom filter over minimizers of the longer variables. Of every eight letters in a row, the 6-gram that comes
//! first by its hash is the minimizer: whoever looks for a string of eight or more letters computes the same, wherever in
//! a variable it stands. That is a third of all 6-grams, and finds parts of ids as well as whole ones.

/// Strings from this length on can be looked for.
pub const FRAGMENT_BYTES_LEAST: usize = GRAM_BYTES + WINDOW_GRAMS - 1;

const GRAM_BYTES: usize = 6;

/// Of so many 6-grams in a row, one is the minimizer.
const WINDOW_GRAMS: usize = 3;

/// Of the filter, for each minimizer: about one in forty that are not there is taken for one that is.
const BITS_FOR_EACH: usize = 8;

/// A block of eight words, in each of which a minimizer has one bit.
type Block = [u32; 8];

const SALTS: Block =
    [0x47b6_137b, 0x4497_4d91, 0x8824_ad5b, 0xa2b7_289d, 0x7054_95c7, 0x2df1_424b, 0x9efc_4947, 0x5c6b_fb31];

/// The filter. Without a block it knows nothing, and nothing is left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Filter {
    blocks: Vec<Block>,
}

impl Filter {
    /// A filter of these minimizers, which may repeat.
    pub(super) fn of(mut minimizers: Vec<u64>) -> Self {
        minimizers.sort_unstable();
        minimizers.dedup();
        let bits = minimizers.len() * BITS_FOR_EACH;
        let mut filter = Self { blocks: vec![Block::default(); bits.div_ceil(Block::BITS_IN_ALL).max(1)] };
        for minimizer in minimizers {
            let place = filter.place(minimizer);
            for (word, bit) in filter.blocks[place].iter_mut().zip(bits_of(minimizer)) {
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
        each_minimizer(fragment, |minimizer| {
            let block = &self.blocks[self.place(minimizer)];
            may &= block.iter().zip(bits_of(minimizer)).all(|(word, bit)| word & bit != 0);
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

    fn place(&self, minimizer: u64) -> usize {
        // The high half, so that it has nothing to do with the bits inside the block.
        (((minimizer >> 32) * self.blocks.len() as u64) >> 32) as usize
    }
}

trait Bits {
    const BITS_IN_ALL: usize;
}

impl Bits for Block {
    const BITS_IN_ALL: usize = size_of::<Block>() * 8;
}

fn bits_of(minimizer: u64) -> Block {
    SALTS.map(|salt| 1 << ((minimizer as u32).wrapping_mul(salt) >> 27))
}

/// The minimizers of a string; none of one that is too short.
pub(super) fn each_minimizer(text: &[u8], mut keep: impl FnMut(u64)) {
    if text.len() < FRAGMENT_BYTES_LEAST {
        return;
    }
    let mut last = [u64::MAX; WINDOW_GRAMS];
    let mut kept = None;
    for (number, gram) in text.windows(GRAM_BYTES).enumerate() {
        last[number % WINDOW_GRAMS] = hash(gram);
        if number + 1 < WINDOW_GRAMS {
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

fn hash(gram: &[u8]) -> u64 {
    let number = gram.iter().fold(0_u64, |number, byte| number << 8 | u64::from(byte.to_ascii_lowercase()));
    // Two rounds of a multiplication and a fold spread every bit of the six bytes over all of the number.
    let mixed = (number ^ number >> 23).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed ^ mixed >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93) ^ mixed >> 29
}
