//! States of groups by block, kept while they fit. A question that is asked again, as dashboards and monitors do, then
//! computes only the blocks that are new or cut by its range of time. Blocks never change, so a kept state is as good as
//! a computed one; what is computed of a block is told by a fingerprint. What is asked once leaves nothing behind.

mod checks;
mod disk;
mod gone;
mod runs;

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arrow_array::RecordBatch;
use hashbrown::{HashMap, HashSet};
use tidegauge_exec::Notices;
use tidegauge_heap::Apart;
use tidegauge_store::BlockId;

pub use self::checks::Checked;
use self::checks::Checks;
pub use self::disk::Disk;
#[cfg(feature = "testing")]
pub use self::disk::testing::{decode_partials, encode_partials};
pub use self::runs::{MergedRun, cut};

/// Tells what is computed of a block: the conditions, the keys, the aggregates, and the columns they read.
pub type Fingerprint = u128;

type Key = (Of, Fingerprint);

/// What something is kept of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Of {
    Block(BlockId),
    /// Blocks that follow each other, by a hash of their names.
    Run(u128),
}

/// How many questions are remembered as asked, and as not worth keeping.
const REMEMBERED_MAX: usize = 10_000;

/// How many segments the disk is not asked for again.
const LOOKED_UP_MAX: usize = 100_000;

/// One entry may be this part of all: a question must not fill the cache with a few blocks.
const ENTRY_SHARE: usize = 16;

/// What an entry costs beside its state.
const ENTRY_BYTES: usize = 256;

/// The kept states of all questions.
#[derive(Debug)]
pub struct PartialCache {
    kept: Mutex<Kept>,
    /// Where they are also written to.
    disk: Option<Disk>,
    checks: Checks,
}

/// What the rows of one block come to.
#[derive(Clone, Debug)]
pub struct Partial {
    /// The states of its groups; none where no row passed.
    pub states: Option<RecordBatch>,
    /// How many rows passed.
    pub matched: u64,
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
    /// Of which segments the disk was asked already.
    looked_up: HashSet<(u128, Fingerprint)>,
    /// The greatest number of a row group so far.
    row_group_max: u32,
    /// Segments of which something was kept that is not on the disk.
    unwritten: HashSet<(u128, Fingerprint)>,
}

#[derive(Debug)]
struct Entry {
    state: State,
    bytes: usize,
    is_used: bool,
    /// What is kept does not count as the query's that computed it.
    _apart: Apart,
}

#[derive(Clone, Debug)]
enum State {
    Block(Partial),
    /// With the segments that its blocks are of.
    Run {
        run: Arc<MergedRun>,
        of: Vec<u128>,
    },
}

/// The kept states of one question.
#[derive(Clone, Debug)]
pub struct Partials {
    cache: Arc<PartialCache>,
    fingerprint: Fingerprint,
    notices: Notices,
}

impl PartialCache {
    /// One question of so many is checked; 0 is none.
    pub fn new(bytes_max: usize, disk: Option<Disk>, checked_each: u64) -> Self {
        let kept = Mutex::new(Kept { bytes_max, ..Kept::default() });
        Self { kept, disk, checks: Checks::new(checked_each) }
    }

    pub fn checked(&self) -> Checked {
        self.checks.done()
    }

