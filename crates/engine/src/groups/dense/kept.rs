//! Blocks whose groups will be the same when the question is asked again are computed each for itself, and kept.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use tidegauge_store::Block;

use super::Worker;
use crate::Result;
use crate::partials::{Partial, Partials};
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
            if let Some(selected) = &selected {
                self.add(scan, selected).await?;
            }
            if !shared.is_wide.load(Ordering::Relaxed) {
                self.keep_block(&scan.blocks[claim.place], partials, matched)?;
            }
            // Other queries have a turn between blocks.
            turns::pause().await;
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
        self.hand_on(false)?;
        let states = if groups > 0 { self.done.last().cloned() } else { None };
        partials.insert(block.id(), Partial { states, matched });
        Ok(())
    }
}
