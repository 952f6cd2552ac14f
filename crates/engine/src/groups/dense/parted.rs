//! A scan in parts, by what is kept of its blocks: those that were computed before are taken as they are, and those that
//! will be the same when the question is asked again are told from the others.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use tidegauge_cache::partials::{self, MergedRun, Partials};
use tidegauge_store::{Block, BlockId};

use crate::groups::states::{Check, Kept, States, Unmerged};
use crate::scan::Scan;

/// A scan in parts.
pub(super) struct Parted {
    /// The states of blocks that are kept.
    pub(super) kept: States,
    /// Blocks that are kept and not merged yet.
    pub(super) unmerged: Vec<Unmerged>,
    /// Blocks that lie in the range as a whole and are not kept yet.
    pub(super) new: Scan,
    /// Blocks that are cut by the range, or not in a segment yet.
    pub(super) rest: Scan,
}

/// Takes the states of the blocks that are kept, and parts the others.
pub(super) fn parted(scan: &Scan, partials: &Partials, threads: usize, may_merge: bool) -> Parted {
    let is_whole = |block: &Block| !block.is_buffered() && scan.has_whole(block);
    let (whole, rest): (Vec<Block>, Vec<Block>) = scan.blocks.iter().cloned().partition(is_whole);
    let ids: Vec<BlockId> = whole.iter().map(Block::id).collect();
    let mut whole = whole.into_iter();
    let (mut kept, mut unmerged, mut new) = (States::default(), Vec::new(), Vec::new());
    let count_kept = |blocks: usize, matched: u64| {
        scan.counters.rows_matched.fetch_add(matched, Ordering::Relaxed);
        scan.counters.blocks_examined.fetch_add(blocks as u64, Ordering::Relaxed);
        scan.counters.blocks_kept.fetch_add(blocks as u64, Ordering::Relaxed);
    };
    let runs: Vec<&[BlockId]> = partials::cut(&ids).collect();
    let due = if may_merge { partials.is_check_due() } else { None };
    let checked = due.map(|number| (number % runs.len().max(1) as u64) as usize);
    for (number, ids) in runs.into_iter().enumerate() {
        let blocks: Vec<Block> = whole.by_ref().take(ids.len()).collect();
        let is_checked = checked == Some(number);
        match stretch(ids, &blocks, partials, may_merge) {
            Stretch::Run(run) => {
                count_kept(ids.len(), run.matched);
                kept.runs.push(Arc::clone(&run));
                kept.check = kept.check.or(is_checked.then_some(Check { blocks, kept: Kept::Run(run) }));
            }
            Stretch::Blocks { run, missing } => {
                count_kept(ids.len() - missing.len(), run.matched);
                let is_whole = may_merge && missing.is_empty();
                if is_whole && is_checked {
                    kept.check = Some(Check { blocks, kept: Kept::Blocks(run.clone()) });
                }
                if is_whole && run.states.len() > 1 && partials.may_keep_run(&run.states) {
                    unmerged.push(run);
                } else {
                    kept.loose.extend(run.states);
                }
                new.extend(missing);
            }
        }
    }
    let mut rest = scan.of_blocks(rest);
    rest.split_for(threads, scan.read.clone());
    Parted { kept, unmerged, new: scan.of_blocks(new), rest }
}

/// What is kept of blocks that follow each other.
enum Stretch {
    Run(Arc<MergedRun>),
    /// Their own states, and those blocks that have none.
    Blocks {
        run: Unmerged,
        missing: Vec<Block>,
    },
}

fn stretch(ids: &[BlockId], blocks: &[Block], partials: &Partials, may_merge: bool) -> Stretch {
    if may_merge && let Some(run) = partials.run(ids) {
        return Stretch::Run(run);
    }
    let mut run = Unmerged { blocks: ids.to_vec(), states: Vec::new(), matched: 0 };
    let mut missing = Vec::new();
    for (id, block) in ids.iter().zip(blocks) {
        match partials.get(*id) {
            Some(partial) => {
                run.states.extend(partial.states);
                run.matched += partial.matched;
            }
            None => missing.push(block.clone()),
        }
    }
    Stretch::Blocks { run, missing }
}
