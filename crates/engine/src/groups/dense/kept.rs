//! Blocks whose groups are kept: those that were computed before are taken as they are, and those that will be the same
//! when the question is asked again are computed each for itself.

use std::sync::atomic::Ordering;

use arrow_array::RecordBatch;
use tidegauge_store::Block;

use super::Worker;
use crate::Result;
use crate::partials::{Partial, Partials};
use crate::scan::Scan;

/// Blocks with more groups than these are not worth keeping: merging them costs as much as reading the rows.
const GROUPS_MAX: usize = 8 * 1024;

/// A scan in two parts.
pub(super) struct Parted {
    /// The states of blocks that are kept.
    pub(super) kept: Vec<RecordBatch>,
    /// Blocks that lie in the range as a whole and are not kept yet.
    pub(super) new: Scan,
    /// Blocks that are cut by the range, or not in a segment yet.
    pub(super) rest: Scan,
}

/// Takes the states of the blocks that are kept, and parts the others.
pub(super) fn parted(scan: &Scan, partials: &Partials, threads: usize) -> Parted {
    let mut kept = Vec::new();
    let (mut new, mut rest): (Vec<Block>, Vec<Block>) = Default::default();
    for block in &scan.blocks {
        if block.is_buffered() || !scan.has_whole(block) {
            rest.push(block.clone());
        } else if let Some(partial) = partials.get(block.id()) {
            kept.extend(partial.states);
            scan.counters.rows_matched.fetch_add(partial.matched, Ordering::Relaxed);
            scan.counters.blocks_examined.fetch_add(1, Ordering::Relaxed);
            scan.counters.blocks_kept.fetch_add(1, Ordering::Relaxed);
        } else {
            new.push(block.clone());
        }
    }
    let mut rest = scan.of_blocks(rest);
    rest.split_for(threads);
    Parted { kept, new: scan.of_blocks(new), rest }
}

impl Worker {
    /// Computes the groups of the blocks that are to be kept.
    pub(super) async fn keep(&mut self) -> Result<()> {
        let shared = std::sync::Arc::clone(&self.shared);
        let Some((partials, scan)) = &shared.kept else { return Ok(()) };
        while let Some(claim) = scan.claim() {
            let selected = scan.select(claim).await?;
            let matched = selected.as_ref().map_or(0, |selected| selected.picked.count() as u64);
            if let Some(selected) = &selected {
                self.add(scan, selected).await?;
            }
            if !shared.is_wide.load(Ordering::Relaxed) {
                self.keep_block(&scan.blocks[claim.place], partials, matched)?;
            }
            // Other queries have a turn between blocks.
            tokio::task::yield_now().await;
        }
        Ok(())
    }

    /// Keeps the groups of the block that was just taken over, of which nothing was handed on before.
    fn keep_block(&mut self, block: &Block, partials: &Partials, matched: u64) -> Result<()> {
        let groups = self.places.len();
        let was_cut = matched > 0 && groups == 0;
        if groups > GROUPS_MAX || was_cut {
            self.shared.is_wide.store(true, Ordering::Relaxed);
            partials.give_up();
            return Ok(());
        }
        self.hand_on()?;
        let states = if groups > 0 { self.done.last().cloned() } else { None };
        partials.insert(block.id(), Partial { states, matched });
        Ok(())
    }
}
