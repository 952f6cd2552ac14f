//! Codes: for each row the place of its value among the values of a column.

use arrow_buffer::ScalarBuffer;

/// Places in a table of values, as small as the table allows.
#[derive(Clone, Debug)]
pub enum Codes {
    U8(ScalarBuffer<u8>),
    U16(ScalarBuffer<u16>),
    U32(ScalarBuffer<u32>),
}

impl Codes {
    /// How many rows there are.
    #[inline]
    pub fn len(&self) -> usize {
        match self {
            Self::U8(codes) => codes.len(),
            Self::U16(codes) => codes.len(),
            Self::U32(codes) => codes.len(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The place of a row's value.
    #[inline]
    pub fn at(&self, row: usize) -> usize {
        match self {
            Self::U8(codes) => usize::from(codes[row]),
            Self::U16(codes) => usize::from(codes[row]),
            Self::U32(codes) => codes[row] as usize,
        }
    }
}
