//! What names a block for ever, and small sets of kinds.

use tidegauge_model::{FieldKind, SegmentId};
use xxhash_rust::xxh3::xxh3_128;

/// The name of a block. The same name never stands for other rows, so that it can be the key of a cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BlockId {
    /// A row group of a segment, which is never changed.
    Segment { segment: u128, row_group: u32 },
    /// The requests of a dataset from one sequence to another.
    Buffer { dataset: u128, first: u64, last: u64 },
}

impl BlockId {
    pub(super) fn of_group(segment: &SegmentId, row_group: usize) -> Self {
        Self::Segment { segment: segment_number(segment), row_group: row_group as u32 }
    }
}

/// What stands for a segment in the names of its blocks.
pub(crate) fn segment_number(segment: &SegmentId) -> u128 {
    let digits = segment.as_str().strip_prefix(SegmentId::PREFIX).filter(|digits| digits.len() == 32);
    let number = digits.and_then(|digits| u128::from_str_radix(digits, 16).ok());
    number.unwrap_or_else(|| xxh3_128(segment.as_str().as_bytes()))
}

/// A set of kinds of value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct TypeSet(u8);

impl TypeSet {
    pub const NONE: Self = Self(0);

    pub fn contains(self, kind: FieldKind) -> bool {
        self.0 & 1 << kind as u8 != 0
    }

    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    #[must_use]
    pub fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    #[must_use]
    pub fn with(self, kind: FieldKind) -> Self {
        Self(self.0 | 1 << kind as u8)
    }

    /// Its kinds, in the order of [`FieldKind::ALL`].
    pub fn iter(self) -> impl Iterator<Item = FieldKind> {
        FieldKind::ALL.into_iter().filter(move |kind| self.contains(*kind))
    }
}

impl From<FieldKind> for TypeSet {
    fn from(kind: FieldKind) -> Self {
        Self::NONE.with(kind)
    }
}

impl FromIterator<FieldKind> for TypeSet {
    fn from_iter<I: IntoIterator<Item = FieldKind>>(kinds: I) -> Self {
        kinds.into_iter().fold(Self::NONE, Self::with)
    }
}
