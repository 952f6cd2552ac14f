//! Which columns stay when not all fit. One takes the place of others only if it saves more for the bytes it takes: how
//! often it was asked for lately, times what reading it costs. So one question over much text does not push out what all
//! others use, and of data that does not fit as a whole the same part stays instead of each in its turn.

use std::collections::VecDeque;
use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashMap};
use tidegauge_heap::Apart;

use super::kept::{Kept, Key, memory_of};

/// The columns of one kind that are kept.
#[derive(Debug, Default)]
pub(super) struct Share {
    pub(super) bytes: usize,
    entries: HashMap<Key, Entry>,
    /// In the order in which they are compared with new ones.
    queue: VecDeque<Key>,
    asked: Frequencies,
}

#[derive(Debug)]
struct Entry {
    kept: Kept,
    size: Size,
    /// The cache has a bound of its own: what is in it does not count as the query's that read it.
    _apart: Apart,
}

/// What keeping a column takes, and what reading it again would cost. Costs compare within a share.
#[derive(Clone, Copy, Debug)]
pub(super) struct Size {
    pub(super) bytes: usize,
    pub(super) cost: usize,
}

impl Size {
    /// What keeping a column saves that was asked for so often, for each of the bytes that it takes.
    fn worth(self, asked: u32) -> f64 {
        f64::from(asked) * self.cost as f64 / self.bytes.max(1) as f64
    }
}

/// How often columns were asked for lately, kept or not.
#[derive(Debug, Default)]
struct Frequencies {
    hasher: DefaultHashBuilder,
    counts: HashMap<u64, u32>,
    since_halved: usize,
}

impl Share {
    /// With how many columns that are worth more a new one is compared before it is not kept.
    const COMPARED_MAX: usize = 8;

    pub(super) fn get(&mut self, key: &Key) -> Option<Kept> {
        self.asked.add(key, self.entries.len());
        self.entries.get(key).map(|entry| entry.kept.clone())
    }

    /// The same in one form. It counts as asked for only if it is kept so: who gets none asks again for it in any form.
    pub(super) fn in_form<T>(&mut self, key: &Key, form: impl FnOnce(&Kept) -> Option<T>) -> Option<T> {
        let found = form(&self.entries.get(key)?.kept)?;
        self.asked.add(key, self.entries.len());
        Some(found)
    }

    /// Whether a column that is being asked for was before.
    pub(super) fn was_asked_before(&self, key: &Key) -> bool {
        self.asked.count(key) > 1
    }

    pub(super) fn insert(&mut self, key: Key, kept: Kept, cost: usize, bytes_max: usize) {
        let size = Size { bytes: memory_of(&kept), cost };
        let is_in = self.entries.contains_key(&key);
        if is_in || size.bytes > bytes_max || !self.make_room(size, bytes_max, &key) {
            return;
        }
        self.bytes += size.bytes;
        self.queue.push_back(key.clone());
        self.entries.insert(key, Entry { kept, size, _apart: Apart::new(size.bytes) });
    }

    /// Whether a column of this size would be kept, now.
    pub(super) fn has_room(&self, size: Size, bytes_max: usize, key: &Key) -> bool {
        let worth = size.worth(self.asked.count(key));
        self.bytes + size.bytes <= bytes_max
            || self.queue.iter().take(Self::COMPARED_MAX).any(|victim| self.worth(victim) < worth)
    }

    /// Lets columns go that are worth less than this one; false where not enough of them are found.
    fn make_room(&mut self, size: Size, bytes_max: usize, key: &Key) -> bool {
        let worth = size.worth(self.asked.count(key));
        let mut compared = 0;
        while self.bytes + size.bytes > bytes_max {
            let Some(victim) = self.queue.pop_front() else { return false };
            if self.worth(&victim) < worth {
                self.remove(&victim);
                continue;
            }
            self.queue.push_back(victim);
            compared += 1;
            if compared == Self::COMPARED_MAX {
                return false;
            }
        }
        true
    }

    /// What a kept column saves. It counts as asked for once more: a question that goes through all blocks has asked for
    /// the new one already and comes to this one later, and would push out each before its turn.
    fn worth(&self, key: &Key) -> f64 {
        self.entries.get(key).map_or(0.0, |entry| entry.size.worth(self.asked.count(key) + 1))
    }

    fn remove(&mut self, key: &Key) {
        if let Some(gone) = self.entries.remove(key) {
            self.bytes -= gone.size.bytes;
        }
    }

    /// Lets columns go that nobody will ask for any more.
    pub(super) fn forget(&mut self, is_gone: impl Fn(&Key) -> bool) {
        let gone = self.entries.extract_if(|key, _| is_gone(key));
        let (count, bytes) =
            gone.fold((0, 0), |(count, bytes), (_, entry)| (count + 1, bytes + entry.size.bytes));
        self.bytes -= bytes;
        if count > 0 {
            self.queue.retain(|key| !is_gone(key));
        }
    }

    /// Lets columns go until no more bytes are kept than these.
    pub(super) fn shrink_to(&mut self, bytes_max: usize) {
        while self.bytes > bytes_max {
            let Some(victim) = self.queue.pop_front() else { return };
            self.remove(&victim);
        }
    }
}

impl Frequencies {
    /// When each column that is kept could have been asked for so often, the counts are halved, so that what was asked for
    /// very often long ago gives way to what is asked for now.
    const HALVED_AFTER_EACH: usize = 64;

    /// Within these bounds: few columns must not forget at once, and many must not count for ever. No count passes twice
    /// the greater one, so that none is ever full.
    const HALVED_AFTER_MIN: usize = 1 << 14;
    const HALVED_AFTER_MAX: usize = 1 << 19;

    fn add(&mut self, key: &Key, kept: usize) {
        *self.counts.entry(self.hasher.hash_one(key)).or_insert(0) += 1;
        self.since_halved += 1;
        let due = kept.saturating_mul(Self::HALVED_AFTER_EACH);
        if self.since_halved >= due.clamp(Self::HALVED_AFTER_MIN, Self::HALVED_AFTER_MAX) {
            self.since_halved = 0;
            self.counts.retain(|_, count| {
                *count /= 2;
                *count > 0
            });
        }
    }

    fn count(&self, key: &Key) -> u32 {
        self.counts.get(&self.hasher.hash_one(key)).copied().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests;
