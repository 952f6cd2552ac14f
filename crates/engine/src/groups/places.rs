//! Groups by the numbers of their keys, each with a place in the order in which they turned up.

use hashbrown::HashMap;

/// Up to how many keys are one number together.
const PACKED_MAX: usize = 4;

/// Groups with their places.
#[derive(Debug)]
pub(super) struct Places {
    places: Map,
    /// The key numbers of each group, one group after the other.
    numbers: Vec<u32>,
    key_count: usize,
    count: usize,
}

#[derive(Debug)]
enum Map {
    Packed(HashMap<u128, usize>),
    Long(HashMap<Vec<u32>, usize>),
}

impl Places {
    pub(super) fn new(key_count: usize) -> Self {
        let places =
            if key_count <= PACKED_MAX { Map::Packed(HashMap::new()) } else { Map::Long(HashMap::new()) };
        Self { places, numbers: Vec::new(), key_count, count: 0 }
    }

    /// The place of a group, a new one if it was not there.
    pub(super) fn of(&mut self, numbers: &[u32]) -> usize {
        let next = self.count;
        let place = match &mut self.places {
            Map::Packed(places) => {
                let packed = numbers.iter().fold(0, |packed, number| packed << 32 | u128::from(*number));
                *places.entry(packed).or_insert(next)
            }
            Map::Long(places) => *places.entry_ref(numbers).or_insert(next),
        };
        if place == next {
            self.count += 1;
            self.numbers.extend_from_slice(numbers);
        }
        place
    }

    /// Makes room for so many more, so that it is not made bit by bit.
    pub(super) fn reserve(&mut self, more: usize) {
        match &mut self.places {
            Map::Packed(places) => places.reserve(more),
            Map::Long(places) => places.reserve(more),
        }
        self.numbers.reserve(more * self.key_count);
    }

    pub(super) fn len(&self) -> usize {
        self.count
    }

    pub(super) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The numbers of all groups from a place on, those of one group together.
    pub(super) fn from(&self, place: usize) -> impl Iterator<Item = &[u32]> {
        // Without keys there are no numbers, and at most one group.
        let groups = self.numbers.chunks_exact(self.key_count.max(1));
        let without_keys = if self.key_count == 0 { self.count } else { 0 };
        groups.chain(std::iter::repeat_n(&[][..], without_keys)).skip(place)
    }

    /// The numbers of one key of all groups, by place.
    pub(super) fn of_key(&self, key: usize) -> impl Iterator<Item = u32> {
        self.numbers.iter().skip(key).step_by(self.key_count.max(1)).copied()
    }

    pub(super) fn clear(&mut self) {
        match &mut self.places {
            Map::Packed(places) => places.clear(),
            Map::Long(places) => places.clear(),
        }
        self.numbers.clear();
        self.count = 0;
    }
}
