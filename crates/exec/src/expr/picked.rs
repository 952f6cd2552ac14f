//! Which rows of a block are wanted: a stretch of them, or some.

use std::ops::Range;

use arrow_buffer::BooleanBuffer;

/// Rows of a block, ascending.
#[derive(Clone, Debug)]
pub enum Picked {
    Range(Range<usize>),
    Rows(Vec<u32>),
}

impl Picked {
    #[inline]
    pub fn count(&self) -> usize {
        match self {
            Self::Range(range) => range.len(),
            Self::Rows(rows) => rows.len(),
        }
    }

    /// The number in the block of the row at a place among these.
    #[inline]
    pub fn row(&self, place: usize) -> u32 {
        match self {
            Self::Range(range) => (range.start + place) as u32,
            Self::Rows(rows) => rows[place],
        }
    }

    /// Those whose bit is set.
    pub fn keep(self, bits: &BooleanBuffer) -> Self {
        let kept = bits.count_set_bits();
        if kept == bits.len() {
            return self;
        }
        let mut rows = Vec::with_capacity(kept);
        match &self {
            Self::Range(range) => rows.extend(bits.set_indices().map(|at| (range.start + at) as u32)),
            Self::Rows(before) => rows.extend(bits.set_indices().map(|at| before[at])),
        }
        Self::Rows(rows)
    }

    /// Some of these, by their places.
    pub fn slice(&self, places: Range<usize>) -> Self {
        match self {
            Self::Range(range) => Self::Range(range.start + places.start..range.start + places.end),
            Self::Rows(rows) => Self::Rows(rows[places].to_vec()),
        }
    }
}