    /// How many bytes are kept.
    pub fn bytes(&self) -> usize {
        self.kept().bytes
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Partials {
    /// The kept states of a question that was asked before and is worth keeping. Asking counts.
    pub fn of(cache: &Arc<PartialCache>, fingerprint: Fingerprint, notices: &Notices) -> Option<Self> {
        let mut kept = cache.kept();
        if kept.asked.len() >= REMEMBERED_MAX {
            kept.asked.clear();
        }
        let is_new = kept.asked.insert(fingerprint);
        let is_on_disk = || cache.disk.as_ref().is_some_and(|disk| disk.knows(fingerprint));
        if (is_new && !is_on_disk()) || kept.wide.contains(&fingerprint) {
            return None;
        }
        Some(Self { cache: Arc::clone(cache), fingerprint, notices: notices.clone() })
    }

    /// Takes what the disk has of these blocks.
    pub fn look_up(&self, blocks: impl Iterator<Item = BlockId>) {
        let Some(disk) = &self.cache.disk else { return };
        let mut segments: Vec<u128> = blocks.filter_map(segment_of).collect();
        segments.dedup();
        for segment in segments {
            if !self.cache.kept().is_looked_up(segment, self.fingerprint) {
                for (row_group, partial) in disk.read(self.fingerprint, segment) {
                    let block = BlockId::Segment { segment, row_group };
                    self.cache.kept().insert((Of::Block(block), self.fingerprint), State::Block(partial));
                }
            }
        }
    }

    /// Writes what was kept since the last time to the disk.
    pub fn write(&self) {
        let Some(disk) = &self.cache.disk else { return };
        let unwritten: Vec<u128> = {
            let mut kept = self.cache.kept();
            let own = kept.unwritten.extract_if(|(_, fingerprint)| *fingerprint == self.fingerprint);
            own.map(|(segment, _)| segment).collect()
        };
        for segment in unwritten {
            let entries = self.cache.kept().of_segment(segment, self.fingerprint);
            if disk.write(self.fingerprint, segment, &entries).is_err() {
                // What is not on the disk is computed again after a restart: the answer does not suffer.
                return;
            }
        }
    }

    /// Whether the state of a block is kept. This does not count as a use.
    pub fn has(&self, block: BlockId) -> bool {
        self.cache.kept().entries.contains_key(&(Of::Block(block), self.fingerprint))
    }

    pub fn get(&self, block: BlockId) -> Option<Partial> {
        let mut kept = self.cache.kept();
        match kept.used((Of::Block(block), self.fingerprint))? {
            State::Block(partial) => Some(partial.clone()),
            State::Run { .. } => None,
        }
    }

    pub fn insert(&self, block: BlockId, partial: Partial) {
        // What is kept tells nothing of cuts, and who asks again is to be told of them too.
        if self.notices.has_cuts() {
            return;
        }
        let mut kept = self.cache.kept();
        if kept.insert((Of::Block(block), self.fingerprint), State::Block(partial))
            && self.cache.disk.is_some()
            && let Some(segment) = segment_of(block)
        {
            kept.unwritten.insert((segment, self.fingerprint));
        }
    }

    /// Notes that the blocks have so many groups that keeping them is not worth it.
    pub fn give_up(&self) {
        let mut kept = self.cache.kept();
        if kept.wide.len() >= REMEMBERED_MAX {
            kept.wide.clear();
        }
        kept.wide.insert(self.fingerprint);
    }

    /// Whether something of this question is to be compared, with a number that tells what. Asking counts.
    pub fn is_check_due(&self) -> Option<u64> {
        self.cache.checks.is_due()
    }

    /// Notes how a comparison came out. States that turn out wrong are forgotten, and their question is not kept again.
    pub fn note_check(&self, is_right: bool) {
        self.cache.checks.note(is_right);
        if !is_right {
            self.give_up();
            self.cache.kept().forget(self.fingerprint);
            if let Some(disk) = &self.cache.disk {
                disk.forget(self.fingerprint);
            }
        }
    }
}

fn segment_of(block: BlockId) -> Option<u128> {
    match block {
        BlockId::Segment { segment, .. } => Some(segment),
        BlockId::Buffer { .. } => None,
    }
}

impl State {
    fn memory_bytes(&self) -> usize {
        match self {
            Self::Block(partial) => partial.states.as_ref().map_or(0, RecordBatch::get_array_memory_size),
            Self::Run { run, of } => run.memory_bytes() + of.len() * size_of::<u128>(),
        }
    }
}

impl Kept {
    /// Whether the disk was asked for a segment before. From now on it was.
    fn is_looked_up(&mut self, segment: u128, fingerprint: Fingerprint) -> bool {
        if self.looked_up.len() >= LOOKED_UP_MAX {
            self.looked_up.clear();
        }
        !self.looked_up.insert((segment, fingerprint))
    }

    /// A state that is used now.
    fn used(&mut self, key: Key) -> Option<&State> {
        let entry = self.entries.get_mut(&key)?;
        entry.is_used = true;
        Some(&entry.state)
    }

    /// Keeps a state. False where it is there already, or has no room.
    fn insert(&mut self, key: Key, state: State) -> bool {
        let bytes = ENTRY_BYTES + state.memory_bytes();
        if self.entries.contains_key(&key) || !self.make_room(bytes) {
            return false;
        }
        if let (Of::Block(BlockId::Segment { row_group, .. }), _) = key {
            self.row_group_max = self.row_group_max.max(row_group);
        }
        self.bytes += bytes;
        self.queue.push_back(key);
        self.entries.insert(key, Entry { state, bytes, is_used: false, _apart: Apart::new(bytes) });
        true
    }

    /// Lets all go that is kept of a question.
    fn forget(&mut self, fingerprint: Fingerprint) {
        let gone = self.entries.extract_if(|(_, of), _| *of == fingerprint);
        self.bytes -= gone.map(|(_, entry)| entry.bytes).sum::<usize>();
    }

    /// What is kept of a segment.
    fn of_segment(&self, segment: u128, fingerprint: Fingerprint) -> Vec<(u32, Partial)> {
        let row_groups = 0..=self.row_group_max;
        let of = |row_group: u32| {
            let block = BlockId::Segment { segment, row_group };
            match &self.entries.get(&(Of::Block(block), fingerprint))?.state {
                State::Block(partial) => Some((row_group, partial.clone())),
                State::Run { .. } => None,
            }
        };
        row_groups.filter_map(of).collect()
    }

    /// Lets entries go that were not used since they last had their turn. False where it cannot fit.
    fn make_room(&mut self, bytes: usize) -> bool {
        if bytes > self.bytes_max / ENTRY_SHARE {
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
