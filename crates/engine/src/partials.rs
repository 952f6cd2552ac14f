//! States of groups by block, kept while they fit. A question that is asked again, as dashboards and monitors do, then
//! computes only the blocks that are new or cut by its range of time. Blocks never change, so a kept state is as good as
//! a computed one; what is computed of a block is told by a fingerprint. What is asked once leaves nothing behind.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arrow_array::RecordBatch;
use hashbrown::{HashMap, HashSet};
use tidegauge_store::BlockId;

/// Tells what is computed of a block: the conditions, the keys, the aggregates, and the columns they read.
pub(crate) type Fingerprint = u128;

type Key = (BlockId, Fingerprint);

/// How many questions are remembered as asked, and as not worth keeping.
const REMEMBERED_MAX: usize = 10_000;

/// What an entry costs beside its state.
const ENTRY_BYTES: usize = 256;

/// The kept states of all questions.
#[derive(Debug)]
pub(crate) struct PartialCache(Mutex<Kept>);

/// What the rows of one block come to.
#[derive(Clone, Debug)]
pub(crate) struct Partial {
    /// The states of its groups; none where no row passed.
    pub(crate) states: Option<RecordBatch>,
    /// How many rows passed.
    pub(crate) matched: u64,
}

#[derive(Debug, Default)]
struct Kept {
    bytes_max: usize,
    bytes: usize,
    entries: HashMap<Key, Entry>,
    /// In the order in which they are let go, unless they were used since they stand there.
    queue: VecDeque<Key>,
    asked: HashSet<Fingerprint>,
    wide: HashSet<Fingerprint>,
}

#[derive(Debug)]
struct Entry {
    partial: Partial,
    bytes: usize,
    is_used: bool,
}

/// The kept states of one question.
#[derive(Clone, Debug)]
pub(crate) struct Partials {
    cache: Arc<PartialCache>,
    fingerprint: Fingerprint,
}

impl PartialCache {
    pub(crate) fn new(bytes_max: usize) -> Self {
        Self(Mutex::new(Kept { bytes_max, ..Kept::default() }))
    }

    /// How many bytes are kept.
    pub(crate) fn bytes(&self) -> usize {
        self.kept().bytes
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Partials {
    /// The kept states of a question that was asked before and is worth keeping. Asking counts.
    pub(crate) fn of(cache: &Arc<PartialCache>, fingerprint: Fingerprint) -> Option<Self> {
        let mut kept = cache.kept();
        if kept.asked.len() >= REMEMBERED_MAX {
            kept.asked.clear();
        }
        let is_new = kept.asked.insert(fingerprint);
        if is_new || kept.wide.contains(&fingerprint) {
            return None;
        }
        Some(Self { cache: Arc::clone(cache), fingerprint })
    }

    /// Whether the state of a block is kept. This does not count as a use.
    pub(crate) fn has(&self, block: BlockId) -> bool {
        self.cache.kept().entries.contains_key(&(block, self.fingerprint))
    }

    pub(crate) fn get(&self, block: BlockId) -> Option<Partial> {
        let mut kept = self.cache.kept();
        let entry = kept.entries.get_mut(&(block, self.fingerprint))?;
        entry.is_used = true;
        Some(entry.partial.clone())
    }

    pub(crate) fn insert(&self, block: BlockId, partial: Partial) {
        let states = partial.states.as_ref().map_or(0, RecordBatch::get_array_memory_size);
        let bytes = ENTRY_BYTES + states;
        let key = (block, self.fingerprint);
        let mut kept = self.cache.kept();
        if kept.entries.contains_key(&key) || !kept.make_room(bytes) {
            return;
        }
        kept.bytes += bytes;
        kept.queue.push_back(key);
        kept.entries.insert(key, Entry { partial, bytes, is_used: false });
    }

    /// Notes that the blocks have so many groups that keeping them is not worth it.
    pub(crate) fn give_up(&self) {
        let mut kept = self.cache.kept();
        if kept.wide.len() >= REMEMBERED_MAX {
            kept.wide.clear();
        }
        kept.wide.insert(self.fingerprint);
    }
}

impl Kept {
    /// Lets entries go that were not used since they last had their turn. False where it cannot fit.
    fn make_room(&mut self, bytes: usize) -> bool {
        // One question must not fill the cache with a few blocks.
        if bytes > self.bytes_max / 16 {
            return false;
        }
        while self.bytes + bytes > self.bytes_max {
            let Some(key) = self.queue.pop_front() else { return false };
            let Some(entry) = self.entries.get_mut(&key) else { continue };
            if std::mem::take(&mut entry.is_used) {
                self.queue.push_back(key);
            } else if let Some(gone) = self.entries.remove(&key) {
                self.bytes -= gone.bytes;
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(number: u32) -> BlockId {
        BlockId::Segment { segment: 1, row_group: number }
    }

    fn partial(matched: u64) -> Partial {
        Partial { states: None, matched }
    }

    #[test]
    fn what_is_asked_once_is_not_kept() {
        let cache = Arc::new(PartialCache::new(1 << 20));
        assert!(Partials::of(&cache, 1).is_none());
        let again = Partials::of(&cache, 1).unwrap();
        assert!(Partials::of(&cache, 2).is_none());
        again.give_up();
        assert!(Partials::of(&cache, 1).is_none());
    }

    #[test]
    fn what_was_used_stays_longer() {
        let cache = Arc::new(PartialCache::new(20 * ENTRY_BYTES));
        Partials::of(&cache, 1);
        let partials = Partials::of(&cache, 1).unwrap();
        for number in 0..20 {
            partials.insert(block(number), partial(number.into()));
        }
        assert_eq!(cache.bytes(), 20 * ENTRY_BYTES);
        assert_eq!(partials.get(block(0)).unwrap().matched, 0);
        partials.insert(block(20), partial(20));
        assert!(partials.get(block(0)).is_some(), "was used");
        assert!(partials.get(block(1)).is_none(), "the next in turn");
        assert!(partials.get(block(20)).is_some());
        assert_eq!(cache.bytes(), 20 * ENTRY_BYTES);
    }
}
