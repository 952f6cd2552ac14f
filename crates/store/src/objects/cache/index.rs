//! Which ranges of objects are in the cache, and which of them was used longest ago. What is on the disk is left to others.

use std::collections::BTreeMap;

use super::RangeKey;
use super::file::disk_bytes;

/// The most ranges, however short they are: each takes some memory here, and a file on the disk that a start looks at while
/// it has the lease.
const RANGES_MAX: usize = 50_000;

/// The ranges in the cache.
#[derive(Debug, Default)]
pub(super) struct Index {
    /// Each with the number of its last use.
    ranges: BTreeMap<RangeKey, u64>,
    by_use: BTreeMap<u64, RangeKey>,
    uses: u64,
    bytes: u64,
}

impl Index {
    /// What the ranges take on the disk.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Whether a range is there. If so it is the one that was used last.
    pub(super) fn touch(&mut self, key: RangeKey) -> bool {
        let Some(used) = self.ranges.get_mut(&key) else { return false };
        self.uses += 1;
        self.by_use.remove(used);
        self.by_use.insert(self.uses, key);
        *used = self.uses;
        true
    }

    /// Adds a range, as the one that was used last.
    pub(super) fn insert(&mut self, key: RangeKey) {
        if self.touch(key) {
            return;
        }
        self.uses += 1;
        self.ranges.insert(key, self.uses);
        self.by_use.insert(self.uses, key);
        self.bytes += disk_bytes(key);
    }

    pub(super) fn remove(&mut self, key: RangeKey) {
        if let Some(used) = self.ranges.remove(&key) {
            self.by_use.remove(&used);
            self.bytes -= disk_bytes(key);
        }
    }

    /// Removes all ranges of an object.
    pub(super) fn remove_object(&mut self, object: u128) {
        let first = RangeKey { object, start: 0, end: 0 };
        let last = RangeKey { object, start: u64::MAX, end: u64::MAX };
        let own: Vec<RangeKey> = self.ranges.range(first..=last).map(|(key, _)| *key).collect();
        own.into_iter().for_each(|key| self.remove(key));
    }

    /// Removes those that were used longest ago until the rest takes no more than so many bytes. Says which.
    pub(super) fn evict(&mut self, bytes_max: u64) -> Vec<RangeKey> {
        let mut evicted = Vec::new();
        while self.bytes > bytes_max || self.ranges.len() > RANGES_MAX {
            let Some((_, key)) = self.by_use.pop_first() else { break };
            self.ranges.remove(&key);
            self.bytes -= disk_bytes(key);
            evicted.push(key);
        }
        evicted
    }
}

#[cfg(test)]
mod tests {
    use super::{Index, RANGES_MAX, RangeKey};

    fn key(object: u128, start: u64) -> RangeKey {
        RangeKey { object, start, end: start + 4000 }
    }

    #[test]
    fn what_was_used_longest_ago_goes_first() {
        let mut index = Index::default();
        (0..4).for_each(|at| index.insert(key(1, at)));
        assert_eq!(index.bytes(), 4 * 4096);
        assert!(index.touch(key(1, 0)) && !index.touch(key(1, 9)));
        index.insert(key(1, 1));
        assert_eq!(index.bytes(), 4 * 4096, "it was there");
        assert_eq!(index.evict(4 * 4096), Vec::new());
        assert_eq!(index.evict(4 * 4096 - 1), [key(1, 2)]);
        assert_eq!(index.evict(0), [key(1, 3), key(1, 0), key(1, 1)]);
        assert_eq!((index.bytes(), index.evict(0)), (0, Vec::new()));
    }

    #[test]
    fn an_object_goes_with_all_its_ranges_and_no_others() {
        let mut index = Index::default();
        for object in [1, 2, 3] {
            index.insert(key(object, 0));
            index.insert(key(object, u64::MAX - 4000));
        }
        index.remove_object(2);
        assert_eq!(index.bytes(), 4 * 4096);
        assert!(!index.touch(key(2, 0)));
        index.remove(key(1, 0));
        index.remove(key(1, 0));
        assert_eq!(index.evict(0), [key(1, u64::MAX - 4000), key(3, 0), key(3, u64::MAX - 4000)]);
    }

    #[test]
    fn however_short_they_are_there_is_a_most() {
        let mut index = Index::default();
        (0..RANGES_MAX as u64).for_each(|at| index.insert(key(1, at)));
        assert_eq!(index.evict(u64::MAX), Vec::new());
        index.insert(key(2, 0));
        assert_eq!(index.evict(u64::MAX), [key(1, 0)]);
    }
}
