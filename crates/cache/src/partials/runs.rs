//! The merged states of blocks that follow each other. Merging the states of all blocks is most of what a question costs
//! that was asked before; blocks of which none is new are merged once. Runs are not written to the disk: they are made of
//! states that are.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, RecordBatch};
use tidegauge_store::BlockId;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use super::{ENTRY_SHARE, Of, Partials, State, segment_of};

/// About how many blocks are merged to a run, and the most.
const BLOCKS_ABOUT: u64 = 8;
const BLOCKS_MAX: usize = 16;

/// What the rows of some blocks come to.
#[derive(Debug)]
pub struct MergedRun {
    /// The states of its groups, by bucket where there are buckets.
    pub states: RecordBatch,
    /// Those of its groups over all time; empty where there are no buckets.
    pub totals: RecordBatch,
    /// For each of `states` its row among `totals`.
    pub total_of: Vec<u32>,
    /// For each of `states` what the aggregates come to, where no other block has rows of the same bucket.
    pub values: Vec<ArrayRef>,
    /// The different buckets of `states`.
    pub buckets: Vec<i64>,
    /// How many rows passed.
    pub matched: u64,
}

impl MergedRun {
    pub(super) fn memory_bytes(&self) -> usize {
        let values: usize = self.values.iter().map(|values| values.get_array_memory_size()).sum();
        self.states.get_array_memory_size()
            + self.totals.get_array_memory_size()
            + values
            + self.total_of.len() * size_of::<u32>()
            + self.buckets.len() * size_of::<i64>()
    }
}

impl Partials {
    /// What these blocks come to together, if they were merged before. Their own states count as used, since the run
    /// is made of others when a block comes or goes.
    pub fn run(&self, blocks: &[BlockId]) -> Option<Arc<MergedRun>> {
        let mut kept = self.cache.kept();
        let run = match kept.used((Of::Run(hash(blocks)), self.fingerprint))? {
            State::Run { run, .. } => Arc::clone(run),
            State::Block(_) => return None,
        };
        for block in blocks {
            kept.used((Of::Block(*block), self.fingerprint));
        }
        Some(run)
    }

    /// Whether these states are worth merging: a run that could not be kept would be merged each time.
    pub fn may_keep_run(&self, states: &[RecordBatch]) -> bool {
        let bytes: usize = states.iter().map(RecordBatch::get_array_memory_size).sum();
        bytes <= self.cache.kept().bytes_max / ENTRY_SHARE
    }

    pub fn insert_run(&self, blocks: &[BlockId], run: Arc<MergedRun>) {
        let mut of: Vec<u128> = blocks.iter().filter_map(|block| segment_of(*block)).collect();
        of.dedup();
        self.cache.kept().insert((Of::Run(hash(blocks)), self.fingerprint), State::Run { run, of });
    }
}

/// Cuts blocks into runs. Where one ends is told by the names of the blocks alone, so that a block that comes or goes
/// changes one run and leaves the others as they are.
pub fn cut(blocks: &[BlockId]) -> impl Iterator<Item = &[BlockId]> {
    let mut rest = blocks;
    std::iter::from_fn(move || {
        let is_last = |block: &BlockId| xxh3_64(&bytes_of(block)).is_multiple_of(BLOCKS_ABOUT);
        let end = rest.iter().take(BLOCKS_MAX).position(is_last).map_or(BLOCKS_MAX, |last| last + 1);
        let (run, others) = rest.split_at(end.min(rest.len()));
        rest = others;
        (!run.is_empty()).then_some(run)
    })
}

fn hash(blocks: &[BlockId]) -> u128 {
    let mut hasher = Xxh3::new();
    blocks.iter().for_each(|block| hasher.update(&bytes_of(block)));
    hasher.digest128()
}

fn bytes_of(block: &BlockId) -> [u8; 24] {
    let (high, low) = match block {
        BlockId::Segment { segment, row_group } => (*segment, u64::from(*row_group)),
        BlockId::Buffer { dataset, first, last } => (*dataset ^ u128::from(*first), *last),
    };
    let mut bytes = [0; 24];
    bytes[..16].copy_from_slice(&high.to_le_bytes());
    bytes[16..].copy_from_slice(&low.to_le_bytes());
    bytes
}
