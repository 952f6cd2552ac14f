//! Blocks whose groups will be the same when the question is asked again are computed each for itself, and kept.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use tidegauge_cache::partials::{Partial, Partials};
use tidegauge_store::Block;

use super::Worker;
use crate::Result;
use crate::turns;

/// Blocks with more groups than these are not worth keeping: merging them costs as much as reading the rows.
const GROUPS_MAX: usize = 8 * 1024;

impl Worker {
    /// Computes the groups of the blocks that are to be kept.
    pub(super) async fn keep(&mut self) -> Result<()> {
        let shared = Arc::clone(&self.shared);
        let Some((partials, scan)) = &shared.kept else { return Ok(()) };
        while let Some(claim) = scan.claim() {
            let selected = scan.select(claim).await?;
            let matched = selected.as_ref().map_or(0, |selected| selected.picked.count() as u64);
            let handed_on = self.done.len();
            if let Some(selected) = &selected {
                self.add(scan, selected).await?;
            }
            if !shared.is_wide.load(Ordering::Relaxed) {
                let is_whole = self.done.len() == handed_on;
                self.keep_block(&scan.blocks[claim.place], partials, matched, is_whole)?;
            }
            // Other queries have a turn between blocks.
            turns::pause().await;
        }
        Ok(())
    }

    /// Keeps the groups of the block that was just taken over, if they are all here. Where there was no memory for them,
    /// some were handed on in the middle of the block; what has come since is not what the block has.
    fn keep_block(&mut self, block: &Block, partials: &Partials, matched: u64, is_whole: bool) -> Result<()> {
        let groups = self.places.len();
        if groups > GROUPS_MAX || !is_whole {
            self.shared.is_wide.store(true, Ordering::Relaxed);
            partials.give_up();
            return Ok(());
        }
        self.hand_on(false)?;
        let states = if groups > 0 { self.done.last().cloned() } else { None };
        partials.insert(block.id(), Partial { states, matched });
        Ok(())
    }
}
